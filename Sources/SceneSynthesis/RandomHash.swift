// Randomness that depends on nothing but its arguments: any pixel of any frame can be drawn first.

import Imaging

/// The upper 53 bits as a number in -1 ..< 1.
func signedUnit(_ bits: UInt64) -> Double { Double(bits >> 11) * 0x1p-52 - 1 }

/// The noise of a camera's sensor in one frame: independent, Gaussian, of standard deviation 1.
///
/// The number of ones among 64 random bits has mean 32 and standard deviation 4 and is very nearly normal (excess
/// kurtosis -0.03, tails up to 8 σ); a uniform number fills the gaps between the whole numbers. Box–Muller would be
/// exact, but its logarithm and cosine differ in the last bits between C libraries.
struct SensorNoise {
  private let frameKey: UInt64

  init(seed: UInt64, frame: Int) { frameKey = SplitMix64.hash(SplitMix64.hash(seed) &+ UInt64(frame)) }

  func value(x: Int, y: Int) -> Float {
    let bits = SplitMix64.hash(frameKey ^ (UInt64(truncatingIfNeeded: y) << 32 | UInt64(truncatingIfNeeded: x)))
    let fraction = Float(SplitMix64.hash(bits) >> 40) * 0x1p-24 - 0.5
    return (Float(bits.nonzeroBitCount - 32) + fraction) * Self.scale
  }

  /// One over the deviation of the sum: √(64/4 + 1/12).
  private static let scale: Float = 1 / Float((16.0 + 1.0 / 12).squareRoot())
}
