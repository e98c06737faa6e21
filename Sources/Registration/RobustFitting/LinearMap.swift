// How maps stretch the surroundings of a point.

import Imaging

extension Homography {
  /// Returns the same map, scaled so that `point` has the depth 1.
  func scaled(at point: SIMD2<Double>) -> Homography {
    let s = 1 / depth(point)
    return Homography(a * s, b * s, c * s, d * s, e * s, f * s, g * s, h * s, i * s)
  }

  /// Returns the derivatives of the map at a point: how it stretches the point's surroundings.
  func jacobian(_ point: SIMD2<Double>) -> LinearMap {
    let w = 1 / depth(point)
    let p = apply(point)
    return LinearMap(
      xx: (a - p.x * g) * w, xy: (b - p.x * h) * w, yx: (d - p.y * g) * w, yy: (e - p.y * h) * w)
  }
}

/// A 2×2 matrix.
struct LinearMap: Sendable, Hashable {
  var xx, xy, yx, yy: Double

  static let identity = LinearMap(xx: 1, xy: 0, yx: 0, yy: 1)

  /// Turns by the angle of a vector and zooms by its length.
  static func similarity(_ vector: SIMD2<Double>) -> LinearMap {
    LinearMap(xx: vector.x, xy: -vector.y, yx: vector.y, yy: vector.x)
  }

  var determinant: Double { xx * yy - xy * yx }

  func apply(_ p: SIMD2<Double>) -> SIMD2<Double> { SIMD2(xx * p.x + xy * p.y, yx * p.x + yy * p.y) }

  static func * (l: LinearMap, r: LinearMap) -> LinearMap {
    LinearMap(
      xx: l.xx * r.xx + l.xy * r.yx, xy: l.xx * r.xy + l.xy * r.yy, yx: l.yx * r.xx + l.yy * r.yx,
      yy: l.yx * r.xy + l.yy * r.yy)
  }

  /// The map backwards; the determinant must not vanish.
  var inverse: LinearMap {
    let s = 1 / determinant
    return LinearMap(xx: yy * s, xy: -xy * s, yx: -yx * s, yy: xx * s)
  }

  /// The factor by which the map stretches one direction more than the one across; infinite when it folds.
  var anisotropy: Double {
    let determinant = determinant
    guard determinant > 0 else { return .infinity }
    // The singular values s, t have s² + t² = ‖M‖² and s·t = det M.
    let half = (xx * xx + xy * xy + yx * yx + yy * yy) / (2 * determinant)
    return half + max(half * half - 1, 0).squareRoot()
  }
}
