// A libavfilter graph between the decoder and the frames that a reader delivers: rotation, then the user's filters.

import CFFmpeg
import Imaging

/// Runs frames through filters. Used by one thread at a time.
final class FilterGraph {
  /// The kind of frame that the graph was built for; another kind needs another graph.
  struct Input: Equatable {
    var size: PixelSize
    var format: AVPixelFormat
    var timeBase: Rational
    var frameRate: Rational?
    var sampleAspectRatio: Rational
    var colorspace: AVColorSpace
    var range: AVColorRange
  }

  let input: Input
  private let graph: OwnedFilterGraph
  private let source: UnsafeMutablePointer<AVFilterContext>
  private let sink: UnsafeMutablePointer<AVFilterContext>

  /// - Parameter description: The filters, as after ffmpeg's `-vf`; one input, one output.
  init(_ description: String, input: Input) throws {
    self.input = input
    graph = try OwnedFilterGraph()
    // For `scale` and for conversions between filters: the same bytes on every processor.
    graph.pointer.pointee.scale_sws_opts = av_strdup("flags=bicubic+accurate_rnd+bitexact")
    var options =
      "video_size=\(input.size.width)x\(input.size.height):pix_fmt=\(input.format.name)"
      + ":time_base=\(input.timeBase):pixel_aspect=\(input.sampleAspectRatio)"
    if let rate = input.frameRate { options += ":frame_rate=\(rate)" }
    if rheo_buffer_source_has_color() != 0 {
      options += ":colorspace=\(input.colorspace.rawValue):range=\(input.range.rawValue)"
    }
    source = try Self.make("buffer", "in", options, in: graph.pointer)
    sink = try Self.make("buffersink", "out", nil, in: graph.pointer)
    try Self.link(description, from: source, to: sink, in: graph.pointer)
    guard av_buffersink_get_type(sink) == AVMEDIA_TYPE_VIDEO else {
      throw MediaError(.invalidOption, "the filter \"\(description)\" gives no video")
    }
    // Filters that double the frames divide the time base, and do not look whether it stays a number.
    guard timeBase.isPositive else {
      throw MediaError(
        .invalidOption, "the filter \"\(description)\" cannot divide the video's ticks of \(input.timeBase) s")
    }
  }

  /// Connects filters with what feeds them and what takes what they give.
  static func link(
    _ description: String, from source: UnsafeMutablePointer<AVFilterContext>,
    to sink: UnsafeMutablePointer<AVFilterContext>, in graph: UnsafeMutablePointer<AVFilterGraph>
  ) throws {
    var outputs = avfilter_inout_alloc()
    var inputs = avfilter_inout_alloc()
    defer {
      avfilter_inout_free(&outputs)
      avfilter_inout_free(&inputs)
    }
    let open = try allocated(outputs, "a filter's input")
    open.pointee.name = av_strdup("in")
    open.pointee.filter_ctx = source
    let close = try allocated(inputs, "a filter's output")
    close.pointee.name = av_strdup("out")
    close.pointee.filter_ctx = sink
    _ = FFmpegLog.takeLastError()
    try check(
      avfilter_graph_parse_ptr(graph, description, &inputs, &outputs, nil), .invalidOption,
      "the filter \"\(description)\" does not work")
    try check(
      avfilter_graph_config(graph, nil), .invalidOption, "the filter \"\(description)\" does not work")
  }

  /// Makes a filter.
  static func make(
    _ filter: String, _ name: String, _ options: String?, in graph: UnsafeMutablePointer<AVFilterGraph>
  ) throws -> UnsafeMutablePointer<AVFilterContext> {
    var context: UnsafeMutablePointer<AVFilterContext>?
    try check(
      avfilter_graph_create_filter(&context, avfilter_get_by_name(filter), name, options, nil, graph),
      .invalidOption, "creating the filter \(filter)")
    return try allocated(context, "the filter \(filter)")
  }

  var timeBase: Rational { av_buffersink_get_time_base(sink).rational }

  var frameRate: Rational? {
    let rate = av_buffersink_get_frame_rate(sink).rational
    return rate.isPositive ? rate : nil
  }

  /// Feeds a frame, or the end with nil.
  func send(_ frame: FrameBuffer?) throws {
    try check(
      av_buffersrc_add_frame_flags(source, frame?.pointer, Int32(AV_BUFFERSRC_FLAG_KEEP_REF)), .damaged,
      "filtering")
  }

  /// The next filtered frame, or nil when the graph needs another one or has ended.
  func receive() throws -> FrameBuffer? {
    let frame = try FrameBuffer()
    let status = av_buffersink_get_frame(sink, frame.pointer)
    if status == RHEO_ERROR_AGAIN || status == RHEO_ERROR_EOF { return nil }
    try check(status, .damaged, "filtering")
    return frame
  }
}

/// The filters that turn an image upright as a display matrix asks, or nil when it is upright.
///
/// The matrix maps a stored point (x, y) to (a·x + c·y, b·x + d·y). Quarter turns and mirror images are exact;
/// other angles are rounded to the nearest quarter turn.
func uprightFilters(displayMatrix m: UnsafePointer<Int32>?) -> String? {
  guard let m else { return nil }
  let (a, b, c, d) = (Int64(m[0]), Int64(m[1]), Int64(m[3]), Int64(m[4]))
  var filters: [String] = []
  if abs(a) + abs(d) >= abs(b) + abs(c) {
    if a < 0 { filters.append("hflip") }
    if d < 0 { filters.append("vflip") }
  } else {
    filters.append("transpose=dir=cclock_flip")  // (x, y) → (y, x)
    if c < 0 { filters.append("hflip") }
    if b < 0 { filters.append("vflip") }
  }
  return filters.isEmpty ? nil : filters.joined(separator: ",")
}
