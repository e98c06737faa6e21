import TestSupport
import Testing

@testable import Rheo

@Suite struct ExplanationTests {
  /// 10 frames a second with these scores.
  private func statistics(_ scores: [Double]) -> DetectionStatistics {
    let frames = scores.enumerated().map { index, score in
      FrameStatistics(
        frame: index, time: MediaTime(value: Int64(index), timeBase: Rational(1, 10)), state: .normal, lightShare: 0,
        zones: [ZoneMotion(score: score, moving: score, age: 0, u: 0, v: 0, boxes: [])])
    }
    return DetectionStatistics(source: .init(file: "a", width: 320, height: 180), zones: .everywhere, frames: frames)
  }

  private func explain(
    _ scores: [Double], at position: MediaRange.Position, change: (inout EventParameters) -> Void = { _ in }
  )
    throws -> DetectionExplanation?
  {
    var parameters = EventParameters()
    (parameters.threshold, parameters.after, parameters.mergeGap) = (1, 0, 0.35)
    change(&parameters)
    return try statistics(scores).detect(parameters, explaining: position).explanation
  }

  private static let scores: [Double] =
    [zeros(5), [2, 2, 2, 0, 0, 2, 2], zeros(8), [9], zeros(8), Array(repeating: 3, count: 60), zeros(90)].flatMap { $0 }

  private static func zeros(_ count: Int) -> [Double] { Array(repeating: 0, count: count) }

  @Test(arguments: [0, 5, 6, 8, 11, 12, 14, 20, 23, 29, 60, 88, 89, 91, 150])
  func theOutcomeIsThatOfTheWholeVideo(frame: Int) throws {
    var parameters = EventParameters()
    (parameters.threshold, parameters.after, parameters.mergeGap) = (1, 0, 0.35)
    let events = try statistics(Self.scores).detect(parameters).events
    let explanation = try #require(try explain(Self.scores, at: .frame(frame)))
    #expect(explanation.evaluation.timestamp.frame == frame && explanation.ruleResults == nil)
    let containing = events.first { ($0.start.frame...$0.end.frame).contains(frame) }
    switch explanation.outcome {
    case .event(let event): #expect(event == containing)
    case .ongoing(let number, let start): #expect(number == containing?.number && start == containing?.start)
    case .dropped(let start, let failures):
      #expect(frame == 20 && start.frame == 20)
      #expect(failures.map(\.rule) == [.activeFrames, .minimumDuration] && failures.first?.value == 1)
    case .nothing: #expect(containing == nil && frame != 20)
    }
  }

  /// As those of statistics that were put together of several videos may.
  @Test(arguments: [0, 6, 11, 20, 60, 150]) func numbersOfFramesMayFall(frame: Int) throws {
    var statistics = self.statistics(Self.scores)
    for index in statistics.frames.indices { statistics.frames[index].frame = 1000 - index }
    var parameters = EventParameters()
    (parameters.threshold, parameters.after, parameters.mergeGap) = (1, 0, 0.35)
    let position = MediaRange.Position.seconds(Double(frame) / 10)
    #expect(try statistics.detect(parameters, explaining: position).explanation != nil)
  }

  @Test func motionThatProvesToBeAnInsectWasDroppedForItsFocus() throws {
    var statistics = self.statistics(Self.zeros(5) + [Double](repeating: 2, count: 10) + Self.zeros(40))
    for index in 5..<15 { statistics.frames[index].zones[0].undecided = 2 }
    for index in 15..<25 { statistics.frames[index].zones[0].insects = 2 }
    let explanation = try statistics.detect(EventParameters(), explaining: .frame(10)).explanation
    guard case .dropped(let start, let failures) = explanation?.outcome else {
      Issue.record("\(String(describing: explanation))")
      return
    }
    #expect(start.frame == 5)
    #expect(failures.map(\.rule) == [.focus] && failures.first?.value == 1)
  }

  @Test func motionInAJerkOfTheCameraWasDroppedForIt() throws {
    var statistics = self.statistics(Self.zeros(20) + [Double](repeating: 2, count: 6) + Self.zeros(40))
    for index in 20..<26 { statistics.frames[index].state = .cameraMoving }
    let explanation = try statistics.detect(EventParameters(), explaining: .frame(22)).explanation
    guard case .dropped(_, let failures) = explanation?.outcome else {
      Issue.record("\(String(describing: explanation))")
      return
    }
    #expect(failures.map(\.rule) == [.beyondJerk] && failures.first?.value == 0)
  }

  @Test func aTimeMeansTheFirstFrameFromThereOn() throws {
    #expect(try explain(Self.scores, at: .seconds(0.55))?.evaluation.timestamp.frame == 6)
    #expect(try explain(Self.scores, at: .seconds(0.6))?.evaluation.timestamp.frame == 6)
    #expect(try explain(Self.scores, at: .seconds(99)) == nil)
  }

