import Imaging

/// Whole pixels of a picture.
struct PixelRect: Hashable {
  var x: Int
  var y: Int
  var size: PixelSize

  init(x: Int, y: Int, size: PixelSize) {
    self.x = x
    self.y = y
    self.size = size
  }

  /// The whole pixels that a normalised rectangle touches, at least one.
  init(_ rect: NormalizedRect, in size: PixelSize) {
    func span(_ origin: Double, _ length: Double, _ count: Int) -> (Int, Int) {
      let first = min(max(Int((origin * Double(count)).rounded(.down)), 0), count - 1)
      let last = min(max(Int(((origin + length) * Double(count)).rounded(.up)), first + 1), count)
      return (first, last - first)
    }
    let (x, width) = span(rect.x, rect.width, size.width)
    let (y, height) = span(rect.y, rect.height, size.height)
    self.init(x: x, y: y, size: PixelSize(width: width, height: height))
  }
}

extension Plane {
  /// A rectangle, which must lie inside, as a plane of its own.
  func cropped(to rect: PixelRect) -> Plane {
    var part = Plane(uninitialized: rect.size)
    withView { source in
      part.withMutableView { target in
        for row in 0..<rect.size.height {
          target.row(row).update(from: source.row(rect.y + row) + rect.x, count: rect.size.width)
        }
      }
    }
    return part
  }
}
