/// Random numbers that are the same in every run: SplitMix64 (Steele, Lea & Flood, OOPSLA 2014,
/// doi:10.1145/2660193.2660195).
package struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64
  private static let step: UInt64 = 0x9E37_79B9_7F4A_7C15

  /// A generator whose numbers depend on the seed alone.
  package init(seed: UInt64) { state = seed }

  /// The number that comes first after a seed: a bijection that scatters neighboring arguments over all 64 bits.
  package static func hash(_ seed: UInt64) -> UInt64 {
    var z = seed &+ step
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  package mutating func next() -> UInt64 {
    defer { state &+= Self.step }
    return Self.hash(state)
  }

  /// A number below `count`, from the upper `bits` bits of the next one; even to one part in 2^`bits` / `count`.
  package mutating func index(below count: Int, bits: Int = 64) -> Int {
    let unused = 64 - bits
    return Int(((next() >> unused) << unused).multipliedFullWidth(by: UInt64(count)).high)
  }
}