  @Test func timeBeforeAnEventBelongsToIt() throws {
    let explanation = try #require(try explain(Self.scores, at: .frame(2)) { $0.before = 0.3 })
    guard case .ongoing(1, let start) = explanation.outcome else {
      Issue.record("\(explanation.outcome)")
      return
    }
    #expect(start.frame == 2)
  }

  /// Returns the results of the rules for the cells, points and zones of one frame of a scene.
  private func explained(_ scene: DisturbedScene, frame: Int) throws -> (
    FrameStatistics, DetectionExplanation.RuleResults
  ) {
    var task = Detection(input: "scene")
    task.explainedPosition = .frame(frame)
    let detection = SerialDetection(task, size: scene.size, analyzedSize: scene.size)
    for t in 0..<frame {
      let time = MediaTime(value: Int64(t), timeBase: Rational(1, 25))
      #expect(detection.measure(AnalyzedFrame(number: t, time: time, image: scene.image(t))).ruleResults == nil)
    }
    let time = MediaTime(value: Int64(frame), timeBase: Rational(1, 25))
    let measured = detection.measure(AnalyzedFrame(number: frame, time: time, image: scene.image(frame)))
    return (measured.statistics, try #require(measured.ruleResults))
  }

  @Test func someoneWhoWalksMeetsAllRules() throws {
    let (frame, notes) = try explained(DisturbedScene(disturbance: .none, speed: 4.7), frame: 80)
    let motion = try #require(notes.motion)
    #expect(
      motion.tallies.map(\.rule) == [
        .difference, .explained, .speed, .straightness, .idleTime, .distance, .neighborAgreement,
      ])
    for tally in motion.tallies { #expect(tally.passed > 0 && tally.best?.isSatisfied == true, "\(tally)") }
    // What meets one rule is asked the next.
    for index in [1, 2, 4, 5, 6] {
      #expect(motion.tallies[index].passed + motion.tallies[index].failed == motion.tallies[index - 1].passed)
    }
    let cells = Double(CellGrid(size: PixelSize(width: 320, height: 180)).count)
    #expect(abs(frame.zones[0].moving - 100 * Double(motion.tallies[2].passed) / cells) < 1e-9)
    #expect(abs(frame.zones[0].score - 100 * Double(motion.tallies[6].passed) / cells) < 1e-9)
    let area = try #require(notes.zones[0].first { $0.rule == .minimumArea })
    #expect(area.passed == frame.zones[0].boxes.count)
    #expect(notes.image.map(\.rule).first == .gap && notes.image[0].isSatisfied == false)
  }

  @Test func branchesThatSwayFailForWhatTheyAre() throws {
    let (frame, notes) = try explained(DisturbedScene(disturbance: .foliage), frame: 80)
    let tallies = try #require(notes.motion).tallies
    #expect(frame.zones[0].score == 0 && frame.zones[0].moving > 1)
    #expect(tallies[2].passed > 20, "branches move")
    #expect(tallies[3].failed > 20 || tallies[5].failed > 20, "but come back, or get no further than they use to")
    #expect(tallies[6].passed == 0)
  }

  @Test func whatIsTooSlowForFramesIsExplainedByTheirMeans() throws {
    let (frame, notes) = try explained(DisturbedScene(disturbance: .none, speed: 0.3), frame: 160)
    #expect(frame.zones[0].score > 0)
    let frames = try #require(notes.motion)
    #expect(frames.tallies.last?.passed == 0, "no point travels from frame to frame")
    let averages = try #require(notes.temporalAverages.first)
    #expect(notes.temporalAverages.count == 1 && averages.frames == 8, "without noise means of two are not looked at")
    #expect((0..<8 / 25.0).contains(averages.secondsBefore))
    let tallies = averages.motion.tallies
    #expect(
      tallies.map(\.rule) == [
        .difference, .recentMotion, .explained, .speed, .maximumSpeed, .straightness, .idleTime, .distance,
        .neighborAgreement,
      ])
    for tally in tallies { #expect(tally.passed > 0 && tally.best?.isSatisfied == true, "\(tally)") }
    let cells = Double(CellGrid(size: PixelSize(width: 320, height: 180)).count)
    #expect(abs(frame.zones[0].score - 100 * Double(tallies[8].passed) / cells) < 1e-9)
  }

  @Test func whatFramesSeeIsNoneOfTheirMeansBusiness() throws {
    let (_, notes) = try explained(DisturbedScene(disturbance: .none, speed: 4.7), frame: 80)
    let averages = try #require(notes.temporalAverages.first)
    let recentMotion = try #require(averages.motion.tallies.first { $0.rule == .recentMotion })
    #expect(recentMotion.failed > 0, "\(averages)")
    #expect(try #require(averages.motion.tallies.last).passed == 0)
  }

  @Test func aStillSceneFailsAtTheFirstRule() throws {
    let (_, notes) = try explained(DisturbedScene(disturbance: .noise), frame: 60)
    let tally = try #require(notes.motion?.tallies.first)
    #expect(tally.rule == .difference && tally.passed + tally.failed == 80 * 45)
    #expect(try #require(notes.motion).noise > 0.5)
  }
}
