// One owner per FFmpeg object. A `~Copyable` struct has one life and frees its object when that ends; pixels that
// several stages share are a final class. Nothing here throws on its way out.

import CFFmpeg
import Imaging

/// Owns a packet. Used by one thread at a time.
struct OwnedPacket: ~Copyable {
  let pointer: UnsafeMutablePointer<AVPacket>

  init() throws { pointer = try allocated(av_packet_alloc(), "a packet") }

  deinit {
    var pointer: UnsafeMutablePointer<AVPacket>? = pointer
    av_packet_free(&pointer)
  }
}

/// Owns a packet on its way from a demuxer to a muxer.
///
/// SAFETY (unchecked Sendable): the demuxing thread fills it once and hands it over; only the receiver touches it then.
package final class MediaPacket: @unchecked Sendable {
  let packet: OwnedPacket
  /// The index of the stream in the input.
  package let streamIndex: Int
  /// The memory that the packet takes, in bytes.
  var byteCount: Int {
    let raw = packet.pointer.pointee
    let sideData = UnsafeBufferPointer(start: raw.side_data, count: Int(raw.side_data_elems))
    return sideData.reduce(Int(raw.size) + Self.overhead) { $0 + Int($1.size) }
  }

  /// The memory that a packet takes beside its data, in bytes: FFmpeg's packet and its reference to the data, this
  /// object, its position in an array, and what malloc adds to each. Some 300 were measured of packets with a byte of
  /// data each: limits that counted data alone were none.
  package static let overhead = 512

  /// Takes the contents of `source` and leaves it empty.
  init(moving source: UnsafeMutablePointer<AVPacket>) throws {
    packet = try OwnedPacket()
    streamIndex = Int(source.pointee.stream_index)
    av_packet_move_ref(packet.pointer, source)
  }

  /// Another reference to the data of `source`, with times of its own.
  init(sharing source: UnsafeMutablePointer<AVPacket>) throws {
    packet = try OwnedPacket()
    streamIndex = Int(source.pointee.stream_index)
    try check(av_packet_ref(packet.pointer, source), .outOfMemory, "sharing a packet")
  }
}

/// Owns one reference to a frame's pixels.
///
/// SAFETY (unchecked Sendable): whoever makes the frame fills it before sharing it; shared frames are only read.
final class FrameBuffer: @unchecked Sendable {
  let pointer: UnsafeMutablePointer<AVFrame>

  init() throws { pointer = try allocated(av_frame_alloc(), "a frame") }

  /// Allocates pixels. The buffer is padded by FFmpeg, so its own vector code may read past a row.
  /// - Throws: ``MediaError`` `invalidOption` for sizes that no image has, `outOfMemory`.
  convenience init(size: PixelSize, format: AVPixelFormat) throws {
    try size.requireImage()
    try self.init()
    pointer.pointee.width = Int32(size.width)
    pointer.pointee.height = Int32(size.height)
    pointer.pointee.format = format.rawValue
    try check(av_frame_get_buffer(pointer, 0), .outOfMemory, "allocating an image of \(size)")
  }

  /// Another reference to the same pixels.
  convenience init(sharing other: FrameBuffer) throws {
    try self.init()
    try check(av_frame_ref(pointer, other.pointer), .outOfMemory, "sharing a frame")
  }

  deinit {
    var pointer: UnsafeMutablePointer<AVFrame>? = pointer
    av_frame_free(&pointer)
  }

  var size: PixelSize { PixelSize(width: Int(pointer.pointee.width), height: Int(pointer.pointee.height)) }
  var format: AVPixelFormat { AVPixelFormat(pointer.pointee.format) }
  /// A Boolean value that tells whether samples use all values. Untagged grey does, untagged Y'CbCr does not: FFmpeg's
  /// own convention.
  var isFullRange: Bool {
    switch pointer.pointee.color_range {
    case AVCOL_RANGE_JPEG: true
    case AVCOL_RANGE_MPEG: false
    default: format.isGray
    }
  }
}

extension PixelSize {
  /// The longest side of an image, in pixels: FFmpeg counts them in 32 bits, and encoders pad them.
  private static let sideLimit = 1 << 30

  /// - Throws: ``MediaError`` `invalidOption` for sizes that no image has.
  func requireImage() throws {
    guard !isEmpty, width <= Self.sideLimit, height <= Self.sideLimit else {
      throw MediaError(.invalidOption, "an image of \(self) cannot be made; sides are 1…\(Self.sideLimit) pixels")
    }
  }
}

/// Owns a decoder or encoder. Used by one thread at a time (FFmpeg's own worker threads apart).
struct OwnedCodecContext: ~Copyable {
  let pointer: UnsafeMutablePointer<AVCodecContext>

  init(codec: UnsafePointer<AVCodec>) throws {
    pointer = try allocated(avcodec_alloc_context3(codec), "a codec")
  }

  deinit {
    var pointer: UnsafeMutablePointer<AVCodecContext>? = pointer
    avcodec_free_context(&pointer)
  }
}

/// Owns an opened input. Used by one thread at a time.
struct OwnedInput: ~Copyable {
  let pointer: UnsafeMutablePointer<AVFormatContext>

  /// Takes over what `avformat_open_input` made.
  init(opened pointer: UnsafeMutablePointer<AVFormatContext>) { self.pointer = pointer }

  deinit {
    var pointer: UnsafeMutablePointer<AVFormatContext>? = pointer
    avformat_close_input(&pointer)
  }
}

/// Owns a filter graph. Used by one thread at a time.
struct OwnedFilterGraph: ~Copyable {
  let pointer: UnsafeMutablePointer<AVFilterGraph>

  init() throws { pointer = try allocated(avfilter_graph_alloc(), "a filter graph") }

  deinit {
    var pointer: UnsafeMutablePointer<AVFilterGraph>? = pointer
    avfilter_graph_free(&pointer)
  }
}

/// Owns FFmpeg options while a call consumes them.
struct OwnedDictionary: ~Copyable {
  var pointer: OpaquePointer?

  init() {}

  init(_ values: [(key: String, value: String)]) throws {
    for (key, value) in values { try set(key, value) }
  }

  mutating func set(_ key: String, _ value: String) throws {
    try check(av_dict_set(&pointer, key, value, 0), .outOfMemory, "setting the option \(key)")
  }

  /// The keys that no one consumed.
  var keys: [String] { readDictionary(pointer).map(\.key) }

  deinit {
    var pointer = pointer
    av_dict_free(&pointer)
  }
}

/// The entries of a dictionary in their order.
func readDictionary(_ dictionary: OpaquePointer?) -> [(key: String, value: String)] {
  var entries: [(key: String, value: String)] = []
  var entry: UnsafeMutablePointer<AVDictionaryEntry>?
  while let next = av_dict_get(dictionary, "", entry, AV_DICT_IGNORE_SUFFIX) {
    entries.append((String(cString: next.pointee.key), String(cString: next.pointee.value)))
    entry = next
  }
  return entries
}
