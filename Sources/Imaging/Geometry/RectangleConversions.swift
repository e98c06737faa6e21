// Rectangles of whole pixels, of parts of pixels and of fractions: the same regions in an image of one size.
//
// For the lower-left corner of Apple's Vision see `flippedVertically`.

extension NormalizedRect {
  /// The rectangle that a box covers, in fractions of an image's size.
  public init(_ box: BoundingBox, in size: PixelSize) {
    let (width, height) = (Double(size.width), Double(size.height))
    self.init(x: box.x / width, y: box.y / height, width: box.width / width, height: box.height / height)
  }

  /// The rectangle that whole pixels cover, in fractions of an image's size.
  public init(_ rect: PixelRect, in size: PixelSize) { self.init(BoundingBox(rect), in: size) }
}

extension BoundingBox {
  /// The rectangle that covers these whole pixels.
  public init(_ rect: PixelRect) {
    self.init(
      x: Double(rect.x), y: Double(rect.y), width: Double(rect.size.width), height: Double(rect.size.height))
  }

  /// The pixels, whole ones and parts, that a normalised rectangle covers in an image of `size`.
  public init(_ rect: NormalizedRect, in size: PixelSize) {
    let (width, height) = (Double(size.width), Double(size.height))
    self.init(x: rect.x * width, y: rect.y * height, width: rect.width * width, height: rect.height * height)
  }
}

extension PixelRect {
  /// The whole pixels that a normalised rectangle touches in an image of `size`, at least one; what lies outside of the
  /// image is cut off.
  ///
  /// - Parameters:
  ///   - rect: Finite numbers.
  ///   - size: A size with at least one pixel.
  public init(_ rect: NormalizedRect, in size: PixelSize) {
    precondition(!size.isEmpty, "a rectangle in an image of \(size)")
    func span(_ origin: Double, _ length: Double, _ count: Int) -> (Int, Int) {
      func clamped(_ value: Double) -> Int { Int(min(max(value, 0), Double(count))) }
      let first = min(clamped((origin * Double(count)).rounded(.down)), count - 1)
      let last = max(clamped(((origin + length) * Double(count)).rounded(.up)), first + 1)
      return (first, last - first)
    }
    let (x, width) = span(rect.x, rect.width, size.width)
    let (y, height) = span(rect.y, rect.height, size.height)
    self.init(x: x, y: y, width: width, height: height)
  }

  /// Returns the same pixels with their rows counted from the bottom of an image of `size`; and back.
  public func flippedVertically(in size: PixelSize) -> PixelRect {
    PixelRect(x: x, y: size.height - y - self.size.height, width: self.size.width, height: self.size.height)
  }
}
