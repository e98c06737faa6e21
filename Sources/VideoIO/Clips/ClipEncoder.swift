// Parts of an input as files of their own, encoded anew.

import CFFmpeg
import Imaging

/// Decodes packets and encodes the frames between two times; the sound is copied.
///
/// Packets take little memory, frames a lot: it is cheaper to decode the packets of a clip a second time than to keep the
/// frames until it is known that they belong to one.
package final class ClipEncoder: ClipSink {
  private let streams: CopiedStreams
  private let decoder: StreamDecoder
  private let preparation: FramePreparation
  private var clock = FrameClock()
  private let writer: VideoWriter
  private let maker: CanvasMaker
  private let start: MediaTime
  private var end: MediaTime
  /// Frames after `end`, as far as they are known already.
  private var waiting: [VideoFrame] = []
  private let draw: (MutableImageView) -> Void
  /// False, because the clip ends with the very last frame.
  package let keepsWholeGroups = false

  /// - Parameters:
  ///   - path: A file; its ending says which container, unless the options do.
  ///   - start: The time of the first frame. It becomes zero.
  ///   - reading: The options with which the input is read: threads and filter.
  ///   - draw: Changes each image before it is encoded.
  /// - Throws: ``MediaError``.
  package init(
    _ path: String, streams: CopiedStreams, start: MediaTime, reading: VideoReader.Options, options: EncoderOptions,
    draw: @escaping (MutableImageView) -> Void
  ) throws {
    self.streams = streams
    self.start = start
    self.draw = draw
    end = start
    decoder = try StreamDecoder(stream: streams.videoStream, threadCount: reading.threadCount)
    preparation = FramePreparation(
      stream: streams.videoStream, streamRate: streams.frameRate, filter: reading.filter)
    writer = try VideoWriter(path, options: options, streams: streams, start: start)
    maker = CanvasMaker(format: writer.canvasFormat)
  }

  /// The notes on what could not be carried over, and why: one line each.
  package var notes: [String] { writer.notes }

  /// Decodes a packet of the video and encodes what comes of it; copies one of the sound.
  package func append(_ packet: SourcePacket) throws {
    guard packet.isVideo else {
      try writer.write(MediaPacket(sharing: packet.pointer))
      return
    }
    try decode(packet.pointer)
  }

  /// Encodes the frames up to a time that were decoded already.
  package func advance(to end: MediaTime) throws {
    self.end = end
    while let frame = waiting.first, frame.presentationTime <= end {
      waiting.removeFirst()
      try encode(frame)
    }
  }

  /// Encodes what the decoder still holds, up to the end.
  package func finishVideo() throws {
    try decode(nil)
    waiting = []
  }

  /// Completes the file and gives it its final name.
  package func finish() throws { try writer.finish() }
  /// Deletes what was written.
  package func abandon() { writer.abandon() }

  // MARK: Steps

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
      while let buffer = preparation.next() { try take(buffer) }
    }
  }

  private func skippingDamage(_ body: () throws -> Void) throws {
    do { try body() } catch let error as MediaError where error.code == .damaged { return }
  }

  private func take(_ buffer: FrameBuffer) throws {
    let time = clock.time(
      of: buffer.pointer.pointee.pts, timeBase: preparation.timeBase, frameRate: preparation.frameRate)
    guard time >= start else { return }
    let frame = VideoFrame(buffer: buffer, number: 0, presentationTime: time)
    if time <= end { try encode(frame) } else { waiting.append(frame) }
  }

  private func encode(_ frame: VideoFrame) throws {
    let canvas = try maker.canvas(for: frame)
    try canvas.withMutableImage(draw)
    try maker.pad(canvas)
    try writer.append(canvas)
  }
}
