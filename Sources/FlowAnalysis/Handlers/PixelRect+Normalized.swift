import Imaging

extension PixelRect {
  /// The whole pixels that a normalised rectangle touches, at least one.
  init(_ rect: NormalizedRect, in size: PixelSize) {
    func span(_ origin: Double, _ length: Double, _ count: Int) -> (Int, Int) {
      let first = min(max(Int((origin * Double(count)).rounded(.down)), 0), count - 1)
      let last = min(max(Int(((origin + length) * Double(count)).rounded(.up)), first + 1), count)
      return (first, last - first)
    }
    let (x, width) = span(rect.x, rect.width, size.width)
    let (y, height) = span(rect.y, rect.height, size.height)
    self.init(x: x, y: y, width: width, height: height)
  }
}
