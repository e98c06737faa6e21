import Imaging

/// What a thing looks like: a grid of samples over its box, each with the share of the time that it belonged to the thing.
struct ObjectAppearance {
  private static let (columns, rows) = (10, 20)
  /// The share of a frame in what is known.
  private static let share: Float = 0.15

  private var values: [Float]
  private var weights: [Float]

  init(_ image: Plane<Float>, _ foreground: BitMask, _ box: Rectangle) {
    values = Self.sampled(image, box)
    weights = Self.sampled(foreground, box)
  }

  /// Learns from a frame in which nothing hides the thing.
  mutating func learn(_ image: Plane<Float>, _ foreground: BitMask, _ box: Rectangle) {
    let (newValues, newWeights) = (Self.sampled(image, box), Self.sampled(foreground, box))
    for index in values.indices {
      values[index] += Self.share * (newValues[index] - values[index])
      weights[index] += Self.share * (newWeights[index] - weights[index])
    }
  }

  /// Returns how far a box looks otherwise where there is something, in grey levels.
  func distance(_ image: Plane<Float>, _ foreground: BitMask, _ box: Rectangle) -> Double {
    let (others, present) = (Self.sampled(image, box), Self.sampled(foreground, box))
    var (sum, weight): (Float, Float) = (0, 0)
    for index in values.indices {
      let share = weights[index] * present[index]
      sum += share * abs(others[index] - values[index])
      weight += share
    }
    return weight > 0 ? Double(sum / weight) : 255
  }

  private static func sampled(_ image: Plane<Float>, _ box: Rectangle) -> [Float] {
    image.withView { view in
      grid(box, size: image.size) { x, y in view.row(y)[x] }
    }
  }

  private static func sampled(_ mask: BitMask, _ box: Rectangle) -> [Float] {
    grid(box, size: mask.size) { x, y in mask[x, y] ? 1 : 0 }
  }

  private static func grid(_ box: Rectangle, size: PixelSize, _ value: (Int, Int) -> Float) -> [Float] {
    var result: [Float] = []
    result.reserveCapacity(columns * rows)
    for row in 0..<rows {
      let y = Int((box.y + box.height * (Double(row) + 0.5) / Double(rows)).rounded(.down))
      for column in 0..<columns {
        let x = Int((box.x + box.width * (Double(column) + 0.5) / Double(columns)).rounded(.down))
        result.append(value(min(max(x, 0), size.width - 1), min(max(y, 0), size.height - 1)))
      }
    }
    return result
  }
}

/// A rectangle from its left and upper edge, in pixels of the analysed image.
struct Rectangle: Hashable {
  var x: Double
  var y: Double
  var width: Double
  var height: Double

  init(x: Double, y: Double, width: Double, height: Double) {
    (self.x, self.y, self.width, self.height) = (x, y, width, height)
  }

  init(center: SIMD2<Double>, size: SIMD2<Double>) {
    self.init(x: center.x - size.x / 2, y: center.y - size.y / 2, width: size.x, height: size.y)
  }

  init(_ box: PixelBox) {
    self.init(x: Double(box.left), y: Double(box.top), width: Double(box.width), height: Double(box.height))
  }

  var center: SIMD2<Double> { SIMD2(x + width / 2, y + height / 2) }
  var size: SIMD2<Double> { SIMD2(width, height) }
  var area: Double { width * height }
  var right: Double { x + width }
  var bottom: Double { y + height }

  /// The whole pixels that it touches, with a margin.
  func pixels(marginX: Double = 0, marginY: Double = 0) -> PixelBox {
    PixelBox(
      left: Int((x - marginX).rounded()), top: Int((y - marginY).rounded()), right: Int((right + marginX).rounded()),
      bottom: Int((bottom + marginY).rounded()))
  }

  func intersectionOverUnion(_ other: Rectangle) -> Double {
    let union = unionArea(other)
    return (area + other.area - union) / union
  }

  /// The area that either covers.
  func unionArea(_ other: Rectangle) -> Double {
    let (w, h) = (min(right, other.right) - max(x, other.x), min(bottom, other.bottom) - max(y, other.y))
    return area + other.area - max(w, 0) * max(h, 0)
  }

  /// The smallest rectangle around both.
  func union(_ other: Rectangle) -> Rectangle {
    let (left, top) = (min(x, other.x), min(y, other.y))
    return Rectangle(
      x: left, y: top, width: max(right, other.right) - left, height: max(bottom, other.bottom) - top)
  }

  /// Returns the larger of the distances between the edges, to the side and up; 0 where they touch or overlap.
  func gap(to other: PixelBox) -> Double {
    let dx = max(x - Double(other.right), Double(other.left) - right, 0)
    let dy = max(y - Double(other.bottom), Double(other.top) - bottom, 0)
    return max(dx, dy)
  }
}
