import Foundation
import Rheo
import TestSupport
import Testing

/// Every frame of the input is in the output, at its own time, by the word of ffprobe.
@Suite(.enabled(if: FFmpegTools.areInstalled)) struct TimesTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Annotates and compares the frames' times; `tolerance` in seconds for containers that cannot store them exactly.
  @discardableResult
  private func expectSameTimes(
    _ input: URL, in ending: String, tolerance: Double = 0, filter: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Annotation.Report {
    let output = folder.file("out.\(ending)")
    let report = try Annotation.quick(input, output) {
      $0.encoding.overwrites = true
      $0.reading.filter = filter
    }
    let expected = try FFmpegTools.frameTimes(input)
    let actual = try FFmpegTools.frameTimes(output)
    #expect(!expected.isEmpty, sourceLocation: sourceLocation)
    #expect(report.frames == expected.count, sourceLocation: sourceLocation)
    if tolerance == 0 {
      #expect(actual == expected, sourceLocation: sourceLocation)
    } else {
      try #require(actual.count == expected.count, sourceLocation: sourceLocation)
      for (a, b) in zip(actual, expected) {
        let (a, b) = (try #require(Double(a)), try #require(Double(b)))
        #expect(abs(a - b) <= tolerance + 1e-6, "\(a) instead of \(b)", sourceLocation: sourceLocation)
      }
    }
    return report
  }

  @Test(arguments: ["mp4", "mov", "mkv"]) func constantRates(ending: String) throws {
    let input = folder.file("in.mp4")
    try Clips.moving(input, encoding: ["-c:v", "libx264"])
    try expectSameTimes(input, in: ending)
  }

  @Test(arguments: ["30000/1001", "24000/1001", "12.5", "1", "240"]) func unusualRates(rate: String) throws {
    let input = folder.file("in.mp4")
    try Clips.moving(input, rate: rate)
    try expectSameTimes(input, in: "mp4")
    try expectSameTimes(input, in: "mkv", tolerance: 0.0005)
  }

  @Test(arguments: ["mp4", "mkv", "mov", "nut"]) func aVariableRateStaysVariable(ending: String) throws {
    let input = folder.file("in.mp4")
    try Clips.moving(
      input, frames: 15, filters: ["settb=1/1000", "setpts=N*N*7+3*mod(N\\,4)"], encoding: ["-c:v", "libx264"])
    let times = try FFmpegTools.frameTimes(input)
    #expect(Set(zip(times, times.dropFirst()).map { Double($1)! - Double($0)! }).count > 5)
    try expectSameTimes(input, in: ending)
  }

  @Test func aVariableRateFromAMatroskaFile() throws {
    let input = folder.file("in.mkv")
    try Clips.moving(input, frames: 12, filters: ["settb=1/1000", "setpts=N*40+17*mod(N*N\\,3)"])
    for ending in ["mkv", "mp4"] { try expectSameTimes(input, in: ending) }
  }

  @Test func droppedFramesLeaveGaps() throws {
    let input = folder.file("in.mp4")
    try Clips.moving(input, filters: ["select=not(between(mod(n\\,9)\\,3\\,5))"], encoding: ["-c:v", "mpeg4"])
    for ending in ["mp4", "mkv"] { try expectSameTimes(input, in: ending) }
  }

  @Test(arguments: ["mp4", "mov", "mkv", "ts"]) func framesThatAreStoredOutOfOrder(ending: String) throws {
    let input = folder.file("in.mp4")
    try Clips.moving(
      input, size: "128x96", frames: 24, encoding: ["-c:v", "libx264", "-bf", "3", "-x264-params", "b-adapt=0"])
    #expect(try FFmpegTools.probe(input, "frame=pict_type").contains { $0.first == "B" })
    try expectSameTimes(input, in: ending)
  }

  @Test func aDelayedStartIsKept() throws {
    let input = folder.file("in.ts")
    try Clips.moving(
      input, size: "128x96", encoding: ["-c:v", "libx264", "-bf", "0", "-output_ts_offset", "0.0667"])
    #expect(try FFmpegTools.frameTimes(input).first == "1.466700")
    try expectSameTimes(input, in: "mp4", tolerance: 1e-5)
    try expectSameTimes(input, in: "ts")
    try expectSameTimes(input, in: "mkv", tolerance: 0.0005)
  }

  @Test func anEditListThatCutsTheBeginning() throws {
    let (whole, input) = (folder.file("whole.mp4"), folder.file("in.mp4"))
    try Clips.moving(whole, frames: 30, encoding: ["-c:v", "libx264", "-g", "10", "-bf", "2"])
    try FFmpegTools.ffmpeg(["-ss", "0.56", "-i", whole.path, "-c", "copy", input.path])
    for ending in ["mp4", "mkv"] { try expectSameTimes(input, in: ending) }
  }

  @Test(arguments: ["avi", "flv", "webm", "asf"]) func otherInputs(ending: String) throws {
    let input = folder.file("in.\(ending)")
    try Clips.moving(input, size: "64x64")
    try expectSameTimes(input, in: "mp4", tolerance: 1e-5)
  }

  @Test func anMPEGProgramStreamWithoutATimeForEachFrame() throws {
    let (input, output) = (folder.file("in.mpg"), folder.file("out.mp4"))
    try Clips.moving(input, size: "64x64")
    _ = try Annotation.quick(input, output)
    let (expected, actual) = (try FFmpegTools.guessedFrameTimes(input), try FFmpegTools.guessedFrameTimes(output))
    #expect(expected.count == 9)
    #expect(actual.count == 10)
    #expect(zip(actual, expected + [0.9]).allSatisfy { abs($0 - $1) < 1e-4 }, "\(actual)")
  }

  @Test(arguments: ["avi", "flv", "webm", "ts", "nut", "3gp", "asf", "gif", "mxf", "mpg"])
  func otherOutputs(ending: String) throws {
    let input = folder.file("in.mp4")
    try Clips.moving(input, size: "176x144")
    // MPEG program streams begin at half a second; Advanced Systems Format adds its preroll; both count from there.
    let output = folder.file("out.\(ending)")
    let report = try Annotation.quick(input, output) {
      if !["ts", "nut", "flv", "avi", "3gp"].contains(ending) { $0.encoding.preset = nil }
    }
    let (expected, actual) = (try FFmpegTools.guessedFrameTimes(input), try FFmpegTools.guessedFrameTimes(output))
    #expect(report.frames == 10)
    try #require(actual.count == 10)
    for (a, b) in zip(actual, expected) {
      #expect(abs((a - actual[0]) - (b - expected[0])) < 0.0011, "\(a) instead of \(b)")
    }
  }

  @Test(arguments: [
    ("25", "mkv", nil), ("30000/1001", "mkv", "1/1000 s: rounded for 9 of 10"), ("30000/1001", "mp4", nil),
  ])
  func roundingIsReportedWhereItHappens(rate: String, ending: String, note: String?) throws {
    let input = folder.file("in.mp4")
    try Clips.moving(input, rate: rate)
    let notes = try Annotation.quick(input, folder.file("out.\(ending)")).notes
    #expect(notes.contains { $0.contains("rounded") } == (note != nil), "\(notes)")
    if let note { #expect(notes.contains { $0.contains(note) }, "\(notes)") }
  }

  @Test func containersThatCountFramesRoundAVariableRate() throws {
    let (input, output) = (folder.file("in.mp4"), folder.file("out.avi"))
    try Clips.moving(input, filters: ["settb=1/90000", "setpts=N*3600+1237*mod(N*N\\,3)"])
    let notes = try Annotation.quick(input, output) { $0.encoding.codec = "libx264" }.notes
    #expect(notes.contains { $0.contains("rounded for") }, "\(notes)")
    #expect(try FFmpegTools.guessedFrameTimes(output).count == 10)
  }

  /// MPEG-4 part 2 counts time in at most 65535 ticks a second, a transport stream in 90000.
  @Test(arguments: ["25", "30000/1001"]) func anEncoderWithCoarseTicks(rate: String) throws {
    let (input, output) = (folder.file("in.ts"), folder.file("out.mp4"))
    try Clips.moving(input, rate: rate, encoding: ["-c:v", "libx264", "-bf", "0"])
    let report = try Annotation.quick(input, output) {
      $0.encoding.codec = "mpeg4"
      $0.encoding.preset = nil
    }
    #expect(report.frames == 10)
    let (expected, actual) = (try FFmpegTools.guessedFrameTimes(input), try FFmpegTools.guessedFrameTimes(output))
    #expect(zip(actual, expected).allSatisfy { abs($0 - $1) < 1e-4 }, "\(actual) instead of \(expected)")
  }

  @Test(
    .enabled(if: TestData.has("video"), "needs the test data"),
    arguments: [
      ("sample_fragmented.mp4", 1e-5), ("sample_android_slow_motion.mp4", 0), ("tree.avi", 0), ("sample.flv", 0),
      ("bbb_176x144_128kbps_15fps_h263.3gp", 0), ("carphone_pristine.mp4", 0),
    ])
  func realClips(name: String, tolerance: Double) throws {
    let input = try TestData.url("video/\(name)")
    try expectSameTimes(input, in: "mp4", tolerance: tolerance, filter: "scale=160:-2")
  }

  @Test(.enabled(if: TestData.has("video/sample_h264.ts"), "needs the test data")) func aDelayedRealClip() throws {
    let input = try TestData.url("video/sample_h264.ts")
    let output = folder.file("out.mp4")
    _ = try Annotation.quick(input, output) { $0.reading.range.frameCount = 12 }
    #expect(try FFmpegTools.frameTimes(output) == Array(try FFmpegTools.frameTimes(input).prefix(12)))
    #expect(try FFmpegTools.frameTimes(output).first == "1.466667")
  }
}
