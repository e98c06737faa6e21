// Packets to images.

import CFFmpeg
import Imaging

/// Decodes one stream. Used by one thread at a time.
final class StreamDecoder {
  enum Result {
    case frame(FrameBuffer)
    case needsPacket
    case finished
  }

  let context: OwnedCodecContext
  let stream: UnsafeMutablePointer<AVStream>

  /// - Parameters:
  ///   - threadCount: FFmpeg's decoding threads; 0 means one per core. It never changes a pixel.
  ///   - maximumPixelCount: The pixels of an image beyond which it is damage.
  init(
    stream: UnsafeMutablePointer<AVStream>, threadCount: Int,
    maximumPixelCount: Int = VideoReader.Options.standardPixelLimit
  ) throws {
    self.stream = stream
    let parameters = stream.pointee.codecpar!
    let name = String(cString: avcodec_get_name(parameters.pointee.codec_id))
    guard let codec = avcodec_find_decoder(parameters.pointee.codec_id) else {
      throw MediaError(.noDecoder, "FFmpeg has no decoder for \(name)")
    }
    var status: Int32 = 0
    var opened = try Self.open(codec, name, stream, threadCount, maximumPixelCount, &status)
    // Where the system makes no thread for the decoder, it does without.
    if status == RHEO_ERROR_AGAIN, threadCount != 1 {
      opened = try Self.open(codec, name, stream, 1, maximumPixelCount, &status)
    }
    try check(status, .noDecoder, "starting the \(name) decoder")
    context = opened
  }

  private static func open(
    _ codec: UnsafePointer<AVCodec>, _ name: String, _ stream: UnsafeMutablePointer<AVStream>, _ threadCount: Int,
    _ maximumPixelCount: Int, _ status: inout Int32
  ) throws -> OwnedCodecContext {
    let context = try OwnedCodecContext(codec: codec)
    try check(
      avcodec_parameters_to_context(context.pointer, stream.pointee.codecpar), .noDecoder,
      "setting up the \(name) decoder")
    context.pointer.pointee.pkt_timebase = stream.pointee.time_base
    context.pointer.pointee.thread_count = Int32(threadCount)
    context.pointer.pointee.max_pixels = Int64(maximumPixelCount)
    status = avcodec_open2(context.pointer, codec, nil)
    return context
  }

  /// Hands over a packet, or the end of the stream with nil.
  func send(_ packet: UnsafeMutablePointer<AVPacket>?) throws {
    let status = avcodec_send_packet(context.pointer, packet)
    if status == RHEO_ERROR_EOF { return }
    try check(status, .damaged, "decoding a packet")
  }

  func receive() throws -> Result {
    let frame = try FrameBuffer()
    let status = avcodec_receive_frame(context.pointer, frame.pointer)
    if status == RHEO_ERROR_AGAIN { return .needsPacket }
    if status == RHEO_ERROR_EOF { return .finished }
    try check(status, .damaged, "decoding a frame")
    let format = frame.format
    if format.withoutRange != format {
      frame.pointer.pointee.format = format.withoutRange.rawValue
      frame.pointer.pointee.color_range = AVCOL_RANGE_JPEG
    }
    return .frame(frame)
  }
}
