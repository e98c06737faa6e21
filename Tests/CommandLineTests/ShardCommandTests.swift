import Foundation
import TestSupport
import Testing

/// Shards that are merged are what one run makes, byte for byte.
@Suite(.enabled(if: FFmpegTools.areInstalled)) struct ShardCommandTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func clip(_ name: String, frames: Int = 50) throws -> URL {
    let file = folder.file(name)
    try Clips.moving(
      file, size: "96x64", frames: frames,
      encoding: ["-c:v", "libx264", "-bf", "3", "-g", "10", "-x264-params", "open-gop=1"])
    return file
  }

  private func export(
    _ input: URL, _ output: String, _ options: [String], status: Int32 = 0,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let arguments = ["export", input.path, "--accuracy", "low", "-q", "--output", folder.file(output).path]
    let result = try Program.run(arguments + options)
    #expect(result.status == status, "\(output): \(result.errors)", sourceLocation: sourceLocation)
  }

  private func exportShards(_ input: URL, _ count: Int, _ options: [String] = [], ending: String = "") throws {
    for number in 1...count {
      _ = try Program.run(
        [
          "export", input.path, "--accuracy", "low", "-q", "--shard", "\(number)/\(count)", "--output",
          part(number, ending),
        ]
          + options)
    }
  }

  private func part(_ number: Int, _ ending: String = "") -> String { folder.file("part\(number)\(ending)").path }

  private func merge(_ parts: [String], _ output: String, _ options: [String] = []) throws -> ChildProcess.Result {
    try Program.run(["merge"] + parts + ["--output", folder.file(output).path] + options)
  }

  /// The files of an output by their names; a folder's are those in it.
  private func contents(_ folder: URL) throws -> [String: Data] {
    let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    return try names.reduce(into: [:]) { files, name in
      var isFolder: ObjCBool = false
      let file = folder.appendingPathComponent(name)
      _ = FileManager.default.fileExists(atPath: file.path, isDirectory: &isFolder)
      if !isFolder.boolValue { files[name] = try Data(contentsOf: file) }
    }
  }

  /// Expects an export of all shards to be that of one run.
  private func expectEqual(
    _ input: URL, _ count: Int, _ options: [String] = [], ending: String = "", status: Int32 = 0
  ) throws {
    for name in ["one", "two"] {
      try FileManager.default.createDirectory(at: folder.file(name), withIntermediateDirectories: true)
    }
    try export(input, "one/flow\(ending)", options, status: status)
    try exportShards(input, count, options, ending: ending)
    let merged = try merge((1...count).shuffled().map { part($0, ending) }, "two/flow\(ending)", ["-q", "-y"])
    #expect(merged.status == status, "\(merged.errors)")
    let (one, two) = (try contents(folder.file("one")), try contents(folder.file("two")))
    #expect(one.count > 1 && one.keys.sorted() == two.keys.sorted())
    for (name, data) in one { #expect(two[name] == data, "\(name) of \(count) shards") }
  }

  // MARK: Equal bytes

  @Test(arguments: [1, 3, 7, 60]) func aFolderIsThatOfOneRun(count: Int) throws {
    try expectEqual(clip("in.mp4"), count)
  }

  @Test(arguments: ["in.mkv", "in.ts"]) func anArrayIsThatOfOneRun(name: String) throws {
    try expectEqual(clip(name), 5, ["--direction", "both", "--confidence", "--half"], ending: ".npy")
  }

  @Test func theRangeIsThatOfTheWhole() throws {
    let options = [
      "--start", "7f", "--every", "3", "--frames", "11", "--compensate", "translation", "--format", "pictures",
    ]
    try expectEqual(clip("in.mkv"), 4, options)
  }

  @Test func framesThatAFilterMakesAreCounted() throws {
    try expectEqual(clip("in.mkv"), 3, ["--filter", "fps=10", "--format", "npy"])
  }

  /// Ticks of a time base of 2 s, near the end of what can be counted: packets tell nothing, nor do seconds.
  @Test(.enabled(if: TestData.has("hostile/html2.mkv"), "needs the test data"))
  func timesBeyondAllBoundsAreNoCuts() throws {
    try expectEqual(TestData.url("hostile/html2.mkv"), 3, ["--every", "2"])
  }

  @Test func oneFrameHasNoPairs() throws {
    try expectEqual(clip("in.mkv", frames: 1), 2, ending: ".npy")
  }

  /// Each frame is a key frame, so that the ones that are lost change no other one; one of them is at a cut.
  @Test func framesThatAreLostShiftTheNumbersBehindThem() throws {
    let input = folder.file("in.mkv")
    try Clips.moving(input, size: "96x64", frames: 40, encoding: ["-c:v", "mjpeg"])
    let offsets = try FFmpegTools.probe(input, "packet=pos", ["-select_streams", "v:0"]).compactMap { row in
      row.first.flatMap { Int($0) }
    }
    var data = try Data(contentsOf: input)
    // Behind the eight bytes of Matroska's block: the markers without which there is no image.
    for frame in [9, 19, 20] {
      for offset in 8..<600 { data[offsets[frame] + offset] = 0 }
    }
    try data.write(to: input)
    for count in [2, 5] { try expectEqual(input, count, ["--overwrite"], status: 2) }
  }

  @Test func aVideoThatWasCutOffIsTold() throws {
    let input = try clip("in.mkv")
    let data = try Data(contentsOf: input)
    try data.prefix(data.count * 6 / 10).write(to: input)
    try expectEqual(input, 3, status: 2)
  }

  // MARK: The plan

  @Test func thePlanSharesAllPairsOut() throws {
    let input = try clip("in.mp4")
    let result = try Program.run(["plan", input.path, "--shards", "4", "--json"])
    let document = try #require(
      try JSONSerialization.jsonObject(with: result.output) as? [String: Any], "\(result.errors)")
    let video = try #require((document["videos"] as? [[String: Any]])?.first)
    let shards = try #require(video["shards"] as? [[String: Any]])
    #expect(video["frames"] as? Int == 50 && video["countedBy"] as? String == "packets" && shards.count == 4)
    let frames = try shards.map { shard in
      try ["first", "last"].map { try #require(((shard[$0] as? [String: Any])?["frame"]) as? Int) }
    }
    #expect(frames.first?[0] == 0 && frames.last?[1] == 49)
    for (one, next) in zip(frames, frames.dropFirst()) { #expect(one[1] == next[0]) }
    for (shard, frames) in zip(shards, frames) { #expect(shard["pairs"] as? Int == frames[1] - frames[0]) }
    // 49 pairs, a key frame each 10.
    #expect(frames.map { $0[0] } == [0, 10, 20, 40])
    for shard in shards { #expect((shard["first"] as? [String: Any])?["keyFrame"] as? Bool == true) }
    let table = try Program.run(["plan", input.path, "--shard-duration", "0.5"])
    #expect(table.status == 0 && table.text.contains("4/4") && !table.text.contains("5/5"), "\(table.text)")
  }

  @Test func thePlanIsThatOfTheIndexBesideTheVideo() throws {
    let input = try clip("in.mkv")
    let arguments = ["plan", input.path, "--shards", "3", "--json"]
    let plain = try Program.run(arguments).output
    #expect(!folder.names.contains("in.mkv.rheo-index"))
    for _ in 0..<2 {
      #expect(try Program.run(arguments + ["--index"]).output == plain && !plain.isEmpty)
      #expect(folder.names.contains("in.mkv.rheo-index"))
    }
  }

  // MARK: Faults

  @Test func shardsThatDoNotBelongTogetherAreNamed() throws {
    let input = try clip("in.mp4")
    try exportShards(input, 3)
    try export(input, "other", ["--shard", "3/3", "--max-dimension", "64"])
    try export(input, "four", ["--shard", "3/4"])
    try export(input, "whole", [])
    let video = folder.file("elsewhere/in.mp4")
    try FileManager.default.createDirectory(at: folder.file("elsewhere"), withIntermediateDirectories: true)
    try FileManager.default.copyItem(at: clip("longer.mp4", frames: 51), to: video)
    try export(video, "video", ["--shard", "3/3"])
    let faults = [
      ([1, 3].map { part($0) }, "of 3 shards 1 are missing: 2"),
      ([1, 2, 3, 2].map { part($0) }, "is shard 2/3, as"),
      ([part(1), part(2), folder.file("other").path], "flow.maximumDimension is 64, not none"),
      ([part(1), part(2), folder.file("four").path], "shard.count is 4, not 3"),
      ([part(1), part(2), folder.file("whole").path], "is a whole export"),
      ([part(1), part(2), folder.file("video").path], "input.bytes is"),
      ([part(1), part(2), folder.file("nowhere").path], "is no shard of an export"),
    ]
    for (parts, text) in faults {
      let result = try merge(parts, "out")
      #expect(result.status == 1 && result.errorLines.count == 1 && result.errors.contains(text), "\(result.errors)")
    }
    let misnamed = try merge((1...3).map { part($0) }, "out.npy")
    #expect(misnamed.status == 64 && misnamed.errors.contains("name a folder"), "\(misnamed.errors)")
    #expect(!folder.names.contains { $0.hasPrefix("out") })
  }

  @Test(arguments: ["", ".npy"]) func damagedShardsAreNamed(ending: String) throws {
    try exportShards(clip("in.mp4"), 2, ending: ending)
    let parts = [1, 2].map { part($0, ending) }
    let file = URL(fileURLWithPath: ending.isEmpty ? parts[1] + "/frame_000040.flo" : parts[1])
    let whole = try Data(contentsOf: file)
    var changed = whole
    changed[whole.count - 100] ^= 1
    for data in [changed, whole.prefix(whole.count - 1)] {
      try data.write(to: file)
      let result = try merge(parts, "out\(ending)")
      #expect(result.status == 1 && result.errorLines.count == 1, "\(result.errors)")
      #expect(result.errors.contains("shard 2/2: the forward flow of frame"), "\(result.errors)")
      #expect(!folder.names.contains { $0.hasPrefix("out") || $0.hasPrefix(".out") }, "\(folder.names)")
    }
    try whole.write(to: file)
    #expect(try merge(parts, "out\(ending)", ["-q"]).status == 0)
    let again = try merge(parts, "out\(ending)")
    #expect(again.status == 1 && again.errors.contains("--overwrite"))
    #expect(try merge(parts, "out\(ending)", ["-q", "-y"]).status == 0)
  }

  @Test func aShardIsCompletedByResume() throws {
    let input = try clip("in.mkv", frames: 200)
    let arguments = ["export", input.path, "--accuracy", "low", "-q", "--shard", "2/2", "--output", part(2)]
    let program = try ChildProcess(Program.path, arguments)
    let deadline = ContinuousClock.now + .seconds(60)
    let journal = part(2) + "/.journal"
    while ContinuousClock.now < deadline {
      if let text = try? String(contentsOfFile: journal, encoding: .utf8), text.split(separator: "\n").count > 3 {
        break
      }
      usleep(300)
    }
    program.send(SIGKILL)
    #expect(try program.wait().status == -SIGKILL)
    try export(input, "part1", ["--shard", "1/2"])
    let early = try merge([part(1), part(2)], "out")
    #expect(early.status == 1 && early.errors.contains("--resume"), "\(early.errors)")
    let other = try Program.run(arguments.map { $0 == "2/2" ? "2/3" : $0 } + ["--resume"])
    #expect(other.status == 1 && other.errors.contains("shard.count was 2, is 3"), "\(other.errors)")
    #expect(try Program.run(arguments + ["--resume"]).status == 0)
    #expect(try merge([part(1), part(2)], "out", ["-q"]).status == 0)
    try export(input, "straight", [])
    #expect(try contents(folder.file("out")) == contents(folder.file("straight")))
  }

  @Test func whatCannotBeCutIsRefused() throws {
    let input = try clip("in.mp4")
    let output = ["--output", folder.file("out").path]
    for (arguments, text) in [
      (["export", input.path, "--shard", "1/3", "--warm-start"] + output, "--warm-start"),
      (["export", input.path, "--shard", "4/3"] + output, "4/3"),
      (["export", input.path, "--shard", "0/3"] + output, "0/3"),
      (["plan", input.path, "--shards", "3", "--shard-duration", "2"], "not both"),
      (["plan", input.path, "--shard-duration", "0"], "--shard-duration"),
    ] {
      let result = try Program.run(arguments)
      #expect(result.status == 64 && result.errors.contains(text), "\(result.errors)")
    }
    let piped = try Program.run(["export", "-", "--shard", "1/3"] + output, input: input.path)
    #expect(piped.status == 64 && piped.errors.contains("is no file"), "\(piped.errors)")
    #expect(!folder.names.contains("out"))
  }
}
