// Clips of events, written while the events go on.

import Imaging
import MotionDetection
import VideoIO

/// Keeps the latest packets, and writes those of each event into a file. Used by one thread.
///
/// An event is certain only some time after its start, so the packets back to the key frame before the earliest
/// possible start are kept. From then on they go straight into the file: a long event takes no memory.
final class ClipRecorder {
  /// Makes what takes the packets of an event, and tells its path.
  typealias Maker = (_ event: Int, _ start: MediaTime) throws -> (path: String, sink: any ClipSink)

  private let streams: CopiedStreams
  /// The word that notes begin with.
  private let label: String
  private let makeSink: Maker
  /// A Boolean value that tells whether clips begin with the event's first frame, not with the key frame before it.
  private let isExact: Bool
  private var ring: PacketRing
  /// The memory that a clip's sound may take while it waits for its images is that of the ring, divided by this: six
  /// minutes of a CD's sound. Containers store it within seconds of them; what is stamped far ahead may never have any.
  private static let soundShare = 4
  private var current: EventClip?
  /// The clips whose images are complete, but perhaps not their sound.
  private var closed: [EventClip] = []
  private var noteList = LimitedList<String>()

  /// - Parameters:
  ///   - isExact: A Boolean value that tells whether clips begin with the event's first frame.
  ///   - label: The word that notes begin with.
  ///   - makeSink: Called with each event, and the time at which its clip begins.
  init(
    streams: CopiedStreams, isExact: Bool, label: String = "clips", byteLimit: Int = PacketRing.standardByteLimit,
    makeSink: @escaping Maker
  ) {
    self.streams = streams
    self.label = label
    self.isExact = isExact
    self.makeSink = makeSink
    ring = PacketRing(byteLimit: byteLimit)
  }

  /// Creates a recorder that writes a file for each event.
  /// - Parameters:
  ///   - reading: The options with which the input is read.
  ///   - draw: Changes the images of clips that are encoded.
  /// - Throws: ``MediaError``.
  convenience init(
    names: EventFileNames, mode: EventOutputs.ClipMode, streams: CopiedStreams, reading: VideoReader.Options,
    encoding: EncoderOptions, byteLimit: Int = PacketRing.standardByteLimit,
    draw: @escaping (MutableImageView) -> Void
  ) throws {
    let ending = try mode == .copy ? streams.copyEnding : streams.ending(encoding: encoding)
    var encoding = encoding
    encoding.overwrites = names.overwrites
    let options = encoding
    self.init(streams: streams, isExact: mode == .encode, byteLimit: byteLimit) { event, start in
      let path = names.path(event: event, ending: ending)
      let sink: any ClipSink =
        switch mode {
        case .copy: try ClipWriter(path, streams: streams, start: start, overwrite: names.overwrites)
        case .encode:
          try ClipEncoder(path, streams: streams, start: start, reading: reading, options: options, draw: draw)
        }
      return (path, sink)
    }
    try names.refuseExisting(endings: [ending])
  }

  /// Takes the next frame.
  /// - Parameters:
  ///   - packets: The packets that were read for it.
  ///   - ended: The events that are over with it.
  ///   - ongoing: The event that is going on after it.
  ///   - earliestStart: The earliest frame with which an event may begin that is not certain yet.
  /// - Returns: The paths of the clips that are complete now, by the numbers of their events.
  func append(
    _ packets: [SourcePacket], ended: [MotionEvent], ongoing: OngoingEvent?, earliestStart: FrameTimestamp?
  ) throws -> [Int: String] {
    try take(packets)
    for event in ended { try close(event) }
    if let ongoing, ongoing.isCertain {
      if current == nil { current = try open(ongoing.number, start: ongoing.start.time) }
      try current?.advance(through: ongoing.end.time, ring: ring)
      if let current { noteLoss(of: current) }
    }
    let finished = try finishClosed(isLast: false)
    try trim(before: earliestStart?.time)
    return finished
  }

