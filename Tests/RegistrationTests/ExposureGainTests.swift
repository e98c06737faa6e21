import Imaging
import TestSupport
import Testing

@testable import Registration

@Suite struct ExposureGainTests {
  /// What is burnt out stays white under a gain below 1; what is not, or is coloured, follows the gain.
  @Test func whiteStaysWhite() {
    let gain = ExposureGain(SIMD3(0.8, 0.85, 1.25))
    #expect(gain.applied(to: SIMD3(repeating: 255)) == SIMD3<Float>(255, 255, 255 * 1.25))
    #expect(gain.applied(to: SIMD3(repeating: 150)) == SIMD3(0.8, 0.85, 1.25) * 150)
    #expect(gain.applied(to: SIMD3(255, 180, 40)) == SIMD3(0.8, 0.85, 1.25) * SIMD3(255, 180, 40))
  }

  /// Brighter stays brighter, and light grey next to white has no step.
  @Test(arguments: [0.2, 0.7, 1, 1.6])
  func brightnessKeepsItsOrder(factor: Double) {
    let gain = ExposureGain(SIMD3(repeating: factor))
    let levels = (0...255).map { gain.applied(to: SIMD3(repeating: Float($0))).x }
    let steps = zip(levels.dropFirst(), levels).map { $0 - $1 }
    #expect(steps.allSatisfy { $0 > 0 && $0 < 7 }, "\(steps.max() ?? 0)")
  }
}
