import Foundation
import TestSupport
import Testing

@testable import RheoCLI

@Suite(.enabled(if: FFmpegTools.areInstalled)) struct ManyInputsTests {
  private let folder: TemporaryFolder
  private let yard: URL

  init() throws {
    folder = try TemporaryFolder()
    yard = folder.file("yard")
    try FileManager.default.createDirectory(at: yard, withIntermediateDirectories: true)
  }

  /// A box slides over a texture, or does not.
  private func clip(_ name: String, moves: Bool) throws {
    let ground = FFmpegTools.texture(seconds: 1)
    try FFmpegTools.ffmpeg([
      "-f", "lavfi", "-i", ground, "-f", "lavfi", "-i", "testsrc2=s=40x40:r=25:d=1,select=1,loop=25:1",
      "-filter_complex", "[0:v][1:v]overlay=x=\(moves ? "4*n" : "40"):y=80:shortest=1", "-t", "1", "-r", "25", "-c:v",
      "mpeg4", "-q:v", "2", yard.appendingPathComponent(name).path,
    ])
  }

  private func fill() throws {
    try clip("clip10.mp4", moves: true)
    try clip("Clip2.MP4", moves: false)
    try clip("clip1.mkv", moves: true)
    try Data("no video".utf8).write(to: yard.appendingPathComponent("clip3.avi"))
    try Data("no video".utf8).write(to: yard.appendingPathComponent("notes.txt"))
    try clip(".hidden.mp4", moves: true)
  }

  private struct Summary: Decodable {
    struct Totals: Decodable {
      var files: Int
      var failed: Int
      var events: Int
      var frames: Int
    }
    struct File: Decodable {
      var input: String
      var report: String?
      var events: Int?
      var motionSeconds: Double?
      var error: String?
    }
    var totals: Totals
    var files: [File]
  }

  private func read<Value: Decodable>(_ path: String) throws -> Value {
    try JSONDecoder().decode(Value.self, from: Data(contentsOf: folder.file(path)))
  }

  @Test func aFolderIsSearchedWithASummary() throws {
    try fill()
    let reports = folder.file("out")
    let result = try Program.run(["detect", yard.path, "--report", reports.path + "/", "--progress", "json"])
    #expect(result.status == 2, "\(result.errors)")
    #expect(result.errors.contains("clip3.avi"))
    let summary: Summary = try read("out/summary.json")
    #expect(
      summary.files.map { URL(fileURLWithPath: $0.input).lastPathComponent }
        == ["clip1.mkv", "Clip2.MP4", "clip3.avi", "clip10.mp4"])
    #expect(summary.files.map(\.events) == [1, 0, nil, 1])
    #expect(summary.files.map(\.report) == ["clip1.json", "Clip2.json", nil, "clip10.json"])
    #expect(summary.files[2].error?.contains("clip3.avi") == true)
    #expect(summary.totals.files == 4 && summary.totals.failed == 1 && summary.totals.events == 2)
    #expect(summary.totals.frames == 75)
    let names = try FileManager.default.contentsOfDirectory(atPath: reports.path).sorted()
    let stems = ["Clip2", "clip1", "clip10"]
    #expect(
      names == (stems.flatMap { ["\($0).html", "\($0).json"] } + ["summary.csv", "summary.html", "summary.json"]))
    let page = try String(contentsOf: reports.appendingPathComponent("summary.html"), encoding: .utf8)
    #expect(page.components(separatedBy: "<article").count == 3 && page.contains("not read"))
    let rows = try String(contentsOf: reports.appendingPathComponent("summary.csv"), encoding: .utf8)
      .split(separator: "\n")
    #expect(rows.count == 5 && rows[0].hasPrefix("input,report,events,motion_seconds"))
    let last = try #require(result.errorLines.last { $0.hasPrefix("{") })
    #expect(last.contains("\"files\": 4, \"done\": 4, \"frames\": 75"), "\(last)")
    let again = try Program.run(["detect", yard.path, "--report", reports.path])
    #expect(again.status == 1 && again.errors.contains("--overwrite"), "\(again.errors)")
  }

  @Test func theNumberOfJobsChangesNothing() throws {
    try fill()
    let (a, b) = (folder.file("a.json"), folder.file("b.json"))
    for (file, jobs) in [(a, ["--jobs", "1", "--threads", "1"]), (b, ["--jobs", "3", "--threads", "3"])] {
      #expect(try Program.run(["detect", yard.path, "--report", file.path, "-q"] + jobs).status == 2)
    }
    let text = try String(contentsOf: a, encoding: .utf8)
    #expect(try text == String(contentsOf: b, encoding: .utf8))
    #expect(text.contains("\"error\": ") && text.contains("\"totals\": "))
  }

  @Test func linesStayWholeAndNameTheirVideo() throws {
    for index in 1...4 { try clip("\(index).mp4", moves: true) }
    let list = folder.file("list.txt")
    let paths = (1...4).map { yard.appendingPathComponent("\($0).mp4").path }
    try Data("# four\n\n\(paths.joined(separator: "\r\n"))\n".utf8).write(to: list)
    let result = try Program.run(["detect", "--list", list.path, "--json-lines", "--jobs", "4", "-q"])
    #expect(result.status == 0, "\(result.errors)")
    let inputs = try result.text.split(separator: "\n").map { line in
      try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])["input"] as? String
    }
    #expect(inputs.compactMap(\.self).sorted() == paths)
  }

  @Test func whenAllFailTheWholeFails() throws {
    for name in ["a.mp4", "b.mp4"] { try Data("no video".utf8).write(to: yard.appendingPathComponent(name)) }
    let result = try Program.run(["detect", yard.path, "--report", folder.file("r.json").path])
    #expect(result.status == 1, "\(result.errors)")
    let empty = folder.file("empty")
    try FileManager.default.createDirectory(at: empty, withIntermediateDirectories: true)
    for arguments in [[empty.path], ["--list", folder.file("absent").path]] {
      let refused = try Program.run(["detect"] + arguments)
      #expect(refused.status == 1 && refused.errorLines.count == 1, "\(refused.errors)")
    }
  }

  @Test func namesAreOrderedAsPeopleCount() {
    let names = ["b10", "a2", "a10", "B9", "a02", "A1"]
    #expect(names.sorted(by: InputList.naturallyBefore) == ["A1", "a02", "a2", "a10", "B9", "b10"])
    #expect(
      ReportFiles.stems(of: ["x/a.mp4", "y/a.mkv", "-", "summary.avi", "a-2.mp4"])
        == ["a", "a-2", "stdin", "summary-2", "a-2-2"])
  }

  @Test func aMomentIsExplained() throws {
    try clip("1.mp4", moves: true)
    let path = yard.appendingPathComponent("1.mp4").path
    let result = try Program.run(["detect", path, "--explain", "20f"])
    #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
    let lines = result.text.split(separator: "\n").map(String.init)
    #expect(lines.first?.hasPrefix("\(path), frame 20, 0.8 s (00:00:00.800): in event 1") == true, "\(lines)")
    #expect(lines.contains { $0.contains("score in the image begins an event") && $0.hasSuffix("≥ 0.05 %    yes") })
    #expect(lines.contains { $0.contains("a neighbour goes the same way") && $0.hasSuffix("points") })
    #expect(try Program.run(["detect", path, "--explain", "9"]).status == 64)
    #expect(try Program.run(["detect", path, "--explain", "1", "--json-lines"]).status == 64)
    #expect(try Program.run(["detect", path, path, "--explain", "1"]).status == 64)
    let table = folder.file("s.csv").path
    #expect(try Program.run(["detect", path, "--statistics", table]).status == 0)
    let known = try Program.run(["detect", "--from-statistics", table, "--explain", "00:00:00.8", "--threshold", "99"])
    #expect(known.text.contains("frame 20, 0.8 s (00:00:00.800): no event"), "\(known.text)")
    #expect(known.text.contains("Statistics do not hold"))
  }
}
