/// A rectangle of whole pixels.
public struct PixelRect: Sendable, Hashable, Codable {
  /// The leftmost column.
  public var x: Int
  /// The uppermost row.
  public var y: Int
  /// Columns and rows.
  public var size: PixelSize

  /// The rectangle of the columns x ..< x + width and the rows y ..< y + height.
  public init(x: Int, y: Int, width: Int, height: Int) {
    self.x = x
    self.y = y
    size = PixelSize(width: width, height: height)
  }

  /// The whole of an image of a size.
  public init(whole size: PixelSize) {
    self.init(x: 0, y: 0, width: size.width, height: size.height)
  }

  /// The columns inside.
  public var columns: Range<Int> { x..<x + size.width }
  /// The rows inside.
  public var rows: Range<Int> { y..<y + size.height }

  /// Returns whether the two share a pixel.
  public func overlaps(_ other: PixelRect) -> Bool { columns.overlaps(other.columns) && rows.overlaps(other.rows) }

  /// Returns whether all pixels of another rectangle are inside.
  public func contains(_ other: PixelRect) -> Bool {
    columns.clamped(to: other.columns) == other.columns && rows.clamped(to: other.rows) == other.rows
  }

  /// Returns the smallest rectangle that holds both.
  public func union(_ other: PixelRect) -> PixelRect {
    let (left, top) = (min(x, other.x), min(y, other.y))
    return PixelRect(
      x: left, y: top, width: max(columns.upperBound, other.columns.upperBound) - left,
      height: max(rows.upperBound, other.rows.upperBound) - top)
  }

  /// Returns rectangles of which none overlaps another and that hold all pixels of some others: see
  /// `insertUniting`.
  package static func disjoint(_ rects: [PixelRect]) -> [PixelRect] {
    rects.reduce(into: []) { $0.insertUniting($1) }
  }

  /// The smallest rectangle that holds all pixels for which `isInside(x, y)` holds; nil when there are none.
  public static func bounding(_ size: PixelSize, _ isInside: (_ x: Int, _ y: Int) -> Bool) -> PixelRect? {
    var (left, top, right, bottom) = (Int.max, Int.max, -1, -1)
    for y in 0..<size.height {
      guard let first = (0..<size.width).first(where: { isInside($0, y) }),
        let last = (0..<size.width).last(where: { isInside($0, y) })
      else { continue }
      (left, right) = (min(left, first), max(right, last))
      (top, bottom) = (min(top, y), y)
    }
    return right < 0 ? nil : PixelRect(x: left, y: top, width: right - left + 1, height: bottom - top + 1)
  }

  /// The rectangle with the most pixels for all of which `isInside(x, y)` holds; of several, the first from the top;
  /// nil when there are none.
  ///
  /// For each row, the columns that reach up from it make a histogram, and the largest rectangle under it is found with
  /// a stack of rising bars. - Complexity: O(pixels).
  public static func largest(_ size: PixelSize, _ isInside: (_ x: Int, _ y: Int) -> Bool) -> PixelRect? {
    var heights = [Int](repeating: 0, count: size.width + 1)
    var best: PixelRect?
    var stack: [(start: Int, height: Int)] = []
    for y in 0..<size.height {
      for x in 0..<size.width { heights[x] = isInside(x, y) ? heights[x] + 1 : 0 }
      stack.removeAll(keepingCapacity: true)
      // The bar of height 0 behind the last column closes all others.
      for x in 0...size.width {
        var start = x
        while let top = stack.last, top.height >= heights[x] {
          stack.removeLast()
          start = top.start
          if top.height * (x - start) > best?.size.area ?? 0 {
            best = PixelRect(x: start, y: y - top.height + 1, width: x - start, height: top.height)
          }
        }
        stack.append((start, heights[x]))
      }
    }
    return best
  }
}

extension [PixelRect] {
  /// Adds a rectangle to some of which none overlaps another, and keeps them so: those that it overlaps become the
  /// smallest one that holds them, which may overlap others, again and again. It comes last.
  package mutating func insertUniting(_ rect: PixelRect) {
    var rect = rect
    while let index = firstIndex(where: rect.overlaps) { rect = rect.union(remove(at: index)) }
    append(rect)
  }
}

extension Plane {
  /// The pixels of a rectangle, which must lie inside.
  public func cropped(to rect: PixelRect) -> Plane {
    precondition(
      rect.x >= 0 && rect.y >= 0 && rect.columns.upperBound <= width && rect.rows.upperBound <= height,
      "\(rect) of \(size)")
    return withView { source in
      Plane(
        size: rect.size,
        filledBy: { target in
          for y in 0..<rect.size.height {
            target.row(y).update(from: source.row(rect.y + y) + rect.x, count: rect.size.width)
          }
        })
    }
  }
}
