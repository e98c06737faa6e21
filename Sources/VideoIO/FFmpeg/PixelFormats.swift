// Between FFmpeg's pixel formats and the planar images that the rest of the package understands.

import CFFmpeg
import Imaging

extension AVPixelFormat {
  /// FFmpeg's name, such as `yuv420p`.
  var name: String { av_get_pix_fmt_name(self).map { String(cString: $0) } ?? "unknown" }

  var descriptor: AVPixFmtDescriptor? { av_pix_fmt_desc_get(self)?.pointee }

  private func has(_ flag: Int32) -> Bool { (descriptor?.flags ?? 0) & UInt64(flag) != 0 }

  var hasAlpha: Bool { has(Int32(AV_PIX_FMT_FLAG_ALPHA)) }
  var isRGB: Bool { has(Int32(AV_PIX_FMT_FLAG_RGB)) || has(Int32(AV_PIX_FMT_FLAG_PAL)) }

  /// RGB by palette, by fewer than 8 bits a channel, or by a Bayer pattern.
  var isSmallRGB: Bool {
    has(Int32(AV_PIX_FMT_FLAG_PAL)) || has(Int32(AV_PIX_FMT_FLAG_BAYER)) || isRGB && (descriptor?.comp.0.depth ?? 8) < 8
  }

  var isGray: Bool { !isRGB && (descriptor?.nb_components ?? 0) <= 2 }

  /// The formats named `yuvj…` are the plain ones with full range; FFmpeg is giving them up.
  var withoutRange: AVPixelFormat {
    switch self {
    case AV_PIX_FMT_YUVJ420P: AV_PIX_FMT_YUV420P
    case AV_PIX_FMT_YUVJ422P: AV_PIX_FMT_YUV422P
    case AV_PIX_FMT_YUVJ444P: AV_PIX_FMT_YUV444P
    case AV_PIX_FMT_YUVJ440P: AV_PIX_FMT_YUV440P
    case AV_PIX_FMT_YUVJ411P: AV_PIX_FMT_YUV411P
    default: self
    }
  }

  /// Returns the layout in which a renderer reads an image of this format, or nil when it is packed, has alpha, is
  /// big-endian, or is otherwise not made of whole samples in planes.
  func imageFormat(isFullRange: Bool, matrix: ColorMatrix) -> ImageFormat? {
    guard let descriptor, !hasAlpha, !has(Int32(AV_PIX_FMT_FLAG_PAL)), !has(Int32(AV_PIX_FMT_FLAG_BITSTREAM)),
      !has(Int32(AV_PIX_FMT_FLAG_HWACCEL)), !has(Int32(AV_PIX_FMT_FLAG_FLOAT)), !has(Int32(AV_PIX_FMT_FLAG_BAYER))
    else { return nil }
    let components = withUnsafeBytes(of: descriptor.comp) {
      Array($0.bindMemory(to: AVComponentDescriptor.self)).prefix(Int(descriptor.nb_components))
    }
    guard let first = components.first else { return nil }
    let depth = Int(first.depth)
    let bytes = depth > 8 ? 2 : 1
    let isPlanar = components.allSatisfy { Int($0.step) == bytes && $0.shift == 0 && $0.depth == first.depth }
    let planes = Set(components.map(\.plane))
    guard isPlanar, planes.count == components.count, (8...16).contains(depth),
      bytes == 1 || !has(Int32(AV_PIX_FMT_FLAG_BE))
    else { return nil }
    switch components.count {
    case 1: return ImageFormat(colorModel: .gray, bitDepth: depth, isFullRange: isFullRange, matrix: matrix)
    case 3 where isRGB:
      return ImageFormat(colorModel: .rgb, bitDepth: depth, isFullRange: true, matrix: matrix)
    case 3:
      return ImageFormat(
        colorModel: .yuv, chromaShiftX: Int(descriptor.log2_chroma_w), chromaShiftY: Int(descriptor.log2_chroma_h),
        bitDepth: depth, isFullRange: isFullRange, matrix: matrix)
    default: return nil
    }
  }

