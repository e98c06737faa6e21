import TestSupport
import Testing

@testable import Rheo

@Suite struct DetectionTests {
  @Test(arguments: DisturbedScene.Disturbance.allCases, [320, 640])
  func whatIsNoMotionMakesNoEvent(disturbance: DisturbedScene.Disturbance, width: Int) throws {
    let report = try DisturbedScene(disturbance: disturbance, width: width).detect()
    #expect(report.events.isEmpty, "\(report.events.map { [$0.start.frame, $0.end.frame] })")
    let reasons = Set(report.suppressed.map(\.reason))
    switch disturbance {
    case .gain, .step, .flicker: #expect(reasons == [.lighting])
    case .shake: #expect(reasons.contains(.camera))
    case .none, .noise, .foliage: #expect(reasons.isEmpty, "\(reasons)")
    case .headlight: #expect(!reasons.contains(.camera))
    }
  }

  /// The widths and the speeds of walkers. At 2.3 thousandths of the width a frame, a person of 1.7 m who is 13 of 180
  /// pixels tall walks at 1.5 m/s at 25 frames a second.
  static let walks = [320, 640].flatMap { width in [1.6, 2.3, 4.7].map { (width, $0) } }

  @Test(arguments: DisturbedScene.Disturbance.allCases, walks)
  func someoneWhoWalksIsFoundWithinFiveFrames(
    disturbance: DisturbedScene.Disturbance, walk: (width: Int, speed: Double)
  ) throws {
    let report = try DisturbedScene(disturbance: disturbance, speed: walk.speed, width: walk.width).detect()
    #expect(report.events.count == 1, "\(report.events.map { [$0.start.frame, $0.end.frame] })")
    let event = try #require(report.events.first)
    #expect(abs(event.start.frame - DisturbedScene.entry) <= 5, "\(event.start.frame)")
    #expect(event.end.frame >= 90)
    // Where light or noise disturbs it the flow keeps its direction but is too short.
    let pixels = walk.speed * Double(walk.width) / 1000
    #expect(event.u > 0.3 * pixels && abs(event.v) < 0.3 * pixels, "\(event.u) \(event.v) of \(pixels)")
  }

  @Test func statisticsGiveTheSameEvents() throws {
    let report = try DisturbedScene(disturbance: .noise, speed: 4.7).detect()
    let kept = DetectionStatistics(report, zones: .everywhere)
    let read = try DetectionStatistics(text: try kept.text())
    #expect(read.frames == report.statistics && read.source == report.source)
    let again = try read.detect(EventParameters())
    #expect(again.events == report.events && again.suppressed == report.suppressed && again.frames == report.frames)
    var other = EventParameters()
    other.threshold = 50
    #expect(try read.detect(other).events.isEmpty)
  }

  @Test func damagedStatisticsAreRefused() throws {
    let text = try DetectionStatistics(
      try DisturbedScene(disturbance: .none, speed: 4.7).detect(), zones: .everywhere
    ).text()
    for damaged in [
      "", "frame,seconds\n1,2\n", text + "5,0.2\n", text.replacing("normal", with: "odd"),
      text.replacing("\"statistics\":4", with: "\"statistics\":7"),
    ] {
      #expect(throws: MotionDetectionError.self) { _ = try DetectionStatistics(text: damaged) }
    }
  }
}
