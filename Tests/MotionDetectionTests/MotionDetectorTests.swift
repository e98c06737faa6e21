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
    // 1.2 s after the last motion, which is that of the area where the square was.
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

  /// The colours of somebody in red who walks before a grey wall of the same luma, at half the size of the image.
  private func colors(_ t: Int, standsAt position: Int? = nil) -> ChrominancePlanes {
    let size = PixelSize(width: Self.size.width / 2, height: Self.size.height / 2)
    let left = position ?? 30 + 3 * (t - 110) / 2
    func plane(_ value: Float) -> Plane<Float> {
      Plane(width: size.width, height: size.height) { x, y in
        t >= 110 && (left..<left + 15).contains(x) && (35..<55).contains(y) ? value : 128
      }
    }
    return ChrominancePlanes(blueDifference: plane(122), redDifference: plane(146))
  }

  private func events(_ chrominance: (Int) -> ChrominancePlanes?) throws -> [MotionEvent] {
    let detector = try MotionDetector(size: Self.size)
    let wall = luma(0)
    var updates: [MotionDetector.Update] = []
    for t in 0..<170 { updates += try detector.detect(wall, chrominance: chrominance(t), at: time(t)) }
    updates += detector.finish()
    return updates.compactMap { if case .ended(let event) = $0 { event } else { nil } }
  }

  @Test func whoHasTheLumaOfTheWallIsSeenByColor() throws {
    let events = try events { colors($0) }
    #expect(events.count == 1)
    let event = try #require(events.first)
    #expect((108...125).contains(event.start.frame), "\(event.start.frame)")
    #expect(event.u > 0 && abs(event.v) < 0.3, "\(event.u) \(event.v)")
  }

  @Test func withoutColorsNobodyIsSeen() throws {
    #expect(try events { _ in nil }.isEmpty)
  }

  @Test func whatChangesColorAndStaysIsNoMotion() throws {
    #expect(try events { colors($0, standsAt: 60) }.isEmpty)
  }

  @Test func anotherLightIsNoMotion() throws {
    // A lamp of another colour is switched on, and off again, in half of the view.
    let size = PixelSize(width: Self.size.width / 2, height: Self.size.height / 2)
    let events = try events { t in
      func plane(_ value: Float) -> Plane<Float> {
        Plane(width: size.width, height: size.height) { x, _ in (110..<140).contains(t) && x < 80 ? value : 128 }
      }
      return ChrominancePlanes(blueDifference: plane(110), redDifference: plane(140))
    }
    #expect(events.isEmpty)
  }

  @Test func framesOfAnotherSizeAreRefused() throws {
    let detector = try MotionDetector(size: Self.size)
    let error = thrown(MotionDetectionError.self) {
      try detector.detect(Plane<UInt8>(size: PixelSize(width: 64, height: 48), repeating: 0), at: time(0))
    }
    #expect(error?.code == .invalidOption && error?.message.contains("64×48") == true)
    #expect(throws: MotionDetectionError.self) { try MotionDetector(size: PixelSize(width: 0, height: 4)) }
  }
}
