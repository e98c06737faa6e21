import Foundation
import TestSupport
import Testing

/// Time stamps and other numbers that no muxer writes: each command ends with a result or an error, and with no trap.
@Suite(.enabled(if: FFmpegTools.areInstalled)) struct HostileTimesTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  struct Times: CustomTestStringConvertible, Sendable {
    var name: String
    var nanosecondsPerTick: UInt64 = 1_000_000
    var ticks: [UInt64]
    var testDescription: String { name }
  }

  /// The end of what 64 bits with a sign count to.
  private static let end: UInt64 = 1 << 63
  private static let huge: UInt64 = 1 << 60

  static let hostile = [
    // The difference of two does not exist.
    Times(name: "negative", nanosecondsPerTick: 100_000, ticks: [end + 1024, end + 2048, end + 3072, 0, 400, 800]),
    Times(name: "turned around", ticks: [0, 40, 80, end + 7, end + 47, 120]),
    Times(name: "largest", ticks: [0, 40, end - 1, end - 2, 80, 120]),
    // Seconds of which neither tenths nor hundredths can be counted.
    Times(
      name: "huge", nanosecondsPerTick: 1_000_000_000,
      ticks: [huge, huge, huge + 256, huge + 512, 2 * huge, 0]),
    Times(
      name: "far", nanosecondsPerTick: 2_000_000_000, ticks: (0..<6).map { $0 * (huge + huge / 8) }),
    Times(name: "equal", ticks: Array(repeating: 5, count: 6)),
    Times(name: "descending", ticks: [400, 360, 320, 280, 240, 200]),
    Times(name: "without a unit", nanosecondsPerTick: 0, ticks: [0, 40, 80, 120, 160, 200]),
  ]

  private func clip(_ times: Times) throws -> URL {
    let file = folder.file("clip.mkv")
    try MatroskaFile.write(
      try MatroskaFile.images(times.ticks.count), times: times.ticks, nanosecondsPerTick: times.nanosecondsPerTick,
      to: file)
    return file
  }

  @Test(arguments: hostile) func annotateKeepsEveryFrame(times: Times) throws {
    let (input, output) = (try clip(times), folder.file("out.nut"))
    let result = try Program.run(["annotate", input.path, output.path, "--codec", "rawvideo", "--accuracy", "low"])
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.errors.contains("\(times.ticks.count) frames"), "\(result.errors)")
    // The times in the file rise.
    let seconds = try FFmpegTools.frameTimes(output).compactMap(Double.init)
    #expect(seconds.count == times.ticks.count && zip(seconds, seconds.dropFirst()).allSatisfy(<), "\(seconds)")
  }

  /// An mp4 counts in 32 bits from frame to frame.
  @Test(arguments: hostile) func aContainerThatCannotHoldTheTimesIsAnError(times: Times) throws {
    let result = try Program.run(["annotate", try clip(times).path, folder.file("out.mp4").path, "--accuracy", "low"])
    #expect(result.status == 0 || result.status == 1 && result.errors.contains("out.mp4: "), "\(result.errors)")
    #expect(folder.names == (result.status == 0 ? ["clip.mkv", "out.mp4"] : ["clip.mkv"]))
  }

  @Test(arguments: hostile) func detectReportsTheEvents(times: Times) throws {
    let report = folder.file("r.html")
    let result = try Program.run([
      "detect", try clip(times).path, "--report", report.path, "--threshold", "0.01", "--min-duration", "0",
      "--clips", folder.file("clips").path,
    ])
    // Of a video without times no clips can be cut.
    let isWithoutTimes = result.status == 1 && result.errors.contains("no clips can be cut")
    #expect(result.status == 0 || isWithoutTimes, "\(result.errors)")
    if !isWithoutTimes { #expect(try String(contentsOf: report, encoding: .utf8).contains("</html>")) }
  }

  @Test(arguments: hostile) func otherCommandsEnd(times: Times) throws {
    let input = try clip(times).path
    for command in [
      ["export", input, "--output", folder.file("flow").path, "--accuracy", "low"],
      ["stabilize", input, folder.file("steady.nut").path, "--codec", "rawvideo"], ["track", input, "--auto"],
      ["info", input], ["info", input, "--json"],
    ] {
      let result = try Program.run(command)
      #expect(result.status == 0, "\(command[0]): \(result.errors)")
    }
  }

  @Test func aLiveStreamWithHostileTimesIsWatched() throws {
    let times = Times(
      name: "live", nanosecondsPerTick: 100_000,
      ticks: [Self.end + 1024, Self.end + 2048, 2 * Self.huge - 1, 2 * Self.huge, 400, 800, Self.end - 1, 1600])
    let server = try LocalServer([.data(try Data(contentsOf: try clip(times)))])
    defer { server.stop() }
    let result = try Program.run([
      "detect", server.address + "/live.mkv", "--live", "--reconnect", "never", "--threshold", "0.01",
      "--min-duration", "0", "--report", folder.file("r.json").path,
    ])
    #expect([0, 2].contains(result.status), "\(result.errors)")
    #expect(result.errors.contains("live: "), "\(result.errors)")
  }

  /// The second connection counts seconds from before the beginning of time, the first one nanoseconds.
  @Test func aConnectionThatComesBackWithOtherTicksIsWatched() throws {
    let first = Times(name: "first", nanosecondsPerTick: 1, ticks: (0..<12).map { 40_000_000 * $0 })
    let second = Times(
      name: "second", nanosecondsPerTick: 1_000_000_000, ticks: (0..<12).map { UInt64(bitPattern: -(1 << 60) + $0) })
    let bodies = try [first, second].map { LocalServer.Answer.data(try Data(contentsOf: try clip($0))) }
    let server = try LocalServer(bodies + [.status(404)])
    defer { server.stop() }
    let result = try Program.run([
      "detect", server.address + "/live.mkv", "--live", "--reconnect", "2", "--threshold", "0.01", "--min-duration",
      "0",
    ])
    // The break is damage.
    #expect(result.status == 2 && result.errors.contains("1 reconnections"), "\(result.errors)")
  }

  /// Nanoseconds of which the header promises billions of years: the frames in them, and twice as many, which are those
  /// of two passes, were no number of 64 bits.
  @Test(arguments: [9e18, 9.3e18, 1e20, 1e300])
  func aLengthOfNoVideoIsNoNumberOfFrames(duration: Double) throws {
    let file = folder.file("clip.mkv")
    var details = MatroskaFile.Details()
    (details.rate, details.duration) = (nil, duration)
    try MatroskaFile.write(
      try MatroskaFile.images(6), times: (0..<6).map { 40 * $0 }, nanosecondsPerTick: 1, details: details, to: file)
    for command in [
      ["detect", file.path], ["stabilize", file.path, folder.file("out.nut").path, "--codec", "rawvideo"],
      ["stitch", file.path, "--output", folder.file("out.png").path],
    ] {
      let result = try Program.run(command + ["--overwrite", "--progress", "json"])
      // There is no panorama of images that do not move.
      #expect([0, 1].contains(result.status), "\(command[0]): \(result.errors)")
    }
  }

  @Test func chaptersWithoutATimeBaseAreLeftOut() throws {
    let file = folder.file("chapters.txt")
    try Data(";FFMETADATA1\n[CHAPTER]\nTIMEBASE=0/1\nSTART=0\nEND=1\n".utf8).write(to: file)
    let result = try Program.run(["info", file.path, "--json"])
    #expect(result.status == 0 || result.status == 1 && result.errors.contains("chapters.txt"), "\(result.errors)")
    if result.status == 0 {
      let read = try JSONSerialization.jsonObject(with: result.output) as? [String: Any]
      #expect((read?["chapters"] as? [Any])?.isEmpty == true)
    }
  }

  @Test func tripLinesFromTheEndOfNumbersAreRefused() throws {
    let zones = folder.file("lines.json")
    try Data(
      #"{"tripLines":[{"name":"g","units":"pixels","from":[1e308,0.5],"to":[-1e308,0.5],"direction":"both"}]}"#.utf8
    ).write(to: zones)
    let clip = try clip(Times(name: "plain", ticks: [0, 40, 80, 120, 160, 200])).path
    let result = try Program.run(["detect", clip, "--zones", zones.path, "--threshold", "0.01"])
    #expect(result.status == 1 && result.errors.contains("lines.json: line 1: trip line 'g'"), "\(result.errors)")
  }

  @Test(arguments: ["1e17", "1e300", "9223372036854775807"]) func durationsHaveNoEnd(duration: String) throws {
    let clip = try clip(Times(name: "plain", ticks: [0, 40, 80, 120, 160, 200])).path
    let result = try Program.run(["detect", clip, "--max-duration", duration, "--threshold", "0.01"])
    #expect(result.status == 0 || result.status == 64 && result.errors.contains("--max-duration"), "\(result.errors)")
  }
}
