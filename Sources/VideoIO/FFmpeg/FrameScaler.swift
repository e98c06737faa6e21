// Conversion between pixel formats and sizes through libswscale, with the colour tags of both sides honoured.

import CFFmpeg
import Imaging

/// Converts frames; keeps its context while size, format and colours stay the same. Used by one thread.
final class FrameScaler {
  private struct Key: Equatable {
    var from: AVPixelFormat
    var to: AVPixelFormat
    var fromSize: PixelSize
    var toSize: PixelSize
    var fromSpace: Int32
    var toSpace: Int32
    var fromFull: Bool
    var toFull: Bool
  }

  private var context: OpaquePointer?
  private var key: Key?
  private var detour: FrameScaler?

  deinit { sws_freeContext(context) }

  /// Writes the pixels of `source` into the top left `size` of `target`, which is writable.
  func convert(_ source: FrameBuffer, into target: FrameBuffer, size: PixelSize) throws {
    let from = source.pointer
    let to = target.pointer
    if source.format == target.format, source.size == size, source.isFullRange == target.isFullRange {
      copy(from, to, source.format, size)
      return
    }
    if target.format == AV_PIX_FMT_GBRP, source.format.isSmallRGB {
      try convertByWayOfRGB24(source, into: target, size: size)
      return
    }
    try prepare(
      Key(
        from: source.format, to: target.format, fromSize: source.size, toSize: size,
        fromSpace: source.scalerColorspace, toSpace: target.scalerColorspace, fromFull: source.isFullRange,
        toFull: target.isFullRange))
    let rows = withUnsafeBytes(of: &from.pointee.data) { sourceData in
      withUnsafeBytes(of: &from.pointee.linesize) { sourceStride in
        withUnsafeBytes(of: &to.pointee.data) { targetData in
          withUnsafeBytes(of: &to.pointee.linesize) { targetStride in
            sws_scale(
              context, sourceData.baseAddress?.assumingMemoryBound(to: UnsafePointer<UInt8>?.self),
              sourceStride.baseAddress?.assumingMemoryBound(to: Int32.self), 0, from.pointee.height,
              targetData.baseAddress?.assumingMemoryBound(to: UnsafeMutablePointer<UInt8>?.self),
              targetStride.baseAddress?.assumingMemoryBound(to: Int32.self))
          }
        }
      }
    }
    try check(rows, .invalidOption, "converting \(source.format.name) to \(target.format.name)")
  }

  /// Converts to planar RGB by way of RGB24.
  ///
  /// Swscale knows only its general path from other formats to planar RGB, which makes 248 of the white of 5 bits and
  /// 253 of a palette's 252. Its special path to RGB24 is exact, and so is the one from there.
  private func convertByWayOfRGB24(_ source: FrameBuffer, into target: FrameBuffer, size: PixelSize) throws {
    let packed = try FrameBuffer(size: source.size, format: AV_PIX_FMT_RGB24)
    packed.pointer.pointee.color_range = target.pointer.pointee.color_range
    let scaler = detour ?? FrameScaler()
    detour = scaler
    try scaler.convert(source, into: packed, size: source.size)
    try convert(packed, into: target, size: size)
  }

  private func copy(
    _ from: UnsafeMutablePointer<AVFrame>, _ to: UnsafeMutablePointer<AVFrame>, _ format: AVPixelFormat,
    _ size: PixelSize
  ) {
    withUnsafeMutableBytes(of: &from.pointee.data) { sourceData in
      withUnsafeMutableBytes(of: &from.pointee.linesize) { sourceStride in
        withUnsafeMutableBytes(of: &to.pointee.data) { targetData in
          withUnsafeMutableBytes(of: &to.pointee.linesize) { targetStride in
            av_image_copy(
              targetData.baseAddress!.assumingMemoryBound(to: UnsafeMutablePointer<UInt8>?.self),
              targetStride.baseAddress!.assumingMemoryBound(to: Int32.self),
              sourceData.baseAddress!.assumingMemoryBound(to: UnsafePointer<UInt8>?.self),
              sourceStride.baseAddress!.assumingMemoryBound(to: Int32.self), format, Int32(size.width),
              Int32(size.height))
          }
        }
      }
    }
  }

  private func prepare(_ key: Key) throws {
    guard key != self.key else { return }
    self.key = nil
    sws_freeContext(context)
    // Bit-exact and accurately rounded: the same bytes on every processor.
    let flags = SWS_BICUBIC | SWS_ACCURATE_RND | SWS_BITEXACT | SWS_FULL_CHR_H_INT | SWS_FULL_CHR_H_INP
    context = sws_getContext(
      Int32(key.fromSize.width), Int32(key.fromSize.height), key.from, Int32(key.toSize.width),
      Int32(key.toSize.height), key.to, Int32(flags), nil, nil, nil)
    guard context != nil else {
      throw MediaError(
        .invalidOption, "no conversion from \(key.from.name) \(key.fromSize) to \(key.to.name) \(key.toSize)",
        detail: FFmpegLog.takeLastError())
    }
    // Fails for formats without a matrix, where there is nothing to set.
    _ = sws_setColorspaceDetails(
      context, sws_getCoefficients(key.fromSpace), key.fromFull ? 1 : 0, sws_getCoefficients(key.toSpace),
      key.toFull ? 1 : 0, 0, 1 << 16, 1 << 16)
    self.key = key
  }
}
