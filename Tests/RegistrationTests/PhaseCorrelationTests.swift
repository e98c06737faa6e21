import Imaging
import TestSupport
import Testing

@testable import Registration

@Suite struct PhaseCorrelationTests {
  private let texture = Blobs(seed: 5)

  @Test(arguments: [(0.0, 0.0), (3.0, -5.0), (12.3, 4.6), (-20.75, 10.25), (30, 20)])
  func findsShifts(x: Double, y: Double) {
    let reference = texture.image(width: 120, height: 90)
    let floating = texture.image(width: 120, height: 90) { ($0 + x, $1 + y) }
    let peak = PhaseCorrelation.shift(reference: reference, floating: floating)
    #expect(abs(peak.x - x) < 0.15 && abs(peak.y - y) < 0.15, "\(peak)")
    #expect(peak.confidence > 0.3)
  }

  @Test(arguments: [(1, 1), (1, 40), (2, 3), (17, 31), (64, 64), (97, 53)])
  func takesAnySize(width: Int, height: Int) {
    let image = texture.image(width: width, height: height)
    let peak = PhaseCorrelation.shift(reference: image, floating: image)
    #expect(abs(peak.x) < 1e-3 && abs(peak.y) < 1e-3, "\(peak)")
  }

  @Test func takesImagesOfDifferentSizes() {
    let reference = texture.image(width: 131, height: 90)
    let floating = texture.image(width: 100, height: 107) { ($0 + 14, $1 - 9) }
    let peak = PhaseCorrelation.shift(reference: reference, floating: floating)
    #expect(abs(peak.x - 14) < 0.3 && abs(peak.y + 9) < 0.3, "\(peak)")
  }

  /// A shift by more than half of the image has its peak where one to the other side would be.
  @Test func resolvesWrapAround() {
    let reference = texture.image(width: 100, height: 60)
    let floating = texture.image(width: 100, height: 60) { ($0 + 58, $1) }
    let peak = PhaseCorrelation.shift(reference: reference, floating: floating)
    #expect(abs(peak.x - 58) < 0.5 && abs(peak.y) < 0.5, "\(peak)")
  }

  @Test func unrelatedImagesHaveNoPeak() {
    var random = FixedRandom(seed: 9)
    let noise = (0..<2).map { _ in Plane(width: 96, height: 96) { _, _ in Float.random(in: 0...255, using: &random) } }
    #expect(PhaseCorrelation.shift(reference: noise[0], floating: noise[1]).confidence < 0.3)
  }

  @Test func constantImagesHaveNoPeak() {
    let gray = Plane(size: PixelSize(width: 50, height: 40), repeating: Float(90))
    #expect(PhaseCorrelation.shift(reference: gray, floating: gray).confidence == 0)
  }
}
