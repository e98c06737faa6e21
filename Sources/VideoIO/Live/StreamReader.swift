// A live stream as one video, however often the connection to it is made.

import CFFmpeg
import Foundation
import Imaging

/// Reads a video, or a live stream that is connected to again when it breaks off.
///
/// A file is read as by ``VideoReader``. A live stream's frames are numbered through; while it is connected its own time
/// stamps count, over a break the wall clock does: the first frame after it comes as much later than the last one before it as
/// it arrived later. A break is one of the ``gaps``. Not thread safe: one task owns it.
public final class StreamReader {
  /// The first connection: what it says of the size and the streams holds for all.
  public let first: VideoReader
  /// A Boolean value that tells whether frames come even when nobody reads them.
  public let isLive: Bool
  /// Places where the input could not be decoded, and breaks.
  public private(set) var gaps: [MediaGap] = []
  /// The number of times that the connection was made again.
  public private(set) var reconnectionCount = 0

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
  private var knownRestarts = 0
  private var isOver = false
  private var knownGaps = 0
  private var delivered = 0
  /// Packets of connections that are over.
  private var leftPackets: [SourcePacket] = []
  /// Streams of the first connection, by the numbers of those that go on with them in the present one; nil: it is the first.
  private var continued: [Int: UnsafeMutablePointer<AVStream>]?
  /// The offset that is added to the times of this connection, in ticks.
  private var shift: Int64 = 0
  private var last: (time: MediaTime, arrival: ContinuousClock.Instant)?
  /// The reason and the time of a break, set between it and the first frame after it.
  private var broken: (reason: String, at: ContinuousClock.Instant)?

  /// Damage this close to a break, in seconds, is a part of it.
  private static let breakMargin = 1.0

  /// Opens the input and decodes its first frame.
  /// - Parameter tell: The closure that is told of breaks, on the thread that reads.
  /// - Throws: ``MediaError`` as ``VideoReader`` does: a stream that is not there at first is not waited for.
  public init(
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
    let hasEnd = (first.info.duration ?? 0) > 0
    isLive = live.isLive ?? (kind == .stream || kind == .device || kind == .address && !hasEnd)
    comesBack = isLive && (kind == .stream || kind == .address) && live.reconnectionTime > 0
  }

