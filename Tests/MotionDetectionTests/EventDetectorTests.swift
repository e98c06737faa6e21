import Imaging
import MotionDetection
import TestSupport
import Testing

/// Statistics at 10 frames a second from scores in percent.
private func frames(_ scores: [Double], states: [Int: FrameState] = [:], light: [Int: Double] = [:])
  -> [FrameStatistics]
{
  scores.enumerated().map { index, score in
    FrameStatistics(
      frame: index, time: MediaTime(value: Int64(index), timeBase: Rational(1, 10)), state: states[index] ?? .normal,
      lightShare: light[index] ?? 0,
      zones: [
        ZoneMotion(
          score: score, moving: score, age: 0, u: score > 0 ? 2 : 0, v: 0,
          boxes: score > 0 ? [MotionBox(x: index, y: 0, width: 8, height: 8)] : [])
      ])
  }
}

private func events(
  _ frames: [FrameStatistics], zones: ZoneSet = .everywhere, change: (inout EventParameters) -> Void = { _ in }
) -> [MotionEvent] {
  var parameters = EventParameters()
  (parameters.threshold, parameters.after, parameters.mergeGap) = (1, 0, 0.35)
  change(&parameters)
  var detector = EventDetector(zones: zones, parameters: parameters)
  var events: [MotionEvent] = []
  for frame in frames { events += detector.append(frame) }
  return events + detector.finish()
}

private func zeros(_ count: Int) -> [Double] { Array(repeating: 0, count: count) }

@Suite struct EventDetectorTests {
  @Test func anEventThatDoesNotEndKeepsBoxesOfFewerFrames() throws {
    let event = try #require(events(frames([Double](repeating: 5, count: 20_000))).first)
    #expect(event.boxes.map(\.frame) == Array(stride(from: 0, to: 20_000, by: 4)))
    let short = try #require(events(frames([Double](repeating: 5, count: 8192))).first)
    #expect(short.boxes.count == 8192)
  }

  @Test func anEventReachesFromThresholdToHalfOfIt() {
    let found = events(frames(zeros(5) + [0.6, 1.2, 3, 1.1, 0.6, 0.4] + zeros(9)))
    #expect(found.map { [$0.number, $0.start.frame, $0.end.frame, $0.peak.frame] } == [[1, 6, 9, 7]])
    #expect(found.first?.peakScore == 3)
    #expect(found.first?.u == 2)
    #expect(found.first?.boxes.map(\.frame) == [6, 7, 8, 9])
    #expect(found.first?.zones == [])
  }

  /// The place of little motion must go with the flow.
  @Test func littleMotionIsAnEventWhereItGoesWithItsFlow() throws {
    func list(_ score: Double = 0.1, flow: Double, step: (Int) -> Int) -> [FrameStatistics] {
      var list = frames(zeros(5) + [Double](repeating: score, count: 20) + zeros(9))
      for index in list.indices where list[index].zones[0].score > 0 {
        list[index].zones[0].u = flow
        list[index].zones[0].boxes = [MotionBox(x: 300 + step(index - 5), y: 0, width: 8, height: 8)]
      }
      return list
    }
    func count(_ list: [FrameStatistics]) -> Int { events(list) { $0.threshold = 0.05 }.count }
    #expect(count(list(flow: 2) { 2 * $0 }) == 1)
    #expect(count(list(flow: -1) { -$0 }) == 1)
    // Cells are coarse: it may be half as fast again.
    #expect(count(list(flow: 2) { 3 * $0 }) == 1)
    // It stays, goes against its flow, or hardly comes anywhere.
    #expect(count(list(flow: 2) { _ in 0 }) == 0)
    #expect(count(list(flow: 2) { $0 % 2 * 4 }) == 0)
    #expect(count(list(flow: 2) { -2 * $0 }) == 0)
    #expect(count(list(flow: 0.2) { $0 / 5 }) == 0)
    // Of much nothing is asked: 0.4 percent for a second.
    #expect(count(list(0.19, flow: 2) { _ in 0 }) == 0)
    #expect(count(list(0.21, flow: 2) { _ in 0 }) == 1)
    // What is seen too shortly to get on is believed where its points had been moving before.
    var short = frames(zeros(19) + [0.1, 0.1, 0.1] + zeros(9))
    #expect(count(short) == 0)
    for index in 19..<22 { short[index].zones[0].age = index - 10 }
    #expect(count(short) == 1)
    // Whose statistics hold no boxes is believed.
    var plain = list(flow: 2) { _ in 0 }
    for index in plain.indices { plain[index].zones[0].boxes = [] }
    #expect(count(plain) == 1)
    let parameters = EventParameters()
    var detector = EventDetector(zones: .everywhere, parameters: parameters)
    for frame in list(flow: 2, step: { _ in 0 }).prefix(10) { _ = detector.append(frame) }
    let displacement = try #require(detector.evaluation?.displacement)
    #expect(displacement.value == 1 && displacement.limit == 0.5 && detector.evaluation?.isCertain == false)
  }

