// FFmpeg's PNG codec alone, in memory: no demuxer, no conversion. For images whose samples are numbers.

import CFFmpeg
import Foundation
import Imaging

/// PNG images in memory whose samples are kept as they are.
package enum PNGCodec {
  /// The layout of a pixel.
  package enum Layout: Sendable, Hashable {
    /// One byte.
    case gray8
    /// Red, green and blue with 16 bits each, the more significant byte first.
    case rgb16

    /// Bytes of a pixel in a row: 1 or 6.
    package var bytesPerPixel: Int { self == .gray8 ? 1 : 6 }
    var pixelFormat: AVPixelFormat { self == .gray8 ? AV_PIX_FMT_GRAY8 : AV_PIX_FMT_RGB48BE }
  }

  /// The contents of a PNG file; `fillRow(target, y)` writes the bytes of each row.
  /// - Throws: ``MediaError``.
  package static func encode(
    size: PixelSize, layout: Layout, fillRow: (UnsafeMutablePointer<UInt8>, Int) -> Void
  ) throws -> Data {
    let frame = try FrameBuffer(size: size, format: layout.pixelFormat)
    let base = try allocated(frame.pointer.pointee.data.0, "a picture")
    for y in 0..<size.height { fillRow(base + y * Int(frame.pointer.pointee.linesize.0), y) }
    return try encode(frame)
  }

  static func encode(_ frame: FrameBuffer) throws -> Data {
    guard let codec = avcodec_find_encoder(AV_CODEC_ID_PNG) else {
      throw MediaError(.noEncoder, "FFmpeg was built without its PNG encoder")
    }
    let context = try OwnedCodecContext(codec: codec)
    let packet = try OwnedPacket()
    let c = context.pointer
    c.pointee.width = Int32(frame.size.width)
    c.pointee.height = Int32(frame.size.height)
    c.pointee.pix_fmt = frame.format
    c.pointee.time_base = AVRational(num: 1, den: 25)
    c.pointee.thread_count = 1
    try check(avcodec_open2(c, codec, nil), .noEncoder, "starting the PNG encoder")
    try check(avcodec_send_frame(c, frame.pointer), .noEncoder, "encoding a PNG picture")
    try check(avcodec_send_frame(c, nil), .noEncoder, "encoding a PNG picture")
    try check(avcodec_receive_packet(c, packet.pointer), .noEncoder, "encoding a PNG picture")
    return Data(bytes: packet.pointer.pointee.data, count: Int(packet.pointer.pointee.size))
  }

  /// Decodes the chunks of a PNG file that make the image.
  ///
  /// - Parameters:
  ///   - parts: The signature and the chunks IHDR, IDAT and IEND, in one or several pieces. Whoever calls has
  ///     checked that they are whole, and that `size` and `layout` are what IHDR says and the length of IDAT allows.
  ///   - size: The size that IHDR gives, in pixels.
  ///   - layout: The layout of the samples that IHDR gives.
  /// - Throws: ``MediaError`` `damaged` when the compressed data are not valid or end before the last row.
  package static func decode(
    _ parts: [UnsafeRawBufferPointer], size: PixelSize, layout: Layout
  ) throws -> DecodedPNG {
    // FFmpeg leaves rows alone for which there are no data, and reports nothing. So the last row begins as a pattern
    // that is gone afterwards. It may also be the image's own last row; then it differs from the other pattern.
    for pattern in Pattern.allCases {
      let frame = try decode(parts, pattern)
      guard frame.size == size, frame.format == layout.pixelFormat else {
        throw MediaError(.damaged, "FFmpeg takes it for \(frame.size), \(frame.format.name)")
      }
      let image = DecodedPNG(frame: frame, base: try allocated(frame.pointer.pointee.data.0, "a picture"))
      let last = UnsafeBufferPointer(start: image.row(size.height - 1), count: size.width * layout.bytesPerPixel)
      if last.contains(where: { $0 != pattern.rawValue }) { return image }
    }
    throw MediaError(.damaged, "the compressed data end before the last row")
  }

  fileprivate enum Pattern: UInt8, CaseIterable {
    case first = 0x5A
    case second = 0xA5
  }

  private static func decode(_ parts: [UnsafeRawBufferPointer], _ pattern: Pattern) throws -> FrameBuffer {
    _ = FFmpegLog.install
    _ = FFmpegLog.takeLastError()
    guard let codec = avcodec_find_decoder(AV_CODEC_ID_PNG) else {
      throw MediaError(.noDecoder, "FFmpeg was built without its PNG decoder")
    }
    let context = try OwnedCodecContext(codec: codec)
    let packet = try OwnedPacket()
    let frame = try FrameBuffer()
    let length = parts.reduce(0) { $0 + $1.count }
    guard let length = Int32(exactly: length) else {
      throw MediaError(.damaged, "\(length) bytes are more than a picture may have")
    }
    try check(av_new_packet(packet.pointer, length), .outOfMemory, "allocating \(length) bytes")
    var target = UnsafeMutableRawPointer(try allocated(packet.pointer.pointee.data, "a picture"))
    for part in parts {
      guard let base = part.baseAddress else { continue }
      target.copyMemory(from: base, byteCount: part.count)
      target += part.count
    }
    context.pointer.pointee.thread_count = 1
    // Said, because FFmpeg 5 warns of a callback of its own for frame threads even when there is one thread.
    context.pointer.pointee.thread_type = FF_THREAD_SLICE
    switch pattern {
    case .first: context.pointer.pointee.get_buffer2 = { allocateImage($0, $1, $2, PNGCodec.Pattern.first.rawValue) }
    case .second:
      context.pointer.pointee.get_buffer2 = { allocateImage($0, $1, $2, PNGCodec.Pattern.second.rawValue) }
    }
    try check(avcodec_open2(context.pointer, codec, nil), .noDecoder, "starting the PNG decoder")
    try check(avcodec_send_packet(context.pointer, packet.pointer), .damaged, "decoding a PNG picture")
    try check(avcodec_receive_frame(context.pointer, frame.pointer), .damaged, "decoding a PNG picture")
    return frame
  }
}

