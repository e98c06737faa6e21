import Foundation
import TestSupport
import Testing

@testable import Rheo

/// Clips of inputs whose sound and durations have nothing to do with their images.
@Suite(.enabled(if: FFmpegTools.areInstalled)) struct HostileClipTests {
  private let folder: TemporaryFolder
  private let input: URL

  init() throws {
    folder = try TemporaryFolder()
    input = folder.file("in.mkv")
  }

  /// Writes images that are `interval` milliseconds apart, each with 10,000 bytes of sound ahead of it.
  private func draw(
    _ count: Int, interval: Int = 40, imageDuration: UInt64? = nil, soundAhead: Int? = nil, soundCount: Int = .max
  ) throws {
    var details = MatroskaFile.Details()
    (details.rate, details.imageDuration) = (nil, imageDuration)
    details.sound = (0..<min(count, soundCount)).map { number in
      MatroskaFile.Sound(
        beforeImage: number, time: UInt64(interval * number + (soundAhead ?? 0)), packetSize: Self.soundSize)
    }
    try MatroskaFile.write(
      try MatroskaFile.images(count), times: (0..<count).map { UInt64(interval * $0) },
      nanosecondsPerTick: 1_000_000, details: details, to: input)
  }

  private static let soundSize = 10_000
  /// The memory that such sound takes.
  private static let soundByteCount = soundSize + MediaPacket.overhead

  private func makeReader() throws -> VideoReader {
    var options = VideoReader.Options(threadCount: 1)
    options.keepsPackets = true
    return try VideoReader(input.path, options: options)
  }

  /// Counts what it gets.
  private final class CountingSink: ClipSink {
    private(set) var images = 0
    private(set) var sounds = 0
    let notes: [String] = []
    let keepsWholeGroups = true

    func append(_ packet: SourcePacket) {
      if packet.isVideo { images += 1 } else { sounds += 1 }
    }
    func advance(to end: MediaTime) {}
    func finishVideo() {}
    func finish() {}
    func abandon() {}
  }

  private func makeClip(_ sink: CountingSink, soundCount: Int, _ ring: PacketRing) throws -> EventClip {
    try EventClip(
      event: 1, path: "", sink: sink, audioStreams: [1], first: try #require(ring.firstKeyFrame), ring: ring,
      soundByteLimit: soundCount * Self.soundByteCount)
  }

  @Test func soundThatWaitsForImagesIsBounded() throws {
    try draw(50, soundAhead: 3_600_000)
    let (reader, sink) = (try makeReader(), CountingSink())
    var ring = PacketRing()
    var made: EventClip?
    while let frame = try reader.nextFrame() {
      for packet in reader.takePackets() { ring.append(packet) }
      let clip = try made ?? makeClip(sink, soundCount: 20, ring)
      made = clip
      try clip.advance(through: frame.presentationTime, ring: ring)
      #expect(clip.waitingByteCount <= 20 * Self.soundByteCount)
    }
    #expect(made?.lacksSound == true && (made?.waitingByteCount ?? 0) > 18 * Self.soundByteCount)
    #expect(sink.images == 50 && sink.sounds == 0)
  }

  /// The beginning of an event may be long; its sound has its images.
  @Test func soundThatHasItsImagesIsWhole() throws {
    try draw(50)
    let (reader, sink) = (try makeReader(), CountingSink())
    var ring = PacketRing()
    var end: MediaTime?
    while let frame = try reader.nextFrame() { end = frame.presentationTime }
    for packet in reader.takePackets() { ring.append(packet) }
    let clip = try makeClip(sink, soundCount: 4, ring)
    try clip.advance(through: try #require(end), ring: ring)
    #expect(!clip.lacksSound && clip.waitingByteCount <= Self.soundByteCount)
    #expect(sink.images == 50 && sink.sounds >= 49)
  }

  private func timestamp(_ frame: Int, interval: Int) -> FrameTimestamp {
    FrameTimestamp(frame: frame, time: MediaTime(value: Int64(interval * frame), timeBase: Rational(1, 1000)))
  }

  /// Records an event from the first frame to `last`, which is over with the frame after it.
  /// - Returns: The frame with which its clip was complete, nil: the input ended before, and the notes.
  private func record(until last: Int, interval: Int, byteLimit: Int) throws -> (completed: Int?, notes: [String]) {
    let reader = try makeReader()
    _ = try reader.videoFormat()
    let recorder = try ClipRecorder(
      names: EventFileNames(folder: folder.file("clips").path, stem: "in", overwrites: false), mode: .copy,
      streams: CopiedStreams(reader), reading: reader.options, encoding: EncoderOptions(), byteLimit: byteLimit
    ) { _ in }
    let (start, end) = (timestamp(0, interval: interval), timestamp(last, interval: interval))
    let event = MotionEvent(
      number: 1, start: start, end: end, peak: start, peakScore: 1, zones: [], boxes: [], u: 0, v: 0)
    var (completed, number): (Int?, Int) = (nil, 0)
    while try reader.nextFrame() != nil {
      let ongoing = OngoingEvent(
        number: 1, start: start, end: timestamp(number, interval: interval), peak: start, peakScore: 1, isCertain: true)
      let written = try recorder.append(
        reader.takePackets(), ended: number == last + 1 ? [event] : [], ongoing: number <= last ? ongoing : nil,
        earliestStart: timestamp(number, interval: interval))
      if written[1] != nil { completed = number }
      number += 1
    }
    let rest = try recorder.finish(reader.takePackets(), ended: number == last + 1 ? [event] : [])
    #expect((rest[1] != nil) == (completed == nil))
    return (completed, recorder.notes)
  }

  /// One image a second, each of which says to show for an hour; of the sound there is no more than a moment.
  @Test func aClipEndsHoweverLongItsLastImageSaysToShow() throws {
    try draw(40, interval: 1000, imageDuration: 3_600_000, soundCount: 1)
    let found = try record(until: 5, interval: 1000, byteLimit: PacketRing.standardByteLimit)
    // Ten seconds, and two for the sound.
    #expect(found.completed.map { (6...20).contains($0) } == true && found.notes.isEmpty, "\(found)")
  }

  @Test func soundThatIsLeftOutIsToldOnce() throws {
    try draw(100, soundAhead: 3_600_000)
    let found = try record(until: 99, interval: 40, byteLimit: 40 * Self.soundByteCount)
    #expect(found.notes.count == 1 && found.notes[0].hasPrefix("clips: sound comes so far ahead"), "\(found.notes)")
  }
}
