// Drawing on canvases, for programs that encode what they draw.

import FlowRendering
import Imaging
import VideoIO

extension FlowRenderer {
  /// Draws a frame's flow over the frame on a canvas. Frames come in order, for the automatic scale follows the stream.
  ///
  /// - Parameters:
  ///   - flow: The flow, of `FlowRenderer.size`; nil for the last frame.
  ///   - confidence: The trust in the vectors, 0…1, of that size; nil: full trust.
  ///   - contours: The outlines that the style `contours` shows, of that size.
  ///   - caption: Time and number for the hud; nil: no hud on this frame.
  ///   - canvas: At least of `FlowRenderer.canvasSize`; what lies beyond (padding) stays as it is.
  /// - Throws: `RenderingError` with code `sizeMismatch`, `missingConfidence` or `unsupportedFormat`; then nothing is
  ///   drawn.
  public func render(
    _ flow: FlowField?, confidence: Plane<Float>? = nil, contours: ContourHierarchy? = nil,
    caption: FrameCaption? = nil, on canvas: Canvas
  ) throws {
    try canvas.withMutableImage {
      try render(flow, confidence: confidence, contours: contours, caption: caption, over: $0)
    }
  }
}

extension TrackRenderer {
  /// Draws all marks on a canvas, later ones over earlier ones.
  ///
  /// - Throws: `RenderingError` with code `sizeMismatch` or `unsupportedFormat`; then nothing is drawn.
  public func render(_ marks: [TrackMark], on canvas: Canvas) throws {
    try canvas.withMutableImage { try render(marks, over: $0) }
  }
}

extension EventRenderer {
  /// Draws the zones, the boxes and the caption on a canvas.
  ///
  /// - Throws: `RenderingError` with code `sizeMismatch` or `unsupportedFormat`; then nothing is drawn.
  public func render(_ marks: EventMarks, on canvas: Canvas) throws {
    try canvas.withMutableImage { try render(marks, over: $0) }
  }
}
