/// A rectangle that covers pixels, whole ones or parts.
///
/// (x, y) is the centre of its upper left pixel, so that with whole numbers it covers the pixels x … x + width − 1, as
/// the boxes of reports do. Its edges lie at x − 0.5 and x + width − 0.5.
public struct BoundingBox: Sendable, Hashable, Codable {
  /// The column of the centre of its upper left pixel.
  public var x: Double
  /// The row of the centre of its upper left pixel.
  public var y: Double
  /// Pixels from the left to the right edge.
  public var width: Double
  /// Pixels from the upper to the lower edge.
  public var height: Double

  /// A rectangle from the centre of its upper left pixel.
  public init(x: Double, y: Double, width: Double, height: Double) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  /// A rectangle from its centre.
  public init(center: SIMD2<Double>, width: Double, height: Double) {
    self.init(x: center.x - (width - 1) / 2, y: center.y - (height - 1) / 2, width: width, height: height)
  }

  /// All pixels of an image.
  public init(_ size: PixelSize) {
    self.init(x: 0, y: 0, width: Double(size.width), height: Double(size.height))
  }

  /// Square pixels.
  public var area: Double { width * height }
  /// A Boolean value that tells whether the rectangle covers nothing, also when a side is NaN.
  public var isEmpty: Bool { !(width > 0 && height > 0) }
  /// The middle, in pixels.
  public var center: SIMD2<Double> { SIMD2(x + (width - 1) / 2, y + (height - 1) / 2) }

  /// Returns the rectangle that both rectangles cover; empty, with a width or height of 0, when that is nothing.
  public func intersection(_ other: BoundingBox) -> BoundingBox {
    let (left, top) = (max(x, other.x), max(y, other.y))
    return BoundingBox(
      x: left, y: top, width: max(0, min(x + width, other.x + other.width) - left),
      height: max(0, min(y + height, other.y + other.height) - top))
  }

  /// Intersection over union (IoU), the Jaccard index: 1 for equal rectangles, 0 for disjoint or empty ones.
  public func intersectionOverUnion(_ other: BoundingBox) -> Double {
    let common = intersection(other).area
    let union = area + other.area - common
    return union > 0 ? common / union : 0
  }
}
