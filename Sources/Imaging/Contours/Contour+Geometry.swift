// What Vision's geometry utilities tell of a contour: area, perimeter, bounding box and circle, a simpler polygon.

extension Contour {
  /// The area with its sign, by the shoelace formula: positive for outer contours, negative for those of holes.
  public var orientedArea: Double {
    guard let first = points.first else { return 0 }
    // Relative to a point of its own, so that contours far from the origin lose no digits.
    var sum = 0.0
    var previous = SIMD2(0.0, 0.0)
    for point in points.dropFirst() {
      let next = point - first
      sum += previous.x * next.y - previous.y * next.x
      previous = next
    }
    return sum / 2
  }

  /// The area inside, in square pixels, holes and what is in them included.
  public var area: Double { abs(orientedArea) }

  /// The area of the region that an outer contour bounds, without its holes.
  public var regionArea: Double { childContours.reduce(area) { $0 - $1.area } }

  /// The length of the contour, in pixels.
  public var perimeter: Double {
    points.indices.reduce(0) { sum, index in
      sum + distance(points[index], points[index + 1 < points.count ? index + 1 : 0])
    }
  }

  /// The smallest upright rectangle around the contour.
  public var boundingBox: BoundingBox {
    guard let first = points.first else { return BoundingBox(x: 0, y: 0, width: 0, height: 0) }
    let low = points.reduce(first) { SIMD2(min($0.x, $1.x), min($0.y, $1.y)) }
    let high = points.reduce(first) { SIMD2(max($0.x, $1.x), max($0.y, $1.y)) }
    return BoundingBox(x: low.x + 0.5, y: low.y + 0.5, width: high.x - low.x, height: high.y - low.y)
  }

  /// Returns whether a point lies inside, by the even-odd rule; holes and what is in them are inside, too. On the
  /// contour itself either answer may come.
  ///
  /// - Complexity: O(n).
  public func contains(_ position: SIMD2<Double>) -> Bool {
    guard var last = points.last else { return false }
    var isInside = false
    for point in points {
      if (point.y > position.y) != (last.y > position.y),
        position.x < (last.x - point.x) * (position.y - point.y) / (last.y - point.y) + point.x
      {
        isInside.toggle()
      }
      last = point
    }
    return isInside
  }

  /// Width over height of the bounding box; 0 when it has no height.
  public var aspectRatio: Double {
    let box = boundingBox
    return box.height > 0 ? box.width / box.height : 0
  }

  /// The smallest circle around the contour.
  public var boundingCircle: BoundingCircle { BoundingCircle(around: points) }

  /// A contour of fewer points, all of them points of this one, none of whose other points is further than `epsilon`
  /// pixels from it. Its children stay as they are.
  ///
  /// Douglas & Peucker, Cartographica 10, 1973, doi:10.3138/FM57-6770-U75U-7727; Ramer, CGIP 1, 1972. A closed curve
  /// has no ends: it is cut at the point farthest from the first one, and at the point farthest from there, whichever
  /// way that lies; so the result does not lean on where a contour happens to begin.
  /// - Complexity: O(n²) at worst, O(n log n) for most curves.
  public func polygonApproximation(epsilon: Double) -> Contour {
    precondition(epsilon >= 0, "an epsilon of \(epsilon)")
    guard points.count > 3 else { return self }
    let one = farthestIndex(from: points[0])
    let other = farthestIndex(from: points[one])
    var isKept = [Bool](repeating: false, count: points.count)
    isKept[one] = true
    isKept[other] = true
    var open = one == other ? [] : [(one, other), (other, one)]
    while let (start, end) = open.popLast() {
      guard let split = farthestBetween(start, end), split.distance > epsilon else { continue }
      isKept[split.index] = true
      open.append((start, split.index))
      open.append((split.index, end))
    }
    let kept = points.indices.filter { isKept[$0] }.map { points[$0] }
    return Contour(points: kept, isHole: isHole, indexPath: indexPath, childContours: childContours)
  }

