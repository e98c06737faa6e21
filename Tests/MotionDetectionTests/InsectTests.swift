import Imaging
import TestSupport
import Testing

@testable import MotionDetection

/// What flies close to the lens is soft and erratic; what is either of both alone is not taken for an insect.
@Suite struct InsectTrackerTests {
  private static let grid = CellGrid(size: PixelSize(width: 320, height: 180))

  /// The cells of a square of six cells that moves by so many pixels a frame.
  private static func square(at center: SIMD2<Float>, velocity: SIMD2<Float>) -> [MotionObservation.MovingCell] {
    let (column, row) = (Int(center.x) / 4, Int(center.y) / 4)
    return (row - 3..<row + 3).flatMap { y in
      (column - 3..<column + 3).map { x in
        MotionObservation.MovingCell(cell: y * grid.columns + x, u: velocity.x, v: velocity.y, age: 5)
      }
    }
  }

  /// The kinds of something that goes to and fro, or straight on, at 25 frames a second.
  private static func kinds(
    width: Float, turnsEvery frames: Int?, isNight: Bool = false, count: Int = 100, tracker: inout InsectTracker,
    from first: Int = 0
  ) -> [InsectTracker.Kind] {
    (first..<first + count).map { frame in
      let turn = frames.map { (frame / $0) % 2 == 0 ? 1 as Float : -1 } ?? 1
      let part = Float(frames.map { frame % (2 * $0) < $0 ? frame % $0 : $0 - 1 - frame % $0 } ?? frame)
      let center = SIMD2<Float>(60 + 2 * part, 90)
      return tracker.advance(
        [square(at: center, velocity: SIMD2(2 * turn, 0))], widths: [width], isRestless: false,
        isNight: isNight, seconds: Double(frame) / 25)[0]
    }
  }

  @Test func whatIsSoftAndErraticIsAnInsect() throws {
    var tracker = InsectTracker(grid: Self.grid)
    let found = Self.kinds(width: 4.4, turnsEvery: 10, tracker: &tracker)
    let first = try #require(found.firstIndex(of: .insect))
    #expect(first > 10 && first < 50, "\(first)")
    #expect(found[1..<first].allSatisfy { $0 == .undecided } && found[first...].allSatisfy { $0 == .insect })
  }

  @Test func whatIsVerySoftNeedsNotBeErratic() throws {
    var tracker = InsectTracker(grid: Self.grid)
    let found = Self.kinds(width: 6.5, turnsEvery: nil, count: 60, tracker: &tracker)
    #expect(found.last == .insect)
  }

  /// The glare of headlights is very soft.
  @Test func whatIsVerySoftAtNightIsABodyAsLongAsItKeepsItsWay() {
    var tracker = InsectTracker(grid: Self.grid)
    let found = Self.kinds(width: 6.5, turnsEvery: nil, isNight: true, tracker: &tracker)
    #expect(!found.contains(.insect))
    var other = InsectTracker(grid: Self.grid)
    #expect(Self.kinds(width: 6.5, turnsEvery: 10, isNight: true, tracker: &other).contains(.insect))
  }

  @Test func whatIsSoftAndKeepsItsWayIsABody() {
    var tracker = InsectTracker(grid: Self.grid)
    let found = Self.kinds(width: 4.4, turnsEvery: nil, tracker: &tracker)
    #expect(!found.contains(.insect))
    #expect(found[10] == .undecided && found[80] == .body, "it is decided within three seconds")
  }

  @Test func whatIsSharpMayTurnAsItLikes() {
    var tracker = InsectTracker(grid: Self.grid)
    let found = Self.kinds(width: 2.5, turnsEvery: 5, count: 200, tracker: &tracker)
    #expect(found.allSatisfy { $0 == .body })
  }

  /// The kinds of something sharp of eight pixels that flies by six pixels a frame, and turns.
  private static func kindsOfSmall(turnsEvery frames: Int?, interval: Double = 0.04, isRestless: Bool = false)
    -> [InsectTracker.Kind]
  {
    var tracker = InsectTracker(grid: grid)
    var center = SIMD2<Float>(40, 90)
    return (0..<100).map { frame in
      let turn = frames.map { (frame / $0) % 2 == 0 ? 1 as Float : -1 } ?? 0.3
      center.x += 6 * turn
      let (column, row) = (Int(center.x) / 4, Int(center.y) / 4)
      let cells = [(0, 0), (1, 0), (0, 1), (1, 1)].map { x, y in
        MotionObservation.MovingCell(cell: (row + y) * grid.columns + column + x, u: 6 * turn, v: 0, age: 5)
      }
      return tracker.advance(
        [cells], widths: [2.5], isRestless: isRestless, isNight: false, seconds: Double(frame) * interval)[0]
    }
  }

