import Imaging

extension Homography {
  /// Returns the same map, scaled so that `point` has the depth 1.
  func scaled(at point: SIMD2<Double>) -> Homography {
    let s = 1 / depth(point)
    return Homography(a * s, b * s, c * s, d * s, e * s, f * s, g * s, h * s, i * s)
  }

  /// Returns the derivatives of the map at a point: how it stretches the point's surroundings.
  func jacobian(_ point: SIMD2<Double>) -> Matrix2x2 {
    let w = 1 / depth(point)
    let p = apply(point)
    return Matrix2x2(
      xx: (a - p.x * g) * w, xy: (b - p.x * h) * w, yx: (d - p.y * g) * w, yy: (e - p.y * h) * w)
  }
}
