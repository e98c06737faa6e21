// Random samples of matches, surer ones first.

/// PROSAC's samples (Chum and Matas, CVPR 2005, doi:10.1109/CVPR.2005.221): from the surest few matches at first, from ever
/// more of them later, until they are those of RANSAC.
struct MatchSampler {
  private let sampleSize: Int
  private let count: Int
  private var random: SequenceRandom
  private var pool: Int
  private var drawn = 0
  /// Samples that come from the present pool, on average and at most, as in the paper.
  private var expected: Double
  private var bound = 1

  /// - Parameters:
  ///   - count: Matches there are, at least `sampleSize`.
  ///   - total: Samples after which they come from all matches.
  init(sampleSize: Int, count: Int, total: Int, seed: UInt64) {
    self.sampleSize = sampleSize
    self.count = count
    random = SequenceRandom(seed: seed)
    pool = sampleSize
    expected = Double(total)
    for k in 0..<sampleSize { expected *= Double(sampleSize - k) / Double(count - k) }
  }

  /// Different indices, `sampleSize` of them.
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

/// Random numbers that are the same in every run: SplitMix64 (Steele, Lea and Flood, OOPSLA 2014,
/// doi:10.1145/2660193.2660195).
struct SequenceRandom {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// A number below `count`; the bias of the multiplication is below count / 2⁶⁴.
  mutating func index(below count: Int) -> Int { Int(next().multipliedFullWidth(by: UInt64(count)).high) }
}
