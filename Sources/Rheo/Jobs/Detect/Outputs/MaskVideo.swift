// The video of the motion that counts, frame by frame.

import FlowRendering
import Imaging
import MotionDetection
import VideoIO

/// Writes a video that is white where something travels that counts, and black elsewhere. Used by one thread.
final class MaskVideo {
  let video: FrameVideo
  private let renderer: MaskRenderer

  /// - Parameter reader: The reader of the input, which no other thread uses meanwhile.
  /// - Throws: ``MediaError`` or ``RenderingError``.
  init(_ path: String, outputs: EventOutputs, reader: VideoReader) throws {
    renderer = try MaskRenderer(size: reader.videoFormat().size)
    video = try FrameVideo(path, outputs: outputs, reader: reader, copiesStreams: false)
  }

  /// Draws and encodes the mask of the next frame.
  func append(_ frame: VideoFrame, _ counted: CellMask?) throws {
    let boxes = counted?.rectangles(in: renderer.size).map(\.boundingBox) ?? []
    try video.append(frame) { try renderer.render(boxes, over: $0) }
  }
}
