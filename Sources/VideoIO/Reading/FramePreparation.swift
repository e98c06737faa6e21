// From decoded images to delivered frames: upright, of one size, filtered, with times that rise.

import CFFmpeg
import Imaging

/// Turns images upright, scales them to the size of the first one, and filters them. Used by one thread at a time.
final class FramePreparation {
  private let stream: UnsafeMutablePointer<AVStream>
  private let filter: String?
  /// The frame rate of the stream; nil when unknown.
  private let streamRate: Rational?
  private var graph: FilterGraph?
  private var graphFilters = ""
  private var ready: [FrameBuffer] = []
  /// The size of stored images that others are scaled to.
  var firstSize: PixelSize?
  /// A Boolean value that tells whether the first image was turned by a quarter; nil before it.
  private var isFirstTransposed: Bool?

  /// - Parameters:
  ///   - stream: The source of display matrix, time base and aspect ratio; outlives this object.
  ///   - streamRate: Frames per second, if known.
  ///   - filter: A libavfilter graph.
  init(stream: UnsafeMutablePointer<AVStream>, streamRate: Rational?, filter: String?) {
    self.stream = stream
    self.streamRate = streamRate
    self.filter = filter
  }

  /// The time base of the frames.
  var timeBase: Rational { graph?.timeBase ?? stream.pointee.time_base.rational }
  /// The frame rate of the frames; nil when unknown.
  var frameRate: Rational? { graph?.frameRate ?? streamRate }

  /// The next prepared frame; nil when another image is needed.
  func next() -> FrameBuffer? { ready.isEmpty ? nil : ready.removeFirst() }

  /// Forgets the frames that are ready.
  func discard() { ready = [] }

  /// Takes a decoded image.
  func accept(_ frame: FrameBuffer) throws {
    let raw = frame.pointer
    raw.pointee.pts = raw.pointee.best_effort_timestamp
    if raw.pointee.sample_aspect_ratio.num == 0 {
      raw.pointee.sample_aspect_ratio = av_guess_sample_aspect_ratio(nil, stream, raw)
    }
    let upright = uprightFilters(displayMatrix: rheo_frame_display_matrix(raw) ?? rheo_stream_display_matrix(stream))
    // Turned once, it must not be turned again by who shows the output.
    av_frame_remove_side_data(raw, AV_FRAME_DATA_DISPLAYMATRIX)
    let isTransposed = upright?.contains("transpose") ?? false
    if isFirstTransposed == nil { isFirstTransposed = isTransposed }
    let size = frame.size
    if firstSize == nil { firstSize = size }
    let hasNewSize = size != firstSize || graph.map { $0.input.size != size } ?? false
    guard upright != nil || filter != nil || hasNewSize || isTransposed != isFirstTransposed else {
      ready.append(frame)
      return
    }
    let input = filterInput(for: frame)
    let back = size == firstSize ? nil : firstSize.map { "scale=\($0.width):\($0.height)" }
    let filters = [back, upright, scaleOfTurned(isTransposed), filter].compactMap { $0 }.joined(separator: ",")
    guard !filters.isEmpty || filter != nil else {
      // Back at the first size: what the graph still holds comes first.
      try finish()
      graph = nil
      return ready.append(frame)
    }
    if graph?.input != input || filters != graphFilters {
      try finish()
      graph = try FilterGraph(filters, input: input)
      graphFilters = filters
    }
    guard let graph else { return }
    try graph.send(frame)
    try collect(from: graph)
  }

  /// Returns the filter that brings an image to the first one's upright size, when only one of them was turned by a
  /// quarter; nil otherwise.
  private func scaleOfTurned(_ isTransposed: Bool) -> String? {
    guard let isFirstTransposed, isTransposed != isFirstTransposed, let firstSize else { return nil }
    let upright =
      isFirstTransposed ? PixelSize(width: firstSize.height, height: firstSize.width) : firstSize
    return "scale=\(upright.width):\(upright.height)"
  }

  /// Takes out what the filters still hold.
  func finish() throws {
    guard let graph else { return }
    try graph.send(nil)
    try collect(from: graph)
  }

  private func filterInput(for frame: FrameBuffer) -> FilterGraph.Input {
    let raw = frame.pointer.pointee
    let aspect = raw.sample_aspect_ratio.isPositive ? raw.sample_aspect_ratio.rational : Rational(1, 1)
    return FilterGraph.Input(
      size: frame.size, format: frame.format, timeBase: stream.pointee.time_base.rational, frameRate: streamRate,
      sampleAspectRatio: aspect, colorspace: raw.colorspace, range: raw.color_range)
  }

  private func collect(from graph: FilterGraph) throws {
    while let frame = try graph.receive() { ready.append(frame) }
  }
}
