// A live stream as one video, however often the connection to it is made.

import Foundation
import Imaging

/// Reads a video, or a live stream that is connected to again when it breaks off.
///
/// A file is read as by ``VideoReader``. A live stream's frames are numbered through; while it is connected its own
/// time stamps count, over a break the wall clock does: the first frame after it comes as much later than the last one
/// before it as it arrived later. A break is one of the ``gaps``. Not thread safe: one task owns it.
package final class StreamReader {
  /// The first connection: what it says of the size and the streams holds for all.
  package let first: VideoReader
  /// A Boolean value that tells whether frames come even when nobody reads them.
  package let isLive: Bool
  /// The points at which the input could not be decoded, and its breaks.
  package var gaps: [MediaGap] { selection == nil ? reader.gaps : damage.gaps }
  /// The number of times that the connection was made again.
  package private(set) var reconnectionCount = 0

  private let input: String
  private let reading: VideoReader.Options
  private let live: LiveOptions
  /// A Boolean value that tells whether the reader connects again after a break.
  private let comesBack: Bool
  private let tell: @Sendable (ConnectionUpdate) -> Void
  /// The range selection of this object, where connections are read whole; nil: the connection selects the range
  /// itself.
  private var selection: RangeSelection?
  private var reader: VideoReader
  /// The frames, where another thread reads them; nil: this object does.
  private let frames: (() throws -> VideoFrame?)?
  private var timeline = StreamTimeline()
  private var damage = StreamDamage()
  private var knownRestarts = 0
  private var isOver = false
  /// Packets of connections that are over.
  private var leftPackets: [SourcePacket] = []
  /// The streams that go on in the present connection; nil: it is the first.
  private var continued: ContinuedStreams?
  /// The reason of a break, set between it and the first frame after it.
  private var breakReason: String?

  /// Opens the input and decodes its first frame.
  /// - Parameter tell: The closure that is told of breaks, on the thread that reads.
  /// - Throws: ``MediaError`` as ``VideoReader`` does: a stream that is not there at first is not waited for.
  package init(
    _ input: String, options: VideoReader.Options = .init(), live: LiveOptions = .init(),
    tell: @escaping @Sendable (ConnectionUpdate) -> Void = { _ in }
  ) throws {
    try live.validate()
    let kind = InputKind(path: input, format: options.format)
    let isStored = !(live.isLive ?? (kind != .stored))
    var reading = options
    if isStored {
      // What is stored is there at once, and a read that was ended would look like damage.
      reading.isInterrupted = { false }
    } else {
      reading.range = .all
      reading.followsRestarts = true
      if kind == .stream || kind == .address { reading.patience = live.patience }
      selection = RangeSelection(options.range)
    }
    first = try VideoReader(input, options: reading)
    _ = try first.videoFormat()
    reading.storedSize = first.storedSize
    self.input = input
    self.reading = reading
    self.live = live
    self.tell = tell
    reader = first
    frames = nil
    let hasEnd = (first.info.duration ?? 0) > 0
    isLive = live.isLive ?? (kind == .stream || kind == .device || kind == .address && !hasEnd)
    comesBack = isLive && (kind == .stream || kind == .address) && live.reconnectionTime > 0
  }

  /// Makes a reader of a stored video whose frames another thread reads, and hands on. It has no packets.
  /// - Parameter frames: Returns the next frame; nil at the end.
  package init(_ reader: VideoReader, frames: @escaping () throws -> VideoFrame?) {
    first = reader
    self.reader = reader
    self.frames = frames
    (input, reading, live) = (reader.path, reader.options, LiveOptions())
    (isLive, comesBack) = (false, false)
    tell = { _ in }
  }

  /// The next frame; nil at the end of a file, and when a stream does not come back.
  /// - Throws: ``MediaError`` as ``VideoReader/nextFrame()`` does.
  package func nextFrame() throws -> VideoFrame? {
    while !isOver {
      if let frame = try readFrame() {
        guard let placed = position(frame) else { continue }
        return placed
      }
      guard !isOver, comesBack, !reading.isInterrupted() else {
        isOver = true
        break
      }
      leftPackets += try readPackets()
      guard reconnect() else {
        isOver = true
        break
      }
    }
    noteGaps()
    return nil
  }

  /// The packets that were read since the last call; see ``VideoReader/takePackets()``.
  ///
  /// After a break they are those of the first connection's streams that go on; sound of another kind is left out.
  /// - Throws: ``MediaError`` `outOfMemory`.
  package func takePackets() throws -> [SourcePacket] {
    defer { leftPackets = [] }
    return try leftPackets + readPackets()
  }

  private func readPackets() throws -> [SourcePacket] {
    guard frames == nil else { return [] }
    let packets = reader.takePackets()
    guard let continued, let offset = timeline.offset else { return packets }
    return try continued.moved(packets, by: offset)
  }

  // MARK: Steps

  /// The number of frames that came so far, over all connections.
  private var seenCount: Int { selection?.seen ?? 0 }

  private func readFrame() throws -> VideoFrame? {
    if let frames { return try frames() }
    do {
      return try reader.nextFrame()
    } catch let error as MediaError where comesBack {
      breakReason = error.message
      return nil
    }
  }

  /// The frame as one of the whole stream; nil when it is not wanted.
  private func position(_ frame: VideoFrame) -> VideoFrame? {
    guard selection != nil else { return frame }
    let arrival = ContinuousClock.now
    let restarts = reader.restartCount
    mend(frame, arrival)
    noteGaps()
    let time = timeline.time(of: frame.presentationTime)
    if restarts > knownRestarts {
      knownRestarts = restarts
      let missing = time.seconds - (timeline.last?.time ?? time).seconds
      noteBreak("the stream's time stamps begin anew", missing: missing)
    }
    timeline.last = (time, arrival)
    let decision = selection?.decide(time)
    if decision == .stop { isOver = true }
    guard decision == .deliver else { return nil }
    return VideoFrame(buffer: frame.buffer, number: selection?.frameNumber ?? 0, presentationTime: time)
  }

  /// Ends a break with the first frame after it.
  private func mend(_ frame: VideoFrame, _ arrival: ContinuousClock.Instant) {
    guard let breakReason else { return }
    let sent = StreamTimeline.arrival(
      of: frame.presentationTime, decoded: arrival, since: reader.startTime, opening: reader.demuxer.opening)
    guard let missing = timeline.resume(with: frame.presentationTime, sent) else { return }
    self.breakReason = nil
    damage.skip(reader.gapList)
    knownRestarts = reader.restartCount
    noteBreak("the stream broke off: \(breakReason)", missing: missing)
    reconnectionCount += 1
    tell(.restored(missing: missing))
  }

  private func noteBreak(_ reason: String, missing: Double? = nil) {
    damage.noteBreak(reason, missing: missing, seconds: timeline.last?.time.seconds, frameNumber: seenCount)
  }

  /// Takes over what the connection found to be damaged.
  private func noteGaps() {
    // A read that was ended on purpose is no damage.
    guard selection != nil, !reading.isInterrupted() else { return }
    damage.append(reader.gapList, offset: timeline.offset?.seconds ?? 0, frameNumber: seenCount)
  }

  // MARK: Connecting again

  /// Waits and connects until a frame can be decoded.
  /// - Returns: False when that takes too long, or when the end is asked for.
  private func reconnect() -> Bool {
    let begin = ContinuousClock.now
    let reason = breakReason ?? damage.latestGap(in: reader.gapList)?.reason ?? "it ended"
    breakReason = reason
    tell(.lost(frames: seenCount, reason: reason))
    damage.skip(reader.gapList)
    if let end = timeline.last?.time.seconds { damage.forget(upTo: end) }
    var attempt = 0
    while true {
      let waited = (ContinuousClock.now - begin) / .seconds(1)
      guard waited < live.reconnectionTime else {
        giveUp(after: waited, reason)
        return false
      }
      guard wait(min(LiveOptions.pause(before: attempt), live.reconnectionTime - waited)) else { return false }
      do {
        let next = try VideoReader(input, options: reading)
        _ = try next.videoFormat()
        reader = next
        continued = ContinuedStreams(of: first, in: next)
        return true
      } catch {
        guard !reading.isInterrupted() else { return false }
        attempt += 1
        tell(.failed(reason: "\(error)", nextIn: LiveOptions.pause(before: attempt)))
      }
    }
  }

  private func giveUp(after waited: Double, _ reason: String) {
    noteBreak("the stream broke off: \(reason); it did not come back")
    tell(.givenUp(after: waited))
    isOver = true
  }

  /// - Returns: False when the end was asked for meanwhile.
  private func wait(_ seconds: Double) -> Bool {
    let end = ContinuousClock.now + .seconds(seconds)
    while ContinuousClock.now < end {
      guard !reading.isInterrupted() else { return false }
      Thread.sleep(forTimeInterval: 0.05)
    }
    return !reading.isInterrupted()
  }
}
