import Imaging
import MotionDetection
import Testing

@Suite struct OngoingEventTests {
  private static func frame(
    _ index: Int, _ score: Double, moving: Double? = nil, age: Int = 0
  ) -> FrameStatistics {
    FrameStatistics(
      frame: index, time: MediaTime(value: Int64(index), timeBase: Rational(1, 10)), state: .normal, lightShare: 0,
      zones: [ZoneMotion(score: score, moving: moving ?? score, age: age, u: 0, v: 0, boxes: [])])
  }

  private static func detector(_ change: (inout EventParameters) -> Void = { _ in }) -> EventDetector {
    var parameters = EventParameters()
    (parameters.threshold, parameters.minimumDuration, parameters.before, parameters.after) = (1, 0.3, 0.2, 0.1)
    parameters.mergeGap = 0.5
    change(&parameters)
    return EventDetector(zones: .everywhere, parameters: parameters)
  }

  @Test func whatGoesOnIsKnownBeforeItIsCertainAndEndsAsTold() throws {
    var detector = Self.detector()
    var told: [OngoingEvent] = []
    var ended: [MotionEvent] = []
    for (index, score) in ([0, 0, 0, 0, 2, 2, 3, 2, 2] + Array(repeating: 0.0, count: 20)).enumerated() {
      ended += detector.append(Self.frame(index, score))
      if let ongoing = detector.ongoing { told.append(ongoing) }
    }
    // From the first frame with motion until none came for the merge gap and the second in which it may be noticed
    // late.
    #expect(told.map(\.isCertain) == [false, false, false] + Array(repeating: true, count: 17))
    #expect(told.allSatisfy { $0.number == 1 && $0.start.frame == 2 })
    #expect(told.map(\.end.frame) == [4, 5, 6, 7, 8] + Array(repeating: 9, count: 15))
    #expect(told.map(\.peak.frame) == [4, 4] + Array(repeating: 6, count: 18))
    let event = try #require(ended.first)
    #expect(ended.count == 1 && event.start.frame == 2 && event.end.frame == 9 && event.peak.frame == 6)
  }

  /// Something moves from three frames after the last motion on, and only 2.4 s later it is seen to travel: it goes on
  /// with the event. Where it stands still for a while in between, it is another one.
  @Test(arguments: [false, true])
  func whatIsNoticedLateGoesOnWithTheEvent(stands: Bool) {
    var detector = Self.detector()
    var ended: [MotionEvent] = []
    for index in 0..<60 {
      let rests = stands && (20..<24).contains(index)
      let travels = (2..<9).contains(index) || (35..<45).contains(index)
      let moves = travels || (12..<35).contains(index) && !rests
      ended += detector.append(
        Self.frame(index, travels ? 2 : 0, moving: moves ? 2 : 0, age: index >= 35 ? min(index - 12, 60) : 0))
    }
    ended += detector.finish()
    #expect(ended.map(\.start.frame) == (stands ? [0, 22] : [0]))
    #expect(ended.last?.end.frame == 45)
  }

  /// What never proves to travel keeps no event open for longer than it may have begun before.
  @Test func whatSwaysKeepsNoEventOpen() {
    var detector = Self.detector()
    var ends: [Int] = []
    for index in 0..<200 {
      let ended = detector.append(Self.frame(index, (2..<9).contains(index) ? 2 : 0, moving: 2))
      if !ended.isEmpty { ends.append(index) }
    }
    #expect(ends.count == 1 && ends.allSatisfy { $0 < 8 + 5 + EventDetector.maximumLeadInFrames + 3 }, "\(ends)")
  }

  @Test func whatComesToNothingGivesItsNumberToTheNext() {
    var detector = Self.detector()
    var certain: Set<Int> = []
    for (index, score) in ([2, 2, 0, 0, 0, 0, 0, 0, 2, 2, 2, 2, 2] as [Double]).enumerated() {
      #expect(detector.append(Self.frame(index, score)).isEmpty)
      if let ongoing = detector.ongoing, ongoing.isCertain { certain.insert(ongoing.number) }
    }
    #expect(certain == [1])
    #expect(detector.finish().map(\.number) == [1])
    #expect(detector.ongoing == nil)
  }

  /// A ring of packets may be cut off there.
  @Test(arguments: [nil, 2.0])
  func noEventBeginsBeforeTheEarliestStartThatWasTold(maximumDuration: Double?) {
    var random = FixedNumbers()
    var detector = Self.detector { $0.maximumDuration = maximumDuration }
    var earliest = 0
    var certain: Set<Int> = []
    for index in 0..<600 {
      let ended = detector.append(Self.frame(index, random.next() < 0.3 ? 2 : 0))
      if let ongoing = detector.ongoing, ongoing.isCertain, certain.insert(ongoing.number).inserted {
        #expect(ongoing.start.frame >= earliest, "\(ongoing)")
      }
      #expect(ended.allSatisfy { certain.contains($0.number) })
      earliest = max(earliest, detector.earliestStart?.frame ?? 0)
    }
    #expect(certain.count > 20 && earliest > 500)
  }
}

/// Numbers 0…1 that are the same in every run.
private struct FixedNumbers {
  private var state: UInt64 = 7
  mutating func next() -> Double {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Double(state >> 33) / Double(1 << 31)
  }
}
