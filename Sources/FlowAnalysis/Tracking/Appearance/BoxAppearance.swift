// The appearance of a box, and the search for it in another image.

import Imaging
import Registration

/// A record of what a box shows, to find it again.
struct BoxAppearance: Sendable {
  /// The space around the box that is looked at, in shares of the box's mean side, on both sides together. This and the
  /// other constants were tuned on the odd tracks of `vtest.avi` and on TUD-Campus.
  private static let padding = 1.6
  /// The number of samples of the region that is looked at, about.
  private static let sampleCount = 9000.0
  /// The minimum distance of samples, in pixels.
  private static let minimumPitch = 0.5
  /// The number of iterations of ``CorrelationFilter``; the four of its authors find no more.
  private static let iterationCount = 2
  /// The share of what a box shows now in what it is recognised by; the authors' η.
  private static let rate = 0.02
  /// The share of a response in the usual one.
  private static let peakShare = 0.05

  /// The position where a box was found.
  struct Match {
    /// The middle of the box.
    var center: SIMD2<Double>
    /// The response there.
    var peak: Double
    /// The response there in shares of the usual one.
    var quality: Double
    /// The response there above the mean of the others, in their standard deviations (PSR; Bolme et al.).
    var peakToSidelobeRatio: Double
  }

  private let hasColor: Bool
  /// The sides of the box that the grid was made for.
  private let firstSize: SIMD2<Double>
  /// The distance of samples, in pixels, for that box.
  private let firstPitch: Double
  private let mask: [Float]
  private var filter: CorrelationFilter
  private var scale: ScaleFilter
  /// The running mean of the responses to what was learned.
  private var usualPeak: Double?

  /// Learns what a box shows; nil without memory.
  init?(_ image: AppearanceImage, _ box: BoundingBox) {
    hasColor = image.chrominance != nil
    firstSize = SIMD2(box.width, box.height)
    let space = Self.padding * box.area.squareRoot()
    let region = firstSize + space
    firstPitch = max((region.x * region.y / Self.sampleCount).squareRoot(), Self.minimumPitch)
    let side = firstPitch * Double(CellFeatures.cellSize)
    let size = PixelSize(width: Int((region.x / side).rounded(.up)), height: Int((region.y / side).rounded(.up)))
    guard let transform = FourierTransform(atLeast: size) else { return nil }
    mask = separableProduct(
      Self.cover(box.width / side, of: transform.size.width), Self.cover(box.height / side, of: transform.size.height))
    filter = CorrelationFilter(
      channelCount: CellFeatures.channelCount(hasColor: hasColor), iterationCount: Self.iterationCount,
      transform: transform)
    scale = ScaleFilter(box, hasColor: hasColor)
    learn(image, box)
  }

  /// The share of each cell in a row that a box in the middle covers; all in cells.
  private static func cover(_ length: Double, of count: Int) -> [Float] {
    (0..<count).map { index in
      let low = Double(index) - Double(count) / 2
      return Float(max(0, min(low + 1, length / 2) - max(low, -length / 2)))
    }
  }

  /// The distance of samples in pixels for a box.
  private func pitch(_ box: BoundingBox) -> SIMD2<Double> {
    firstPitch * SIMD2(box.width, box.height) / firstSize
  }

  private func cells(_ image: AppearanceImage, _ box: BoundingBox) -> CellFeatures {
    CellFeatures(
      image, hasColor: hasColor, center: box.center, pitch: pitch(box), columns: filter.size.width,
      rows: filter.size.height)
  }

  /// Looks for what was learned around a box.
  /// - Parameter halfWeightDistance: The distance from the box's middle, in pixels, at which a response counts half.
  /// - Returns: The best position; nil without memory.
  func find(in image: AppearanceImage, around box: BoundingBox, halfWeightDistance: Double) -> Match? {
    guard let transform = FourierTransform(atLeast: filter.size) else { return nil }
    let surface = ResponseSurface(values: filter.response(cells(image, box), transform), size: filter.size)
    let step = pitch(box) * Double(CellFeatures.cellSize)
    guard let peak = surface.peak(halfWeightDistance: halfWeightDistance / step) else { return nil }
    let value = Double(peak.value)
    return Match(
      center: box.center + peak.shift * step, peak: value, quality: usualPeak.map { $0 > 0 ? value / $0 : 0 } ?? 1,
      peakToSidelobeRatio: surface.peakToSidelobeRatio(peak))
  }

  /// Returns the factor by which the box should grow to show what was learned; nil: no telling.
  func growth(in image: AppearanceImage, _ box: BoundingBox) -> Double? { scale.estimate(image, box) }

  /// Takes on what a box shows.
  /// - Parameter peak: The response to it; nil: not known.
  mutating func learn(_ image: AppearanceImage, _ box: BoundingBox, peak: Double? = nil) {
    guard let transform = FourierTransform(atLeast: filter.size) else { return }
    filter.learn(cells(image, box), mask: mask, rate: Float(Self.rate), transform)
    scale.learn(image, box, rate: Self.rate)
    guard let peak else { return }
    usualPeak = usualPeak.map { $0 + (peak - $0) * Self.peakShare } ?? peak
  }
}
