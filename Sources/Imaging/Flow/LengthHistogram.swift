/// Counts lengths, so that percentiles of any number of them are known to a thousandth.
///
/// Lengths fall into bins by the upper bits of their 32-bit pattern, which leaves ten bits of the mantissa: a long
/// series needs no more memory than one field: 2 MB.
struct LengthHistogram: Sendable {
  private var bins = [Int](repeating: 0, count: 1 << (31 - Self.droppedBits))

  /// The number of bits of a length that do not count: the ten that are left of the mantissa tell a thousandth.
  private static let droppedBits = 13

  /// Counts one length, 0 or more; not NaN.
  @inline(__always)
  mutating func add(_ length: Float) { bins[Int(length.bitPattern >> Self.droppedBits)] += 1 }

  /// Adds the counts of another histogram.
  mutating func add(_ other: LengthHistogram) {
    for (index, count) in other.bins.enumerated() where count > 0 { bins[index] += count }
  }

  /// Returns the length that `rank` of all do not exceed, to a thousandth; nil when there are fewer.
  func length(atRank rank: Int) -> Double? {
    var count = 0
    for (index, bin) in bins.enumerated() {
      count += bin
      guard count >= rank else { continue }
      let (low, high) = (UInt32(index) << Self.droppedBits, UInt32(index + 1) << Self.droppedBits)
      return index == 0 ? 0 : (Double(Float(bitPattern: low)) + Double(Float(bitPattern: high))) / 2
    }
    return nil
  }

  /// The counts that are not 0, by their bins.
  var counts: [Int: Int] {
    let counts = bins.enumerated().filter { $0.element > 0 }.map { ($0.offset, $0.element) }
    return [Int: Int](uniqueKeysWithValues: counts)
  }

  /// Makes a histogram of counts by their bins; nil when there is no such bin.
  init?(counts: [Int: Int]) {
    for (index, count) in counts {
      guard bins.indices.contains(index) else { return nil }
      bins[index] = count
    }
  }

  /// Makes an empty histogram.
  init() {}
}