  /// Completes all clips.
  /// - Parameters:
  ///   - packets: The packets that were read after the last frame.
  ///   - ended: The events that end with the last frame.
  func finish(_ packets: [SourcePacket], ended: [MotionEvent]) throws -> [Int: String] {
    try take(packets)
    for event in ended { try close(event) }
    return try finishClosed(isLast: true)
  }

  /// Returns whether the clip of an event is being written.
  func isWriting(event: Int) -> Bool { current?.event == event || closed.contains { $0.event == event } }

  /// The notes that users should know of clips, one line each: the first ones, and how many others there are.
  var notes: [String] {
    let rest = noteList.omittedCount
    return noteList.listed + (rest > 0 ? ["\(label): \(rest) more notes are not listed"] : [])
  }

  /// The number of packets that are kept now.
  var keptCount: Int { ring.endIndex - ring.startIndex }

  /// Gives up the clips that are not complete.
  func abandon() {
    current?.abandon()
    for clip in closed { clip.abandon() }
  }

  // MARK: Steps

  private func take(_ packets: [SourcePacket]) throws {
    let indices = streams.audioIndices
    for packet in packets where packet.isVideo || indices.contains(packet.streamIndex) {
      guard packet.time != nil || ring.endIndex > 0 else {
        throw MediaError(
          .cannotWrite, "is a bare stream without times, from which no clips can be cut; put it into a container first",
          file: streams.path)
      }
      ring.append(packet)
    }
  }

  /// Begins the clip of an event; returns nil when no key frame is there to begin with.
  private func open(_ event: Int, start: MediaTime) throws -> EventClip? {
    let before = ring.keyFrame(atOrBefore: start)
    guard let first = before ?? ring.firstKeyFrame, let time = ring[first].time else { return nil }
    if before == nil {
      noteList.append(
        "event \(event): the key frame before its start is no longer kept; its clip begins at \(time.timecode)")
    }
    let (path, sink) = try makeSink(event, isExact ? max(time, start) : time)
    for note in sink.notes { noteOnce(note) }
    return try EventClip(
      event: event, path: path, sink: sink, audioStreams: streams.audioIndices, first: first, ring: ring,
      soundByteLimit: ring.byteLimit / Self.soundShare)
  }

  /// Adds a note that holds for all clips, unless it is there.
  private func noteOnce(_ text: String) {
    let note = "\(label): \(text)"
    if !noteList.listed.contains(note) { noteList.append(note) }
  }

  private func noteLoss(of clip: EventClip) {
    guard clip.lacksSound else { return }
    noteOnce("sound comes so far ahead of its images that there is no room for it: the rest of it is left out")
  }

  private func close(_ event: MotionEvent) throws {
    // Of what is certain only when it is over nothing has been written yet.
    let opened = try current?.event == event.number ? current : open(event.number, start: event.start.time)
    guard let clip = opened else {
      noteList.append("event \(event.number): has no clip, since no key frame to begin with was read in time")
      return
    }
    try clip.close(at: event.end.time, ring: ring)
    noteLoss(of: clip)
    closed.append(clip)
    current = nil
  }

  private func finishClosed(isLast: Bool) throws -> [Int: String] {
    var finished: [Int: String] = [:]
    for clip in closed where try clip.finish(ring: ring, isLast: isLast) { finished[clip.event] = clip.path }
    closed.removeAll { finished[$0.event] != nil }
    return finished
  }

  /// Drops the packets that no clip needs any more; and when too many are kept, the oldest.
  private func trim(before start: MediaTime?) throws {
    let clips = [current].compactMap(\.self) + closed
    let needed = clips.map(\.next).min() ?? .max
    if let start, let key = ring.keyFrame(atOrBefore: start), let time = ring[key].time {
      while ring.startIndex < min(key, needed), !isSound(ring[ring.startIndex], from: time) { ring.dropFirst() }
    }
    while ring.isFull {
      try current?.advance(throughPacket: ring.startIndex, ring: ring)
      ring.dropFirst()
    }
  }

  private func isSound(_ packet: SourcePacket, from time: MediaTime) -> Bool {
    !packet.isVideo && packet.time.map { $0 >= time } ?? false
  }
}
