import Imaging
import Registration
import TestSupport
import Testing

@Suite struct KeypointSampleTests {
  /// Samples tell views that overlap from those that do not.
  @Test func whatOverlapsMatchesMore() {
    let texture = Texture(seed: 61)
    func sample(at x0: Double) -> KeypointSample {
      KeypointSample(
        of: KeypointImage(
          Plane(width: 240, height: 180) { x, y in
            Float(texture.value(x0 + Double(x), Double(y)))
          }))
    }
    let first = sample(at: 0)
    let counts = [80.0, 160, 900].map { first.matchCount(with: sample(at: $0), parallelism: .serial) }
    #expect(counts[0] > counts[1] && counts[1] > 2 * counts[2], "\(counts)")
  }
}
