import Imaging
import MotionDetection
import Testing

/// What goes on is an event; what comes and goes, however often, is none.
@Suite struct PersistenceTests {
  private static let rate = 25

  /// Something of 8×8 pixels that gets on by 2 pixels a frame.
  private struct Mover {
    /// The number of its first frame, and that of the one after its last.
    var frames: Range<Int>
    /// Its column and row in the first frame.
    var place: (x: Int, y: Int)
    /// The number of frames from one sighting to the next.
    var step = 1

    func box(in frame: Int) -> MotionBox? {
      guard frames.contains(frame), (frame - frames.lowerBound) % step == 0 else { return nil }
      return MotionBox(x: place.x + 2 * (frame - frames.lowerBound), y: place.y, width: 8, height: 8)
    }
  }

  /// Moths for 20 seconds: one each 0.4 seconds, for 0.3 seconds, each somewhere else.
  private static let moths = (5..<50).map { index in
    Mover(frames: 10 * index..<10 * index + 8, place: (x: 40 + 131 * index % 500, y: 20 + 83 * index % 300))
  }

  /// Returns the events of some movers, each of which covers so many percent of the image, where so many move besides.
  private func events(
    _ movers: [Mover], score: Double = 0.08, restless: Double = 0, count: Int = 600,
    change: (_ frame: Int, _ zone: inout ZoneMotion) -> Void = { _, _ in }
  ) -> [MotionEvent] {
    var detector = EventDetector(zones: .everywhere, parameters: EventParameters())
    var events: [MotionEvent] = []
    for frame in 0..<count {
      let boxes = movers.compactMap { $0.box(in: frame) }
      let area = score * Double(boxes.count)
      var zone = ZoneMotion(
        score: area, moving: area + restless, age: boxes.isEmpty ? 0 : 5, u: boxes.isEmpty ? 0 : 2, v: 0, boxes: boxes)
      change(frame, &zone)
      events += detector.append(
        FrameStatistics(
          frame: frame, time: MediaTime(value: Int64(frame), timeBase: Rational(1, Int32(Self.rate))), state: .normal,
          lightShare: 0, zones: [zone]))
    }
    return events + detector.finish()
  }

  @Test func whatComesAndGoesIsNoEvent() {
    #expect(events(Self.moths).isEmpty)
    // So much of them is more than a moment.
    #expect(events(Self.moths, score: 0.8).count == 1)
  }

  @Test func whoGoesOnAmongItIsAnEventThatBeginsWithThem() throws {
    let somebody = Mover(frames: 300..<375, place: (x: 60, y: 400))
    let event = try #require(events(Self.moths + [somebody]).first)
    #expect((265...305).contains(event.start.frame) && event.end.frame >= 374, "\(event.start) \(event.end)")
  }

  @Test func whatIsAloneIsBelievedSooner() {
    #expect(events([Mover(frames: 100..<120, place: (x: 60, y: 60))]).count == 1)
    #expect(events([Mover(frames: 100..<108, place: (x: 60, y: 60))]).isEmpty)
    // Two that were for a moment before.
    let before = [Mover(frames: 20..<24, place: (x: 400, y: 60)), Mover(frames: 60..<64, place: (x: 300, y: 300))]
    #expect(events(before + [Mover(frames: 100..<120, place: (x: 60, y: 60))]).isEmpty)
    #expect(events(before + [Mover(frames: 100..<140, place: (x: 60, y: 60))]).count == 1)
  }

  /// Where waves come and go, one of them may seem to travel for a second.
  @Test func whereMuchMovesMoreIsAskedFor() {
    func count(goesOnFor frameCount: Int, restless: Double) -> Int {
      events([Mover(frames: 250..<250 + frameCount, place: (x: 60, y: 60))], restless: restless).count
    }
    #expect(count(goesOnFor: 20, restless: 0.2) == 1)
    #expect(count(goesOnFor: 20, restless: 0.8) == 0)
    #expect(count(goesOnFor: 40, restless: 0.8) == 1)
    // What is larger is believed sooner, a wave among others is not.
    let wave = [Mover(frames: 250..<256, place: (x: 60, y: 60))]
    #expect(events(wave, score: 0.7).count == 1 && events(wave, score: 0.7, restless: 0.8).isEmpty)
    #expect(events(wave, score: 3, restless: 0.8).count == 1)
  }

