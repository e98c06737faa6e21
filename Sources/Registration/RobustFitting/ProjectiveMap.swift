// A 3×3 matrix without memory of its own, for loops over thousands of samples.

import Imaging

/// A projective map, row by row.
struct ProjectiveMap: Sendable, Hashable {
  var a, b, c, d, e, f, g, h, i: Double

  init(
    _ a: Double, _ b: Double, _ c: Double, _ d: Double, _ e: Double, _ f: Double, _ g: Double, _ h: Double, _ i: Double
  ) {
    (self.a, self.b, self.c) = (a, b, c)
    (self.d, self.e, self.f) = (d, e, f)
    (self.g, self.h, self.i) = (g, h, i)
  }

  init(_ map: Homography) {
    let m = map.elements
    self.init(m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8])
  }

  static let identity = ProjectiveMap(1, 0, 0, 0, 1, 0, 0, 0, 1)

  var elements: [Double] { [a, b, c, d, e, f, g, h, i] }

  var determinant: Double { a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g) }

  /// The map backwards, up to a positive factor, when the determinant is positive.
  var adjugate: ProjectiveMap {
    ProjectiveMap(
      e * i - f * h, c * h - b * i, b * f - c * e,
      f * g - d * i, a * i - c * g, c * d - a * f,
      d * h - e * g, b * g - a * h, a * e - b * d)
  }

  static func * (l: ProjectiveMap, r: ProjectiveMap) -> ProjectiveMap {
    ProjectiveMap(
      l.a * r.a + l.b * r.d + l.c * r.g, l.a * r.b + l.b * r.e + l.c * r.h, l.a * r.c + l.b * r.f + l.c * r.i,
      l.d * r.a + l.e * r.d + l.f * r.g, l.d * r.b + l.e * r.e + l.f * r.h, l.d * r.c + l.e * r.f + l.f * r.i,
      l.g * r.a + l.h * r.d + l.i * r.g, l.g * r.b + l.h * r.e + l.i * r.h, l.g * r.c + l.h * r.f + l.i * r.i)
  }

  /// The third homogeneous coordinate of where a point goes: positive on this side of the horizon.
  func depth(_ point: SIMD2<Double>) -> Double { g * point.x + h * point.y + i }

  func apply(_ point: SIMD2<Double>) -> SIMD2<Double> {
    let w = 1 / depth(point)
    return SIMD2((a * point.x + b * point.y + c) * w, (d * point.x + e * point.y + f) * w)
  }

  /// Returns the same map, scaled so that `point` has the depth 1.
  func scaled(at point: SIMD2<Double>) -> ProjectiveMap {
    let s = 1 / depth(point)
    return ProjectiveMap(a * s, b * s, c * s, d * s, e * s, f * s, g * s, h * s, i * s)
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
