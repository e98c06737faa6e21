import Imaging
import MotionDetection
import TestSupport
import Testing

@Suite struct MotionDetectorTests {
  private static let size = PixelSize(width: 320, height: 180)

  /// A textured square that walks from left to right over a still texture between the frames 20 and 70.
  private func luma(_ t: Int) -> Plane<UInt8> {
    let (ground, square) = (Texture(seed: 3), Texture(seed: 8))
    let left = 60 + 3 * (t - 20)
    return Plane(width: Self.size.width, height: Self.size.height) { x, y in
      let isSquare = (20...70).contains(t) && (left..<left + 30).contains(x) && (70..<110).contains(y)
      let value =
        isSquare ? square.value(Double(x - left), Double(y)) : ground.value(Double(x), Double(y))
      return UInt8(min(max(value, 0), 255))
    }
  }

  private func time(_ t: Int) -> MediaTime { MediaTime(value: Int64(t), timeBase: Rational(1, 25)) }

  @Test func aWalkIsOneEvent() throws {
    let detector = try MotionDetector(size: Self.size)
    var (started, ended, frames): ([MotionEvent], [MotionEvent], Int) = ([], [], 0)
    func note(_ updates: [MotionDetector.Update]) {
      for update in updates {
        switch update {
        case .frame: frames += 1
        case .started(let event): started.append(event)
        case .ended(let event): ended.append(event)
        case .suppressed: break
        }
      }
    }
    for t in 0..<120 { note(try detector.detect(luma(t), at: time(t))) }
    note(detector.finish())
    #expect(frames == 120 && started.count == 1 && ended.count == 1)
    let event = try #require(ended.first)
    #expect(event.number == started.first?.number)
    #expect((18...26).contains(event.start.frame), "\(event.start.frame)")
    // 1.2 s after the last motion, which is that of the place where the square was.
    #expect((95...110).contains(event.end.frame) && (20...72).contains(event.peak.frame), "\(event.end.frame)")
    #expect(abs(event.u - 3) < 0.5 && abs(event.v) < 0.3, "\(event.u) \(event.v)")
  }

  @Test func bothKindsOfSamplesGiveTheSame() throws {
    let (bytes, floats) = (try MotionDetector(size: Self.size), try MotionDetector(size: Self.size))
    for t in 15..<40 {
      let image = luma(t)
      let converted = image.withView { Plane(converting: $0) }
      #expect(try bytes.detect(image, at: time(t)) == floats.detect(converted, at: time(t)))
    }
  }

  @Test func framesOfAnotherSizeAreRefused() throws {
    let detector = try MotionDetector(size: Self.size)
    let error = #expect(throws: MotionDetectionError.self) {
      try detector.detect(Plane<UInt8>(size: PixelSize(width: 64, height: 48), repeating: 0), at: time(0))
    }
    #expect(error?.code == .invalidOption && error?.message.contains("64×48") == true)
    #expect(throws: MotionDetectionError.self) { try MotionDetector(size: PixelSize(width: 0, height: 4)) }
  }
}