  @Test func theStartGoesBackToWhereMotionBegan() {
    var list = frames(zeros(5) + [0, 0, 0, 2, 2, 2] + zeros(9))
    for index in 5..<8 { list[index].zones[0].moving = 0.2 }
    for index in 8..<11 { list[index].zones[0].age = index - 5 }
    #expect(events(list).map(\.start.frame) == [5])
    list[8].zones[0].age = 1
    #expect(events(list).map(\.start.frame) == [7])
  }

  @Test(arguments: [.min, -1, .max] as [Int])
  func agesAndLagsThatNothingHasReachNoFartherThanTheFrames(count: Int) {
    for path in [\ZoneMotion.age, \ZoneMotion.lag] {
      var list = frames(zeros(5) + [2, 2, 2, 2] + zeros(9))
      for index in list.indices { list[index].zones[0][keyPath: path] = count }
      let found = events(list)
      #expect(found.count == 1 && found.allSatisfy { $0.start.frame <= 5 && $0.end.frame == 8 })
    }
  }

  @Test func numbersOfFramesMayBeAny() {
    for (first, others) in [(-5, Int.max), (.max, .min), (.min, .max)] {
      var list = frames(zeros(3) + [2, 2, 2] + zeros(9))
      for index in list.indices { list[index].frame = index == 0 ? first : others }
      #expect(events(list).allSatisfy { $0.end.frame == others })
    }
  }

  @Test func motionCloseBehindAnEventBelongsToIt() {
    let scores = zeros(3) + [2, 2, 2] + zeros(3) + [2, 2, 2] + zeros(9)
    #expect(events(frames(scores)).map { [$0.start.frame, $0.end.frame] } == [[3, 5], [9, 11]])
    #expect(events(frames(scores)) { $0.mergeGap = 0.45 }.map { [$0.start.frame, $0.end.frame] } == [[3, 11]])
  }

  @Test func motionThatBeganCloseBehindAnEventBelongsToItHoweverLateItIsNoticed() {
    var list = frames(zeros(3) + [2, 2, 2] + zeros(7) + [2, 2, 2] + zeros(9))
    for index in 8..<13 { list[index].zones[0].moving = 0.2 }
    for index in 13..<16 { list[index].zones[0].age = index - 8 }
    #expect(events(list).map { [$0.start.frame, $0.end.frame] } == [[3, 15]])
    for index in 13..<16 { list[index].zones[0].age = index - 11 }
    #expect(events(list).map { [$0.start.frame, $0.end.frame] } == [[3, 5], [11, 15]])
  }

  @Test func whoStandsBelongsToTheEventAsLongAsItLives() {
    var list = frames(zeros(3) + [2, 2, 2, 2] + zeros(40))
    for index in 7..<30 { (list[index].zones[0].present, list[index].zones[0].alive) = (3, index % 6 == 0 ? 2 : 0) }
    // Nothing lives within the merge gap: something was put down.
    #expect(events(list) { $0.mergeGap = 0.45 }.map { [$0.start.frame, $0.end.frame] } == [[3, 6]])
    for index in 7..<30 { list[index].zones[0].alive = index % 6 < 3 ? 2 : 0 }
    #expect(events(list) { $0.mergeGap = 0.45 }.map { [$0.start.frame, $0.end.frame] } == [[3, 26]])
    let limited = events(list) { ($0.mergeGap, $0.presenceLimit) = (0.45, 1) }
    #expect(limited.map { [$0.start.frame, $0.end.frame] } == [[3, 14]])
  }

