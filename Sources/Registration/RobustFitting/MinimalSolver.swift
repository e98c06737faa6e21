// Maps through as few matches as determine them.

import Imaging

extension TransformModel {
  /// The number of matches that determine a map.
  var sampleSize: Int {
    switch self {
    case .identity: 0
    case .translation: 1
    case .euclidean: 2
    case .affine: 3
    case .homography: 4
    }
  }

  /// The map through a sample, from floating to reference; nil for samples that determine none, or one that no camera
  /// sees: mirrored, or with the horizon between the points.
  func map(through sample: [PointMatch]) -> Homography? {
    switch self {
    case .identity: .identity
    case .translation: map(of: sample[0], .similarity(SIMD2(1, 0)))
    case .euclidean: euclidean(sample[0], sample[1])
    case .affine: affine(sample)
    case .homography: homography(sample)
    }
  }

  /// The map of this family that one match suggests by its sizes and directions.
  func map(suggestedBy match: PointMatch) -> Homography? {
    switch self {
    case .identity, .translation: return map(through: [match])
    case .euclidean:
      // The turn nearest to a linear map.
      let vector = SIMD2(match.frame.xx + match.frame.yy, match.frame.yx - match.frame.xy)
      let length = (vector * vector).sum().squareRoot()
      return length > 1e-9 ? map(of: match, .similarity(vector / length)) : nil
    case .affine, .homography: return map(of: match, match.frame)
    }
  }

  /// The map with the linear part `part` that takes one point of a match to the other.
  private func map(of match: PointMatch, _ part: Matrix2x2) -> Homography {
    let (p, q) = (match.floating, match.reference)
    let shift = q - part.apply(p)
    return Homography(part.xx, part.xy, shift.x, part.yx, part.yy, shift.y, 0, 0, 1)
  }

  private func euclidean(_ first: PointMatch, _ second: PointMatch) -> Homography? {
    let p = second.floating - first.floating
    let q = second.reference - first.reference
    let vector = SIMD2(p.x * q.x + p.y * q.y, p.x * q.y - p.y * q.x)
    let length = (vector * vector).sum().squareRoot()
    guard length > 1e-6 else { return nil }
    var middle = first
    middle.floating = (first.floating + second.floating) * 0.5
    middle.reference = (first.reference + second.reference) * 0.5
    return map(of: middle, .similarity(vector / length))
  }

  private func affine(_ sample: [PointMatch]) -> Homography? {
    let floating = triangle(sample[0].floating, sample[1].floating, sample[2].floating)
    let reference = triangle(sample[0].reference, sample[1].reference, sample[2].reference)
    let (p, q) = (floating.determinant, reference.determinant)
    guard abs(p) > minimumTriangle, abs(q) > minimumTriangle, p * q > 0 else { return nil }
    let map = reference * floating.adjugate
    return map.scaled(at: sample[0].floating)
  }

  private func homography(_ sample: [PointMatch]) -> Homography? {
    guard let floating = basis(sample.map(\.floating)), let reference = basis(sample.map(\.reference)) else {
      return nil
    }
    // All four keep their side of the horizon exactly when the factors agree in sign (Hartley & Zisserman, 21.5).
    guard floating.signs == reference.signs else { return nil }
    let map = reference.map * floating.map.adjugate
    let depth = map.depth(sample[0].floating)
    guard abs(depth) > 1e-12 else { return nil }
    return map.scaled(at: sample[0].floating)
  }

  /// The matrix whose columns are three points; its determinant is twice the area of their triangle.
  private func triangle(_ p: SIMD2<Double>, _ q: SIMD2<Double>, _ r: SIMD2<Double>) -> Homography {
    Homography(p.x, q.x, r.x, p.y, q.y, r.y, 1, 1, 1)
  }

  /// Twice the minimum area of a triangle that counts as one, in normalised units: a thousandth of the image; chosen by
  /// hand.
  private var minimumTriangle: Double { 0.002 }

  /// The map from the basis of the projective plane to four points, and the signs that orient it.
  private func basis(_ points: [SIMD2<Double>]) -> (map: Homography, signs: SIMD4<Double>)? {
    let t = triangle(points[0], points[1], points[2])
    let area = t.determinant
    let last = points[3]
    let l = t.adjugate
    let x = l.a * last.x + l.b * last.y + l.c
    let y = l.d * last.x + l.e * last.y + l.f
    let z = l.g * last.x + l.h * last.y + l.i
    // The area of the triangle of three points, and those of the triangles that the fourth one makes with two of them.
    guard min(abs(area), abs(x), abs(y), abs(z)) > minimumTriangle else { return nil }
    let map = Homography(
      t.a * x, t.b * y, t.c * z, t.d * x, t.e * y, t.f * z, t.g * x, t.h * y, t.i * z)
    return (map, SIMD4(area.signum, x.signum, y.signum, z.signum))
  }
}

extension Double {
  fileprivate var signum: Double { self < 0 ? -1 : 1 }
}
