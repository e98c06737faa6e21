import Imaging

/// The looks of an object: a grid of samples over its box, each with the share of the time in which it belonged to the
/// object. The constants were chosen on `vtest.avi`.
struct ObjectAppearance {
  /// The numbers of samples across and down a box.
  private static let (columns, rows) = (10, 20)
  /// The share of a new frame in what is known, 0…1.
  private static let share: Float = 0.15

  private var values: [Float]
  private var weights: [Float]

  init(_ image: Plane<Float>, _ foreground: BitMask, _ box: BoundingBox) {
    values = Array(repeating: 0, count: Self.columns * Self.rows)
    weights = values
    adapt(to: image, foreground, box, share: 1)
  }

  /// Learns from a frame in which nothing hides the object.
  mutating func learn(_ image: Plane<Float>, _ foreground: BitMask, _ box: BoundingBox) {
    adapt(to: image, foreground, box, share: Self.share)
  }

  private mutating func adapt(to image: Plane<Float>, _ foreground: BitMask, _ box: BoundingBox, share: Float) {
    Self.forEachSample(of: box, image, foreground) { index, value, isSet in
      values[index] += share * (value - values[index])
      weights[index] += share * ((isSet ? 1 : 0) - weights[index])
    }
  }

  /// Returns how far a box looks otherwise where there is something, in grey levels.
  func distance(_ image: Plane<Float>, _ foreground: BitMask, _ box: BoundingBox) -> Double {
    var (sum, weight): (Float, Float) = (0, 0)
    Self.forEachSample(of: box, image, foreground) { index, value, isSet in
      guard isSet else { return }
      sum += weights[index] * abs(value - values[index])
      weight += weights[index]
    }
    return weight > 0 ? Double(sum / weight) : 255
  }

  @inline(__always)
  private static func forEachSample(
    of box: BoundingBox, _ image: Plane<Float>, _ mask: BitMask,
    _ body: (_ index: Int, _ value: Float, _ isSet: Bool) -> Void
  ) {
    func position(_ first: Double, _ length: Double, _ index: Int, of count: Int, _ limit: Int) -> Int {
      min(max(Int((first + length * (Double(index) + 0.5) / Double(count)).rounded(.down)), 0), limit - 1)
    }
    image.withView { view in
      for row in 0..<rows {
        let y = position(box.y, box.height, row, of: rows, view.height)
        for column in 0..<columns {
          let x = position(box.x, box.width, column, of: columns, view.width)
          body(row * columns + column, view.row(y)[x], mask[x, y])
        }
      }
    }
  }
}
