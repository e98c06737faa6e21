// Filters for frames that are looked at, beside those that are shown.

import CFFmpeg
import Imaging

/// A libavfilter graph that makes of each frame another one of its size, such as `hqdn3d`. Used by one thread.
public final class FrameFilter {
  private let description: String
  private var graph: FilterGraph?

  /// A filter; the graph is made for the first frame.
  /// - Parameter description: The filters, as after ffmpeg's `-vf`; one input, one output.
  public init(_ description: String) { self.description = description }

  /// Returns the filtered frame, with the number and the time of `frame`. Frames come in their order, for some filters
  /// remember those before.
  /// - Throws: ``MediaError`` `invalidOption` for a filter that does not work, changes the size, or holds frames back.
  public func filtered(_ frame: VideoFrame) throws -> VideoFrame {
    let raw = frame.buffer.pointer.pointee
    let input = FilterGraph.Input(
      size: frame.size, format: frame.buffer.format, timeBase: frame.presentationTime.timeBase, frameRate: nil,
      sampleAspectRatio: Rational(1, 1), colorspace: raw.colorspace, range: raw.color_range)
    let graph = try self.graph.flatMap { $0.input == input ? $0 : nil } ?? FilterGraph(description, input: input)
    self.graph = graph
    try graph.send(frame.buffer)
    guard let found = try graph.receive() else {
      throw MediaError(
        .invalidOption, "the filter \"\(description)\" holds frame \(frame.number) back; each frame needs one at once")
    }
    guard found.size == frame.size else {
      throw MediaError(
        .invalidOption, "the filter \"\(description)\" makes \(found.size) of \(frame.size); the size must stay")
    }
    guard try graph.receive() == nil else {
      throw MediaError(.invalidOption, "the filter \"\(description)\" makes several frames of one")
    }
    return VideoFrame(buffer: found, number: frame.number, presentationTime: frame.presentationTime)
  }
}
