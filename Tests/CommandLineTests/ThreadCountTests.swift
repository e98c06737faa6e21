import Foundation
import TestSupport
import Testing

/// The number of threads changes no byte of what `rheo annotate` and `rheo export` write.
@Suite(.enabled(if: FFmpegTools.areInstalled)) struct ThreadCountTests {
  private let folder: TemporaryFolder
  private let input: URL
  private static let counts = ["0", "2", "3", "8"]

  /// A clip with a cut in its middle.
  init() throws {
    folder = try TemporaryFolder()
    input = folder.file("in.mkv")
    _ = try FFmpegTools.ffmpeg([
      "-f", "lavfi", "-i", "testsrc2=size=162x122:rate=25:duration=0.36", "-f", "lavfi", "-i",
      "mandelbrot=size=162x122:rate=25", "-filter_complex", "[0][1]concat,trim=end_frame=19", "-c:v", "libx264",
      "-preset", "ultrafast", "-pix_fmt", "yuv420p", input.path,
    ])
  }

  /// The outcome of a run: its status, and every file by its name.
  private struct Outcome: Equatable {
    var status: Int32
    var files: [String: Data]
  }

  private func run(_ command: String, _ input: URL, _ name: String, _ options: [String]) throws -> Outcome {
    let position = folder.file("output")
    try FileManager.default.createDirectory(at: position, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: position) }
    let output = position.appendingPathComponent(name).path
    let result = try Program.run(
      [command, input.path] + (command == "export" ? ["--output", output] : [output]) + ["-q"] + options)
    var files: [String: Data] = [:]
    let paths = FileManager.default.enumerator(atPath: position.path)
    while let path = paths?.nextObject() as? String {
      files[path] = FileManager.default.contents(atPath: position.appendingPathComponent(path).path)
    }
    return Outcome(status: result.status, files: files)
  }

  private func expectTheSame(_ command: String, _ input: URL, _ name: String, _ options: [String]) throws {
    let expected = try run(command, input, name, options + ["--threads", "1"])
    #expect(expected.files.values.contains { $0.count > 1000 }, "status \(expected.status)")
    for count in Self.counts {
      #expect(try run(command, input, name, options + ["--threads", count]) == expected, "\(count) threads")
    }
  }

  @Test(arguments: [
    ["--accuracy", "low", "--hud", "--legend"], ["--algorithm", "farneback", "--every", "2"],
    ["--compensate", "homography", "--style", "arrows"], ["--style", "wheel", "--normalize", "frame", "--frames", "9"],
    ["--warm-start", "--max-dimension", "96"], ["--frames", "1"], ["--frames", "2", "--style", "magnitude"],
    ["--style", "confidence", "--accuracy", "low", "--legend"],
  ])
  func annotatedVideos(options: [String]) throws {
    try expectTheSame("annotate", input, "out.mkv", options + ["--codec", "ffv1"])
  }

  @Test(arguments: [
    ("out.npy", ["--direction", "both", "--confidence"]), ("out.npy", ["--algorithm", "farneback", "--every", "3"]),
    ("out", ["--direction", "backward", "--compensate", "translation"]), ("out", ["--warm-start"]),
    ("out", ["--algorithm", "lucas-kanade", "--region", "0.2,0.1,0.5,0.6"]),
  ])
  func exports(name: String, options: [String]) throws {
    try expectTheSame("export", input, name, options)
  }

  @Test(arguments: ["annotate", "export"])
  func outputsOfDamagedInputs(command: String) throws {
    let damaged = folder.file("damaged.mkv")
    var data = try Data(contentsOf: input)
    var random = FixedRandom(seed: 7)
    for index in data.count / 3..<data.count / 2 { data[index] = UInt8.random(in: 0...255, using: &random) }
    try data.write(to: damaged)
    try expectTheSame(command, damaged, command == "export" ? "out.npy" : "out.mkv", ["--accuracy", "low"])
  }
}
