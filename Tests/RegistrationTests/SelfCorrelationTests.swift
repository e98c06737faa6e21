import Imaging
import Testing

@testable import Registration

/// How much an image looks like itself at another position.
@Suite struct SelfCorrelationTests {
  private static func noise(_ size: PixelSize, seed: UInt64) -> Plane<Float> {
    var random = SplitMix64(seed: seed)
    return Plane<Float>(width: size.width, height: size.height) { _, _ in Float.random(in: 0...255, using: &random) }
  }

  private static func peak(_ image: Plane<Float>) -> Double? { SelfCorrelation(of: RegistrationImage(image)).peak }

  /// The definition: each shifted copy that covers a quarter of the image, and a tenth of its contrast, by itself.
  private static func highestPeak(_ contrast: Plane<Float>) -> Double {
    let (width, height) = (contrast.width, contrast.height)
    var total = 0.0
    for y in 0..<height { for x in 0..<width { total += Double(contrast[x, y]) * Double(contrast[x, y]) } }
    func correlation(_ dx: Int, _ dy: Int) -> Double {
      var (ab, aa, bb, count) = (0.0, 0.0, 0.0, 0)
      for y in max(0, -dy)..<max(0, -dy, min(height, height - dy)) {
        for x in max(0, -dx)..<max(0, -dx, min(width, width - dx)) {
          let (a, b) = (Double(contrast[x, y]), Double(contrast[x + dx, y + dy]))
          ab += a * b
          aa += a * a
          bb += b * b
          count += 1
        }
      }
      guard 4 * count >= width * height, min(aa, bb) >= 0.1 * total else { return -1 }
      return ab / (aa * bb).squareRoot()
    }
    var highest = 0.0
    for dy in 0..<height {
      for dx in -width...width where dx * dx + dy * dy > 9 {
        let value = correlation(dx, dy)
        let around = (-1...1).flatMap { row in (-1...1).map { correlation(dx + $0, dy + row) } }
        if around.allSatisfy({ $0 <= value + 1e-9 }) { highest = max(highest, value) }
      }
    }
    return highest
  }

  @Test(arguments: [PixelSize(width: 40, height: 29), PixelSize(width: 17, height: 36)])
  func thePeakIsThatOfEveryShiftByItself(size: PixelSize) throws {
    let image = RegistrationImage(Self.noise(size, seed: 3))
    let contrast = try #require(SelfCorrelation(of: image).pattern).contrast.image
    let peak = try #require(SelfCorrelation(of: image).peak)
    #expect(abs(peak - Self.highestPeak(contrast)) < 1e-4)
  }

  @Test func whatRepeatsLooksLikeItselfAndNoiseDoesNot() throws {
    let tile = Self.noise(PixelSize(width: 23, height: 19), seed: 5)
    let tiled = Plane<Float>(width: 240, height: 180) { x, y in tile[x % 23, y % 19] }
    #expect(try #require(Self.peak(tiled)) > 0.95)
    #expect(try #require(Self.peak(Self.noise(PixelSize(width: 240, height: 180), seed: 6))) < 0.2)
  }

  @Test func blankAndTinyImagesHaveNoPeakToSpeakOf() {
    #expect(Self.peak(Plane<Float>(width: 60, height: 40) { _, _ in 90 }) == nil)
    for size in [PixelSize(width: 1, height: 1), PixelSize(width: 1, height: 9), PixelSize(width: 3, height: 2)] {
      #expect((Self.peak(Self.noise(size, seed: 7)) ?? 0) <= 1)
    }
  }
}
