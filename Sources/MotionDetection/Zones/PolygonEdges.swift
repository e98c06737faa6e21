// The test whether points lie in a polygon.

import Imaging

/// The edges of a polygon, sorted by height, so that the test of a point asks those beside it alone.
///
/// The even-odd rule decides. An edge that is left out has both ends above the point or both below: it does not count.
struct PolygonEdges: Sendable {
  private struct Edge: Sendable {
    var corner: SIMD2<Double>
    var last: SIMD2<Double>
  }

  private let edges: [Edge]
  /// The indices into `edges` band by band, from the top; an edge is in each band that it passes.
  private let members: [Int32]
  /// The index into `members` at which each band begins, and at last their number.
  private let starts: [Int]
  private let top: Double
  private let bottom: Double
  private let left: Double
  private let right: Double
  private let bandsPerUnit: Double

  /// The number of bands of a polygon with many corners: about that of the rows of cells.
  private static let bandCount = 64
  /// The maximum number of edges that one band holds alone; chosen by hand.
  private static let maximumSingleBandEdges = 16

  /// - Parameter corners: The corners, in any unit.
  init(_ corners: [SIMD2<Double>]) {
    var edges: [Edge] = []
    var last = corners[corners.count - 1]
    for corner in corners {
      if corner.y != last.y { edges.append(Edge(corner: corner, last: last)) }
      last = corner
    }
    self.edges = edges
    let (xs, ys) = (corners.map(\.x), corners.map(\.y))
    (top, bottom) = (ys.min() ?? 0, ys.max() ?? 0)
    // A crossing is rounded: what lies that near is asked for.
    let margin = 1e-6 * max(xs.map(abs).max() ?? 0, 1)
    (left, right) = ((xs.min() ?? 0) - margin, (xs.max() ?? 0) + margin)
    let count = edges.count > Self.maximumSingleBandEdges ? Self.bandCount : 1
    let (top, scale) = (top, Double(count) / (bottom - top))
    bandsPerUnit = scale
    // Rounding keeps the order of heights, so a point between the ends of an edge is in one of its bands.
    let bands = edges.map { edge in
      Self.band(
        min(edge.corner.y, edge.last.y), top, scale, count)...Self.band(
          max(edge.corner.y, edge.last.y), top, scale, count)
    }
    var starts = [Int](repeating: 0, count: count + 1)
    for range in bands { for band in range { starts[band + 1] += 1 } }
    for band in 0..<count { starts[band + 1] += starts[band] }
    var (next, members) = (starts, [Int32](repeating: 0, count: starts[count]))
    for (index, range) in bands.enumerated() {
      for band in range {
        members[next[band]] = Int32(index)
        next[band] += 1
      }
    }
    (self.starts, self.members) = (starts, members)
  }

  private static func band(_ y: Double, _ top: Double, _ scale: Double, _ count: Int) -> Int {
    min(max(Int(saturating: (y - top) * scale), 0), count - 1)
  }

  /// Returns whether a point lies inside.
  func contains(_ point: SIMD2<Double>) -> Bool {
    guard point.y >= top, point.y < bottom, point.x >= left, point.x <= right else { return false }
    let band = Self.band(point.y, top, bandsPerUnit, starts.count - 1)
    var isInside = false
    for member in starts[band]..<starts[band + 1] {
      let edge = edges[Int(members[member])]
      let (corner, last) = (edge.corner, edge.last)
      if (corner.y > point.y) != (last.y > point.y),
        point.x < (last.x - corner.x) * (point.y - corner.y) / (last.y - corner.y) + corner.x
      {
        isInside.toggle()
      }
    }
    return isInside
  }
}
