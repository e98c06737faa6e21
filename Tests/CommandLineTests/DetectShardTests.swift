import Foundation
import TestSupport
import Testing

/// The events of a video that is searched in parts are the same, byte for byte, whatever the number of parts.
@Suite(.enabled(if: FFmpegTools.areInstalled)) struct DetectShardTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A clip in which somebody walks now and then: of four groups when these last ten seconds.
  private func clip(_ name: String = "in.mkv", seconds: Int = 36) throws -> URL {
    let file = folder.file(name)
    let result = try Program.run([
      "synthesize", file.path, "--scene", "walkers", "--size", "160x120", "--frames", "\(10 * seconds)", "--rate", "10",
      "--codec", "libx264", "-q",
    ])
    #expect(result.status == 0, "\(result.errors)")
    return file
  }

  private func detect(_ arguments: [String]) throws -> ChildProcess.Result {
    try Program.run(["detect", "-q"] + arguments)
  }

  private func path(_ name: String) -> String { folder.file(name).path }

  /// Measures all shards, and returns their files.
  private func measure(
    _ input: URL, count: Int, _ name: String = "part", _ options: [String] = ["--group-duration", "10"]
  ) throws -> [String] {
    try (1...count).map { number in
      let file = path("\(name)\(number)of\(count)")
      let result = try detect([input.path, "--shard", "\(number)/\(count)", "--evidence", file] + options)
      #expect(result.status == 0 && result.output.isEmpty, "\(result.errors)")
      return file
    }
  }

  private func data(_ name: String) throws -> Data { try Data(contentsOf: folder.file(name)) }

  // MARK: Equal bytes

  @Test(arguments: [[], ["--start", "3", "--duration", "30", "--every", "2"]])
  func anyNumberOfShardsFindsTheSame(range: [String]) throws {
    let input = try clip()
    let options = ["--group-duration", "10"] + range
    func outputs(_ name: String) -> [String] {
      ["--report", path("\(name).json"), "--report", path("\(name).csv"), "--statistics", path("\(name).s.csv")]
    }
    let alone = try detect([input.path, "--shards", "1"] + options + outputs("alone"))
    #expect(alone.status == 0, "\(alone.errors)")
    #expect(String(decoding: try data("alone.csv"), as: UTF8.self).split(separator: "\n").count > 1)
    for count in [2, 7] {
      let parts = try measure(input, count: count, "part", options)
      let found = try detect(["--from-evidence"] + parts.shuffled() + outputs("found"))
      #expect(found.status == 0, "\(found.errors)")
      let merged = try Program.run(["merge", "-q", "--output", path("merged.json")] + parts.shuffled())
      #expect(merged.status == 0, "\(merged.errors)")
      for ending in ["json", "csv", "s.csv"] { #expect(try data("found.\(ending)") == data("alone.\(ending)")) }
      #expect(try data("merged.json") == data("alone.json"))
      for name in ["found.json", "found.csv", "found.s.csv", "merged.json"] {
        try FileManager.default.removeItem(at: folder.file(name))
      }
    }
    #expect(!FileManager.default.fileExists(atPath: path(".rheo.shards")))
  }

  /// A video that is no longer than a group has the events, and all that is written of them, of a run without shards.
  @Test func oneGroupIsARunWithoutShards() throws {
    let input = try clip(seconds: 16)
    func outputs(_ name: String) throws -> [String] {
      try FileManager.default.createDirectory(at: folder.file(name), withIntermediateDirectories: true)
      func file(_ suffix: String) -> String { path("\(name)/\(suffix)") }
      return [
        "--report", file("r.html"), "--report", file("r.json"), "--snapshots", file("images"), "--clips", file("clips"),
        "--joined", file("joined.mkv"), "--heat-map", file("heat.png"), "--mask-video", file("mask.mkv"), "--annotated",
        file("annotated.mkv"), "--codec", "ffv1",
      ]
    }
    #expect(try detect([input.path] + outputs("plain")).status == 0)
    let parts = try measure(input, count: 2, "part", [])
    let found = try detect(["--from-evidence"] + parts + outputs("found"))
    #expect(found.status == 0, "\(found.errors)")
    let files = try FileManager.default.subpathsOfDirectory(atPath: path("plain"))
    #expect(files.count >= 10, "\(files)")
    for file in files where !FileManager.default.isDirectory(path("plain/\(file)")) {
      #expect(try data("plain/\(file)") == data("found/\(file)"), "\(file)")
    }
  }

  /// Thresholds and times are those of who finds the events, not of who measures.
  @Test func thresholdsAreChosenAfterwards() throws {
    let input = try clip(seconds: 16)
    let parts = try measure(input, count: 2, "part", [])
    let options = ["--threshold", "3", "--min-duration", "1.5"]
    #expect(try detect(["--from-evidence"] + parts + ["--report", path("found.json")] + options).status == 0)
    #expect(try detect([input.path, "--report", path("plain.json")] + options).status == 0)
    #expect(try detect([input.path, "--report", path("usual.json")]).status == 0)
    #expect(try data("found.json") == data("plain.json"))
    #expect(try data("found.json") != data("usual.json"))
  }

  // MARK: Faults

  @Test func shardsThatDoNotBelongTogetherAreNamed() throws {
    let input = try clip(seconds: 22)
    let parts = try measure(input, count: 2)
    let three = try measure(input, count: 3)
    let zones = folder.file("zones.json")
    try Data(#"{"zones": [{"name": "a", "polygon": [[0, 0], [1, 0], [1, 1]]}]}"#.utf8).write(to: zones)
    let zoned = try measure(input, count: 2, "zoned", ["--group-duration", "10", "--zones", zones.path])
    let longer = try measure(input, count: 2, "longer", ["--group-duration", "11"])
    let faults = [
      ([parts[0]], "of 2 shards 1 are missing: 2"), ([parts[0], parts[1], parts[1]], "is shard 2/2, as"),
      ([parts[0], three[1]], "the number of shards is not the same"),
      ([parts[0], zoned[1]], "the set of zones is not the same"),
      ([parts[0], longer[1]], "the length of groups is not the same"), ([parts[0], input.path], "is no evidence"),
      ([path("nowhere")], "cannot be opened"),
    ]
    for (files, text) in faults {
      let result = try detect(["--from-evidence"] + files + ["--report", path("out.json")])
      #expect(result.status == 1 && result.errorLines.count == 1 && result.errors.contains(text), "\(result.errors)")
    }
    #expect(!folder.names.contains("out.json"))
  }

  @Test func damagedEvidenceAndMovedVideos() throws {
    let input = try clip(seconds: 22)
    let parts = try measure(input, count: 2)
    let whole = try Data(contentsOf: URL(fileURLWithPath: parts[1]))
    var changed = whole
    changed[whole.count / 2] ^= 0x55
    for (data, text) in [(whole.dropLast(40), "cut off or damaged"), (changed, "damaged"), (Data(), "is no evidence")] {
      try Data(data).write(to: URL(fileURLWithPath: parts[1]))
      let result = try detect(["--from-evidence"] + parts + ["--report", path("out.json")])
      #expect(result.status == 1 && result.errorLines.count == 1, "\(result.errors)")
      #expect(result.errors.contains(text), "\(result.errors)")
      #expect(!folder.names.contains { $0.hasPrefix("out") })
    }
    try whole.write(to: URL(fileURLWithPath: parts[1]))
    // Without images the video is not needed; with them it has to be the one that was measured.
    try FileManager.default.moveItem(at: input, to: folder.file("moved.mkv"))
    #expect(try detect(["--from-evidence"] + parts + ["--report", path("out.json")]).status == 0)
    let clips = ["--clips", path("clips")]
    let lost = try detect(["--from-evidence"] + parts + clips)
    #expect(lost.status == 1 && lost.errorLines.count == 1 && lost.errors.contains("in.mkv"), "\(lost.errors)")
    let moved = try detect([path("moved.mkv"), "--from-evidence"] + parts + clips)
    #expect(moved.status == 0, "\(moved.errors)")
    let other = try detect([try clip("other.mkv", seconds: 12).path, "--from-evidence"] + parts + clips)
    #expect(other.status == 64 && other.errors.contains("is not the video that the shards are of"), "\(other.errors)")
  }

  /// Text that is not compressed is read alike: so what nobody would write is easily made.
  @Test(arguments: [
    (#""count":1,"#, #""count":-5,"#, "first line that no shard has"),
    (#""width":160"#, #""width":99999999"#, "first line that no shard has"),
    (#""evidence":3"#, #""evidence":9"#, "version 9"), ("\n1,", "\nx,", "frame is no whole number"),
    ("# end {\"frames\":", "# end {\"frames\":9", "its last line does not fit"),
    ("# end", "# End", "is not as it was written"),
    ("\n9,", "\n2,", "follows frame"), (",\n", ",99999999 1\n", "cells are none of the grid"),
    (",\n", ",-3 1\n", "cells are none of the grid"),
  ])
  func whatNoShardHoldsIsOneLine(text: String, change: String, message: String) throws {
    let parts = try measure(try clip(seconds: 4), count: 1)
    let output = try ChildProcess("/usr/bin/env", ["gzip", "-dcf", "--", parts[0]]).wait().output
    let unpacked = String(decoding: output, as: UTF8.self)
    #expect(unpacked.contains(text), "\(text)")
    let file = folder.file("changed")
    let range = try #require(unpacked.range(of: text))
    try Data(unpacked.replacingCharacters(in: range, with: change).utf8).write(to: file)
    let result = try detect(["--from-evidence", file.path, "--report", path("out.json")])
    #expect(result.status == 1 && result.errorLines.count == 1, "\(result.status) \(result.errors)")
    #expect(result.errors.contains(message), "\(result.errors)")
  }

  @Test func evidenceThatIsCompleteIsKept() throws {
    let input = try clip(seconds: 12)
    func measure(_ options: [String]) throws -> Date? {
      let arguments = [input.path, "--shard", "1/1", "--evidence", path("part"), "--resume"] + options
      let result = try detect(arguments)
      #expect(result.status == 0, "\(result.errors)")
      return try FileManager.default.attributesOfItem(atPath: path("part"))[.modificationDate] as? Date
    }
    let first = try measure([])
    let bytes = try data("part")
    #expect(try measure([]) == first)
    try bytes.dropLast(9).write(to: folder.file("part"))
    _ = try measure([])
    #expect(try data("part") == bytes)
    _ = try measure(["--group-duration", "10"])
    #expect(try data("part") != bytes)
    let again = try detect([input.path, "--shard", "1/1", "--evidence", path("part")])
    #expect(again.status == 1 && again.errors.contains("is there already"), "\(again.errors)")
    let own = try detect([input.path, "--shard", "1/1", "--evidence", input.path, "-y"])
    #expect(own.status == 64 && own.errors.contains("is the input itself"), "\(own.errors)")
  }

  @Test(arguments: [
    (["in.mkv", "--shard", "1/2"], "--shard and --evidence go together"),
    (["in.mkv", "--shard", "1/2", "--evidence", "e", "--shards", "2"], "one of them"),
    (["in.mkv", "--shard", "1/2", "--evidence", "e", "--report", "r.json"], "goes without reports"),
    (["in.mkv", "other.mkv", "--shards", "2"], "one file"), (["-", "--shards", "2"], "one file"),
    (["in.mkv", "--shards", "0"], "--shards is 1…"),
    (["in.mkv", "--shards", "2", "--group-duration", "2"], "10.0 or more"),
    (["in.mkv", "--group-duration", "20"], "is for --shard and --shards"),
    (["in.mkv", "--resume"], "is for a --shard"),
    (["--from-evidence", "e", "--start", "3"], "range is that of the shards"),
    (["in.mkv", "--shards", "2", "--explain", "3"], "goes without shards"),
  ])
  func optionsThatDoNotGoTogetherAreRefused(arguments: [String], text: String) throws {
    let result = try detect(arguments)
    #expect(result.status == 64 && result.errors.contains(text), "\(result.errors)")
  }
}

extension FileManager {
  fileprivate func isDirectory(_ path: String) -> Bool {
    var isFolder: ObjCBool = false
    return fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
  }
}
