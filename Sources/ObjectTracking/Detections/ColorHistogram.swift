import Imaging

/// The colours of what is in a box: histograms of luma and of both colour differences, of its upper and of its lower
/// half. The constants were chosen by hand, where nothing else is said.
struct ColorHistogram: Sendable, Hashable {
  /// The samples across and down a box, and the shares of its sides at each border that are left out, as they show the
  /// background.
  private static let (columns, rows) = (8, 20)
  private static let (marginX, marginY) = (0.2, 0.06)
  /// The number of bins of each histogram.
  private static let binCount = 8
  /// The range of each colour difference around grey that the bins cover; what is beyond is in the outermost ones.
  private static let colorReach: Float = 40

  /// The histograms one after the other, each with a sum of 1.
  private var bins: [Float]

  /// The colours of what is in a box; nil where it is outside the image.
  /// - Parameters:
  ///   - luma: 0…255.
  ///   - colors: The colour of the same image; nil: it is not known.
  init?(_ box: BoundingBox, luma: Plane<Float>, colors: ChrominancePlanes?) {
    let visible = box.intersection(BoundingBox(luma.size))
    guard !visible.isEmpty, visible.area > 0.2 * box.area else { return nil }
    let planes: [(plane: Plane<Float>, range: ClosedRange<Float>)] =
      [(luma, 0...255)]
      + (colors.map { [$0.blueDifference, $0.redDifference] } ?? []).map { plane in
        (plane, 128 - Self.colorReach...128 + Self.colorReach)
      }
    bins = []
    for (plane, range) in planes {
      for half in 0..<2 { bins += Self.histogram(of: box, half, plane, of: luma.size, range) }
    }
  }

  private static func histogram(
    of box: BoundingBox, _ half: Int, _ plane: Plane<Float>, of size: PixelSize, _ range: ClosedRange<Float>
  ) -> [Float] {
    var bins = [Float](repeating: 0, count: binCount)
    let (scaleX, scaleY) = (Double(plane.width) / Double(size.width), Double(plane.height) / Double(size.height))
    let weight = 1 / Float(columns * rows / 2)
    plane.withView { view in
      for row in half * rows / 2..<(half + 1) * rows / 2 {
        let shareY = marginY + (1 - 2 * marginY) * (Double(row) + 0.5) / Double(rows)
        let y = min(max(Int(((box.y + shareY * box.height) * scaleY).rounded(.down)), 0), view.height - 1)
        for column in 0..<columns {
          let shareX = marginX + (1 - 2 * marginX) * (Double(column) + 0.5) / Double(columns)
          let x = min(max(Int(((box.x + shareX * box.width) * scaleX).rounded(.down)), 0), view.width - 1)
          // A value between the middles of two bins belongs to both.
          let position = (view.row(y)[x] - range.lowerBound) / (range.upperBound - range.lowerBound)
          let place = min(max(position * Float(binCount) - 0.5, 0), Float(binCount - 1))
          let bin = min(Int(place), binCount - 2)
          bins[bin] += weight * (1 - (place - Float(bin)))
          bins[bin + 1] += weight * (place - Float(bin))
        }
      }
    }
    return bins
  }

  /// Takes on a share of other colours of the same kind.
  mutating func learn(_ other: ColorHistogram, share: Float) {
    guard bins.count == other.bins.count else { return }
    for index in bins.indices { bins[index] += share * (other.bins[index] - bins[index]) }
  }

  /// Returns how far the colours differ, 0…1: the root of 1 less the mean of the coefficients of Bhattacharyya (1943).
  func distance(to other: ColorHistogram) -> Double {
    guard bins.count == other.bins.count, !bins.isEmpty else { return 0 }
    var common: Float = 0
    for (one, other) in zip(bins, other.bins) { common += (one * other).squareRoot() }
    return Double(max(0, 1 - common / Float(bins.count / Self.binCount))).squareRoot()
  }
}
