/// A matrix of two rows and two columns: the linear part of a map.
struct Matrix2x2: Sendable, Hashable {
  var xx, xy, yx, yy: Double

  static let identity = Matrix2x2(xx: 1, xy: 0, yx: 0, yy: 1)

  /// Returns the matrix that turns by the angle of a vector and zooms by its length.
  static func similarity(_ vector: SIMD2<Double>) -> Matrix2x2 {
    Matrix2x2(xx: vector.x, xy: -vector.y, yx: vector.y, yy: vector.x)
  }

  var determinant: Double { xx * yy - xy * yx }

  func apply(_ p: SIMD2<Double>) -> SIMD2<Double> { SIMD2(xx * p.x + xy * p.y, yx * p.x + yy * p.y) }

  static func * (l: Matrix2x2, r: Matrix2x2) -> Matrix2x2 {
    Matrix2x2(
      xx: l.xx * r.xx + l.xy * r.yx, xy: l.xx * r.xy + l.xy * r.yy, yx: l.yx * r.xx + l.yy * r.yx,
      yy: l.yx * r.xy + l.yy * r.yy)
  }

  /// The map backwards; the determinant must not vanish.
  var inverse: Matrix2x2 {
    let s = 1 / determinant
    return Matrix2x2(xx: yy * s, xy: -xy * s, yx: -yx * s, yy: xx * s)
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
