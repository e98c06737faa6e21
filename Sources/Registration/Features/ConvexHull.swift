/// The smallest convex polygon around points.
struct ConvexHull {
  /// The corners in order around the polygon; fewer than three when the points lie on a line.
  let corners: [SIMD2<Double>]

  /// Andrew's monotone chain, 1979.
  init(_ points: [SIMD2<Double>]) {
    let sorted = points.sorted { $0.x != $1.x ? $0.x < $1.x : $0.y < $1.y }
    func chain(_ points: some Sequence<SIMD2<Double>>) -> [SIMD2<Double>] {
      var chain: [SIMD2<Double>] = []
      for point in points {
        while chain.count > 1, Self.side(chain[chain.count - 2], chain[chain.count - 1], point) <= 0 {
          chain.removeLast()
        }
        chain.append(point)
      }
      return Array(chain.dropLast())
    }
    corners = chain(sorted) + chain(sorted.reversed())
  }

  /// Twice the area of the triangle of three points, positive when they turn from x to y.
  private static func side(_ a: SIMD2<Double>, _ b: SIMD2<Double>, _ c: SIMD2<Double>) -> Double {
    (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)
  }

  func contains(_ point: SIMD2<Double>) -> Bool {
    guard corners.count > 2 else { return false }
    return corners.indices.allSatisfy { Self.side(corners[$0], corners[($0 + 1) % corners.count], point) >= 0 }
  }

  var area: Double {
    guard corners.count > 2 else { return 0 }
    return corners.indices.dropFirst(2).reduce(0) { $0 + Self.side(corners[0], corners[$1 - 1], corners[$1]) / 2 }
  }
}