  @Test func whoStoppedMayRestForLong() {
    func list(pause: Int, stopsUntil last: Int) -> [FrameStatistics] {
      var list = frames(zeros(3) + [2, 2, 2, 2] + zeros(pause) + [2, 2, 2] + zeros(40))
      for index in 7..<min(7 + pause, last) {
        (list[index].zones[0].present, list[index].zones[0].stopped) = (3, 3)
      }
      return list
    }
    func ranges(_ list: [FrameStatistics], presenceLimit: Double = 300) -> [[Int]] {
      events(list) { $0.presenceLimit = presenceLimit }.map { [$0.start.frame, $0.end.frame] }
    }
    #expect(ranges(list(pause: 100, stopsUntil: .max)) == [[3, 109]])
    #expect(ranges(list(pause: 130, stopsUntil: .max)) == [[3, 6], [137, 139]])
    // What is gone ends the event, as it was when it last moved.
    #expect(ranges(list(pause: 100, stopsUntil: 50)) == [[3, 6], [107, 109]])
    #expect(ranges(list(pause: 100, stopsUntil: .max), presenceLimit: 2) == [[3, 6], [107, 109]])
  }

  @Test func anEarlyEventIsTakenBackWhereItsCellsProveToSway() {
    func list(dynamicShare: Double) -> [FrameStatistics] {
      var list = frames(zeros(3) + [Double](repeating: 2, count: 30) + zeros(20))
      for index in 0..<25 {
        list[index].isSettling = true
        list[index].zones[0].dynamicBackgroundShare = index > 20 ? dynamicShare : 0
      }
      list[25].zones[0].dynamicBackgroundShare = dynamicShare
      if dynamicShare > 0.5 { for index in 25..<list.count { list[index].zones[0].score = 0 } }
      return list
    }
    #expect(events(list(dynamicShare: 0.2)).map(\.start.frame) == [3])
    #expect(events(list(dynamicShare: 0.8)).isEmpty)
    let told = starts(list(dynamicShare: 0.2)).told
    #expect(told.keys.sorted() == [25], "it is told when the scene has settled")
  }

  @Test func whatPassesWhileTheSceneSettlesIsAnEvent() throws {
    var list = frames(zeros(3) + [2, 2, 2, 2] + zeros(20))
    for index in list.indices { list[index].isSettling = true }
    var detector = EventDetector(zones: .everywhere, parameters: EventParameters())
    var told: [Int] = []
    var ended: [MotionEvent] = []
    for frame in list {
      ended += detector.append(frame)
      if let started = detector.started { told.append(started.number) }
    }
    ended += detector.finish()
    if let started = detector.started { told.append(started.number) }
    #expect(ended.map { [$0.number, $0.start.frame] } == [[1, 3]])
    #expect(told == [1])
  }

  /// Statistics of motion from frame 5 on that may be an insect, and is known to be one from a frame on.
  /// - Parameter path: Where its box of 20×20 pixels is in the n-th frame; nil: there are no boxes.
  private func softMotion(
    insectFrom first: Int?, count: Int = 25, undecided: Double = 2, score: Double = 2,
    path: ((Int) -> SIMD2<Double>)? = nil
  ) -> [FrameStatistics] {
    var list = frames(zeros(5) + [Double](repeating: score, count: count) + zeros(30))
    for index in 5..<5 + count {
      list[index].zones[0].undecided = undecided
      if let path {
        let (place, former) = (path(index - 5), path(index - 6))
        (list[index].zones[0].u, list[index].zones[0].v) = (place.x - former.x, place.y - former.y)
        list[index].zones[0].boxes = [MotionBox(x: Int(place.x), y: Int(place.y), width: 20, height: 20)]
      }
      if let first, index >= first { (list[index].zones[0].score, list[index].zones[0].insects) = (0, 2) }
    }
    return list
  }