/// The samples of a decoded PNG image.
package final class DecodedPNG {
  private let frame: FrameBuffer
  private let base: UnsafePointer<UInt8>

  init(frame: FrameBuffer, base: UnsafeMutablePointer<UInt8>) {
    self.frame = frame
    self.base = UnsafePointer(base)
  }

  /// The bytes of the row `y`, which must lie inside. Valid as long as the image lives.
  package func row(_ y: Int) -> UnsafePointer<UInt8> { base + y * Int(frame.pointer.pointee.linesize.0) }
}

extension UnsafeMutablePointer<UInt8> {
  /// Writes the pixel `x` of a row of 16-bit RGB, as PNG has it.
  @inline(__always)
  package func storePixel(_ x: Int, _ pixel: RGB16) {
    self[6 * x] = UInt8(pixel.r >> 8)
    self[6 * x + 1] = UInt8(truncatingIfNeeded: pixel.r)
    self[6 * x + 2] = UInt8(pixel.g >> 8)
    self[6 * x + 3] = UInt8(truncatingIfNeeded: pixel.g)
    self[6 * x + 4] = UInt8(pixel.b >> 8)
    self[6 * x + 5] = UInt8(truncatingIfNeeded: pixel.b)
  }
}

extension UnsafePointer<UInt8> {
  /// The pixel `x` of a row of 16-bit RGB, as PNG has it.
  @inline(__always)
  package func pixel(_ x: Int) -> RGB16 {
    RGB16(
      UInt16(self[6 * x]) << 8 | UInt16(self[6 * x + 1]), UInt16(self[6 * x + 2]) << 8 | UInt16(self[6 * x + 3]),
      UInt16(self[6 * x + 4]) << 8 | UInt16(self[6 * x + 5]))
  }
}

/// FFmpeg's own allocation of an image, whose last row is then filled with `pattern`.
private func allocateImage(
  _ context: UnsafeMutablePointer<AVCodecContext>?, _ frame: UnsafeMutablePointer<AVFrame>?, _ flags: Int32,
  _ pattern: UInt8
) -> Int32 {
  let status = avcodec_default_get_buffer2(context, frame, flags)
  guard status >= 0, let frame, let base = frame.pointee.data.0 else { return status }
  let stride = Int(frame.pointee.linesize.0)
  memset(base + (Int(frame.pointee.height) - 1) * stride, Int32(pattern), stride)
  return status
}
