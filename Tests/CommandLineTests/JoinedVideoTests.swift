import Foundation
import TestSupport
import Testing

/// One video of all events, from inputs through which a box slides twice.
@Suite(.enabled(if: FFmpegTools.areInstalled)) struct JoinedVideoTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private struct Report: Decodable {
    struct Moment: Decodable { var frame: Int }
    struct Event: Decodable {
      var start: Moment
      var end: Moment
    }
    struct Input: Decodable { var events: [Event] }
    var events: [Event]?
    var reports: [Input]?

    /// The ranges of the events of each input.
    var inputs: [[ClosedRange<Int>]] {
      (reports.map { $0.map(\.events) } ?? [events ?? []]).map { $0.map { $0.start.frame...$0.end.frame } }
    }
  }

  /// 10 s at 25 fps with a tone; the box is in view from frame 40 to 85 and from 160 to 205.
  private func passages(_ name: String, keyFrames: Int = 15, _ encoding: [String] = []) throws -> URL {
    let file = folder.file(name)
    let box = "testsrc2=s=40x40:r=25:d=10,select=1,loop=250:1"
    let path = "if(lt(mod(n,120),40),-60,8*(mod(n,120)-40)-40)"
    try FFmpegTools.ffmpeg(
      [
        "-f", "lavfi", "-i", FFmpegTools.texture(seconds: 10), "-f", "lavfi", "-i", box, "-f", "lavfi", "-i",
        "sine=440:d=10", "-filter_complex",
        "[0:v][1:v]overlay=x='\(path)':y=80:shortest=1,noise=alls=2:allf=t,format=yuv420p",
        "-t", "10", "-r", "25", "-c:v", "libx264", "-preset", "ultrafast", "-crf", "16", "-bf", "2", "-g",
        "\(keyFrames)",
        "-sc_threshold", "0", "-c:a", "aac", "-shortest",
      ] + encoding + [file.path])
    return file
  }

  private func join(
    _ inputs: [URL], _ options: [String], to name: String = "joined.mkv"
  ) throws -> (events: [[ClosedRange<Int>]], file: URL) {
    let file = folder.file(name)
    let arguments = ["detect"] + inputs.map(\.path) + ["--joined", file.path, "--report", "-", "-q", "-y"]
    let result = try Program.run(arguments + options)
    #expect(result.status == 0, "\(result.errors)")
    return (try JSONDecoder().decode(Report.self, from: Data(result.text.utf8)).inputs, file)
  }

  /// The digests of the frames, and all that the decoder says.
  private func frames(_ file: URL) throws -> [String] {
    let result = try ChildProcess.run(
      "ffmpeg", ["-v", "warning", "-nostdin", "-i", file.path, "-f", "framemd5", "-map", "0:v", "-"])
    #expect(result.errors.isEmpty, "\(result.errors)")
    return result.text.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("#") }.compactMap {
      $0.split(separator: ",").last.map { $0.trimmingCharacters(in: .whitespaces) }
    }
  }

  private func expectEvenTimes(_ file: URL) throws {
    let times = try FFmpegTools.frameTimes(file).compactMap(Double.init)
    #expect(times.first == 0 && zip(times, times.dropFirst()).allSatisfy { abs($1 - $0 - 0.04) < 1e-6 }, "\(times)")
    let sound = try FFmpegTools.probe(file, "packet=pts_time", ["-select_streams", "a"]).compactMap { row in
      row.first.flatMap { Double($0) }
    }
    #expect(sound.count > 20 && zip(sound, sound.dropFirst()).allSatisfy { $1 > $0 && $1 - $0 < 0.06 }, "\(sound)")
    #expect(abs((sound.last ?? 0) - (times.last ?? 0)) < 0.08)
  }

  @Test func encodedItHasTheFramesOfTheEventsOfAllInputs() throws {
    let inputs = [try passages("a.mp4"), try passages("b.mp4", keyFrames: 40)]
    let (events, file) = try join(inputs, ["--clip-mode", "encode", "--crf", "0", "--preset", "ultrafast"])
    #expect(events.count == 2 && events.allSatisfy { $0.count == 2 })
    let sources = try inputs.map(frames)
    let expected = zip(events, sources).flatMap { events, source in events.flatMap { source[$0] } }
    #expect(try frames(file) == expected)
    try expectEvenTimes(file)
  }

  @Test func soundThatTheContainerDoesNotHoldIsEncodedAnew() throws {
    let inputs = [try passages("a.mp4"), try passages("b.mp4", keyFrames: 40)]
    let (events, file) = try join(inputs, ["--clip-mode", "encode", "--crf", "50"], to: "joined.webm")
    let seconds = Double(events.joined().reduce(0) { $0 + $1.count }) / 25
    #expect(try FFmpegTools.probe(file, "stream=codec_name", ["-select_streams", "a"]) == [["opus"]])
    let sound = try FFmpegTools.probe(file, "packet=pts_time", ["-select_streams", "a"]).compactMap {
      $0.first.flatMap { Double($0) }
    }
    #expect(zip(sound, sound.dropFirst()).allSatisfy { $1 > $0 && $1 - $0 < 0.06 }, "\(sound)")
    #expect(abs((sound.last ?? 0) - seconds) < 0.1 && sound.count > 100, "\(sound.last ?? 0) of \(seconds)")
  }

  @Test func filtersReachEncodedParts() throws {
    let (events, file) = try join(
      [try passages("a.mp4")], ["--clip-mode", "encode", "--preset", "ultrafast", "--filter", "fps=50,scale=160:90"])
    let times = try FFmpegTools.frameTimes(file).compactMap(Double.init)
    // Where decoding begins, another frame may be left out than in the whole video.
    let expected = events[0].reduce(0) { $0 + $1.count }
    #expect(events[0].count == 2 && abs(times.count - expected) <= 2 * events[0].count, "\(times.count), \(expected)")
    #expect(zip(times, times.dropFirst()).allSatisfy { abs($1 - $0 - 0.02) < 1e-6 }, "\(times)")
  }

  @Test(arguments: ["mp4", "mkv", "ts"]) func copiedItBeginsEachEventWithTheKeyFrameBefore(ending: String) throws {
    let input = try passages("a.\(ending)")
    let (events, file) = try join([input], ["--clips", folder.file("clips").path])
    let clips = try FileManager.default.contentsOfDirectory(atPath: folder.file("clips").path).sorted()
    #expect(events[0].count == 2 && clips.count == 2)
    let ofClips = try clips.flatMap { try frames(folder.file("clips/\($0)")) }
    #expect(try frames(file) == ofClips)
    let (source, joined) = (try frames(input), try frames(file))
    #expect(source[30] == joined[0])
    try expectEvenTimes(file)
  }

  @Test func codecsWithoutANameInMatroskaAreCopiedThere() throws {
    let input = try passages("a.avi", ["-c:v", "msmpeg4v2", "-bf", "0", "-c:a", "mp2"])
    let (events, file) = try join([input], [])
    let (source, joined) = (try frames(input), try frames(file))
    #expect(events[0].count == 2)
    #expect(joined == events[0].flatMap { source[($0.lowerBound / 15 * 15)...$0.upperBound] })
    try expectEvenTimes(file)
  }

  /// The second event's key frame comes before the first event's end.
  @Test func framesOfTwoEventsAreThereOnce() throws {
    let input = try passages("a.mkv", keyFrames: 300)
    let (events, file) = try join([input], [])
    let joined = try frames(file)
    let source = try frames(input)
    #expect(joined.count > events[0][1].upperBound && joined == Array(source.prefix(joined.count)))
    try expectEvenTimes(file)
  }

  @Test func inputsOfOtherFormatsAreRefusedBeforeTheWork() throws {
    let input = try passages("a.mp4")
    let others = [
      ("small.mp4", ["-vf", "scale=160:90", "-c:a", "copy"], "320×180"),
      ("silent.mp4", ["-an", "-c:v", "copy"], "--no-audio"),
      ("mpeg.mp4", ["-c:v", "mpeg4", "-c:a", "copy"], "--clip-mode encode"),
    ]
    for (name, options, advice) in others {
      let other = folder.file(name)
      try FFmpegTools.ffmpeg(["-i", input.path] + options + [other.path])
      let result = try Program.run(["detect", input.path, other.path, "--joined", folder.file("j.mp4").path])
      #expect(result.status == 64 && result.errorLines.count == 1 && result.text.isEmpty, "\(result.errors)")
      #expect(result.errors.contains(name) && result.errors.contains(advice), "\(result.errors)")
    }
    #expect(folder.names == ["a.mp4", "mpeg.mp4", "silent.mp4", "small.mp4"])
  }

  @Test func withoutAnEventThereIsNoFile() throws {
    let input = try passages("a.mp4")
    let output = folder.file("j.mp4").path
    let none = try Program.run(["detect", input.path, "--joined", output, "--end", "1"])
    #expect(none.status == 0 && none.errors.contains("j.mp4 is not written"), "\(none.errors)")
    #expect(folder.names == ["a.mp4"])
    let webm = try Program.run(["detect", input.path, "--joined", folder.file("j.webm").path])
    #expect(webm.status == 64 && webm.errors.contains("h264"), "\(webm.errors)")
    let itself = try Program.run(["detect", input.path, "--joined", input.path, "-y"])
    #expect(itself.status == 64 && folder.names == ["a.mp4"], "\(itself.errors)")
  }
}
