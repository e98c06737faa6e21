// The gain of an image, as its colours are painted with.

import Imaging

/// Factors for R, G, B that give an image the common exposure. What is as bright as the image can show was at least as
/// bright, so white stays white where a factor would make it grey: else a burnt-out sky takes the tint of the gains,
/// and the seam to an image that shows it white is seen.
struct ExposureGain: Sendable {
  private let factors: SIMD3<Float>
  /// The part of the factors below 1 that white gets back.
  private let loss: SIMD3<Float>

  /// The level of the darkest channel from which on a colour is taken for one that is burning out. Chosen by hand.
  private static let burning: Float = 192
  private static let white: Float = 255

  init(_ factors: SIMD3<Double>) {
    self.factors = SIMD3(factors)
    loss = SIMD3(repeating: 1) - self.factors.clamped(lowerBound: .zero, upperBound: SIMD3(repeating: 1))
  }

  /// Returns a colour with the gain, which rises smoothly to 1 from what begins to burn out to white.
  func applied(to color: SIMD3<Float>) -> SIMD3<Float> {
    let share = min(max((color.min() - Self.burning) / (Self.white - Self.burning), 0), 1)
    return color * (factors + share * share * (3 - 2 * share) * loss)
  }
}
