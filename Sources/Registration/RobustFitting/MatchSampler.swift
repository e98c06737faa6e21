// Random samples of matches, surer ones first.

import Imaging

/// PROSAC's samples (Chum and Matas, CVPR 2005, doi:10.1109/CVPR.2005.221): from the surest few matches at first, from
/// ever more of them later, until they are those of RANSAC.
struct MatchSampler {
  private let sampleSize: Int
  private let count: Int
  private var random: SplitMix64
  private var pool: Int
  private var drawn = 0
  /// The number of samples that come from the present pool on average, as in the paper; `bound` is the maximum.
  private var expected: Double
  private var bound = 1

  /// - Parameters:
  ///   - count: The number of matches, at least `sampleSize`.
  ///   - total: The number of samples after which they come from all matches.
  init(sampleSize: Int, count: Int, total: Int, seed: UInt64) {
    self.sampleSize = sampleSize
    self.count = count
    random = SplitMix64(seed: seed)
    pool = sampleSize
    expected = Double(total)
    for k in 0..<sampleSize { expected *= Double(sampleSize - k) / Double(count - k) }
  }

  /// Returns `sampleSize` different indices.
  mutating func next() -> [Int] {
    drawn += 1
    if drawn > bound && pool < count {
      let larger = expected * Double(pool + 1) / Double(pool + 1 - sampleSize)
      pool += 1
      bound += max(1, Int((larger - expected).rounded(.up)))
      expected = larger
    }
    // The newest of the pool belongs to each of its samples.
    var sample = drawn <= bound && pool > sampleSize ? [pool - 1] : []
    let range = sample.isEmpty ? pool : pool - 1
    while sample.count < sampleSize {
      let index = random.index(below: range)
      if !sample.contains(index) { sample.append(index) }
    }
    return sample
  }
}