  /// The next frame; nil at the end of a file, and when a stream does not come back.
  /// - Throws: ``MediaError`` as ``VideoReader/nextFrame()`` does.
  public func nextFrame() throws -> VideoFrame? {
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
  public func takePackets() throws -> [SourcePacket] {
    defer { leftPackets = [] }
    return try leftPackets + readPackets()
  }

  private func readPackets() throws -> [SourcePacket] {
    let packets = reader.takePackets()
    guard let continued, let base = last?.time.timeBase else { return packets }
    let shift = MediaTime(value: shift, timeBase: base)
    return try packets.compactMap { packet in
      guard let target = continued[packet.streamIndex] else { return nil }
      return try packet.moved(from: reader.demuxer.streams[packet.streamIndex], to: target, shift: shift)
    }
  }

  // MARK: Steps

  private func readFrame() throws -> VideoFrame? {
    do {
      return try reader.nextFrame()
    } catch let error as MediaError where comesBack {
      broken = (error.message, .now)
      return nil
    }
  }

  /// The frame as one of the whole stream; nil when it is not wanted.
  private func position(_ frame: VideoFrame) -> VideoFrame? {
    guard var selection else {
      noteGaps()
      return frame
    }
    let arrival = ContinuousClock.now
    let restarts = reader.restartCount
    mend(frame, arrival)
    noteGaps()
    let time = shifted(frame.presentationTime)
    if restarts > knownRestarts {
      knownRestarts = restarts
      let missing = time.seconds - (last?.time.seconds ?? time.seconds)
      gaps.append(gap("the stream's time stamps begin anew", missing: missing))
    }
    last = (time, arrival)
    let decision = selection.decide(time)
    self.selection = selection
    if decision == .stop { isOver = true }
    guard decision == .deliver else { return nil }
    defer { delivered += 1 }
    return VideoFrame(buffer: frame.buffer, number: delivered, presentationTime: time, duration: frame.duration)
  }

  /// Ends a break with the first frame after it.
  private func mend(_ frame: VideoFrame, _ arrival: ContinuousClock.Instant) {
    guard let broken, let last else { return }
    self.broken = nil
    let missing = (arrival - last.arrival) / .seconds(1)
    let base = last.time.timeBase
    let own = frame.presentationTime.rescaled(to: base).value
    shift = last.time.value + max(1, Int64((missing / base.doubleValue).rounded())) - own
    knownGaps = reader.gaps.count
    knownRestarts = reader.restartCount
    gaps.append(gap("the stream broke off: \(broken.reason)", missing: missing))
    reconnectionCount += 1
    tell(.restored(missing: missing))
  }

  private func gap(_ reason: String, missing: Double) -> MediaGap {
    let seconds = (missing * 1000).rounded() / 1000
    return MediaGap(seconds: last?.time.seconds, frameNumber: delivered, reason: "\(reason); \(seconds) s are missing")
  }

  private func shifted(_ time: MediaTime) -> MediaTime {
    let base = last?.time.timeBase ?? time.timeBase
    return MediaTime(value: time.rescaled(to: base).value + shift, timeBase: base)
  }

  /// Takes over what the connection found to be damaged.
  private func noteGaps() {
    guard selection != nil else {
      gaps = reader.gaps
      return
    }
    // A read that was ended on purpose is no damage.
    guard !reading.isInterrupted() else { return }
    for gap in reader.gaps.dropFirst(knownGaps) {
      let offset = MediaTime(value: shift, timeBase: last?.time.timeBase ?? Rational(1, 1)).seconds
      gaps.append(
        MediaGap(seconds: gap.seconds.map { $0 + offset }, frameNumber: delivered, reason: gap.reason))
    }
    knownGaps = reader.gaps.count
  }

  // MARK: Connecting again

  /// Waits and connects until a frame can be decoded.
  /// - Returns: False when that takes too long, or when the end is asked for.
  private func reconnect() -> Bool {
    let begin = ContinuousClock.now
    let reason = broken?.reason ?? reader.gaps.dropFirst(knownGaps).last?.reason ?? "it ended"
    broken = (reason, begin)
    tell(.lost(frames: delivered, reason: reason))
    forgetLastDamage()
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
        continued = next.streams(goingOnWith: first)
        return true
      } catch {
        guard !reading.isInterrupted() else { return false }
        attempt += 1
        tell(.failed(reason: "\(error)", nextIn: LiveOptions.pause(before: attempt)))
      }
    }
  }

  private func giveUp(after waited: Double, _ reason: String) {
    gaps.append(
      MediaGap(
        seconds: last?.time.seconds, frameNumber: delivered,
        reason: "the stream broke off: \(reason); it did not come back"))
    tell(.givenUp(after: waited))
    isOver = true
  }

  /// The last images before a break are often damaged: that is a part of it.
  private func forgetLastDamage() {
    knownGaps = reader.gaps.count
    guard let end = last?.time.seconds else { return }
    gaps.removeAll { gap in
      gap.seconds.map { $0 > end - Self.breakMargin } ?? true && !gap.reason.hasSuffix("are missing")
    }
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

extension VideoReader {
  /// The streams of another connection to the same input that those of this one go on with, by the numbers of these: the
  /// video, and sounds of the same kind in their order.
  fileprivate func streams(goingOnWith earlier: VideoReader) -> [Int: UnsafeMutablePointer<AVStream>] {
    var continued = [Int(stream.pointee.index): earlier.stream]
    for (own, other) in zip(demuxer.sounds, earlier.demuxer.sounds) where own.isSameKind(as: other) {
      continued[Int(own.pointee.index)] = other
    }
    return continued
  }
}

extension Demuxer {
  fileprivate var sounds: [UnsafeMutablePointer<AVStream>] {
    streams.filter { $0.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_AUDIO }
  }
}

extension UnsafeMutablePointer<AVStream> {
  /// Returns whether packets of the two streams can be decoded one after the other.
  fileprivate func isSameKind(as other: Self) -> Bool {
    let (a, b) = (pointee.codecpar.pointee, other.pointee.codecpar.pointee)
    return a.codec_id == b.codec_id && a.sample_rate == b.sample_rate
      && a.ch_layout.nb_channels == b.ch_layout.nb_channels
      && UnsafeRawBufferPointer(start: a.extradata, count: Int(a.extradata_size))
        .elementsEqual(UnsafeRawBufferPointer(start: b.extradata, count: Int(b.extradata_size)))
  }
}
