// Videos with the frames of the input, drawn on or over.

import Imaging
import MotionDetection
import VideoIO

/// Draws on every frame of an input and encodes it, with its own time. Used by one thread.
final class FrameVideo {
  private let writer: VideoWriter
  private let maker: CanvasMaker
  private let reader: VideoReader
  private var frames = 0

  /// - Parameters:
  ///   - reader: The reader of the input, which no other thread uses meanwhile.
  ///   - copiesStreams: A Boolean value that tells whether the sound and other streams are copied from then on; only
  ///     one video of an input can have them.
  /// - Throws: ``MediaError``.
  init(_ path: String, outputs: EventOutputs, reader: VideoReader, copiesStreams: Bool) throws {
    var encoding = outputs.encoding
    encoding.overwrites = outputs.overwrites
    writer =
      copiesStreams
      ? try VideoWriter(path, options: encoding, source: reader)
      : try VideoWriter(path, options: encoding, imagesOf: reader)
    maker = CanvasMaker(format: writer.canvasFormat)
    self.reader = reader
  }

  /// Draws on the next frame and encodes it.
  func append(_ frame: VideoFrame, _ draw: (MutableImageView) throws -> Void) throws {
    let canvas = try maker.canvas(for: frame)
    try canvas.withMutableImage(draw)
    try maker.pad(canvas)
    try writer.append(canvas)
    frames += 1
  }

  /// The notes on everything that could not be carried over or had to be changed, one line each; complete once the
  /// frames are through.
  var notes: [String] { writer.notes(on: reader, frames: frames) }

  /// Completes the file.
  func finish() throws { try writer.finish() }
  /// Gives the file up.
  func abandon() { writer.abandon() }
}