  @Test func anInsectTakesBackWhatWasHeld() {
    let list = softMotion(insectFrom: 15)
    #expect(events(list).isEmpty && starts(list).told.isEmpty)
    var detector = EventDetector(zones: .everywhere, parameters: EventParameters())
    for frame in list { _ = detector.append(frame) }
    _ = detector.finish()
    #expect(detector.suppressed.map { [$0.start.frame, $0.end.frame] } == [[5, 29]])
    #expect(detector.suppressed.map(\.reason) == [.insect])
  }

  @Test func oneFrameOfAnInsectIsNotListed() {
    var list = frames(zeros(30))
    list[10].zones[0].insects = 2
    var detector = EventDetector(zones: .everywhere, parameters: EventParameters())
    for frame in list { _ = detector.append(frame) }
    _ = detector.finish()
    #expect(detector.suppressed.isEmpty)
  }

  @Test func whatIsSharpIsToldAtOnceAndWhatIsSoftWhenItIsOver() {
    #expect(starts(softMotion(insectFrom: nil, undecided: 0.9)).told.keys.sorted() == [7])
    let soft = softMotion(insectFrom: nil) { SIMD2(100 + 8 * Double($0), 100) }
    #expect(events(soft).map { [$0.start.frame, $0.end.frame] } == [[5, 29]])
    var detector = EventDetector(zones: .everywhere, parameters: EventParameters())
    var told: [Int] = []
    for frame in soft {
      _ = detector.append(frame)
      if detector.started != nil { told.append(frame.frame) }
    }
    #expect(told.count == 1 && told[0] > 29, "\(told)")
    var long = frames(zeros(5) + [Double](repeating: 2, count: 60) + zeros(30))
    for index in 5..<65 { long[index].zones[0].undecided = 2 }
    #expect(starts(long).told.keys.sorted() == [36], "it is not held for longer than three seconds")
    for index in 5..<65 { long[index].zones[0].u *= index % 8 < 4 ? 1 : -1 }
    #expect(starts(long).told.isEmpty, "it went to and fro")
    for index in 45..<65 { long[index].zones[0].undecided = 0 }
    #expect(starts(long).told.isEmpty, "it is none for less than half of its way")
    for index in 30..<45 { long[index].zones[0].undecided = 0 }
    #expect(starts(long).told.keys.first ?? 0 > 36, "it has proven to be in focus")
    #expect(events(softMotion(insectFrom: 15, undecided: 0.9)).map(\.start.frame) == [5], "it was certain before")
    // A second of rest tells nothing.
    var resting = frames(zeros(5) + Array(repeating: 2, count: 16) + zeros(10) + Array(repeating: 2, count: 30))
    for index in resting.indices where resting[index].zones[0].score > 0 { resting[index].zones[0].undecided = 2 }
    let late = starts(resting) { $0.mergeGap = 1.2 }.told.keys.sorted()
    #expect(late == [46] || late == [47], "\(late)")
  }

  /// The width of what moves is 20 pixels, a second 10 frames.
  @Test(arguments: [false, true]) func whatIsSoftAndOverMustGoOneWayFarOrForLongOrBeLarge(endsWithIt: Bool) {
    func count(_ frameCount: Int, score: Double = 2, undecided: Double = 1, path: @escaping (Int) -> Double) -> Int {
      let list = softMotion(insectFrom: nil, count: frameCount, undecided: undecided * score, score: score) {
        SIMD2(path($0), 100)
      }
      var detector = EventDetector(zones: .everywhere, parameters: EventParameters())
      var ended: [MotionEvent] = []
      // With the last motion the video ends, or goes on.
      for frame in endsWithIt ? list.prefix(5 + frameCount) : list[...] { ended += detector.append(frame) }
      ended += detector.finish()
      let isListed = detector.suppressed.map(\.reason) == [.insect] && detector.suppressed[0].start.frame == 5
      #expect(isListed == ended.isEmpty, "\(detector.suppressed)")
      return ended.count
    }
    let toAndFro = { (n: Int) in 100 + 30 * Double(min(n, 8 - n)) }
    let near = { (n: Int) in 100 + 8 * Double(n) }
    #expect(count(8) { 100 + 30 * Double($0) } == 1)
    #expect(count(8, path: near) == 0, "it came 2.8 sides in 0.8 s")
    #expect(count(16, path: near) == 1, "it went on for longer")
    #expect(count(8, path: toAndFro) == 0)
    #expect(count(8, score: 4, path: toAndFro) == 1, "it is large")
    #expect(count(8, undecided: 0.45, path: toAndFro) == 1, "most of it is sharp")
  }

