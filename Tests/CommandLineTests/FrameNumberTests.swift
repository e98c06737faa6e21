import Foundation
import TestSupport
import Testing

/// A frame's number is its index in the whole stream, whatever the range says: what a run with a range tells of a frame
/// is what one without tells of it.
@Suite(.enabled(if: FFmpegTools.areInstalled)) struct FrameNumberTests {
  private let folder: TemporaryFolder
  private static let sample = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Samples/clip.mp4")

  init() throws { folder = try TemporaryFolder() }

  /// Four frames from frame 11 on, in several ways to say so.
  private static let ranges: [(name: String, options: [String], step: Int)] = [
    ("frames", ["--start", "11f", "--frames", "4"], 1), ("end", ["--start", "11f", "--end", "15f"], 1),
    ("steps", ["--start", "11f", "--every", "3", "--frames", "4"], 3), ("seconds", ["--frames", "4"], 1),
  ]
  /// The indices of the ranges that leave no frame out. A closure among the arguments of a test is too much
  /// for Swift 6.0.
  private static let unsteppedRanges = ranges.indices.filter { ranges[$0].step == 1 }

  /// Frames that are stored in another order than they are shown in.
  private func reordered() throws -> URL {
    let file = folder.file("in.mp4")
    try Clips.moving(
      file, size: "128x96", frames: 30,
      encoding: ["-c:v", "libx264", "-bf", "3", "-g", "8", "-x264-params", "b-adapt=0"])
    return file
  }

  private func run(_ arguments: [String]) throws -> ChildProcess.Result {
    let result = try Program.run(arguments)
    #expect(result.status == 0, "\(arguments): \(result.errors)")
    return result
  }

  private func options(_ range: (name: String, options: [String], step: Int), _ input: URL) throws -> [String] {
    guard range.name == "seconds" else { return range.options }
    let times = try FFmpegTools.frameTimes(input).compactMap(Double.init)
    return ["--start", "\(times[11] - times[0])"] + range.options
  }

  private func json(_ data: Data) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
  }

  private func inputs() throws -> [URL] { [Self.sample, try reordered()] }

  @Test(arguments: FrameNumberTests.ranges.indices) func exportedPairsAreThoseOfTheWholeVideo(index: Int) throws {
    let range = Self.ranges[index]
    for input in try inputs() {
      let (whole, part) = (folder.file("whole"), folder.file("part"))
      let common = ["export", input.path, "-y", "-q", "--accuracy", "low"]
      _ = try run(common + ["--output", whole.path, "--frames", "16"])
      _ = try run(common + ["--output", part.path] + options(range, input))
      let frames = (0..<4).map { 11 + range.step * $0 }
      let pairs = try #require(
        try json(Data(contentsOf: part.appendingPathComponent("manifest.json")))["pairs"] as? [[String: Any]])
      let ends = ["previous", "current"].map { key in pairs.map { ($0[key] as? [String: Any])?["frame"] as? Int } }
      #expect(ends == [frames.dropLast(), frames.dropFirst()].map { Array($0) })
      let names = frames.dropLast().map { "frame_0000\($0 + 1).flo" }
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: part.path).sorted() == names + ["manifest.json"])
      guard range.step == 1 else { continue }
      for name in names {
        let files = try [whole, part].map { try Data(contentsOf: $0.appendingPathComponent(name)) }
        #expect(files[0] == files[1], "\(name)")
      }
    }
  }

  @Test func aStretchWithAStepIsResumedAndConverted() throws {
    let (input, output) = (try reordered(), folder.file("out"))
    let arguments = [
      "export", input.path, "--output", output.path, "-q", "--accuracy", "low", "--start", "5f", "--every", "4",
    ]
    _ = try run(arguments)
    let manifest = try Data(contentsOf: output.appendingPathComponent("manifest.json"))
    let second = output.appendingPathComponent("frame_000010.flo")
    let field = try Data(contentsOf: second)
    try FileManager.default.removeItem(at: second)
    _ = try run(arguments + ["--resume"])
    #expect(try Data(contentsOf: second) == field)
    #expect(try Data(contentsOf: output.appendingPathComponent("manifest.json")) == manifest)
    _ = try run(["convert", output.path + "/frame_%06d.flo", folder.file("field_%d.pfm").path])
    let names = folder.names.filter { $0.hasPrefix("field_") }
    #expect(Set(names) == Set([6, 10, 14, 18, 22, 26].map { "field_\($0).pfm" }))
  }

  @Test(arguments: FrameNumberTests.ranges.indices) func tracksAreNumberedByTheVideo(index: Int) throws {
    let range = Self.ranges[index]
    for input in try inputs() {
      let result = try run(["track", input.path, "--points", "40,40"] + options(range, input))
      let track = try #require((try json(result.output)["tracks"] as? [[String: Any]])?.first)
      let positions = try #require(track["positions"] as? [[String: Any]])
      let times = try FFmpegTools.frameTimes(input).compactMap(Double.init)
      #expect(positions.map { $0["frame"] as? Int } == (0..<4).map { 11 + range.step * $0 })
      for position in positions {
        let number = try #require(position["frame"] as? Int)
        #expect(abs(try #require(position["seconds"] as? Double) - times[number]) < 1e-5)
      }
    }
  }

  /// Time and number are drawn into each frame.
  @Test(arguments: unsteppedRanges)
  func theCaptionIsThatOfTheWholeVideo(index: Int) throws {
    let range = Self.ranges[index]
    for input in try inputs() {
      let common = [
        "annotate", input.path, "-y", "-q", "--codec", "ffv1", "--hud", "--accuracy", "low", "--max-length", "20",
      ]
      let (whole, part) = (folder.file("whole.mkv"), folder.file("part.mkv"))
      _ = try run(common + [whole.path, "--frames", "16"])
      _ = try run(common + [part.path] + options(range, input))
      let samples = try [whole, part].map { try FFmpegTools.samples($0, as: "yuv420p") }
      let length = samples[1].count / 4
      #expect(samples[0].count == 16 * length)
      #expect(samples[0][11 * length..<14 * length] == samples[1][..<(3 * length)])
    }
  }

  @Test(arguments: FrameNumberTests.ranges.indices) func statisticsAreNumberedByTheVideo(index: Int) throws {
    let range = Self.ranges[index]
    for input in try inputs() {
      let statistics = folder.file("statistics.csv")
      let result = try run(
        ["detect", input.path, "-y", "--statistics", statistics.path] + options(range, input))
      #expect(result.errors.contains("4 frames"), "\(result.errors)")
      let rows = try String(contentsOf: statistics, encoding: .utf8).split(separator: "\n")
        .filter { $0.first?.isNumber == true }
      #expect(rows.compactMap { Int($0.prefix { $0 != "," }) } == (0..<4).map { 11 + range.step * $0 })
    }
  }

  @Test func aMomentIsExplainedByItsNumberInTheVideo() throws {
    let input = try reordered()
    for start in ["0.44", "11f"] {
      let result = try run(["detect", input.path, "--start", start, "--explain", "20f"])
      #expect(result.text.contains("frame 20, 0.8 s"), "\(result.text)")
    }
  }

  @Test func theCamerasMotionsAreNumberedByTheVideo() throws {
    let (input, transforms) = (try reordered(), folder.file("path.json"))
    for border in ["crop", "black"] {
      try? FileManager.default.removeItem(at: transforms)
      _ = try run([
        "stabilize", input.path, folder.file("out.mkv").path, "-y", "-q", "--border", border, "--start", "11f",
        "--every",
        "2", "--frames", "3", "--transforms", transforms.path,
      ])
      let frames = try #require(try json(Data(contentsOf: transforms))["frames"] as? [[String: Any]])
      #expect(frames.map { $0["number"] as? Int } == [11, 13, 15])
    }
  }
}
