import Foundation
import TestSupport
import Testing

@testable import Rheo

/// Clips of events that the test makes up, from a video with a key frame every 20 frames.
@Suite(.enabled(if: FFmpegTools.areInstalled)) struct ClipRecorderTests {
  private static let frameCount = 160
  private let folder: TemporaryFolder
  private let input: URL

  init() throws {
    folder = try TemporaryFolder()
    input = folder.file("in.mp4")
    try draw(keyFrameDistance: 20)
  }

  private func draw(keyFrameDistance: Int) throws {
    let encoding = ["-c:v", "libx264", "-preset", "ultrafast", "-bf", "2", "-sc_threshold", "0"]
    try Clips.moving(input, frames: Self.frameCount, encoding: encoding + ["-g", "\(keyFrameDistance)"])
  }

  private static func timestamp(_ frame: Int) -> FrameTimestamp {
    FrameTimestamp(frame: frame, time: MediaTime(value: Int64(frame), timeBase: Rational(1, 25)))
  }

  private struct Outcome {
    var paths: [Int: String] = [:]
    var notes: [String] = []
    var maximumKept = 0
  }

  /// An event from 50 on that is certain at 60, goes on to 65, and again from 90 to 110.
  private func record(byteLimit: Int = PacketRing.standardByteLimit, mode: EventOutputs.ClipMode = .copy) throws
    -> Outcome
  {
    var reading = VideoReader.Options(threadCount: 1)
    reading.keepsPackets = true
    let reader = try VideoReader(input.path, options: reading)
    let recorder = try ClipRecorder(
      names: EventFileNames(folder: folder.file("clips").path, stem: "in", overwrites: false), mode: mode,
      streams: CopiedStreams(reader), reading: reading, encoding: EncoderOptions(crf: 0, preset: "ultrafast"),
      byteLimit: byteLimit
    ) { _ in }
    var outcome = Outcome()
    for t in 0..<Self.frameCount {
      _ = try #require(try reader.nextFrame())
      let end = t <= 65 ? t : t < 90 ? 65 : min(t, 110)
      let ongoing = OngoingEvent(
        number: 1, start: Self.timestamp(50), end: Self.timestamp(end), peak: Self.timestamp(55), peakScore: 1,
        isCertain: t >= 60)
      let ended = MotionEvent(
        number: 1, start: Self.timestamp(50), end: Self.timestamp(110), peak: Self.timestamp(55), peakScore: 1,
        zones: [],
        boxes: [], u: 0, v: 0)
      let written = try recorder.append(
        reader.takePackets(), ended: t == 130 ? [ended] : [], ongoing: (50..<130).contains(t) ? ongoing : nil,
        earliestStart: Self.timestamp(t < 60 ? min(t, 50) : t - 5))
      outcome.paths.merge(written) { $1 }
      outcome.maximumKept = max(outcome.maximumKept, recorder.keptCount)
    }
    outcome.paths.merge(try recorder.finish(reader.takePackets(), ended: [])) { $1 }
    outcome.notes = recorder.notes
    return outcome
  }

  private func frames(_ path: String) throws -> Data { try FFmpegTools.samples(URL(fileURLWithPath: path), as: "gray") }

  private func sourceFrames(_ range: ClosedRange<Int>) throws -> Data {
    let all = try frames(input.path)
    return all.subdata(in: range.lowerBound * 64 * 48..<(range.upperBound + 1) * 64 * 48)
  }

  @Test func aCopyBeginsWithTheKeyFrameBeforeAndHasNoHoles() throws {
    let outcome = try record()
    let path = try #require(outcome.paths[1])
    #expect(path.hasSuffix("clips/in-event-0001.mp4") && outcome.notes.isEmpty)
    let copied = try frames(path)
    let last = 40 + copied.count / (64 * 48) - 1
    // The last frame may need one or two that come after it.
    #expect((110...112).contains(last), "\(last)")
    #expect(try copied == sourceFrames(40...last))
    let times = try FFmpegTools.frameTimes(URL(fileURLWithPath: path)).compactMap(Double.init)
    #expect(times.first == 0 && zip(times, times.dropFirst()).allSatisfy { abs($1 - $0 - 0.04) < 1e-6 }, "\(times)")
  }

  @Test func anEncodedClipHasTheFramesOfTheEventExactly() throws {
    let path = try #require(try record(mode: .encode).paths[1])
    #expect(try frames(path) == sourceFrames(50...110))
  }

  /// Packets that are written are forgotten: only a pause, which may belong to the event or not, is kept.
  @Test func aLongEventTakesNoMemory() throws {
    #expect(try record().maximumKept < 60)
  }

  @Test func whereTheKeyFrameIsGoneTheClipBeginsLaterAndSaysSo() throws {
    let sizes = try FFmpegTools.packetSizes(input, streams: "v")
    let outcome = try record(byteLimit: sizes[45...65].reduce(0) { $0 + $1 + MediaPacket.overhead })
    let path = try #require(outcome.paths[1])
    #expect(outcome.notes.count == 1 && outcome.notes[0].contains("event 1"), "\(outcome.notes)")
    let copied = try frames(path)
    let first = 60
    #expect(try copied == sourceFrames(first...first + copied.count / (64 * 48) - 1))
    #expect(folder.names == ["clips", "in.mp4"])
  }

  @Test func withoutAnyKeyFrameThereIsNoClipAndANote() throws {
    try draw(keyFrameDistance: 200)
    let outcome = try record(byteLimit: 1)
    #expect(outcome.paths.isEmpty && outcome.notes.contains { $0.contains("no clip") }, "\(outcome.notes)")
  }

  /// A watch may last for years: each note took memory until its end.
  @Test func ofTheNotesOfALongWatchTheFirstThousandAreKept() throws {
    let reader = try VideoReader(input.path)
    let recorder = ClipRecorder(streams: try CopiedStreams(reader), isExact: false) { _, _ in
      throw MediaError(.cannotWrite, "nothing is read, so nothing is written")
    }
    for number in 1...3000 {
      let event = MotionEvent(
        number: number, start: Self.timestamp(50), end: Self.timestamp(110), peak: Self.timestamp(55), peakScore: 1,
        zones: [], boxes: [], u: 0, v: 0)
      _ = try recorder.append([], ended: [event], ongoing: nil, earliestStart: nil)
    }
    #expect(recorder.notes.count == 1001 && recorder.notes[999].hasPrefix("event 1000: "))
    #expect(recorder.notes[1000] == "clips: 2000 more notes are not listed")
  }

  @Test func clipsOfAnEarlierRunAreNotReplaced() throws {
    _ = try record()
    #expect { try record() } throws: { error in
      (error as? MediaError)?.code == .outputExists && "\(error)".contains("in-event-0001.mp4")
    }
  }

  @Test func stemsTellInputsApart() {
    let inputs = ["a/x.mp4", "b/x.mkv", "-", "rtsp://host/cam?user=1", "c/.hidden", "x"]
    #expect(EventOutputs.stems(of: inputs) == ["x", "x-2", "stdin", "cam", ".hidden", "x-3"])
  }
}
