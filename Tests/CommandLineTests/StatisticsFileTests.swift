import Foundation
import Rheo
import TestSupport
import Testing

/// `--statistics` grows while the video is searched, and is the file that the library makes at the end.
@Suite(.enabled(if: FFmpegTools.areInstalled)) struct StatisticsFileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A video of which a part cannot be decoded.
  private func damagedClip() throws -> URL {
    let file = folder.file("in.mp4")
    try Clips.moving(
      file, frames: 40, encoding: ["-c:v", "libx264", "-preset", "ultrafast", "-g", "10", "-movflags", "+faststart"])
    try Data(contentsOf: file).dropLast(2000).write(to: file)
    return file
  }

  @Test(arguments: [false, true]) func itIsTheLibrarysText(isDamaged: Bool) throws {
    let input = isDamaged ? try damagedClip() : folder.file("in.mkv")
    if !isDamaged { try Clips.moving(input, frames: 20, encoding: ["-c:v", "ffv1"]) }
    let table = folder.file("s.csv")
    let status: Int32 = isDamaged ? 2 : 0
    #expect(try Program.run(["detect", input.path, "--statistics", table.path]).status == status)
    let report = try Detection(input: input.path, keepsStatistics: true).run()
    #expect(report.gaps.isEmpty != isDamaged)
    let written = try Data(contentsOf: table)
    let expected = Data(try DetectionStatistics(report, zones: .everywhere).text().utf8)
    if isDamaged {
      // The first line has what FFmpeg logged, here in whichever test.
      let end = UInt8(ascii: "\n")
      #expect(written.split(separator: end).dropFirst() == expected.split(separator: end).dropFirst())
      let read = try DetectionStatistics(text: String(decoding: written, as: UTF8.self))
      #expect(!read.gaps.isEmpty && read.source == report.source)
    } else {
      #expect(written == expected)
    }
    // What cannot be written at any offset gets the same bytes, at the end.
    let printed = try Program.run(["detect", input.path, "--statistics", "-"])
    #expect(printed.status == status)
    let end = UInt8(ascii: "\n")
    // The first line has what FFmpeg logged, whose threads take turns.
    let skipped = isDamaged ? 1 : 0
    #expect(printed.output.split(separator: end).dropFirst(skipped) == written.split(separator: end).dropFirst(skipped))
  }

  @Test func aNumberThatNothingHasIsToldWithFileAndLine() throws {
    let table = folder.file("s.csv")
    try DetectStatistics.write(DetectStatistics.twoEvents, to: table)
    var lines = try String(contentsOf: table, encoding: .utf8).split(separator: "\n").map(String.init)
    let column = try #require(lines[1].split(separator: ",").firstIndex(of: "age1"))
    // A line in which something moves.
    var fields = lines[9].split(separator: ",", omittingEmptySubsequences: false)
    fields[column] = "9223372036854775807"
    lines[9] = fields.joined(separator: ",")
    try Data(lines.joined(separator: "\n").utf8).write(to: table)
    let result = try Program.run(["detect", "--from-statistics", table.path])
    #expect(result.status == 1, "\(result.errors)")
    #expect(
      result.errors.contains("s.csv: line 10: age1 is 9223372036854775807, not 0…1000000000"), "\(result.errors)")
  }

  @Test func aFailureLeavesNoFile() throws {
    let input = folder.file("in.mkv")
    try Clips.moving(input, frames: 20, encoding: ["-c:v", "ffv1"])
    let table = folder.file("s.csv")
    try Data("old".utf8).write(to: table)
    // The table is longer than that.
    let result = try Program.shell(
      "trap '' XFSZ; ulimit -f 1; exec \"$rheo\" detect \"$1\" --statistics \"$2\" --zones \"$3\" -y",
      [input.path, table.path, try manyZones(400)])
    #expect(result.status == 1 && result.errors.contains("s.csv: cannot be written"), "\(result.errors)")
    #expect(try Data(contentsOf: table) == Data("old".utf8))
    #expect(folder.names == ["in.mkv", "s.csv", "zones.json"])
  }

  private func manyZones(_ count: Int) throws -> String {
    let zones = (0..<count).map { #"{"name":"\#($0)","polygon":[[0,0],[1,0],[1,1]]}"# }
    let file = folder.file("zones.json")
    try Data(#"{"zones":[\#(zones.joined(separator: ","))]}"#.utf8).write(to: file)
    return file.path
  }

  /// A frame's statistics of 1,000 zones are 64 KB in memory: kept, 1,200 frames took 77 MB more than 200.
  @Test func memoryDoesNotGrowWithTheFrames() throws {
    let zones = try manyZones(1000)
    func peak(frames: Int) throws -> Int {
      let input = folder.file("\(frames).mkv")
      try Clips.moving(input, size: "32x32", frames: frames, encoding: ["-c:v", "mpeg4"])
      let table = folder.file("\(frames).csv")
      let result = try Program.run(["detect", input.path, "--zones", zones, "--statistics", table.path, "-q"])
      #expect(result.status == 0, "\(result.errors)")
      #expect(try Data(contentsOf: table).split(separator: UInt8(ascii: "\n")).count == frames + 2)
      return result.peakMemory
    }
    let (short, long) = (try peak(frames: 200), try peak(frames: 1200))
    #expect(long - short < 30_000, "\(short) KB, \(long) KB")
  }
}
