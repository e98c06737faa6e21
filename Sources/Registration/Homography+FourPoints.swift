import Imaging

extension Homography {
  /// The map that takes four points to four others; it may mirror. Nil when three points lie, or nearly lie, on one
  /// line, or when the map would have its horizon between the points.
  ///
  /// Through the basis of the projective plane that four points are (Hartley & Zisserman, "Multiple View Geometry",
  /// 2nd ed., 2004, section 2.3).
  /// - Parameter points: Four pairs: a point, and where it goes.
  package init?(through points: [(from: SIMD2<Double>, to: SIMD2<Double>)]) {
    precondition(points.count == 4, "a map through \(points.count) points")
    guard let from = Self.unitScale(points.map(\.from)), let to = Self.unitScale(points.map(\.to)) else { return nil }
    /// The map through the points, those of the target seen in a mirror or not.
    func map(mirror: Double) -> Homography? {
      let sample = points.map { point in
        let (p, q) = (from.apply(x: point.from.x, y: point.from.y), to.apply(x: point.to.x, y: point.to.y))
        return PointMatch(
          reference: SIMD2(q.x, mirror * q.y), floating: SIMD2(p.x, p.y), referenceVariance: 1, floatingVariance: 1,
          frame: .identity)
      }
      return TransformModel.homography.map(through: sample).map { Homography(1, 0, 0, 0, mirror, 0, 0, 0, 1) * $0 }
    }
    guard let back = to.inverse, let unit = map(mirror: 1) ?? map(mirror: -1) else { return nil }
    self = back * unit * from
  }

  /// The map that moves points to around the origin, the farthest at a distance of 1; nil when they are one point.
  private static func unitScale(_ points: [SIMD2<Double>]) -> Homography? {
    let middle = points.reduce(SIMD2<Double>.zero, +) / Double(points.count)
    let extent = points.map { max(abs($0.x - middle.x), abs($0.y - middle.y)) }.max() ?? 0
    guard extent > 0, extent.isFinite else { return nil }
    return Homography(1 / extent, 0, -middle.x / extent, 0, 1 / extent, -middle.y / extent, 0, 0, 1)
  }
}