  @Test func withoutAnyGapOneFrameWithoutMotionEndsAnEvent() {
    let scores = zeros(3) + [2, 2, 2] + zeros(1) + [2, 2] + zeros(2)
    let found = events(frames(scores)) { ($0.mergeGap, $0.minimumDuration) = (0, 0) }
    #expect(found.map { [$0.start.frame, $0.end.frame] } == [[3, 5], [7, 8]])
  }

  @Test func whatIsSeenLateBeganEarlier() {
    var list = frames(zeros(20) + [2, 2, 2] + zeros(9))
    for index in 14..<20 { list[index].zones[0].moving = 0.2 }
    for index in 20..<23 { (list[index].zones[0].age, list[index].zones[0].lag) = (index - 14, 4) }
    #expect(events(list).map(\.start.frame) == [10])
    for index in 20..<23 { list[index].zones[0].lag = 0 }
    #expect(events(list).map(\.start.frame) == [14])
  }

  @Test func timesBeforeAndAfterAreIncludedWithinTheVideo() {
    let scores = zeros(8) + [2, 2, 2, 2] + zeros(10)
    let wide = events(frames(scores)) { ($0.before, $0.after) = (0.3, 0.5) }
    #expect(wide.map { [$0.start.frame, $0.end.frame] } == [[5, 16]])
    let whole = events(frames(scores)) { ($0.before, $0.after) = (9, 9) }
    #expect(whole.map { [$0.start.frame, $0.end.frame] } == [[0, 21]])
  }

  @Test func shortMotionIsNoEvent() {
    #expect(events(frames(zeros(3) + [9] + zeros(9))) { $0.minimumDuration = 0 }.isEmpty)
    #expect(events(frames(zeros(3) + [9, 9] + zeros(9))) { $0.minimumDuration = 0.15 }.isEmpty)
    #expect(events(frames(zeros(3) + [9, 9, 9] + zeros(9))) { $0.minimumDuration = 0.15 }.count == 1)
  }