  /// What flickers where a crest has been lives no more than the water around it.
  @Test func whereMuchMovesSignsOfLifeTellNothing() {
    let crest = [Mover(frames: 250..<256, place: (x: 60, y: 60))]
    func count(restless: Double) -> Int {
      events(crest, restless: restless) { frame, zone in
        guard (256..<320).contains(frame) else { return }
        (zone.present, zone.alive) = (0.3, frame / 20 % 2 == 0 ? 0.3 : 0)
      }.count
    }
    #expect(count(restless: 0) == 1)
    #expect(count(restless: 0.8) == 0)
  }

  @Test func whatIsSeenNowAndThenGoesOnWhereItWouldHaveCome() {
    #expect(events([Mover(frames: 100..<190, place: (x: 60, y: 60), step: 12)]).count == 1)
    // As often, but never there.
    let elsewhere = (0..<8).map { Mover(frames: 100 + 12 * $0..<101 + 12 * $0, place: (x: 500 - 60 * $0, y: 60)) }
    #expect(events(elsewhere).isEmpty)
  }

  /// A dark car shows a corner that stands behind it for a while, and goes on where it would have come by then.
  @Test func aRestBehindDoesNotLoseTheBody() {
    func count(goesOnAt column: (Int) -> Int) -> Int {
      events(Self.moths, score: 0.02) { frame, zone in
        let isRest = (340..<360).contains(frame)
        guard (300..<420).contains(frame) else { return }
        let x = frame < 340 ? 4 * (frame - 300) : isRest ? 156 : column(frame)
        (zone.score, zone.age, zone.u) = (zone.score + 0.06, 5, isRest ? 2 : 4)
        zone.boxes.append(MotionBox(x: x, y: 400, width: isRest ? 4 : 24, height: isRest ? 8 : 24))
      }.count
    }
    #expect(count { 4 * ($0 - 300) } == 1)
    #expect(count { 4 * ($0 - 300) + 80 } == 0, "somewhere else")
  }

  @Test func inASwarmMoreIsAskedFor() {
    // Each second something, for a moment.
    let flakes = (0..<20).map { Mover(frames: 25 * $0..<25 * $0 + 10, place: (x: 40 + 131 * $0 % 500, y: 40)) }
    func count(goesOnFor frameCount: Int) -> Int {
      events(flakes + [Mover(frames: 300..<300 + frameCount, place: (x: 60, y: 400))]).count
    }
    #expect(events(flakes).isEmpty)
    #expect(count(goesOnFor: 50) == 0, "two seconds and a half with what was before it was told")
    #expect(count(goesOnFor: 80) == 1)
  }

  /// Where leaves fall from the first second on, nobody has seen for ten seconds that they do.
  @Test func aSwarmIsOneFromTheFirstSecondOn() throws {
    let leaves = (0..<20).map { Mover(frames: 15 * $0..<15 * $0 + 10, place: (x: 40 + 131 * $0 % 500, y: 40)) }
    // One of them falls for two seconds.
    let slow = Mover(frames: 20..<65, place: (x: 60, y: 400))
    #expect(events(leaves + [slow]).isEmpty)
    #expect(events([slow]).count == 1, "alone")
    let walker = Mover(frames: 20..<120, place: (x: 60, y: 400))
    let event = try #require(events(leaves + [walker]).first)
    #expect(event.start.frame <= 25, "\(event.start)")
  }

  /// Who comes after two that were there at first is no part of a swarm.
  @Test func twoAtFirstMakeNoSwarmForLong() {
    let before = [Mover(frames: 5..<12, place: (x: 400, y: 60)), Mover(frames: 15..<22, place: (x: 300, y: 300))]
    #expect(events(before + [Mover(frames: 60..<110, place: (x: 60, y: 60))]).count == 1)
  }

  /// A flicker of the light shows here and there at once, and is no swarm.
  @Test func whatComesInOneMomentIsNoSwarm() {
    let flicker = (0..<9).map { Mover(frames: 100..<105, place: (x: 40 + 50 * $0, y: 40)) }
    #expect(events(flicker).isEmpty)
    #expect(events(flicker + [Mover(frames: 200..<250, place: (x: 60, y: 400))]).count == 1)
  }

  @Test func whatComesToNothingDoesNotLengthenAnEvent() throws {
    let somebody = Mover(frames: 100..<200, place: (x: 60, y: 400))
    let event = try #require(events([somebody] + Self.moths).first)
    #expect((199...235).contains(event.end.frame), "\(event.end)")
    // Somebody who comes soon after goes on with it.
    let other = Mover(frames: 215..<300, place: (x: 60, y: 200))
    let both = events([somebody, other] + Self.moths)
    #expect(both.count == 1, "\(both.map { ($0.start.frame, $0.end.frame) })")
    #expect(try #require(both.first).end.frame >= 299)
  }
}
