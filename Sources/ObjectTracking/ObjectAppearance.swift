import Imaging

/// The looks of an object: a grid of samples over its box, each with the share of the time in which it belonged to the
/// object. The constants were chosen on `vtest.avi`, where nothing else is said.
struct ObjectAppearance {
  /// The numbers of samples across and down a box.
  private static let (columns, rows) = (10, 20)
  /// The share of a new frame in what is known, 0…1.
  private static let share: Float = 0.15
  /// The factors on the differences in luma and of each colour where colours are known. Chosen by the versions of both
  /// clips of people: up to twice that weight of colour little changes.
  private static let (lumaFactor, colorFactor): (Float, Float) = (0.75, 0.75)

  /// Luma and both colour differences of each sample; the fourth is none.
  private var values: [SIMD4<Float>]
  private var weights: [Float]
  /// A Boolean value that tells whether the colours are known.
  private let hasColors: Bool

  init(_ image: ObservedImage, _ foreground: BitMask, _ box: BoundingBox) {
    values = Array(repeating: .zero, count: Self.columns * Self.rows)
    weights = Array(repeating: 0, count: values.count)
    hasColors = image.hasColors
    adapt(to: image, foreground, box, share: 1)
  }

  /// Learns from a frame in which nothing hides the object.
  mutating func learn(_ image: ObservedImage, _ foreground: BitMask, _ box: BoundingBox) {
    adapt(to: image, foreground, box, share: Self.share)
  }

  private mutating func adapt(to image: ObservedImage, _ foreground: BitMask, _ box: BoundingBox, share: Float) {
    let color = image.hasColors ? share : 0
    let shares = SIMD4(share, color, color, 0)
    Self.forEachSample(of: box, image, foreground) { index, value, isSet in
      values[index] += shares * (value - values[index])
      weights[index] += share * ((isSet ? 1 : 0) - weights[index])
    }
  }

  /// Returns how far a box looks otherwise where there is something, in grey levels.
  func distance(_ image: ObservedImage, _ foreground: BitMask, _ box: BoundingBox) -> Double {
    let (luma, color) = hasColors && image.hasColors ? (Self.lumaFactor, Self.colorFactor) : (1, 0)
    let factors = SIMD4(luma, color, color, 0)
    var (sums, weight): (SIMD4<Float>, Float) = (.zero, 0)
    Self.forEachSample(of: box, image, foreground) { index, value, isSet in
      guard isSet else { return }
      let difference = value - values[index]
      sums += weights[index] * difference.replacing(with: -difference, where: difference .< 0)
      weight += weights[index]
    }
    return weight > 0 ? Double((factors * sums).sum() / weight) : 255
  }

  @inline(__always)
  private static func forEachSample(
    of box: BoundingBox, _ image: ObservedImage, _ mask: BitMask,
    _ body: (_ index: Int, _ value: SIMD4<Float>, _ isSet: Bool) -> Void
  ) {
    func position(_ first: Double, _ length: Double, _ index: Int, of count: Int, _ limit: Int) -> Int {
      min(max(Int((first + length * (Double(index) + 0.5) / Double(count)).rounded(.down)), 0), limit - 1)
    }
    let size = image.luma.size
    image.withSamples { sample in
      for row in 0..<rows {
        let y = position(box.y, box.height, row, of: rows, size.height)
        for column in 0..<columns {
          let x = position(box.x, box.width, column, of: columns, size.width)
          body(row * columns + column, sample(x, y), mask[x, y])
        }
      }
    }
  }
}
