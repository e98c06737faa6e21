// The frames of a part of an input, decoded from its packets.

import CFFmpeg
import Imaging

/// Decodes packets and hands on the frames between two times.
final class ClipDecoder {
  private let decoder: StreamDecoder
  private let preparation: FramePreparation
  private var clock = FrameClock()
  private let start: MediaTime
  private var end: MediaTime
  /// Frames after `end`, as far as they are known already.
  private var waiting: [VideoFrame] = []
  private let take: (VideoFrame) throws -> Void

  /// - Parameters:
  ///   - start: The time of the first frame.
  ///   - reading: The options with which the input is read: threads and filter.
  ///   - take: Called with each frame, in their order.
  /// - Throws: ``MediaError``.
  init(
    _ streams: CopiedStreams, start: MediaTime, reading: VideoReader.Options,
    take: @escaping (VideoFrame) throws -> Void
  ) throws {
    self.start = start
    self.take = take
    end = start
    decoder = try StreamDecoder(stream: streams.videoStream, threadCount: reading.threadCount)
    preparation = FramePreparation(
      stream: streams.videoStream, streamRate: streams.frameRate, filter: reading.filter)
  }

  /// Decodes a packet and hands on what comes of it.
  func append(_ packet: SourcePacket) throws { try decode(packet.pointer) }

  /// Hands on the frames up to a time that were decoded already.
  func advance(to end: MediaTime) throws {
    self.end = end
    while let frame = waiting.first, frame.presentationTime <= end {
      waiting.removeFirst()
      try take(frame)
    }
  }

  /// Hands on what the decoder still holds, up to the end.
  func finish() throws {
    try decode(nil)
    waiting = []
  }

  /// Damage was listed when the input was read; here what can be decoded is taken.
  private func decode(_ packet: UnsafeMutablePointer<AVPacket>?) throws {
    try skippingDamage { try decoder.send(packet) }
    var isDone = false
    while !isDone {
      try skippingDamage {
        isDone = true
        switch try decoder.receive() {
        case .frame(let frame):
          isDone = false
          try preparation.accept(frame)
        case .needsPacket: break
        case .finished: try preparation.finish()
        }
      }
      while let buffer = preparation.next() { try sort(buffer) }
    }
  }

  private func skippingDamage(_ body: () throws -> Void) throws {
    do { try body() } catch let error as MediaError where error.code == .damaged { return }
  }

  private func sort(_ buffer: FrameBuffer) throws {
    let time = clock.time(
      of: buffer.pointer.pointee.pts, timeBase: preparation.timeBase, frameRate: preparation.frameRate)
    guard time >= start else { return }
    let frame = VideoFrame(buffer: buffer, number: 0, presentationTime: time)
    if time <= end { try take(frame) } else { waiting.append(frame) }
  }
}
