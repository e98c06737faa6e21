import Foundation
import TestSupport
import Testing

@testable import Rheo

/// Files of statistics with numbers that no detection measures.
@Suite struct HostileStatisticsTests {
  private static let columns = [
    "frame", "seconds", "ticks", "timebase", "state", "light", "settling", "score1", "moving1", "present1", "alive1",
    "stopped1", "habitual1", "undecided1", "insects1", "age1", "lag1", "u1", "v1", "boxes1",
  ]

  /// Statistics of 20 frames with motion, in which a column of a frame holds something else.
  private func text(_ column: String, is value: String, inFrame frame: Int = 5) -> String {
    let head =
      #"# rheo {"statistics":4,"input":{"file":"a.mp4","width":64,"height":48,"frameRate":25},"zones":[],"gaps":[]}"#
    let usual = ["timebase": "1/25", "state": "normal", "score1": "2.0", "moving1": "2.0", "boxes1": "1 2 3 4"]
    let rows = (0..<20).map { index in
      Self.columns.map { name -> String in
        if name == column, index == frame { return value }
        return name == "frame" || name == "ticks" ? "\(index)" : usual[name] ?? "0"
      }.joined(separator: ",")
    }
    return ([head, Self.columns.joined(separator: ",")] + rows).joined(separator: "\n") + "\n"
  }

  @Test func whatIsUsualIsRead() throws {
    let statistics = try DetectionStatistics(text: text("age1", is: "3"))
    #expect(statistics.frames.count == 20 && statistics.frames[5].zones[0].age == 3)
    #expect(try statistics.detect(EventParameters()).events.count == 1)
  }

  private static let refused = [
    "age1": ["9223372036854775807", "-5", "1000000001", "1.5", ""],
    "lag1": ["9223372036854775807", "-5", "1000000001", "x"],
    // Numbers rise.
    "frame": ["9223372036854775807", "9007199254740993", "-1", "4", "0"],
    "ticks": ["9223372036854775808"], "timebase": ["1/0", "0/1", "-1/25", "1", "1/2147483648"],
    "light": ["nan", "inf"], "score1": ["nan", "inf", "-inf", "1e999"], "moving1": ["nan"], "present1": ["inf"],
    "alive1": ["nan"], "stopped1": ["inf"], "habitual1": ["nan"], "undecided1": ["inf"], "insects1": ["nan"],
    "u1": ["inf", "nan"], "v1": ["-inf", "nan"],
    "boxes1": ["9223372036854775807 1 1 1", "0 0 1", "0 0 1 1;-9223372036854775808 0 1 1"],
    "state": ["odd"], "settling": ["2"],
  ]

  @Test(arguments: refused.keys.sorted()) func whatNothingHasIsRefused(column: String) throws {
    for value in try #require(Self.refused[column]) {
      let error = thrown(MotionDetectionError.self) { try DetectionStatistics(text: text(column, is: value)) }
      #expect(error?.message.hasPrefix("line 8: \(column) ") == true, "\(value): \(error?.message ?? "")")
    }
  }

  @Test func theLargestNumbersAreTaken() throws {
    for (column, value) in [
      ("age1", "1000000000"), ("lag1", "1000000000"), ("frame", "9007199254740992"), ("score1", "1e308"),
      ("u1", "-1e308"), ("ticks", "9223372036854775807"), ("boxes1", "2147483648 -2147483648 2147483648 2147483648"),
    ] {
      // The last one, behind which no number has to be larger.
      let statistics = try DetectionStatistics(text: text(column, is: value, inFrame: 19))
      #expect(try statistics.detect(EventParameters()).eventCount >= 1, "\(column)")
      #expect(try DetectionStatistics(text: statistics.text()).frames == statistics.frames, "\(column)")
    }
  }
}