  /// The planar Y'CbCr format for drawings over images of this format: of its depth and chroma; of RGB and grey images
  /// with colours at half size.
  var colorEquivalent: AVPixelFormat {
    guard isRGB || isGray || has(Int32(AV_PIX_FMT_FLAG_BAYER)) else { return planarEquivalent.withoutRange }
    let depth = isSmallRGB ? 8 : descriptor?.comp.0.depth ?? 8
    return depth <= 8 ? AV_PIX_FMT_YUV420P : depth <= 10 ? AV_PIX_FMT_YUV420P10LE : AV_PIX_FMT_YUV420P16LE
  }

  /// The planar format without alpha that loses nothing of this one.
  var planarEquivalent: AVPixelFormat {
    guard imageFormat(isFullRange: false, matrix: .bt601) == nil, let descriptor else { return self }
    let depth = Int(descriptor.comp.0.depth)
    if isRGB || has(Int32(AV_PIX_FMT_FLAG_BAYER)) {
      return depth <= 8 ? AV_PIX_FMT_GBRP : depth <= 10 ? AV_PIX_FMT_GBRP10LE : AV_PIX_FMT_GBRP16LE
    }
    if descriptor.nb_components <= 2 { return depth <= 8 ? AV_PIX_FMT_GRAY8 : AV_PIX_FMT_GRAY16LE }
    let deep = depth > 10
    switch (descriptor.log2_chroma_w, descriptor.log2_chroma_h) {
    case (0, 0):
      return depth <= 8 ? AV_PIX_FMT_YUV444P : deep ? AV_PIX_FMT_YUV444P16LE : AV_PIX_FMT_YUV444P10LE
    case (1, 0):
      return depth <= 8 ? AV_PIX_FMT_YUV422P : deep ? AV_PIX_FMT_YUV422P16LE : AV_PIX_FMT_YUV422P10LE
    case (2, 0) where depth <= 8: return AV_PIX_FMT_YUV411P
    default: return depth <= 8 ? AV_PIX_FMT_YUV420P : deep ? AV_PIX_FMT_YUV420P16LE : AV_PIX_FMT_YUV420P10LE
    }
  }
}

extension FrameBuffer {
  /// The matrix in the frame's tags. Where there is none: what players assume, which is BT.709 from 720 rows on.
  var colorMatrix: ColorMatrix {
    switch pointer.pointee.colorspace {
    case AVCOL_SPC_BT709: .bt709
    case AVCOL_SPC_BT470BG, AVCOL_SPC_SMPTE170M: .bt601
    case AVCOL_SPC_SMPTE240M: .smpte240m
    case AVCOL_SPC_FCC: .fcc
    case AVCOL_SPC_BT2020_NCL, AVCOL_SPC_BT2020_CL: .bt2020
    default: max(size.width, size.height) >= 1280 || size.height >= 720 ? .bt709 : .bt601
    }
  }

  /// The matrix for swscale: one of its `SWS_CS_…` numbers, which follow the tags.
  var scalerColorspace: Int32 {
    switch colorMatrix {
    case .bt709: SWS_CS_ITU709
    case .smpte240m: SWS_CS_SMPTE240M
    case .fcc: SWS_CS_FCC
    case .bt2020: SWS_CS_BT2020
    default: SWS_CS_ITU601
    }
  }

  var imageFormat: ImageFormat? { format.imageFormat(isFullRange: isFullRange, matrix: colorMatrix) }

  /// The planes in the order that `ImageFormat` promises (FFmpeg keeps G, B, R).
  func withMutableImage<Result>(_ body: (MutableImageView) throws -> Result) throws -> Result {
    guard let imageFormat else {
      throw MediaError(.invalidOption, "an image of the format \(format.name) has no separate planes")
    }
    let frame = pointer.pointee
    let bases = [frame.data.0, frame.data.1, frame.data.2]
    let strides = [frame.linesize.0, frame.linesize.1, frame.linesize.2]
    let order = imageFormat.colorModel == .rgb ? [2, 0, 1] : Array(0..<imageFormat.planeCount)
    let planes = try order.map { index in
      MutableImageView.RawPlane(
        base: UnsafeMutableRawPointer(try allocated(bases[index], "a plane")), stride: Int(strides[index]))
    }
    defer { withExtendedLifetime(self) {} }
    return try body(MutableImageView(size: size, format: imageFormat, planes: planes))
  }
}
