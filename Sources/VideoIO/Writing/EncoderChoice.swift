// Which encoder, pixel format and canvas a container and the user's wishes lead to.

import CFFmpeg
import Imaging

enum EncoderChoice {
  /// Containers that take H.264 but do not answer FFmpeg's question whether they do.
  private static let h264Containers: Set<String> = ["mpegts", "hls", "dash", "rtsp", "segment"]

  /// The encoder asked for; else libx264 where the container takes H.264, else the container's own.
  static func codec(
    options: EncoderOptions, container: UnsafePointer<AVOutputFormat>, path: String
  ) throws -> UnsafePointer<AVCodec> {
    let containerName = String(cString: container.pointee.name)
    if let name = options.codec {
      guard let codec = avcodec_find_encoder_by_name(name), codec.pointee.type == AVMEDIA_TYPE_VIDEO else {
        throw MediaError(
          .invalidOption,
          "FFmpeg has no video encoder named \(name)\(hint(for: name)); for \(containerName): "
            + encoderNames(for: container))
      }
      guard avformat_query_codec(container, codec.pointee.id, FF_COMPLIANCE_NORMAL) != 0 else {
        throw MediaError(
          .invalidOption, "\(containerName) does not hold video by \(name), but by \(encoderNames(for: container))")
      }
      return codec
    }
    let isImage = container.pointee.flags & AVFMT_NOTIMESTAMPS != 0 && container.pointee.video_codec != AV_CODEC_ID_NONE
    let takesH264 =
      avformat_query_codec(container, AV_CODEC_ID_H264, FF_COMPLIANCE_NORMAL) == 1
      || h264Containers.contains(containerName)
    if !isImage, takesH264,
      let codec = avcodec_find_encoder_by_name("libx264")
    {
      return codec
    }
    // Images go by their ending: one container, image2, holds them all.
    let id = isImage ? av_guess_codec(container, nil, path, nil, AVMEDIA_TYPE_VIDEO) : container.pointee.video_codec
    guard id != AV_CODEC_ID_NONE, let codec = avcodec_find_encoder(id) else {
      throw MediaError(.noEncoder, "FFmpeg has no video encoder for \(containerName)")
    }
    return codec
  }

  /// The sound of containers that do not tell FFmpeg what they take.
  private static let knownSounds: [String: Set<UInt32>] = {
    let ogg = [AV_CODEC_ID_VORBIS, AV_CODEC_ID_OPUS, AV_CODEC_ID_FLAC, AV_CODEC_ID_SPEEX]
    let programStream = [AV_CODEC_ID_MP1, AV_CODEC_ID_MP2, AV_CODEC_ID_MP3, AV_CODEC_ID_AC3, AV_CODEC_ID_DTS]
    let sounds =
      ["ogg", "ogv", "oga"].map { ($0, ogg) } + ["mpeg", "vcd", "svcd", "dvd", "vob"].map { ($0, programStream) }
    return Dictionary(uniqueKeysWithValues: sounds.map { ($0, Set($1.map(\.rawValue))) })
  }()

  /// Returns whether a container takes a sound as it is.
  static func takesSound(_ container: UnsafePointer<AVOutputFormat>, _ sound: AVCodecID) -> Bool {
    let answer = avformat_query_codec(container, sound, FF_COMPLIANCE_NORMAL)
    guard answer < 0 else { return answer == 1 }
    return knownSounds[String(cString: container.pointee.name)]?.contains(sound.rawValue) ?? true
  }

  /// Names of kinds of video that are no encoders' names, with FFmpeg's names for these kinds.
  private static let kinds = ["h265": "hevc", "x265": "hevc", "x264": "h264", "avc": "h264"]

  /// The encoder that somebody means who names a kind of video, as the end of a message.
  private static func hint(for name: String) -> String {
    let kind = name.lowercased().replacing(".", with: "")
    guard let descriptor = avcodec_descriptor_get_by_name(kinds[kind] ?? kind),
      descriptor.pointee.type == AVMEDIA_TYPE_VIDEO, let codec = avcodec_find_encoder(descriptor.pointee.id)
    else { return "" }
    return ": did you mean \(String(cString: codec.pointee.name))?"
  }

  /// The largest constant rate factors: those of x264 and x265 (8 bits), of VP8, VP9 and AV1. The encoders themselves
  /// take more without a word, and give what the largest gives.
  private static let maximumRateFactors: [String: Double] = [
    "libx264": 51, "libx264rgb": 51, "libx265": 51, "libvpx": 63, "libvpx-vp9": 63, "libaom-av1": 63, "libsvtav1": 63,
  ]

