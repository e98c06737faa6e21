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
    var pairs = PairNumbers()
    gains = Self.solve(Self.overlaps(thumbnails, gains, nil, &pairs), pairs, count: gains.count)
    // The second round leaves out what the first one's gains do not explain.
    let limits = Self.limits(thumbnails, gains, &pairs)
    self.gains = Self.solve(Self.overlaps(thumbnails, gains, limits, &pairs), pairs, count: gains.count)
  }

  private struct Pair: Hashable {
    var a: Int
    var b: Int
  }

  /// Numbers of the pairs that overlap, from 0.
  private struct PairNumbers {
    private(set) var pairs: [Pair] = []
    private var numbers: [Pair: Int] = [:]
    /// The images of a pixel, and the numbers of all their pairs: most pixels show the same images as the one before.
    private var orders: [Int] = []
    private var known: [Int] = []

    /// Calls `body` with the number of each pair of views and the places of both, pair by pair in their order.
    mutating func forEach(
      _ views: UnsafeBufferPointer<PanoramaThumbnails.View>, _ body: (_ number: Int, _ a: Int, _ b: Int) -> Void
    ) {
      var isSame = orders.count == views.count
      for index in views.indices where isSame { isSame = orders[index] == views[index].order }
      if !isSame {
        orders = views.map(\.order)
        known = []
        for (index, a) in orders.enumerated() {
          for b in orders[(index + 1)...] { known.append(number(of: Pair(a: a, b: b))) }
        }
      }
      var next = 0
      for a in views.indices {
        for b in (a + 1)..<views.count {
          body(known[next], a, b)
          next += 1
        }
      }
    }

    private mutating func number(of pair: Pair) -> Int {
      if let number = numbers[pair] { return number }
      numbers[pair] = pairs.count
      pairs.append(pair)
      return pairs.count - 1
    }
  }

  private struct Overlap {
    var count = 0.0
    var a = SIMD3<Double>.zero
    var b = SIMD3<Double>.zero
  }

  private static func forEachPair(
    _ thumbnails: PanoramaThumbnails, _ gains: [SIMD3<Double>], _ pairs: inout PairNumbers,
    _ body: (_ pair: Int, _ a: SIMD3<Float>, _ b: SIMD3<Float>, _ difference: Float) -> Void
  ) {
    let gains = gains.map { SIMD3<Float>($0) }
    thumbnails.forEachPixel { _, _, views in
      guard views.count > 1 else { return }
      pairs.forEach(views) { pair, first, second in
        let (a, b) = (views[first], views[second])
        guard isUsable(a.color), isUsable(b.color) else { return }
        let difference = a.color * gains[a.order] - b.color * gains[b.order]
        body(pair, a.color, b.color, max(abs(difference.x), max(abs(difference.y), abs(difference.z))))
      }
    }
  }

  private static func isUsable(_ color: SIMD3<Float>) -> Bool {
    color.min() >= usable.lowerBound && color.max() <= usable.upperBound
  }

  /// Returns the sums of each pair of `pairs` over what did not move.
  /// - Parameter limits: The differences beyond which something moved; nil: nothing did.
  private static func overlaps(
    _ thumbnails: PanoramaThumbnails, _ gains: [SIMD3<Double>], _ limits: [Float]?, _ pairs: inout PairNumbers
  ) -> [Overlap] {
    var sums: [Overlap] = []
    forEachPair(thumbnails, gains, &pairs) { pair, a, b, difference in
      while sums.count <= pair { sums.append(Overlap()) }
      if let limits, difference > limits[pair] { return }
      sums[pair].count += 1
      sums[pair].a += SIMD3<Double>(a)
      sums[pair].b += SIMD3<Double>(b)
    }
    return sums
  }

  /// Returns, for each pair, the difference beyond which something moved.
  private static func limits(
    _ thumbnails: PanoramaThumbnails, _ gains: [SIMD3<Double>], _ pairs: inout PairNumbers
  ) -> [Float] {
    var sums: [(sum: Float, count: Float)] = []
    forEachPair(thumbnails, gains, &pairs) { pair, _, _, difference in
      while sums.count <= pair { sums.append((0, 0)) }
      sums[pair].sum += difference
      sums[pair].count += 1
    }
    return sums.map { maximumDifference * $0.sum / max($0.count, 1) + noiseMargin }
  }

  private static func solve(_ sums: [Overlap], _ pairs: PairNumbers, count: Int) -> [SIMD3<Double>] {
    let overlaps = zip(pairs.pairs, sums).map { (pair: $0, overlap: $1) }.filter { $0.overlap.count > 0 }.sorted {
      ($0.pair.a, $0.pair.b) < ($1.pair.a, $1.pair.b)
    }
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