  /// Each start as frame → number, first frame and zones, beside the events.
  private func starts(_ frames: [FrameStatistics], change: (inout EventParameters) -> Void = { _ in })
    -> (told: [Int: MotionEvent], events: [MotionEvent])
  {
    var parameters = EventParameters()
    (parameters.threshold, parameters.after, parameters.mergeGap) = (1, 0, 0.35)
    change(&parameters)
    var detector = EventDetector(zones: .everywhere, parameters: parameters)
    var told: [Int: MotionEvent] = [:]
    var events: [MotionEvent] = []
    for frame in frames {
      events += detector.append(frame)
      told[frame.frame] = detector.started
      if let started = detector.started { #expect(started.number == events.count + 1) }
    }
    return (told, events + detector.finish())
  }

  @Test func anEventIsToldOnceWhenItIsCertain() throws {
    let parts: [[Double]] = [zeros(3), [9], zeros(6), [2, 3, 2, 4, 2], zeros(6), [2, 2, 2, 2]]
    let scores = parts.flatMap { $0 }
    let (told, events) = starts(frames(scores)) { $0.minimumDuration = 0.2 }
    #expect(told.keys.sorted() == [12, 23])
    #expect(events.map(\.start.frame) == [10, 21])
    let first = try #require(told[12])
    #expect(first.start == events[0].start && first.end.frame == 12)
    #expect(first.peakScore == 3 && first.u == 2 && first.boxes.map(\.frame) == [10, 11, 12])
  }

  @Test(arguments: [0, 0.15, 0.3, 0.6], [nil, 0.8])
  func startsAndEventsAreTheSame(minimum: Double, maximum: Double?) {
    var random = FixedRandom(seed: 3)
    for _ in 0..<50 {
      var score = 0.0
      let scores = (0..<120).map { _ in
        if Double.random(in: 0...1, using: &random) < 0.3 { score = [0, 0, 0.6, 2, 3].randomElement(using: &random)! }
        return score
      }
      let (told, events) = starts(frames(scores, states: [60: .cut])) {
        ($0.minimumDuration, $0.maximumDuration) = (minimum, maximum)
      }
      let inOrder = told.sorted { $0.key < $1.key }
      #expect(inOrder.map(\.value.number) == events.map(\.number))
      #expect(inOrder.map(\.value.start) == events.map(\.start))
      for (start, event) in zip(inOrder, events) { #expect((event.start.frame...event.end.frame).contains(start.key)) }
    }
  }

  @Test func rulesSayWhatTheyDecided() throws {
    var parameters = EventParameters()
    (parameters.threshold, parameters.minimumDuration) = (1, 0.25)
    var detector = EventDetector(zones: .everywhere, parameters: parameters)
    var seen: [EventEvaluation] = []
    for frame in frames(zeros(2) + [0.6, 3, 0.6, 0.4, 0.9] + zeros(20)) {
      _ = detector.append(frame)
      seen.append(try #require(detector.evaluation))
    }
    #expect(seen[2].zones.map { [$0.begins.isSatisfied, $0.goesOn.isSatisfied] } == [[false, true]])
    #expect(seen[2].number == nil && seen[2].activeFrames == nil)
    #expect(seen[3].zones[0].begins == RuleResult(.threshold, 3, limit: 1))
    #expect(seen[3].number == 1 && seen[3].activeFrames?.isSatisfied == false)
    #expect(seen[4].activeFrames?.isSatisfied == true && seen[4].duration?.isSatisfied == false)
    #expect(seen[5].activeFrames?.value == 2, "a frame below half the threshold counts for nothing")
    #expect(seen[6].isCertain && !seen[5].isCertain)
    // 1.2 s after frame 6 the pause is too long.
    #expect(seen[18].pause?.isSatisfied == true && seen[19].pause?.isSatisfied == false)
    #expect(seen[18].number == 1 && seen[19].number == nil)
  }

  @Test func longMotionIsCut() {
    let found = events(frames(zeros(2) + Array(repeating: 3, count: 25) + zeros(9))) { $0.maximumDuration = 1 }
    #expect(found.map { [$0.start.frame, $0.end.frame] } == [[2, 11], [12, 21], [22, 26]])
    #expect(found.map(\.number) == [1, 2, 3])
  }

  @Test(arguments: [FrameState.cut, .gap])
  func cutsAndGapsEndEvents(state: FrameState) {
    let list = frames(zeros(2) + [2, 2, 2, 2, 2, 2, 2, 2] + zeros(9), states: [6: state])
    let found = events(list) { ($0.before, $0.after) = (0.2, 0.2) }
    #expect(found.map { [$0.start.frame, $0.end.frame] } == [[0, 5], [6, 11]])
  }

  @Test func whatIsNoMotionIsListed() {
    var detector = EventDetector(zones: .everywhere, parameters: EventParameters())
    let list = frames(
      zeros(40), states: [20: .cut, 25: .cameraMoving, 27: .cameraMoving, 35: .cameraMoving],
      light: [3: 0.5, 4: 0.1, 5: 0.5, 15: 0.9])
    for frame in list { #expect(detector.append(frame).isEmpty) }
    #expect(detector.finish().isEmpty)
    #expect(
      detector.suppressed.map { "\($0.reason) \($0.start.frame) \($0.end.frame)" } == [
        "lighting 3 5", "lighting 15 15", "cut 20 20", "camera 25 27",
      ])
  }

  /// Where a camera begins to turn, half a second goes by until it is known to, and much seems to travel until then.
  /// What goes on travelling is an event all the same, and so is what is over before, or little.
  @Test(
    arguments: [
      (20..<27, 10.0, 26, false), (20..<40, 10.0, 26, true), (20..<24, 10.0, 60, true), (20..<27, 3.0, 26, true),
      (20..<40, 10.0, nil, true),
    ] as [(Range<Int>, Double, Int?, Bool)])
  func theViewOfACameraThatBeginsToTurnIsNoEvent(
    motion: Range<Int>, moving: Double, turnsAt: Int?, isEvent: Bool
  ) {
    let scores = (0..<70).map { motion.contains($0) ? 2.0 : 0 }
    let states = turnsAt.map { Dictionary(uniqueKeysWithValues: ($0..<$0 + 30).map { ($0, FrameState.cameraMoving) }) }
    var list = frames(scores, states: states ?? [:])
    for index in motion { list[index].zones[0].moving = moving }
    #expect(events(list).map(\.start.frame) == (isEvent ? [20] : []))
  }

  /// A camera that stood jerks in frames 20 to 25. What travels meanwhile, and half a second before or after, is no
  /// event; what goes on for longer is, and so is what travels while the camera pans for longer, or moves all the time.
  @Test(arguments: [
    (18...27, 20...25, false), (18...29, 20...25, false), (14...27, 20...25, true), (18...31, 20...25, true),
    (18...27, 20...36, true), (18...27, 8...25, true), (3...9, 0...9, true), (3...9, 20...25, true),
    (34...40, 20...25, true),
  ])
  func whatTravelsInAJerkOfTheCameraIsNoEvent(
    motion: ClosedRange<Int>, jerk: ClosedRange<Int>, isEvent: Bool
  ) {
    let scores = (0..<60).map { motion.contains($0) ? 3.0 : 0 }
    let states = Dictionary(uniqueKeysWithValues: jerk.map { ($0, FrameState.cameraMoving) })
    let found = events(frames(scores, states: states))
    #expect(found.map { [$0.start.frame, $0.end.frame] } == (isEvent ? [[motion.lowerBound, motion.upperBound]] : []))
  }

  @Test func zonesHaveThresholdsOfTheirOwn() throws {
    let square = [[0.0, 0], [1, 0], [1, 1]]
    let zones = try ZoneSet([
      Zone(name: "door", polygon: square), Zone(name: "gate", polygon: square, threshold: 5),
    ])
    var list = frames(zeros(3) + [2, 2, 2, 6, 2, 2] + zeros(9))
    for index in list.indices { list[index].zones.append(list[index].zones[0]) }
    #expect(events(list, zones: zones).map(\.zones) == [["door", "gate"]])
    for index in list.indices { list[index].zones[0] = .none }
    #expect(events(list, zones: zones) { $0.minimumDuration = 0 }.isEmpty)
    list[7].zones[1].score = 6
    #expect(events(list, zones: zones) { $0.minimumDuration = 0 }.map(\.zones) == [["gate"]])
  }

  @Test func parametersOutOfRangeAreRefused() {
    var parameters = EventParameters()
    parameters.threshold = 0
    #expect(throws: MotionDetectionError.self) { try parameters.validate() }
    parameters = EventParameters()
    parameters.before = -1
    #expect(throws: MotionDetectionError.self) { try parameters.validate() }
    parameters = EventParameters()
    parameters.maximumDuration = 0.1
    #expect(throws: MotionDetectionError.self) { try parameters.validate() }
    for share in [-3, 0, 1.5, .nan] {
      parameters = EventParameters()
      parameters.hysteresis = share
      #expect(throws: MotionDetectionError.self) { try parameters.validate() }
      parameters = EventParameters()
      parameters.lightShare = share
      #expect(throws: MotionDetectionError.self) { try parameters.validate() }
    }
    parameters = EventParameters()
    (parameters.hysteresis, parameters.lightShare) = (1, 1)
    #expect(throws: Never.self) { try parameters.validate() }
  }
}
