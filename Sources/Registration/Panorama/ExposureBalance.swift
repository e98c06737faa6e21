// The gains that give all images one exposure.

import Imaging

/// Gains of the images of a panorama that make them agree where they overlap (Brown & Lowe 2007, section 6).
///
/// One gain for each channel, so that a white balance that changes goes too. For each pair of images, the mean colours
/// of what both show should be the same after the gains; all pairs are solved for at once. Deviations from the paper:
/// the gains are tied together by their mean, which is 1, instead of a pull of each to 1, which would leave a part of
/// every difference; and what moved, or is too dark or too bright to tell a gain, is left out.
package struct ExposureBalance: Sendable, Hashable {
  /// The gains of each image of the layout: factors for R, G, B.
  package let gains: [SIMD3<Double>]

  // The numbers were chosen by hand.

  /// The levels between which a sample follows the exposure.
  private static let usable: ClosedRange<Float> = 6...248
  /// The multiple of a pair's mean difference beyond which a pixel counts as moved.
  private static let maximumDifference: Float = 2.5
  /// The difference that noise and interpolation make, in levels; it is added to that.
  private static let noiseMargin: Float = 4
  /// The pull of each gain to 1, in parts of what the pairs say: for images whose pairs say nothing.
  private static let pull = 1e-6
  /// The range of a gain.
  private static let range = 0.2...5.0

  /// - Parameter thumbnails: The thumbnails of all images.
  package init(_ thumbnails: PanoramaThumbnails) {
    var gains = [SIMD3<Double>](repeating: SIMD3(repeating: 1), count: thumbnails.images.count)
    var limits: [Pair: Float] = [:]
    // The second round leaves out what the first one's gains do not explain.
    for _ in 0..<2 {
      let sums = Self.overlaps(thumbnails, gains, limits)
      gains = Self.solve(sums, count: gains.count)
      limits = Self.limits(thumbnails, gains)
    }
    self.gains = gains
  }

  private struct Pair: Hashable {
    var a: Int
    var b: Int
  }

  private struct Overlap {
    var count = 0.0
    var a = SIMD3<Double>.zero
    var b = SIMD3<Double>.zero
  }

  private static func forEachPair(
    _ thumbnails: PanoramaThumbnails, _ gains: [SIMD3<Double>],
    _ body: (Pair, PanoramaThumbnails.View, PanoramaThumbnails.View, _ difference: Float) -> Void
  ) {
    let gains = gains.map { SIMD3<Float>($0) }
    thumbnails.forEachPixel { _, _, views in
      guard views.count > 1 else { return }
      for (index, a) in views.enumerated() where isUsable(a.color) {
        for b in views[(index + 1)...] where isUsable(b.color) {
          let difference = a.color * gains[a.order] - b.color * gains[b.order]
          body(
            Pair(a: a.order, b: b.order), a, b,
            Swift.max(abs(difference.x), Swift.max(abs(difference.y), abs(difference.z))))
        }
      }
    }
  }

  private static func isUsable(_ color: SIMD3<Float>) -> Bool {
    color.min() >= usable.lowerBound && color.max() <= usable.upperBound
  }

  private static func overlaps(
    _ thumbnails: PanoramaThumbnails, _ gains: [SIMD3<Double>], _ limits: [Pair: Float]
  ) -> [(pair: Pair, overlap: Overlap)] {
    var sums: [Pair: Overlap] = [:]
    forEachPair(thumbnails, gains) { pair, a, b, difference in
      guard difference <= limits[pair] ?? .infinity else { return }
      sums[pair, default: Overlap()].count += 1
      sums[pair, default: Overlap()].a += SIMD3<Double>(a.color)
      sums[pair, default: Overlap()].b += SIMD3<Double>(b.color)
    }
    return sums.map { ($0.key, $0.value) }.sorted { ($0.pair.a, $0.pair.b) < ($1.pair.a, $1.pair.b) }
  }

  /// Returns, for each pair, the difference beyond which something moved.
  private static func limits(_ thumbnails: PanoramaThumbnails, _ gains: [SIMD3<Double>]) -> [Pair: Float] {
    var sums: [Pair: (sum: Float, count: Float)] = [:]
    forEachPair(thumbnails, gains) { pair, _, _, difference in
      let old = sums[pair] ?? (0, 0)
      sums[pair] = (old.sum + difference, old.count + 1)
    }
    return sums.mapValues { maximumDifference * $0.sum / $0.count + noiseMargin }
  }

  private static func solve(_ overlaps: [(pair: Pair, overlap: Overlap)], count: Int) -> [SIMD3<Double>] {
    let total = overlaps.map(\.overlap.count).reduce(0, +)
    var gains = [SIMD3<Double>](repeating: SIMD3(repeating: 1), count: count)
    guard total > 0 else { return gains }
    for channel in 0..<3 {
      var system = BlockSystem(count: count)
      for (pair, overlap) in overlaps {
        let mean = (overlap.a[channel] + overlap.b[channel]) / 2
        system.add(
          weight: overlap.count / total, [pair.a, pair.b], [overlap.a[channel] / mean, -overlap.b[channel] / mean],
          target: 0)
      }
      for index in 0..<count { system.add(weight: pull, [index], [1], target: 1) }
      system.add(weight: 1 / Double(count), Array(0..<count), Array(repeating: 1, count: count), target: Double(count))
      for (index, gain) in system.solved().enumerated() {
        gains[index][channel] = min(max(gain, range.lowerBound), range.upperBound)
      }
    }
    return gains
  }
}