  /// - Throws: ``MediaError`` `invalidOption` for a constant rate factor that the encoder does not have.
  static func requireRateFactor(_ factor: Double?, of codec: UnsafePointer<AVCodec>) throws {
    let name = String(cString: codec.pointee.name)
    guard let factor, let largest = maximumRateFactors[name], !(0...largest).contains(factor) else { return }
    throw MediaError(.invalidOption, "the constant quality (crf) of \(name) is 0…\(Int(largest)), not \(factor)")
  }

  /// The names of this build's video encoders whose output the container holds.
  private static func encoderNames(for container: UnsafePointer<AVOutputFormat>) -> String {
    var names: [String] = []
    var cursor: UnsafeMutableRawPointer?
    while let codec = av_codec_iterate(&cursor) {
      let hardware = AV_CODEC_CAP_HARDWARE | AV_CODEC_CAP_HYBRID | Int32(AV_CODEC_CAP_EXPERIMENTAL)
      guard av_codec_is_encoder(codec) != 0, codec.pointee.type == AVMEDIA_TYPE_VIDEO,
        codec.pointee.capabilities & hardware == 0,
        avformat_query_codec(container, codec.pointee.id, FF_COMPLIANCE_NORMAL) == 1
          || container.pointee.video_codec == codec.pointee.id
      else { continue }
      names.append(String(cString: codec.pointee.name))
    }
    return names.joined(separator: ", ")
  }

  /// Containers that number their frames instead of timing them.
  private static let constantRateContainers: Set<String> = ["avi", "yuv4mpegpipe"]
  private static let constantRateCodecs = [AV_CODEC_ID_MPEG1VIDEO, AV_CODEC_ID_MPEG2VIDEO]
  /// The most ticks a second that MPEG-4 part 2 can express: ISO/IEC 14496-2, vop_time_increment_resolution.
  private static let mpeg4TickLimit: Int32 = 65535

  /// The source's own ticks, or what comes closest to them in container and codec.
  static func timeBase(_ video: VideoFormat, container: String, codec: UnsafePointer<AVCodec>) -> Rational {
    let id = codec.pointee.id
    let isConstant = constantRateContainers.contains(container) || constantRateCodecs.contains { $0 == id }
    if isConstant, let rate = video.frameRate { return Rational(rate.denominator, rate.numerator) }
    if id == AV_CODEC_ID_MPEG4, video.timeBase.denominator > mpeg4TickLimit {
      // A multiple of the average rate keeps a constant rate exact.
      let rate = min(video.frameRate?.numerator ?? 1, mpeg4TickLimit)
      return Rational(1, mpeg4TickLimit / rate * rate)
    }
    return video.timeBase
  }

  /// The pixel format asked for; else that of the source, or the encoder's nearest to it.
  static func pixelFormat(
    options: EncoderOptions, codec: UnsafePointer<AVCodec>, source: VideoFormat, container: String
  ) throws -> AVPixelFormat {
    let name = String(cString: codec.pointee.name)
    let known = allowedFormats(codec)
    if let wish = options.pixelFormat {
      let format = av_get_pix_fmt(wish)
      guard format != AV_PIX_FMT_NONE else {
        let names =
          known.isEmpty
          ? "`ffmpeg -pix_fmts` lists them" : "\(name) takes " + known.map(\.name).joined(separator: ", ")
        throw MediaError(.invalidOption, "FFmpeg knows no pixel format named \(wish); \(names)")
      }
      guard known.isEmpty || known.contains(format) else {
        let names = known.map(\.name).joined(separator: ", ")
        throw MediaError(.invalidOption, "the encoder \(name) does not take the pixel format \(wish), but \(names)")
      }
      return format
    }
    let allowed = container == "yuv4mpegpipe" ? y4mFormats : known
    let stored = av_get_pix_fmt(source.pixelFormat)
    // JPEG knows full range only.
    if codec.pointee.id == AV_CODEC_ID_MJPEG {
      return nearest(to: stored, among: [AV_PIX_FMT_YUVJ420P, AV_PIX_FMT_YUVJ422P, AV_PIX_FMT_YUVJ444P])
    }
    // TIFF could hold Y'CbCr, but few programs read that.
    if codec.pointee.id == AV_CODEC_ID_TIFF {
      return nearest(to: stored, among: allowed.filter { $0.isRGB || $0.isGray })
    }
    let wanted = stored.colorEquivalent
    if allowed.isEmpty || allowed.contains(wanted) { return wanted }
    let drawable = allowed.filter { $0.planarEquivalent.withoutRange == $0 && !$0.isRGB && !$0.isGray }
    return drawable.isEmpty ? nearest(to: stored, among: allowed) : nearest(to: wanted, among: drawable)
  }

  /// The formats of Y4M streams that all programs read.
  private static let y4mFormats = [AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUV422P, AV_PIX_FMT_YUV444P, AV_PIX_FMT_YUV411P]