  @Test func whatIsSmallAndFluttersIsAnInsect() throws {
    let found = Self.kindsOfSmall(turnsEvery: 6)
    let first = try #require(found.firstIndex(of: .insect))
    #expect(
      first < 30 && found[1..<first].allSatisfy { $0 == .undecided } && found[first...].allSatisfy { $0 == .insect })
    #expect(Self.kindsOfSmall(turnsEvery: nil).allSatisfy { $0 == .body }, "it keeps its way, at a moderate speed")
    #expect(!Self.kindsOfSmall(turnsEvery: 6, isRestless: true).contains(.insect), "flakes flutter, too")
    #expect(!Self.kindsOfSmall(turnsEvery: 6, interval: 0.1).contains(.insect), "strides do not tell")
  }

  /// Somebody who comes to where an insect was is soon known to be none.
  @Test func whatIsSharpAfterAnInsectIsABodyAgain() throws {
    var tracker = InsectTracker(grid: Self.grid)
    #expect(Self.kinds(width: 6, turnsEvery: 10, tracker: &tracker).last == .insect)
    let found = Self.kinds(width: 2.5, turnsEvery: 10, tracker: &tracker, from: 100)
    let first = try #require(found.firstIndex(of: .body))
    #expect(first < 40, "\(first)")
    #expect(found[first...].allSatisfy { $0 == .body })
  }

  /// An insect that rests for four seconds is one still; after six something else may have come.
  @Test(arguments: [(100, InsectTracker.Kind.insect), (150, .undecided)])
  func anInsectMayRest(frames: Int, kind: InsectTracker.Kind) {
    var tracker = InsectTracker(grid: Self.grid)
    #expect(Self.kinds(width: 6, turnsEvery: 10, tracker: &tracker).last == .insect)
    let found = Self.kinds(width: 6, turnsEvery: 10, count: 2, tracker: &tracker, from: 100 + frames)
    #expect(found.last == kind)
  }
}

/// Drawn insects before a wall, with somebody who walks past it.
@Suite struct InsectDetectionTests {
  private static let size = PixelSize(width: 320, height: 180)

  /// The way of an insect: it flies to another place in half a second, and rests for a moment now and then.
  private static func flight(seed: UInt64, frameCount: Int) -> [SIMD2<Float>] {
    var generator = SplitMix64(seed: seed)
    func place() -> SIMD2<Float> {
      SIMD2(Float(50 + generator.next() % 220), Float(45 + generator.next() % 90))
    }
    var (from, to) = (place(), place())
    return (0..<frameCount).map { frame in
      let step = frame % 12
      if step == 0 { (from, to) = (to, generator.next() % 4 == 0 ? to : place()) }
      return from + (to - from) * (Float(step) / 12)
    }
  }

  /// - Parameters:
  ///   - softness: The width of the insect's edges as a share of its radius.
  ///   - radius: Its radius in pixels.
  ///   - walk: The frames in which somebody walks past.
  private static func updates(
    softness: Float, radius: Float = 14, walk: ClosedRange<Int>? = nil, seed: UInt64
  ) throws -> (events: [MotionEvent], suppressed: [SuppressedPeriod]) {
    let frameCount = 240
    let (wall, coat) = (Texture(seed: seed), Texture(seed: seed + 5))
    let ground = Plane(width: size.width, height: size.height) { x, y in
      60 + 0.4 * wall.value(Double(x), Double(y))
    }
    let body = Plane(width: 24, height: 60) { x, y in 255 - 0.5 * coat.value(Double(x), Double(y)) }
    let flight = flight(seed: seed, frameCount: frameCount)
    let detector = try MotionDetector(size: size)
    var (events, suppressed): ([MotionEvent], [SuppressedPeriod]) = ([], [])
    func note(_ updates: [MotionDetector.Update]) {
      for case .ended(let event) in updates { events.append(event) }
      for case .suppressed(let period) in updates { suppressed.append(period) }
    }
    for frame in 0..<frameCount {
      let left = 10 + 2 * (frame - (walk?.lowerBound ?? 0))
      let image = Plane(width: size.width, height: size.height) { x, y -> Float in
        let isBody = walk?.contains(frame) == true && (left..<left + 24).contains(x) && (80..<140).contains(y)
        let value = isBody ? body[x - left, y - 80] : ground[x, y]
        // It comes after four seconds.
        guard frame >= 100 else { return value }
        let way = SIMD2(Float(x), Float(y)) - flight[frame]
        let distance = (way * way).sum().squareRoot() / radius
        let opacity = 0.8 * min(max((1 + softness / 2 - distance) / softness, 0), 1)
        return value + opacity * (15 - value)
      }
      note(try detector.detect(image, at: MediaTime(value: Int64(frame), timeBase: Rational(1, 25))))
    }
    note(detector.finish())
    return (events, suppressed)
  }

  @Test(arguments: [3, 4, 5] as [UInt64])
  func anInsectCloseToTheLensIsSuppressed(seed: UInt64) throws {
    let (events, suppressed) = try Self.updates(softness: 0.9, seed: seed)
    #expect(events.isEmpty, "\(events.map { ($0.start.frame, $0.end.frame) })")
    let insect = suppressed.filter { $0.reason == .insect }
    #expect(insect.contains { $0.start.frame < 130 }, "\(suppressed)")
  }

  @Test(arguments: [3, 4] as [UInt64])
  func aLargeSharpThingOnTheSameWayIsAnEvent(seed: UInt64) throws {
    let (events, suppressed) = try Self.updates(softness: 0.1, radius: 22, seed: seed)
    #expect(events.contains { $0.start.frame < 130 })
    #expect(!suppressed.contains { $0.reason == .insect })
  }

  @Test(arguments: [3, 4] as [UInt64])
  func whoWalksPastAnInsectIsFound(seed: UInt64) throws {
    let (events, _) = try Self.updates(softness: 0.9, walk: 110...220, seed: seed)
    let covered = (110...220).count { frame in events.contains { ($0.start.frame...$0.end.frame).contains(frame) } }
    #expect(covered > 70, "\(events.map { ($0.start.frame, $0.end.frame) })")
  }
}
