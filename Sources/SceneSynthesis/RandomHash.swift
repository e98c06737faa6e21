// Randomness that depends on nothing but its arguments: any pixel of any frame can be drawn first.

/// SplitMix64's finaliser (Steele, Lea, Flood, OOPSLA 2014, doi:10.1145/2660193.2660195): a bijection that scatters
/// neighbouring arguments over all 64 bits.
func hash(_ value: UInt64) -> UInt64 {
  var z = value &+ 0x9E37_79B9_7F4A_7C15
  z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
  z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
  return z ^ (z >> 31)
}

/// The generator of the same name.
struct SplitMix64 {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    defer { state = state &+ 0x9E37_79B9_7F4A_7C15 }
    return hash(state)
  }

  /// Uniform in -1 ..< 1.
  mutating func nextSigned() -> Double { signedUnit(next()) }
}

/// The upper 53 bits as a number in -1 ..< 1.
func signedUnit(_ bits: UInt64) -> Double { Double(bits >> 11) * 0x1p-52 - 1 }

/// The noise of a camera's sensor in one frame: independent, Gaussian, of standard deviation 1.
///
/// The number of ones among 64 random bits has mean 32 and standard deviation 4 and is very nearly normal (excess
/// kurtosis -0.03, tails up to 8 σ); a uniform number fills the gaps between the whole numbers. Box–Muller would be
/// exact, but its logarithm and cosine differ in the last bits between C libraries.
struct SensorNoise {
  private let frameKey: UInt64

  init(seed: UInt64, frame: Int) { frameKey = hash(hash(seed) &+ UInt64(frame)) }

  func value(x: Int, y: Int) -> Float {
    let bits = hash(frameKey ^ (UInt64(truncatingIfNeeded: y) << 32 | UInt64(truncatingIfNeeded: x)))
    let fraction = Float(hash(bits) >> 40) * 0x1p-24 - 0.5
    return (Float(bits.nonzeroBitCount - 32) + fraction) * Self.scale
  }

  /// One over the deviation of the sum: √(64/4 + 1/12).
  private static let scale: Float = 1 / Float((16.0 + 1.0 / 12).squareRoot())
}