  /// Returns the index of the first of the points that are farthest from `position`.
  private func farthestIndex(from position: SIMD2<Double>) -> Int {
    var best = (index: 0, distance: -1.0)
    for (index, point) in points.enumerated() {
      let length = squaredLength(point - position)
      if length > best.distance { best = (index, length) }
    }
    return best.index
  }

  /// The point on the way from one index to another, around the end if need be, that is farthest from the line between.
  private func farthestBetween(_ start: Int, _ end: Int) -> (index: Int, distance: Double)? {
    let length = (end - start + points.count) % points.count
    guard length > 1 else { return nil }
    let (a, b) = (points[start], points[end])
    var best = (index: start, distance: -1.0)
    for offset in 1..<length {
      let index = (start + offset) % points.count
      let squared = squaredDistance(points[index], toSegmentFrom: a, to: b)
      if squared > best.distance { best = (index, squared) }
    }
    return (best.index, best.distance.squareRoot())
  }
}

/// A circle, in pixels.
public struct BoundingCircle: Sendable, Hashable, Codable {
  /// The middle, in pixels.
  public var center: SIMD2<Double>
  /// The radius, in pixels; 0 for a single point.
  public var radius: Double

  /// A circle by its middle and its radius.
  public init(center: SIMD2<Double>, radius: Double) {
    self.center = center
    self.radius = radius
  }

  /// Rounding may move a point this share of the radius out of a circle through it.
  private static let tolerance = 1e-10

  /// The smallest circle around points: Welzl, "Smallest enclosing disks", LNCS 555, 1991, doi:10.1007/BFb0038202,
  /// without recursion. Points come in an order that is scattered, but the same in every run.
  ///
  /// - Complexity: O(n) expected.
  public init(around points: [SIMD2<Double>]) {
    var random = SplitMix64(seed: 0x5EED_C1AC)
    let points = points.shuffled(using: &random)
    self.init(center: points.first ?? SIMD2(0, 0), radius: 0)
    for i in points.indices where !contains(points[i]) {
      self = BoundingCircle(center: points[i], radius: 0)
      for j in 0..<i where !contains(points[j]) {
        self = BoundingCircle(points[i], points[j])
        for k in 0..<j where !contains(points[k]) { self = BoundingCircle(points[i], points[j], points[k]) }
      }
    }
  }

  private init(_ a: SIMD2<Double>, _ b: SIMD2<Double>) {
    self.init(center: (a + b) / 2, radius: distance(a, b) / 2)
  }

  /// The circle through three points; around the two that are farthest apart when they lie on a line.
  private init(_ a: SIMD2<Double>, _ b: SIMD2<Double>, _ c: SIMD2<Double>) {
    let (p, q) = (b - a, c - a)
    let twice = 2 * (p.x * q.y - p.y * q.x)
    guard abs(twice) > 1e-12 else {
      let pairs = [BoundingCircle(a, b), BoundingCircle(b, c), BoundingCircle(a, c)]
      self = pairs.dropFirst().reduce(pairs[0]) { $0.radius < $1.radius ? $1 : $0 }
      return
    }
    let (pp, qq) = (squaredLength(p), squaredLength(q))
    let offset = SIMD2((q.y * pp - p.y * qq) / twice, (p.x * qq - q.x * pp) / twice)
    self.init(center: a + offset, radius: squaredLength(offset).squareRoot())
  }

  /// Returns whether a point lies inside or, but for rounding, on the circle.
  public func contains(_ point: SIMD2<Double>) -> Bool {
    distance(point, center) <= radius + Self.tolerance * (1 + radius)
  }
}

private func squaredLength(_ v: SIMD2<Double>) -> Double { v.x * v.x + v.y * v.y }

private func distance(_ a: SIMD2<Double>, _ b: SIMD2<Double>) -> Double { squaredLength(b - a).squareRoot() }

private func squaredDistance(
  _ point: SIMD2<Double>, toSegmentFrom a: SIMD2<Double>, to b: SIMD2<Double>
) -> Double {
  let (way, offset) = (b - a, point - a)
  let length = squaredLength(way)
  guard length > 0 else { return squaredLength(offset) }
  let share = max(0, min(1, (offset.x * way.x + offset.y * way.y) / length))
  return squaredLength(offset - way * share)
}
