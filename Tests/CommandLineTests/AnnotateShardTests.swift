import Foundation
import TestSupport
import Testing

/// A video that is annotated in parts is the same, byte for byte, whatever the number of parts.
@Suite(.enabled(if: FFmpegTools.areInstalled)) struct AnnotateShardTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A clip of three groups with sound, whose frames are not equally long; key frames lie nowhere near the groups.
  private func clip(_ name: String, frames: Int = 620) throws -> URL {
    let file = folder.file(name)
    _ = try FFmpegTools.ffmpeg([
      "-f", "lavfi", "-i", "testsrc2=size=96x64:rate=30000/1001", "-f", "lavfi", "-i", "sine=440:duration=25",
      "-vf", "select='not(eq(mod(n,97),3))'", "-fps_mode", "vfr", "-frames:v", "\(frames)", "-c:v", "libx264", "-g",
      "60", "-bf", "3", "-c:a", "aac", "-shortest", file.path,
    ])
    return file
  }

  private func annotate(_ input: URL, _ output: String, _ options: [String] = []) throws -> ChildProcess.Result {
    try Program.run(["annotate", input.path, folder.file(output).path, "--accuracy", "low", "-q"] + options)
  }

  private func merge(_ parts: [String], _ output: String, _ options: [String] = []) throws -> ChildProcess.Result {
    try Program.run(
      ["merge"] + parts.map { folder.file($0).path } + ["--output", folder.file(output).path, "-q"] + options)
  }

  private func draw(_ input: URL, count: Int, _ options: [String]) throws -> [String] {
    try (1...count).map { number in
      let result = try annotate(input, "part\(number)of\(count)", options + ["--shard", "\(number)/\(count)"])
      #expect(result.status == 0, "\(result.errors)")
      return "part\(number)of\(count)"
    }
  }

  private func packets(_ name: String, _ streams: String, _ entries: String = "pts_time,size") throws -> [[String]] {
    try FFmpegTools.probe(folder.file(name), "packet=\(entries)", ["-select_streams", streams])
  }

  // MARK: Equal bytes

  @Test(arguments: [
    ("out.mp4", ["--trails", "--hud"]), ("out.mkv", ["--style", "magnitude", "--compensate", "translation"]),
    ("out.webm", ["--codec", "libvpx"]), ("out.ts", ["--style", "confidence"]),
    ("out.mkv", ["--start", "4", "--duration", "15", "--every", "2"]),
  ])
  func anyNumberOfShardsMakesTheSameVideo(output: String, options: [String]) throws {
    let input = try clip("in.mp4")
    let container = ["mp4": "mp4", "mkv": "matroska", "webm": "webm", "ts": "mpegts"]
    let format = try #require(container[(output as NSString).pathExtension])
    let alone = try annotate(input, "alone-" + output, options + ["--shards", "1"])
    #expect(alone.status == 0, "\(alone.errors)")
    let expected = try Data(contentsOf: folder.file("alone-" + output))
    for count in [2, 7] {
      let parts = try draw(input, count: count, options + ["--format", format])
      let merged = try merge(parts.shuffled(), "\(count)-" + output)
      #expect(merged.status == 0, "\(merged.errors)")
      #expect(try Data(contentsOf: folder.file("\(count)-" + output)) == expected, "\(count) shards")
    }
    // The frames, their times and the sound are those of a run without shards.
    #expect(try annotate(input, "plain-" + output, options).status == 0)
    let ticks = "pts_time"
    let (mine, plain) = (
      try packets("alone-" + output, "v", ticks).map { $0[0] }, try packets("plain-" + output, "v", ticks).map { $0[0] }
    )
    #expect(mine.sorted() == plain.sorted() && mine.count > 100)
    #expect(try packets("alone-" + output, "a") == packets("plain-" + output, "a"))
    #expect(!folder.names.contains { $0.contains("shards") }, "\(folder.names)")
  }

  /// Where the scale is fixed nothing is remembered: what is drawn is what a run without shards draws, also where
  /// groups meet.
  @Test func framesAreDrawnAsInOneRun() throws {
    let input = try clip("in.mp4", frames: 520)
    let options = ["--codec", "ffv1", "--max-length", "10", "--style", "arrows"]
    #expect(try annotate(input, "one.mkv", options).status == 0)
    #expect(try annotate(input, "many.mkv", options + ["--shards", "3"]).status == 0)
    let frames = try ["one.mkv", "many.mkv"].map { name in
      let text = try FFmpegTools.ffmpeg(["-i", folder.file(name).path, "-map", "0:v", "-f", "framemd5", "-"])
      // Time and digest of each frame; groups do not keep how long a source says that a frame lasts.
      return String(decoding: text, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
        let columns = line.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        return [columns[2], columns[columns.count - 1]]
      }
    }
    #expect(frames[0] == frames[1] && frames[0].count == 520)
  }

  /// The scale follows the stream: 50 frames ahead of a group prepare it, so that it does not jump there.
  @Test func theScaleGoesOnWhereGroupsMeet() throws {
    let input = folder.file("in.mkv")
    _ = try FFmpegTools.ffmpeg([
      "-f", "lavfi", "-i", FFmpegTools.texture(seconds: 12), "-vf", "crop=160:90:x='80+70*sin(n/9)':y=40", "-c:v",
      "libx264", "-g", "30", input.path,
    ])
    let options = ["--codec", "ffv1", "--style", "wheel"]
    #expect(try annotate(input, "one.mkv", options).status == 0)
    #expect(try annotate(input, "many.mkv", options + ["--shards", "2"]).status == 0)
    let samples = try ["one.mkv", "many.mkv"].map {
      try FFmpegTools.samples(folder.file($0), as: "gray", ["select='between(n,250,252)'"])
    }
    let differences = zip(samples[0], samples[1]).map { abs(Int($0) - Int($1)) }
    #expect(differences.count == 3 * 160 * 90)
    #expect(Double(differences.reduce(0, +)) / Double(differences.count) < 1)
  }

  @Test func moreShardsThanGroupsAreEmptyOnes() throws {
    let input = try clip("in.mp4", frames: 30)
    let parts = try draw(input, count: 3, [])
    #expect(try merge(parts, "out.mp4").status == 0)
    #expect(try packets("out.mp4", "v").count == 30)
  }

  // MARK: Faults

  @Test func shardsThatDoNotBelongTogetherAreNamed() throws {
    let input = try clip("in.mp4", frames: 300)
    _ = try draw(input, count: 2, [])
    #expect(try annotate(input, "other", ["--shard", "2/2", "--style", "arrows"]).status == 0)
    #expect(try annotate(input, "crf", ["--shard", "2/2", "--crf", "30"]).status == 0)
    #expect(try annotate(input, "three", ["--shard", "2/3"]).status == 0)
    let faults = [
      (["part1of2"], "of 2 shards 1 are missing: 2"),
      (["part1of2", "part2of2", "part2of2"], "is shard 2/2, as"),
      (["part1of2", "other"], "drawing is not the same"), (["part1of2", "crf"], "encoding is not the same"),
      (["part1of2", "three"], "the number of shards is not the same"),
      (["part1of2", "nowhere"], "is no complete shard"),
    ]
    for (parts, text) in faults {
      let result = try merge(parts, "out.mp4")
      #expect(result.status == 1 && result.errorLines.count == 1 && result.errors.contains(text), "\(result.errors)")
    }
    let other = try merge(["part1of2", "part2of2"], "out.mkv")
    #expect(other.status == 64 && other.errors.contains("for the container mp4"), "\(other.errors)")
    #expect(!folder.names.contains { $0.hasPrefix("out") })
  }

  @Test func damagedShardsAndMovedVideos() throws {
    let input = try clip("in.mp4", frames: 300)
    let parts = try draw(input, count: 2, [])
    #expect(try merge(parts, "whole.mp4").status == 0)
    let moved = folder.file("moved.mp4")
    try FileManager.default.moveItem(at: input, to: moved)
    let lost = try merge(parts, "out.mp4")
    #expect(lost.status == 1 && lost.errors.contains("in.mp4"), "\(lost.errors)")
    #expect(try merge(parts, "out.mp4", ["--input", moved.path]).status == 0)
    #expect(try Data(contentsOf: folder.file("out.mp4")) == Data(contentsOf: folder.file("whole.mp4")))
    let file = folder.file(parts[1]).appendingPathComponent("group_0000001.nut")
    var data = try Data(contentsOf: file)
    data[data.count / 2] ^= 1
    try data.write(to: file)
    let damaged = try merge(parts, "damaged.mp4", ["--input", moved.path])
    #expect(damaged.status == 1 && damaged.errors.contains("is not as it was written"), "\(damaged.errors)")
    #expect(!folder.names.contains { $0.contains("damaged") })
  }

  @Test func aShardThatIsCompleteIsKept() throws {
    let input = try clip("in.mp4", frames: 300)
    func draw(_ options: [String]) throws -> ChildProcess.Result {
      try annotate(input, "part", ["--shard", "1/1", "--resume"] + options)
    }
    #expect(try draw([]).status == 0)
    let group = folder.file("part/group_0000001.nut")
    func changed() throws -> Date? {
      try FileManager.default.attributesOfItem(atPath: group.path)[.modificationDate] as? Date
    }
    let (first, data) = (try changed(), try Data(contentsOf: group))
    #expect(try draw([]).status == 0)
    #expect(try changed() == first)
    // Damaged, or of other work: it is made anew.
    try data.dropLast().write(to: group)
    #expect(try draw([]).status == 0)
    #expect(try Data(contentsOf: group) == data)
    #expect(try draw(["--style", "arrows"]).status == 0)
    #expect(try Data(contentsOf: group) != data)
    let alone = try annotate(input, "out.mp4", ["--resume"])
    #expect(alone.status == 64 && alone.errors.contains("--resume is for a --shard"), "\(alone.errors)")
  }

  @Test func aShardThatWasKilledBeginsAnew() throws {
    let input = try clip("in.mp4", frames: 620)
    let arguments = ["annotate", input.path, folder.file("part").path, "--shard", "1/1", "--accuracy", "low", "-q"]
    let program = try ChildProcess(Program.path, arguments)
    let deadline = ContinuousClock.now + .seconds(60)
    func names() -> [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder.file("part").path)) ?? [] }
    while ContinuousClock.now < deadline, !names().contains(where: { $0.hasPrefix(".group") }) { usleep(300) }
    program.send(SIGKILL)
    #expect(try program.wait().status == -SIGKILL)
    #expect(!names().isEmpty && !names().contains("manifest.json"))
    let early = try merge(["part"], "out.mp4")
    #expect(early.status == 1 && early.errorLines.count == 1, "\(early.errors)")
    #expect(try Program.run(arguments + ["--resume"]).status == 0)
    #expect(names().sorted() == (0..<3).map { "group_000000\($0).nut" } + ["manifest.json"])
    #expect(try merge(["part"], "out.mp4").status == 0)
  }

  @Test func whatCannotBeCutIsRefused() throws {
    let input = try clip("in.mp4", frames: 20)
    let faults = [
      (["--shard", "1/2", "--warm-start"], Int32(64), "depends on all frames"),
      (["--shard", "1/2", "--style", "contours"], 64, "remembers the frames before"),
      (["--shard", "1/2", "--shards", "2"], 64, "not both"), (["--shards", "0"], 64, "--shards is 1…"),
      (["--shards", "2", "--contact-sheet", "sheet.png"], 64, "one run"),
    ]
    for (options, status, text) in faults {
      let result = try annotate(input, "out", options)
      #expect(result.status == status && result.errors.contains(text), "\(result.errors)")
    }
    try FileManager.default.createDirectory(at: folder.file("full"), withIntermediateDirectories: true)
    try Data([1]).write(to: folder.file("full/mine.txt"))
    let full = try annotate(input, "full", ["--shard", "1/1", "-y"])
    #expect(full.status == 1 && full.errors.contains("mine.txt"), "\(full.errors)")
    #expect(folder.names.contains("full"))
    // Videos and manifests of somebody else.
    for name in ["holiday.nut", "manifest.json"] {
      let other = folder.file("other-\(name)")
      try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
      try Data("{}".utf8).write(to: other.appendingPathComponent(name))
      let refused = try annotate(input, "other-\(name)", ["--shard", "1/1", "-y"])
      #expect(refused.status == 1 && refused.errorLines.count == 1, "\(refused.errors)")
      #expect(try Data(contentsOf: other.appendingPathComponent(name)) == Data("{}".utf8))
    }
    #expect(try annotate(input, "part", ["--shard", "1/1"]).status == 0)
    let again = try annotate(input, "part", ["--shard", "1/1"])
    #expect(again.status == 1 && again.errors.contains("exists already"), "\(again.errors)")
    #expect(try annotate(input, "part", ["--shard", "1/1", "-y"]).status == 0)
  }

  /// An input that lies in the folder of a shard, under the name of a group, is not replaced.
  @Test func theInputIsNeverReplaced() throws {
    try FileManager.default.createDirectory(at: folder.file("part"), withIntermediateDirectories: true)
    let input = try clip("in.mkv", frames: 20)
    let group = folder.file("part/group_0000000.nut")
    _ = try FFmpegTools.ffmpeg(["-i", input.path, "-map", "0:v", "-c", "copy", group.path])
    let bytes = try Data(contentsOf: group)
    for options in [["-y"], ["--resume"]] {
      let result = try annotate(group, "part", ["--shard", "1/1"] + options)
      #expect(result.status != 0 && result.errorLines.count == 1, "\(result.errors)")
      #expect(try Data(contentsOf: group) == bytes)
    }
  }

  @Test(arguments: [
    ("\"reorderDepth\" : 2", "\"reorderDepth\" : -2"), ("\"reorderDepth\" : 2", "\"reorderDepth\" : 100000000"),
    ("\"count\" : 1", "\"count\" : 1000000000000000"), ("\"frames\" : 20", "\"frames\" : -1"),
    ("\"name\" : \"group_", "\"name\" : \"../group_"),
  ])
  func manifestsThatNoShardHasAreOneLine(text: String, change: String) throws {
    #expect(try draw(try clip("in.mp4", frames: 20), count: 1, []).count == 1)
    let file = folder.file("part1of1/manifest.json")
    let manifest = try String(contentsOf: file, encoding: .utf8)
    #expect(manifest.contains(text), "\(manifest)")
    try Data(manifest.replacingOccurrences(of: text, with: change).utf8).write(to: file)
    let result = try merge(["part1of1"], "out.mp4")
    #expect(result.status == 1 && result.errorLines.count == 1, "\(result.status) \(result.errors)")
    #expect(result.errors.contains("a manifest that no shard has"), "\(result.errors)")
  }

  /// Times at the ends of 64 bits neither trap nor last forever: whatever the container makes of them is an answer.
  @Test func timesAtTheEndsOfTheirRange() throws {
    #expect(try draw(try clip("in.mp4", frames: 20), count: 1, []).count == 1)
    let file = folder.file("part1of1/manifest.json")
    let manifest = try String(contentsOf: file, encoding: .utf8)
    for value in [Int64.min, .max] {
      let expression = try Regex("\"value\" : -?[0-9]+")
      let changed = manifest.replacing(expression, with: "\"value\" : \(value)")
      #expect(changed != manifest)
      try Data(changed.utf8).write(to: file)
      let result = try merge(["part1of1"], "out\(value).mp4")
      #expect([0, 1].contains(result.status) && result.errorLines.count < 2, "\(result.status) \(result.errors)")
    }
  }
}
