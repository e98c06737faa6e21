// Follows the borders of regions: along the edges between a pixel inside and a pixel outside.
//
// Suzuki & Abe (see ContourHierarchy) follow border pixels. Deviations: (1) here it is the edges between pixels, of
// which each belongs to one border: one pass over a row finds every border once, one pixel wide regions need no special
// case, and the polygon's area is the number of pixels. (2) The same walk serves isolines: an edge between two pixels
// is where marching squares put a point, and the corner between two edges is one of its squares. The square with two
// ways to join its points is decided by the connectivity of the regions.

/// An edge of a pixel on a border, passed with the inside on the right.
struct BorderStep {
  /// A direction on the screen.
  enum Direction: UInt8 {
    case right, down, left, up

    /// The direction after a turn by a number of quarters to the right.
    func turned(_ quarters: UInt8) -> Direction { Direction(rawValue: (rawValue &+ quarters) & 3) ?? self }

    var vector: (x: Int32, y: Int32) {
      switch self {
      case .right: (1, 0)
      case .down: (0, 1)
      case .left: (-1, 0)
      case .up: (0, -1)
      }
    }
  }

  /// The corner that the edge starts from: the upper left one of the pixel (x, y).
  var x: Int32
  var y: Int32
  var direction: Direction

  /// The pixel on the right, which is inside.
  var inside: (x: Int, y: Int) {
    switch direction {
    case .right: (Int(x), Int(y))
    case .down: (Int(x) - 1, Int(y))
    case .left: (Int(x) - 1, Int(y) - 1)
    case .up: (Int(x), Int(y) - 1)
    }
  }

  /// The pixel on the left, which is outside.
  var outside: (x: Int, y: Int) {
    let (x, y) = inside
    let across = direction.turned(3).vector
    return (x + Int(across.x), y + Int(across.y))
  }
}

/// A border: its course, and the border that it lies in.
struct Border {
  var steps: [BorderStep]
  var isHole: Bool
  var parent: Int?
}

/// An image's pixels inside and outside, ready to be followed.
struct BorderFollower {
  let size: PixelSize
  /// A mask of the pixels inside, with a frame of pixels outside around them.
  private let isInside: Plane<Bool>

  init(size: PixelSize, isInside: (_ x: Int, _ y: Int) -> Bool) {
    self.size = size
    let framed = PixelSize(width: size.width + 2, height: size.height + 2)
    var inside = Plane<Bool>(size: framed)
    inside.withMutableView { view in
      for y in 0..<size.height {
        let row = view.row(y + 1)
        for x in 0..<size.width { row[x + 1] = isInside(x, y) }
      }
    }
    self.isInside = inside
  }

  /// All borders, each behind its parent, in the order of their uppermost, then leftmost, upright edge.
  func borders() -> [Border] {
    // For the edge on the left of each pixel of the framed image, the number of its border from 1; 0: none yet.
    var labels = Plane<Int32>(size: isInside.size)
    return isInside.withView { inside in
      labels.withMutableView { labels in
        var borders: [Border] = []
        for y in 0..<size.height {
          // Suzuki & Abe's LNBD: the last border that was crossed in this row.
          var last: Int?
          let (row, labelRow) = (inside.row(y + 1), labels.row(y + 1))
          for x in 0...size.width where row[x + 1] != row[x] {
            if labelRow[x + 1] == 0 {
              let start = BorderStep(
                x: Int32(x), y: Int32(row[x + 1] ? y + 1 : y), direction: row[x + 1] ? .up : .down)
              let steps = Self.follow(start, inside, labels, label: Int32(borders.count + 1))
              borders.append(
                Border(steps: steps, isHole: !row[x + 1], parent: Self.parent(isHole: !row[x + 1], last, borders)))
            }
            last = Int(labelRow[x + 1]) - 1
          }
        }
        return borders
      }
    }
  }

  /// Suzuki & Abe, table 1: behind a border of the other kind a new border lies in that one, behind one of its own kind
  /// beside it.
  private static func parent(isHole: Bool, _ last: Int?, _ borders: [Border]) -> Int? {
    guard let last else { return nil }
    return borders[last].isHole == isHole ? borders[last].parent : last
  }

  /// Walks once around, and marks the upright edges.
  private static func follow(
    _ start: BorderStep, _ inside: PlaneView<Bool>, _ labels: MutablePlaneView<Int32>, label: Int32
  ) -> [BorderStep] {
    var steps: [BorderStep] = []
    var step = start
    repeat {
      steps.append(step)
      let move = step.direction.vector
      if move.y != 0 { labels.row(Int(step.y + min(move.y, 0)) + 1)[Int(step.x) + 1] = label }
      step.x += move.x
      step.y += move.y
      step.direction = next(step, inside)
    } while step.x != start.x || step.y != start.y || step.direction != start.direction
    return steps
  }

  /// Returns the edge after a corner: to the left where the pixel ahead on the left is inside, for pixels are
  /// connected over corners; else straight on along the pixel ahead on the right, or around its corner.
  private static func next(_ step: BorderStep, _ inside: PlaneView<Bool>) -> BorderStep.Direction {
    func isInside(_ dx: Int, _ dy: Int) -> Bool { inside.row(Int(step.y) + 1 + dy)[Int(step.x) + 1 + dx] }
    let (aheadLeft, aheadRight) =
      switch step.direction {
      case .right: (isInside(0, -1), isInside(0, 0))
      case .down: (isInside(0, 0), isInside(-1, 0))
      case .left: (isInside(-1, 0), isInside(-1, -1))
      case .up: (isInside(-1, -1), isInside(0, -1))
      }
    return step.direction.turned(aheadLeft ? 3 : aheadRight ? 0 : 1)
  }
}

extension [BorderStep] {
  /// The corners of the pixels' edges at which the border turns.
  var corners: [SIMD2<Double>] {
    indices.compactMap { index in
      let (step, next) = (self[index], self[index + 1 < count ? index + 1 : 0])
      return step.direction == next.direction ? nil : SIMD2(Double(next.x) - 0.5, Double(next.y) - 0.5)
    }
  }

  /// Returns, for each edge, the point between the two pixels' centres at which a linear function would be `threshold`.
  func crossings(of threshold: Float, in plane: PlaneView<Float>) -> [SIMD2<Double>] {
    var points: [SIMD2<Double>] = []
    points.reserveCapacity(count)
    for step in self {
      let (inside, outside) = (step.inside, step.outside)
      let share = Self.share(of: threshold, from: inside, to: outside, in: plane)
      let (from, to) = (SIMD2(Double(inside.x), Double(inside.y)), SIMD2(Double(outside.x), Double(outside.y)))
      let point = from + (to - from) * share
      if point != points.last { points.append(point) }
    }
    if points.count > 1, points.first == points.last { points.removeLast() }
    return points
  }

  /// Returns the share of the way from the inner pixel to the outer one at which `threshold` lies, 0…1.
  private static func share(
    of threshold: Float, from inside: (x: Int, y: Int), to outside: (x: Int, y: Int), in plane: PlaneView<Float>
  ) -> Double {
    guard plane.size.contains(x: outside.x, y: outside.y) else { return 0.5 }
    let (high, low) = (Double(plane.row(inside.y)[inside.x]), Double(plane.row(outside.y)[outside.x]))
    guard high.isFinite, low.isFinite else { return 0.5 }
    return (high - Double(threshold)) / (high - low)
  }
}
