import Imaging

extension BoundingBox {
  /// A rectangle from its centre and its sides.
  init(center: SIMD2<Double>, size: SIMD2<Double>) { self.init(center: center, width: size.x, height: size.y) }

  /// The width and the height.
  var size: SIMD2<Double> { SIMD2(width, height) }
  /// The column behind the last one.
  var right: Double { x + width }
  /// The row below the last one.
  var bottom: Double { y + height }

  /// The whole pixels of an image that it covers, with a margin; none when it lies outside.
  func pixels(of size: PixelSize, marginX: Double = 0, marginY: Double = 0) -> PixelRect {
    func span(_ first: Double, _ end: Double, _ count: Int) -> Range<Int> {
      let lower = min(max(Int(first.rounded()), 0), count)
      return lower..<max(min(Int(end.rounded()), count), lower)
    }
    let columns = span(x - marginX, right + marginX, size.width)
    let rows = span(y - marginY, bottom + marginY, size.height)
    return PixelRect(x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
  }

  /// The smallest rectangle around both.
  func union(_ other: BoundingBox) -> BoundingBox {
    let (left, top) = (min(x, other.x), min(y, other.y))
    return BoundingBox(
      x: left, y: top, width: max(right, other.right) - left, height: max(bottom, other.bottom) - top)
  }

  /// The number of columns that both cover; negative: how far they are apart.
  func commonWidth(_ other: BoundingBox) -> Double { min(right, other.right) - max(x, other.x) }

  /// The larger of the distances between the edges, to the side and up; 0 where they touch or overlap.
  func gap(to other: BoundingBox) -> Double {
    max(x - other.right, other.x - right, y - other.bottom, other.y - bottom, 0)
  }

  /// Returns whether one lies above the other, such as head, body and legs: they share half the columns of the narrower
  /// one, and the gap is a fifth of the height of both at most.
  func isStacked(with other: BoundingBox) -> Bool {
    let whole = union(other)
    return commonWidth(other) > 0.5 * min(width, other.width)
      && whole.height - height - other.height <= 0.2 * whole.height
  }
}
