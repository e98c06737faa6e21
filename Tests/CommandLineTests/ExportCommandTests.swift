import Foundation
import Rheo
import TestSupport
import Testing

/// `rheo export` as scripts see it.
@Suite(.enabled(if: FFmpegTools.areInstalled)) struct ExportCommandTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func clip(_ name: String = "in.mkv", size: String = "160x120", frames: Int = 60, filters: [String] = [])
    throws
    -> URL
  {
    let file = folder.file(name)
    try Clips.moving(file, size: size, frames: frames, encoding: ["-c:v", "ffv1"])
    return file
  }

  private func contents(_ name: String) throws -> [String: Data] {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: folder.file(name).path, isDirectory: &isFolder), isFolder.boolValue
    else {
      let base = (name as NSString).deletingPathExtension
      return try Dictionary(
        uniqueKeysWithValues: folder.names.filter { $0.contains(base) }.map {
          ($0.replacing(base, with: ""), try Data(contentsOf: folder.file($0)))
        })
    }
    return try Dictionary(
      uniqueKeysWithValues: FileManager.default.contentsOfDirectory(atPath: folder.file(name).path).map {
        ($0, try Data(contentsOf: folder.file(name).appendingPathComponent($0)))
      })
  }

  private func manifest(_ name: String) throws -> [String: Any] {
    let data = try Data(contentsOf: folder.file(name))
    return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
  }

  /// Starts an export and lets it write some pairs.
  private func start(_ arguments: [String], journal: URL, untilPairs count: Int) throws -> ChildProcess {
    let program = try ChildProcess(Program.path, arguments)
    let deadline = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < deadline {
      let text = try? String(contentsOf: journal, encoding: .utf8)
      if let text, text.split(separator: "\n").count > count { break }
      usleep(300)
    }
    return program
  }

  @Test(arguments: [
    ("out", "out/.journal", []), ("out.npy", ".out.npy.journal", ["--direction", "both", "--confidence"]),
  ])
  func anExportThatWasKilledTwiceIsThatOfOneRun(output: String, journal: String, options: [String]) throws {
    let input = try clip(frames: 100)
    let arguments = { (name: String) in ["export", input.path, "--output", folder.file(name).path, "-q"] + options }
    let straight = output.replacing("out", with: "straight")
    #expect(try Program.run(arguments(straight)).status == 0)
    var random = SystemRandomNumberGenerator()
    var pairs = Int.random(in: 1...30, using: &random)
    for _ in 0..<2 {
      let program = try start(arguments(output) + ["--resume"], journal: folder.file(journal), untilPairs: pairs)
      usleep(UInt32.random(in: 0...3000, using: &random))
      program.send(SIGKILL)
      #expect(try program.wait().status == -SIGKILL)
      #expect(!FileManager.default.fileExists(atPath: folder.file("out.npy").path))
      #expect(!FileManager.default.fileExists(atPath: folder.file("out/manifest.json").path))
      pairs = min(pairs + Int.random(in: 1...30, using: &random), 70)
    }
    let last = try Program.run(arguments(output) + ["--resume"])
    #expect(last.status == 0 && last.errors.isEmpty && last.output.isEmpty, "\(last.errors)")
    let (one, other) = (try contents(straight), try contents(output))
    #expect(one.keys.sorted() == other.keys.sorted())
    for (name, data) in one where !name.hasSuffix("manifest.json") { #expect(other[name] == data, "\(name)") }
    let manifests = try [one, other].map { files in
      let data = try #require(files.first { $0.key.hasSuffix("manifest.json") }?.value)
      return String(decoding: data, as: UTF8.self).replacing("straight", with: "out")
    }
    #expect(manifests[0] == manifests[1])
  }

  @Test(arguments: ["out", "out.npy"]) func anInterruptedExportIsValidUpToThere(output: String) throws {
    let input = try clip(frames: 300)
    let arguments = ["export", input.path, "--output", folder.file(output).path]
    let journal = folder.file(output == "out" ? "out/.journal" : ".out.npy.journal")
    let program = try start(arguments, journal: journal, untilPairs: 3)
    program.send(SIGINT)
    let result = try program.wait()
    #expect(result.status == 130, "\(result.errors)")
    #expect(result.errors.contains("--resume"))
    let found = try manifest(output == "out" ? "out/manifest.json" : "out.manifest.json")
    let pairs = try #require(found["pairs"] as? [[String: Any]])
    #expect(found["complete"] as? Bool == false && pairs.count >= 3 && pairs.count < 299)
    if output == "out" {
      #expect(try contents("out").keys.filter { $0.hasPrefix("frame_") }.count == pairs.count)
    } else {
      #expect(try FlowFile.fieldCount(ofPath: folder.file(output).path) == pairs.count)
    }
    let again = try Program.run(arguments)
    #expect(again.status == 1 && again.errorLines.count == 1 && again.errors.contains("--resume"), "\(again.errors)")
  }

  /// Frames at irregular times.
  @Test func theManifestHasTheTimesOfFFprobe() throws {
    let input = folder.file("in.mp4")
    try Clips.moving(
      input, frames: 12, filters: ["settb=1/1000", "setpts=N*N*7+3*mod(N\\,4)"], encoding: ["-c:v", "libx264"])
    let output = folder.file("out")
    let result = try Program.run(["export", input.path, "--output", output.path, "--accuracy", "low"])
    #expect(result.status == 0, "\(result.errors)")
    let expected = try FFmpegTools.probe(input, "frame=pts", ["-select_streams", "v:0"]).compactMap { row in
      row.first.flatMap { Int($0) }
    }
    let seconds = try FFmpegTools.frameTimes(input).compactMap { Double($0) }
    let base = try FFmpegTools.videoValue(input, "time_base")
    let pairs = try #require(try manifest("out/manifest.json")["pairs"] as? [[String: Any]])
    #expect(pairs.count == 11 && Set(zip(expected, expected.dropFirst()).map { $1 - $0 }).count > 5)
    for (index, pair) in pairs.enumerated() {
      for (offset, key) in ["previous", "current"].enumerated() {
        let frame = try #require(pair[key] as? [String: Any])
        #expect(frame["ticks"] as? Int == expected[index + offset])
        #expect(frame["timeBase"] as? String == base)
        #expect(frame["frame"] as? Int == index + offset)
        #expect(abs((frame["seconds"] as? Double ?? -1) - seconds[index + offset]) < 1e-6)
      }
    }
  }

  @Test func damagedInputIsStatusTwo() throws {
    let input = folder.file("in.mp4")
    try Clips.moving(
      input, size: "192x144", frames: 50,
      encoding: ["-c:v", "libx264", "-preset", "ultrafast", "-g", "10", "-crf", "10", "-movflags", "+faststart"])
    let data = try Data(contentsOf: input)
    try data.prefix(data.count * 6 / 10).write(to: input)
    let arguments = ["export", input.path, "--output", folder.file("out").path, "--accuracy", "low"]
    let result = try Program.run(arguments)
    #expect(result.status == 2, "\(result.errors)")
    #expect(result.errors.contains("of 50 frames"))
    let found = try manifest("out/manifest.json")
    #expect(found["complete"] as? Bool == true)
    #expect((found["gaps"] as? [Any])?.isEmpty == false)
    let count = (found["pairs"] as? [Any])?.count ?? 0
    #expect(count >= 24 && count < 35)
    #expect(try Program.run(arguments + ["--resume"]).status == 2)
  }

  @Test func progressIsThatOfTheOtherCommands() throws {
    let input = try clip(frames: 20)
    let result = try Program.run([
      "export", input.path, "--output", folder.file("out").path, "--progress", "json", "-q",
    ])
    #expect(result.status == 0 && result.output.isEmpty)
    let last = try #require(result.errorLines.last)
    let object = try #require(try JSONSerialization.jsonObject(with: Data(last.utf8)) as? [String: Any])
    #expect(object["frames"] as? Int == 20 && object["share"] as? Double == 1)
  }

  @Test func wrongUsageIsNamed() throws {
    let input = try clip(frames: 3)
    let output = folder.file("out").path
    for options in [
      [], ["--output", "-"], ["--output", output, "--format", "oil"], ["--output", output + ".npy", "--format", "flo"],
      ["--output", output, "--half"], ["--output", output, "--resume", "--overwrite"],
      ["--output", output, "--bound", "5"], ["--output", output, "--direction", "sideways"],
    ] {
      #expect(try Program.run(["export", input.path] + options).status == 64, "\(options)")
    }
    let file = folder.file("file")
    try Data("precious".utf8).write(to: file)
    for options in [[], ["--overwrite"], ["--resume"]] {
      let result = try Program.run(["export", input.path, "--output", file.path] + options)
      #expect(result.status == 1 && result.errorLines.count == 1, "\(result.errors)")
      #expect(try Data(contentsOf: file) == Data("precious".utf8))
    }
    let absent = try Program.run(["export", folder.file("absent.mp4").path, "--output", output])
    #expect(absent.status == 1 && absent.errorLines.count == 1 && absent.errors.contains("absent.mp4"))
    #expect(folder.names == ["file", "in.mkv"])
  }

  @Test(arguments: ["out", "out.npy"]) func threadsDoNotChangeTheBytes(output: String) throws {
    let input = try clip(frames: 6)
    let files = try ["1", "3"].map { threads in
      let result = try Program.run([
        "export", input.path, "--output", folder.file(output).path, "-y", "-q", "--threads", threads,
      ])
      #expect(result.status == 0, "\(result.errors)")
      return try contents(output)
    }
    #expect(files[0] == files[1] && files[0].count >= 2)
  }

  /// Measured with one thread, as for annotate.
  @Test func memoryDoesNotGrowWithTheVideo() throws {
    let peaks = try [40, 400].map { frames in
      let result = try Program.run([
        "export", try clip("in\(frames).mkv", frames: frames).path, "--output", folder.file("out.npy").path, "-y",
        "--accuracy", "low", "--threads", "1",
      ])
      #expect(result.status == 0)
      return result.peakMemory
    }
    #expect(peaks[0] > 10_000)
    #expect(Double(peaks[1]) < 1.1 * Double(peaks[0]), "\(peaks) KiB")
  }
}
