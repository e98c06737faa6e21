import Foundation
import Rheo
import TestSupport
import Testing

/// The sound, subtitles, chapters and names that come along with the images.
@Suite(.enabled(if: FFmpegTools.areInstalled)) struct StreamsTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let subtitles = """
    1
    00:00:00,080 --> 00:00:00,240
    Nothing moves.

    2
    00:00:00,320 --> 00:00:00,560
    Now it does.

    """

  private static let metadata = """
    ;FFMETADATA1
    title=A walk
    [CHAPTER]
    TIMEBASE=1/1000
    START=0
    END=240
    title=Before
    [CHAPTER]
    TIMEBASE=1/1000
    START=240
    END=600
    title=After

    """

  /// Fifteen frames with sound, and with subtitles, chapters and a title where asked.
  private func clip(
    _ name: String, audio: [String] = ["-c:a", "aac", "-b:a", "64k"], withSubtitles: Bool = false
  ) throws -> URL {
    let file = folder.file(name)
    let (words, titles) = (folder.file("words.srt"), folder.file("titles.txt"))
    try Data(Self.subtitles.utf8).write(to: words)
    try Data(Self.metadata.utf8).write(to: titles)
    var arguments = [
      "-f", "lavfi", "-i", "testsrc2=size=64x48:rate=25:duration=0.6", "-f", "lavfi", "-i",
      "sine=frequency=440:sample_rate=44100:duration=0.6", "-i", titles.path,
    ]
    if withSubtitles { arguments += ["-i", words.path] }
    arguments += ["-map", "0:v", "-map", "1:a", "-map_metadata", "2", "-map_chapters", "2"]
    if withSubtitles { arguments += ["-map", "3:s", "-c:s", "copy", "-metadata:s:s:0", "language=deu"] }
    try FFmpegTools.ffmpeg(arguments + ["-metadata:s:a:0", "language=fra"] + audio + [file.path])
    return file
  }

  private func audioPackets(_ file: URL, _ values: String = "size") throws -> [[String]] {
    try FFmpegTools.probe(file, "packet=\(values)", ["-select_streams", "a"])
  }

  @Test(arguments: [("mp4", "mp4"), ("mp4", "mov"), ("mkv", "mkv"), ("mp4", "mkv"), ("mkv", "mp4")])
  func soundIsCopied(from: String, to: String) throws {
    let input = try clip("in.\(from)")
    let output = folder.file("out.\(to)")
    _ = try Annotation.quick(input, output)
    #expect(try FFmpegTools.packetSizes(input, streams: "a").count > 20)
    #expect(try FFmpegTools.packetSizes(output, streams: "a") == FFmpegTools.packetSizes(input, streams: "a"))
    #expect(try FFmpegTools.probe(output, "stream=codec_name", ["-select_streams", "a"]) == [["aac"]])
    if from == to {
      #expect(try audioPackets(output, "pts_time,dts_time") == audioPackets(input, "pts_time,dts_time"))
    }
    let language = try FFmpegTools.probe(output, "stream_tags=language", ["-select_streams", "a"])
    #expect(language == [["fra"]])
  }

  // A tone of 440 Hz comes through with its frequency, length and loudness.
  @Test(arguments: [("in.mp4", 1), ("in.mkv", 2), ("surround.mkv", 6)])
  func soundThatTheContainerDoesNotHoldIsEncodedAnew(name: String, channels: Int) throws {
    let input = try clip(name, audio: ["-c:a", "aac", "-ac", "\(channels)"])
    let output = folder.file("out.webm")
    let report = try Annotation.quick(input, output)
    #expect(
      report.notes.contains("audio stream 1 (aac) does not fit into webm: encoded as opus"), "\(report.notes)")
    #expect(report.frames == 15)
    let sound = try FFmpegTools.probe(
      output, "stream=codec_name,channels:stream_tags=language", ["-select_streams", "a"])
    #expect(sound == [["opus", "\(channels)", "fra"]])
    // Of six channels the one in the middle has the tone.
    let channel = "pan=mono|c0=c\(channels == 6 ? 2 : 0)"
    func read(_ file: URL) throws -> [Int16] {
      let arguments = ["-i", file.path, "-vn", "-af", channel, "-ar", "48000", "-f", "s16le", "-"]
      return [Int16](bytes: try FFmpegTools.ffmpeg(arguments))
    }
    let (samples, original) = (try read(output), try read(input))
    #expect(abs(samples.count - original.count) <= 960, "\(samples.count) of \(original.count)")
    func crossings(_ tone: ArraySlice<Int16>) -> Int { zip(tone, tone.dropFirst()).count { $0 < 0 && $1 >= 0 } }
    func power(_ tone: ArraySlice<Int16>) -> Double { tone.reduce(0) { $0 + Double($1) * Double($1) } }
    let (tone, first) = (samples[4800..<24_000], original[4800..<24_000])
    #expect(abs(crossings(tone) - 176) <= 1)
    #expect(abs(power(tone) / power(first) - 1) < 0.2)
    // The images keep their times though the encoder begins before the sound.
    #expect(try FFmpegTools.frameTimes(output) == FFmpegTools.frameTimes(input))
  }

  @Test func aPartHasThePartOfItsSound() throws {
    let input = try clip("in.mp4")
    let output = folder.file("out.webm")
    _ = try Annotation.quick(input, output) { $0.reading.range = MediaRange(start: .seconds(0.2)) }
    let times = try audioPackets(output, "pts_time").compactMap { $0.first.flatMap { Double($0) } }
    let (first, last) = (try #require(times.first), try #require(times.last))
    #expect(first < 0.03 && last > 0.3 && last < 0.45, "\(times)")
  }

  @Test func soundIsLeftOutOnRequest() throws {
    let input = try clip("in.mp4")
    let output = folder.file("out.mp4")
    let report = try Annotation.quick(input, output) { $0.encoding.copiesAudio = false }
    #expect(try FFmpegTools.packetSizes(output, streams: "a").isEmpty)
    #expect(report.notes.isEmpty, "\(report.notes)")
    #expect(report.frames == 15)
  }

  @Test(arguments: ["mp4", "mov", "mkv", "webm"]) func chaptersAndTitlesAreKept(ending: String) throws {
    let input = try clip("in.mkv", audio: ["-c:a", "libvorbis", "-ac", "2"])
    let output = folder.file("out.\(ending)")
    _ = try Annotation.quick(input, output)
    let chapters = try FFmpegTools.probe(output, "chapter=start_time,end_time:chapter_tags=title")
    #expect(chapters.map(\.last) == ["Before", "After"])
    #expect(chapters.map { Double($0[0]) } == [0, 0.24])
    #expect(try FFmpegTools.probe(output, "format_tags=title") == [["A walk"]])
  }

  @Test(.enabled(if: TestData.has("video/sample_with_chapters.mp4"), "needs the test data"))
  func theChaptersOfAClipAreKept() throws {
    let input = try TestData.url("video/sample_with_chapters.mp4")
    let output = folder.file("out.mp4")
    _ = try Annotation.quick(input, output)
    let entries = "chapter=start_time,end_time:chapter_tags=title"
    #expect(try FFmpegTools.probe(output, entries) == FFmpegTools.probe(input, entries))
    #expect(try FFmpegTools.packetSizes(output, streams: "a") == FFmpegTools.packetSizes(input, streams: "a"))
  }

  @Test func subtitlesAreCopiedIntoMatroska() throws {
    let input = try clip("in.mkv", withSubtitles: true)
    let output = folder.file("out.mkv")
    let report = try Annotation.quick(input, output)
    #expect(report.notes.isEmpty, "\(report.notes)")
    let entries = "packet=pts_time,duration_time,size"
    #expect(
      try FFmpegTools.probe(output, entries, ["-select_streams", "s"])
        == FFmpegTools.probe(input, entries, ["-select_streams", "s"]))
    #expect(
      try FFmpegTools.probe(output, "stream=codec_name:stream_tags=language", ["-select_streams", "s"])
        == [["subrip", "deu"]])
    let text = try FFmpegTools.ffmpeg(["-i", output.path, "-map", "0:s", "-f", "srt", "-"])
    #expect(String(decoding: text, as: UTF8.self).contains("Now it does."))
  }

  @Test(arguments: ["mp4", "webm"]) func subtitlesThatDoNotFitAreLeftOutWithANote(ending: String) throws {
    let input = try clip("in.mkv", audio: ["-c:a", "libopus"], withSubtitles: true)
    let output = folder.file("out.\(ending)")
    let report = try Annotation.quick(input, output)
    #expect(report.notes.contains { $0.contains("subtitle stream 2 (subrip) does not fit") }, "\(report.notes)")
    #expect(try FFmpegTools.probe(output, "stream=codec_type").map(\.first).prefix(2) == ["video", "audio"])
    #expect(try FFmpegTools.packetSizes(output, streams: "s").isEmpty)
    #expect(report.frames == 15)
  }

  @Test func soundThatStartsLaterStaysLate() throws {
    let input = folder.file("in.mkv")
    try FFmpegTools.ffmpeg([
      "-f", "lavfi", "-i", "testsrc2=size=64x48:rate=25:duration=0.8", "-itsoffset", "0.3", "-f", "lavfi", "-i",
      "sine=duration=0.4", "-c:a", "pcm_s16le", input.path,
    ])
    let output = folder.file("out.mkv")
    _ = try Annotation.quick(input, output)
    #expect(try audioPackets(output, "pts_time,size") == audioPackets(input, "pts_time,size"))
    #expect(try Double(audioPackets(output, "pts_time")[0][0])! >= 0.29)
  }

  @Test func aRangeTakesTheSoundOfItsTime() throws {
    let input = try clip("in.mp4")
    let output = folder.file("out.mp4")
    let report = try Annotation.quick(input, output) {
      $0.reading.range = MediaRange(start: .seconds(0.2), duration: 0.2)
    }
    #expect(report.frames == 5)
    #expect(try FFmpegTools.frameTimes(output) == ["0.000000", "0.040000", "0.080000", "0.120000", "0.160000"])
    let times = try audioPackets(output, "pts_time").compactMap { Double($0[0]) }
    #expect(times.allSatisfy { $0 >= 0 && $0 < 0.2 }, "\(times)")
    #expect(times.count == 8 || times.count == 9, "\(times)")
  }

  @Test func theCoverOfAFileIsNotTheVideo() throws {
    let (input, cover) = (folder.file("in.mp4"), folder.file("cover.png"))
    try FFmpegTools.ffmpeg(["-f", "lavfi", "-i", "color=size=200x200", "-frames:v", "1", cover.path])
    try FFmpegTools.ffmpeg([
      "-f", "lavfi", "-i", "testsrc2=size=64x48:rate=25:duration=0.2", "-i", cover.path, "-map", "1", "-map", "0",
      "-c:v:0", "copy", "-disposition:v:0", "attached_pic", input.path,
    ])
    let reader = try VideoReader(input.path)
    #expect(try reader.videoFormat().size == PixelSize(width: 64, height: 48))
    let report = try Annotation.quick(input, folder.file("out.mp4"))
    #expect(report.frames == 5)
  }

  @Test func aNamedStreamIsTaken() throws {
    let input = folder.file("in.mkv")
    try FFmpegTools.ffmpeg([
      "-f", "lavfi", "-i", "testsrc2=size=64x48:rate=25:duration=0.2", "-f", "lavfi", "-i",
      "testsrc2=size=32x24:rate=25:duration=0.4", "-map", "0", "-map", "1", input.path,
    ])
    for (stream, width, frames) in [(0, 64, 5), (1, 32, 10)] {
      let output = folder.file("out\(stream).mkv")
      let report = try Annotation.quick(input, output) { $0.reading.stream = stream }
      #expect(report.frames == frames)
      #expect(try FFmpegTools.videoValue(output, "width") == "\(width)")
    }
    let error = thrown(MediaError.self) {
      try Annotation.quick(input, folder.file("none.mkv")) { $0.reading.stream = 7 }
    }
    #expect(error?.code == .invalidOption)
    #expect(error?.message.contains("0, 1") == true)
  }
}

extension [Int16] {
  /// Samples of 16 bits, little endian.
  fileprivate init(bytes: Data) {
    self = stride(from: 0, to: bytes.count - 1, by: 2).map {
      Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8)
    }
  }
}
