import Foundation
import Rheo
import TestSupport
import Testing

@testable import RheoCLI

/// The table of events that `rheo detect` prints unless it is asked for something else.
@Suite(.enabled(if: FFmpegTools.areInstalled)) struct EventTableTests {
  private let folder: TemporaryFolder
  private let video: String

  init() throws {
    folder = try TemporaryFolder()
    video = folder.file("walkers.mkv").path
    let drawn = try Program.run([
      "synthesize", video, "--scene", "walkers", "--size", "320x180", "--frames", "140", "--codec", "ffv1", "-q",
    ])
    #expect(drawn.status == 0, "\(drawn.errors)")
  }

  private func detect(_ options: [String]) throws -> ChildProcess.Result {
    let result = try Program.run(["detect", video] + options)
    #expect(result.status == 0, "\(result.errors)")
    return result
  }

  @Test func eventsAreRows() throws {
    struct Report: Decodable {
      struct Moment: Decodable { var timecode: String }
      struct Peak: Decodable { var score: Double }
      struct Event: Decodable {
        var start: Moment
        var end: Moment
        var duration: Double
        var peak: Peak
      }
      var events: [Event]
    }
    let lines = try detect([]).text.split(separator: "\n")
    let head = try #require(lines.first).split(separator: " ").map(String.init)
    #expect(head == ["event", "start", "end", "length", "peak", "direction"])
    let report = try JSONDecoder().decode(Report.self, from: detect(["--report", "-", "-q"]).output)
    #expect(!report.events.isEmpty && lines.count == report.events.count + 1)
    for (number, (line, event)) in zip(lines.dropFirst(), report.events).enumerated() {
      let words = line.split(separator: " ").map(String.init)
      let peak = String(format: "%.2f", event.peak.score)
      let length = String(format: "%.1f", event.duration)
      #expect(
        words.prefix(7) == [
          "\(number + 1)", event.start.timecode, event.end.timecode, length, "s", peak, "%",
        ])
      #expect(words.dropFirst(7).joined(separator: " ").wholeMatch(of: /(up|down)? ?(left|right)?|all around/) != nil)
    }
  }

  @Test func zonesClipsAndInputsHaveColumnsWhereThereAreAny() throws {
    let zones = folder.file("zones.json")
    try Data(#"{"zones": [{"name": "yard", "polygon": [[0, 0], [1, 0], [1, 1], [0, 1]]}]}"#.utf8).write(to: zones)
    let clips = folder.file("clips").path
    let table = try detect([video, "--zones", zones.path, "--clips", clips]).text.split(separator: "\n")
    let head = try #require(table.first).split(separator: " ").suffix(4)
    #expect(head == ["direction", "zones", "clip", "input"])
    #expect(table.count > 2 && table.dropFirst().allSatisfy { $0.contains("yard") && $0.hasSuffix(video) })
    #expect(table.dropFirst().allSatisfy { $0.contains(clips + "/walkers") })
  }

  @Test func whatIsAskedForElsewhereIsNoTable() throws {
    for options in [["--report", folder.file("a.json").path], ["--quiet"], ["--annotated", "null:", "--report", "-"]] {
      #expect(!(try detect(options).text.contains("direction")), "\(options)")
    }
    #expect(try detect(["--json-lines"]).text.hasPrefix("{"))
    // What is no terminal gets no colours.
    #expect(!(try detect([]).text.contains("\u{1B}")))
  }

  /// Runs a command on a terminal of its own.
  private static let hasScript = ChildProcess.isInstalled("script", "--version")

  @Test(.enabled(if: hasScript)) func terminalsGetColours() throws {
    let line = #"env -u NO_COLOR TERM=xterm script -qec "'$rheo' detect '$1' --progress none" /dev/null"#
    let coloured = try Program.shell(line, [video]).text
    #expect(coloured.contains("\u{1B}[1mevent") && coloured.contains("\u{1B}[33m    1\u{1B}[0m"), "\(coloured)")
    #expect(!(try Program.shell(line.replacing("-u NO_COLOR", with: "NO_COLOR=1"), [video]).text.contains("\u{1B}[1m")))
  }
}
