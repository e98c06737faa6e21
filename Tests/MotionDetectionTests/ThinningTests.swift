import Imaging
import TestSupport
import Testing

@testable import MotionDetection

/// Where much moves, of frames that follow each other closely every other one is left out.
@Suite struct ThinningTests {
  private static let size = PixelSize(width: 160, height: 96)

  /// Textured squares on their ways to and fro over another texture, which moves by some pixels a frame.
  /// - Parameter visit: The frame in which another square comes in on the left.
  private func frames(
    _ count: Int, rate: Int32, squares: Int = 6, cameraSpeed: Double = 0, visit: Int? = nil
  ) -> [AnalyzedFrame] {
    let (ground, cover) = (Texture(seed: 3), Texture(seed: 8))
    return (0..<count).map { t in
      let corners = (0..<squares).map { index in
        // Three beside each other, half of them below, each by one and a half pixels a frame for 16 frames.
        let phase = t % 32
        let way = 1.5 * Double(phase < 16 ? phase : 32 - phase)
        return (x: 10 + 50 * Double(index % 3) + (index % 2 == 0 ? way : 0), y: 8 + 40 * Double(index / 3) + 0.8 * way)
      }
      let visitor = visit.map { (x: 3 * Double(t - $0) - 28, y: 20.0) }
      let image = Plane<Float>(width: Self.size.width, height: Self.size.height) { x, y in
        if let visitor {
          let (dx, dy) = (Double(x) - visitor.x, Double(y) - visitor.y)
          if dx >= 0 && dy >= 0 && dx < 28 && dy < 50 { return cover.value(dx + 70, dy + 90) + 60 }
        }
        for corner in corners {
          let (dx, dy) = (Double(x) - corner.x, Double(y) - corner.y)
          if dx >= 0 && dy >= 0 && dx < 24 && dy < 24 { return cover.value(dx, dy) }
        }
        return ground.value(Double(x) + cameraSpeed * Double(t), Double(y))
      }
      return AnalyzedFrame(number: t, time: MediaTime(value: Int64(t), timeBase: Rational(1, rate)), image: image)
    }
  }

  private func analyzer(isThinned: Bool = true) -> FramePairAnalyzer {
    FramePairAnalyzer(analyzedSize: Self.size, compensation: .homography, parallelism: .serial, isThinned: isThinned)
  }

  /// From some seconds on, at 20 frames a second and more.
  @Test(arguments: [(25, true), (30, true), (20, true), (19, false), (10, false)] as [(Int32, Bool)])
  func closeFramesAreLeftOut(rate: Int32, isThinned: Bool) {
    let analyzer = analyzer()
    let pairs = frames(160, rate: rate).map(analyzer.measure)
    #expect(pairs.prefix(Int(FrameThinning.minimumAge * Double(rate))).allSatisfy { !$0.isLeftOut })
    #expect(pairs.dropFirst(140).map(\.isLeftOut) == (140..<160).map { isThinned && $0 % 2 != 0 })
    #expect(pairs.allSatisfy { ($0.isLeftOut || $0.state == .first) == ($0.observation == nil) })
  }

  /// Where little moves, all frames are looked at: what is tiny needs them.
  @Test func whereLittleMovesNoneIsLeftOut() {
    let analyzer = analyzer()
    #expect(frames(160, rate: 25, squares: 1).map(analyzer.measure).allSatisfy { !$0.isLeftOut })
  }

  /// While the camera moves all frames are looked at.
  @Test func aMovingCameraIsFollowedFrameByFrame() {
    let analyzer = analyzer()
    let pairs = frames(160, rate: 25, squares: 1, cameraSpeed: 2).map(analyzer.measure)
    #expect(pairs.allSatisfy { !$0.isLeftOut && $0.frameCount == 1 })
    #expect(pairs.last?.state == .cameraMoving)
  }

  /// A frame that is left out shows what the one before showed; speeds are those from frame to frame.
  @Test func theStatisticsAreRepeated() throws {
    let zones = ZoneAnalyzer(zones: .everywhere, size: Self.size, analyzedSize: Self.size)
    let analyzer = analyzer()
    let statistics = frames(140, rate: 25, visit: 100).map { zones.measure(analyzer.measure($0)).statistics }
    #expect(statistics.map(\.frame) == Array(0..<140))
    #expect(statistics.map(\.state) == [.first] + Array(repeating: .normal, count: 139))
    var counts = [false: 0, true: 0]
    for number in stride(from: 101, to: 140, by: 2) {
      let (before, frame, next) = (statistics[number - 3], statistics[number - 1], statistics[number])
      let isCertain = before.zones[0].score > 0
      #expect(next.time > frame.time && next.crossings.isEmpty)
      #expect(isCertain ? next.zones == frame.zones : next.zones[0].score == 0 && next.zones[0].boxes.isEmpty)
      counts[isCertain, default: 0] += frame.zones[0].score > 0 ? 1 : 0
    }
    // Of the motion that two looks show all is repeated, of the first look nothing.
    #expect(counts[true, default: 0] > 0 && counts[false, default: 0] > 0, "\(counts)")
  }
}
