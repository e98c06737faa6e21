// Small images for pages.

import CFFmpeg
import Foundation
import Imaging

extension Canvas {
  /// The image with what was drawn on it, at another size; planar RGB.
  /// - Throws: ``MediaError``.
  package func resized(to size: PixelSize) throws -> Canvas {
    let format = CanvasFormat.rgb(size)
    let target = try FrameBuffer(size: size, format: format.pixelFormat)
    try target.copyTags(from: buffer)
    format.applyColorTags(to: target)
    try FrameScaler().convert(buffer, into: target, size: size)
    return Canvas(buffer: target, presentationTime: presentationTime, duration: duration)
  }

  /// The contents of a JPEG file with this image, colours at full resolution: thin lines keep theirs.
  /// - Parameter quality: FFmpeg's scale: 2 is best, 31 is worst.
  /// - Throws: ``MediaError`` `noEncoder`, `invalidOption` for another quality.
  package func jpeg(quality: Int = 4) throws -> Data {
    guard (2...31).contains(quality) else {
      throw MediaError(.invalidOption, "a JPEG quality of \(quality): it is 2 (best) to 31")
    }
    let frame = try FrameBuffer(size: buffer.size, format: AV_PIX_FMT_YUV444P)
    frame.pointer.pointee.color_range = AVCOL_RANGE_JPEG
    frame.pointer.pointee.colorspace = AVCOL_SPC_SMPTE170M
    try FrameScaler().convert(buffer, into: frame, size: buffer.size)
    frame.pointer.pointee.quality = Int32(quality) * FF_QP2LAMBDA
    guard let codec = avcodec_find_encoder(AV_CODEC_ID_MJPEG) else {
      throw MediaError(.noEncoder, "FFmpeg was built without its JPEG encoder")
    }
    let context = try OwnedCodecContext(codec: codec)
    let packet = try OwnedPacket()
    let c = context.pointer
    c.pointee.width = Int32(frame.size.width)
    c.pointee.height = Int32(frame.size.height)
    c.pointee.pix_fmt = frame.format
    c.pointee.color_range = AVCOL_RANGE_JPEG
    c.pointee.time_base = AVRational(num: 1, den: 25)
    c.pointee.thread_count = 1
    c.pointee.flags |= AV_CODEC_FLAG_QSCALE | AV_CODEC_FLAG_BITEXACT
    c.pointee.global_quality = Int32(quality) * FF_QP2LAMBDA
    try check(avcodec_open2(c, codec, nil), .noEncoder, "starting the JPEG encoder")
    try check(avcodec_send_frame(c, frame.pointer), .noEncoder, "encoding a JPEG image")
    try check(avcodec_send_frame(c, nil), .noEncoder, "encoding a JPEG image")
    try check(avcodec_receive_packet(c, packet.pointer), .noEncoder, "encoding a JPEG image")
    return Data(bytes: packet.pointer.pointee.data, count: Int(packet.pointer.pointee.size))
  }
}
