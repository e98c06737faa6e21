// Parts of an input as files of their own, encoded anew.

import CFFmpeg
import Imaging

/// Decodes packets and encodes the frames between two times; the sound is copied.
///
/// Packets take little memory, frames a lot: it is cheaper to decode the packets of a clip a second time than to keep
/// the frames until it is known that they belong to one.
package final class ClipEncoder: ClipSink {
  private let decoder: ClipDecoder
  private let writer: VideoWriter
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
    let writer = try VideoWriter(
      path, options: options, streams: streams, start: start, inputs: [streams.path])
    let maker = CanvasMaker(format: writer.canvasFormat)
    self.writer = writer
    decoder = try ClipDecoder(streams, start: start, reading: reading) { frame in
      let canvas = try maker.canvas(for: frame)
      try canvas.withMutableImage(draw)
      try maker.pad(canvas)
      try writer.append(canvas)
    }
  }

  /// The notes on what could not be carried over, and why: one line each.
  package var notes: [String] { writer.notes }

  /// Decodes a packet of the video and encodes what comes of it; copies one of the sound.
  package func append(_ packet: SourcePacket) throws {
    guard packet.isVideo else {
      try writer.write(MediaPacket(sharing: packet.pointer))
      return
    }
    try decoder.append(packet)
  }

  /// Encodes the frames up to a time that were decoded already.
  package func advance(to end: MediaTime) throws { try decoder.advance(to: end) }
  /// Encodes what the decoder still holds, up to the end.
  package func finishVideo() throws { try decoder.finish() }
  /// Completes the file and gives it its final name.
  package func finish() throws { try writer.finish() }
  /// Deletes what was written.
  package func abandon() { writer.abandon() }
}
