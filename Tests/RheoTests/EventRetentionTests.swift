import Foundation
import TestSupport
import Testing

@testable import Rheo

/// Events leave memory as asked, and come back for the report.
@Suite struct EventRetentionTests {
  /// 10 frames a second with three events of 12, 12 and 6 frames with a box each, and a cut before the last.
  private func statistics() -> DetectionStatistics {
    let frames = (0..<120).map { frame in
      let moves = (10..<22).contains(frame) || (50..<62).contains(frame) || (100..<106).contains(frame)
      let score = frame == 15 || frame == 55 || frame == 103 ? 5.0 : moves ? 3 : 0
      return FrameStatistics(
        frame: frame, time: MediaTime(value: Int64(frame), timeBase: Rational(1, 10)),
        state: frame == 90 ? .cut : .normal, lightShare: 0,
        zones: [
          ZoneMotion(
            score: score, moving: score, age: 0, u: 1, v: 0,
            boxes: moves ? [MotionBox(x: frame, y: 1, width: 9, height: 9)] : [])
        ], crossings: frame == 12 ? [LineCrossing(line: "gate", direction: .leftToRight)] : [])
    }
    return DetectionStatistics(source: .init(file: "a", width: 320, height: 180), zones: .everywhere, frames: frames)
  }

  private func detect(_ retention: EventRetention) throws -> (report: Detection.Report, told: [MotionEvent]) {
    var told: [MotionEvent] = []
    let report = try statistics().detect(EventParameters(), retention: retention) { update in
      if case .event(let event, _) = update { told.append(event) }
    }
    return (report, told)
  }

  @Test func allIsToldWhateverIsKept() throws {
    let whole = try detect(.everything)
    #expect(whole.report.events.map(\.boxes.count) == [12, 12, 6])
    #expect(whole.report.suppressed.map(\.reason) == [.cut] && whole.report.crossings.count == 1)
    for retention in [EventRetention.everything, .summaries, .figures] {
      let found = try detect(retention)
      #expect(found.told == whole.report.events)
      #expect(found.report.eventCount == 3 && found.report.motionSeconds == whole.report.motionSeconds)
      #expect(found.report.frames == 120)
    }
  }

  @Test func summariesHaveTheBoxesOfThePeakAlone() throws {
    let (summaries, whole) = (try detect(.summaries).report, try detect(.everything).report)
    #expect(summaries.events.map { $0.boxes.map(\.frame) } == [[15], [55], [103]])
    for (summary, event) in zip(summaries.events, whole.events) {
      var bare = event
      bare.boxes = summary.boxes
      #expect(summary == bare)
    }
    #expect(summaries.suppressed == whole.suppressed && summaries.crossings == whole.crossings)
  }

  @Test func figuresHaveNothingThatGrows() throws {
    let report = try detect(.figures).report
    #expect(report.events.isEmpty && report.suppressed.isEmpty && report.crossings.isEmpty && report.files.isEmpty)
    #expect(report.forgotten.count == 3)
  }

  @Test func aReportHasWhatWasPutAway() throws {
    let (summaries, told) = try detect(.summaries)
    let store = ReportStore()
    let lines = try told.map { try StoredEvent($0, files: EventFiles(), in: store) }
    for count in [1, 2] {
      var text = ""
      let inputs = Array(repeating: (outcome: DetectionOutcome(summaries), events: lines), count: count)
      try Detection.Report.writeJSON(
        inputs + (count > 1 ? [(DetectionOutcome(input: "b", failure: "bad \"b\""), [])] : []), options: .init()
      ) { text += $0 }
      let read = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
      let reports = count == 1 ? [read] : try #require(read["reports"] as? [[String: Any]])
      #expect(reports.count == (count == 1 ? 1 : 3))
      for report in reports.prefix(count) {
        let events = try #require(report["events"] as? [[String: Any]])
        #expect(events.map { ($0["boxes"] as? [Any])?.count } == [12, 12, 6])
        #expect(report["frames"] as? Int == 120 && (report["suppressed"] as? [Any])?.count == 1)
      }
      if count > 1 { #expect(reports[2]["error"] as? String == "bad \"b\"" && reports[2]["events"] == nil) }
    }
  }
}

@Suite struct ReportStoreTests {
  @Test func bytesComeBackInAnyOrderFromAnyThread() async throws {
    let store = ReportStore()
    func bytes(_ number: Int) -> Data { Data((0..<number * 37 % 5000).map { UInt8(truncatingIfNeeded: $0 &* number) }) }
    let kept = try await withThrowingTaskGroup(of: (Int, StoredBytes).self) { group in
      for number in 0..<200 { group.addTask { (number, try store.keep(bytes(number))) } }
      return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
    for number in (0..<200).reversed() { #expect(try kept[number]?.bytes() == bytes(number)) }
  }

  @Test func anEmptyStoreHasNoFile() throws {
    let count = { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }
    let before = try count()
    let stores = (0..<300).map { _ in ReportStore() }
    #expect(try count() < before + 300)
    #expect(stores.count == 300)
  }
}

@Suite struct JSONStreamTests {
  @Test func aStreamIsWhatOneTextWouldBe() throws {
    let text = JSONText.object([
      ("a", .integer(1)), ("list", .array([.integer(1), .object([("b", .string("x\"y"))])])), ("none", .array([])),
      ("last", .object([("c", .array([.null]))])),
    ])
    var written = ""
    var stream = JSONStream { written += $0 }
    try stream.object { object in
      try object.field("a", .integer(1))
      try object.list("list") { list in
        try list.element("1")
        try list.element(#"{"b": "x\"y"}"#)
      }
      try object.list("none") { _ in }
      try object.field("last", .object([("c", .array([.null]))]))
    }
    #expect(written == text.pretty())
  }
}
