import TestSupport
import Testing

@testable import Rheo

/// A camera that trembles by less than a pixel, whose codec lets blocks stand that hardly change.
@Suite struct ShakeTests {
  private static let size = PixelSize(width: 320, height: 180)
  private static let ground = Texture(seed: 5).image(width: 340, height: 200)

  /// Returns the point that the camera aims at in frame t, in pixels.
  private func aim(_ t: Int) -> SIMD2<Double> {
    var random = FixedRandom(seed: UInt64(t) + 1)
    return SIMD2(Double.random(in: -0.6...0.6, using: &random), Double.random(in: -0.6...0.6, using: &random))
  }

  private func image(_ t: Int, block: (Int, Int) -> Bool, before: Plane<Float>?) -> Plane<Float> {
    let aim = aim(t)
    return Self.ground.withView { ground in
      Plane(width: Self.size.width, height: Self.size.height) { x, y in
        if let before, block(x / 16, y / 16) { return before[x, y] }
        let (u, v) = (Double(x) + 8 + aim.x, Double(y) + 8 + aim.y)
        let (x0, y0) = (Int(u), Int(v))
        let (fx, fy) = (Float(u - Double(x0)), Float(v - Double(y0)))
        let (top, low) = (ground.row(y0), ground.row(y0 + 1))
        let upper = top[x0] + fx * (top[x0 + 1] - top[x0])
        return upper + fy * (low[x0] + fx * (low[x0 + 1] - low[x0]) - upper)
      }
    }
  }

  @Test func whatIsLeftOfATremorDoesNotAddUp() throws {
    let detection = SerialDetection(Detection(input: "scene"), size: Self.size, analyzedSize: Self.size)
    var before: Plane<Float>?
    var (moving, scores) = (0, 0.0)
    for t in 0..<200 {
      var random = FixedRandom(seed: UInt64(1000 + t))
      let standing = (0..<240).map { _ in Int.random(in: 0..<8, using: &random) == 0 }
      let image = self.image(t, block: { standing[$1 * 20 + $0] }, before: before)
      before = image
      let frame = detection.statistics(
        AnalyzedFrame(number: t, time: MediaTime(value: Int64(t), timeBase: Rational(1, 25)), image: image))
      if frame.state == .cameraMoving { moving += 1 }
      scores += frame.zones[0].score
    }
    #expect(moving >= 190, "\(moving)")
    #expect(scores == 0, "\(scores)")
  }
}