  private static func nearest(to format: AVPixelFormat, among formats: [AVPixelFormat]) -> AVPixelFormat {
    formats.reduce(AV_PIX_FMT_NONE) { av_find_best_pix_fmt_of_2($0, $1, format, 0, nil) }
  }

  /// Returns what of the source's depth and chroma does not fit into the pixel format that the video is stored in, as a
  /// line; nil when nothing is lost. RGB is told by its depth alone: its colours are stored as video at half size.
  static func reduction(of source: VideoFormat, storedAs format: AVPixelFormat) -> String? {
    let stored = av_get_pix_fmt(source.pixelFormat)
    guard let from = stored.descriptor, let to = format.descriptor else { return nil }
    var losses: [String] = []
    if !stored.isSmallRGB, from.comp.0.depth > to.comp.0.depth {
      losses.append("\(from.comp.0.depth) bits become \(to.comp.0.depth)")
    }
    let isReduced = from.log2_chroma_w < to.log2_chroma_w || from.log2_chroma_h < to.log2_chroma_h
    if !stored.isRGB, !stored.isGray, isReduced { losses.append("colours become smaller") }
    return losses.isEmpty
      ? nil : "\(stored.name) is stored as \(format.name): " + losses.joined(separator: ", ")
  }

  private static func allowedFormats(_ codec: UnsafePointer<AVCodec>) -> [AVPixelFormat] {
    guard let list = rheo_codec_pixel_formats(codec) else { return [] }
    var formats: [AVPixelFormat] = []
    var index = 0
    while list[index] != AV_PIX_FMT_NONE {
      formats.append(list[index])
      index += 1
    }
    return formats
  }

  /// The canvas: the encoder's own format where renderers can draw on it, with the source's colour tags.
  static func canvasFormat(
    tags: ColorTags, video: VideoFormat, canvasSize: PixelSize, encodedFormat: AVPixelFormat,
    codec: UnsafePointer<AVCodec>
  ) -> CanvasFormat {
    let sourceIsRGB = av_get_pix_fmt(video.pixelFormat).isRGB
    let canvas = encodedFormat.planarEquivalent.withoutRange
    var colorspace = tags.colorspace
    var range = tags.range
    if sourceIsRGB, !encodedFormat.isRGB {
      // RGB becomes video range Y'CbCr with the matrix that players expect at that size.
      colorspace = video.size.height >= 720 || video.size.width >= 1280 ? AVCOL_SPC_BT709 : AVCOL_SPC_SMPTE170M
      range = AVCOL_RANGE_MPEG
    }
    if encodedFormat.withoutRange != encodedFormat { range = AVCOL_RANGE_JPEG }
    return CanvasFormat(
      imageSize: video.size, canvasSize: canvasSize,
      paddedSize: padded(canvasSize, format: encodedFormat, codec: codec, isInterlaced: video.isInterlaced),
      pixelFormat: canvas, colorspace: colorspace, primaries: tags.primaries, transfer: tags.transfer, range: range,
      chromaLocation: sourceIsRGB ? AVCHROMA_LOC_UNSPECIFIED : tags.chromaLocation)
  }

  /// H.264, HEVC and AV1 encoders take whole chroma samples only (for interlaced H.264, in each field).
  private static func padded(
    _ size: PixelSize, format: AVPixelFormat, codec: UnsafePointer<AVCodec>, isInterlaced: Bool
  ) -> PixelSize {
    let strict = [AV_CODEC_ID_H264, AV_CODEC_ID_HEVC, AV_CODEC_ID_AV1]
    guard strict.contains(codec.pointee.id), let descriptor = format.descriptor else { return size }
    let wide = 1 << Int(descriptor.log2_chroma_w)
    var high = 1 << Int(descriptor.log2_chroma_h)
    if isInterlaced, VideoEncoder.codesFields(codec) { high *= 2 }
    return PixelSize(
      width: (size.width + wide - 1) / wide * wide, height: (size.height + high - 1) / high * high)
  }
}

/// The choice of the metadata that comes along; the rest would no longer be true.
enum StreamMetadata {
  static func container(_ dictionary: OpaquePointer?) -> [(key: String, value: String)] {
    let stale: Set<String> = ["major_brand", "minor_version", "compatible_brands", "encoder", "duration"]
    return readDictionary(dictionary).filter { !stale.contains($0.key.lowercased()) }
  }

  static func video(_ dictionary: OpaquePointer?) -> [(key: String, value: String)] {
    let stale = [
      "encoder", "rotate", "bps", "number_of_frames", "number_of_bytes", "duration", "_statistics", "vendor_id",
    ]
    return readDictionary(dictionary).filter { entry in !stale.contains { entry.key.lowercased().hasPrefix($0) } }
  }
}
