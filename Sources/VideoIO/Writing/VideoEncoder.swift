// Images to packets.

import CFFmpeg
import Imaging

/// Encodes one video stream. Used by one thread at a time (the encoder's own worker threads apart).
final class VideoEncoder {
  let context: OwnedCodecContext
  let codec: UnsafePointer<AVCodec>
  private let packet: OwnedPacket
  /// Durations of the frames in flight: encoders do not hand them on.
  private var durations: [Int64: Int64] = [:]

  var timeBase: AVRational { context.pointer.pointee.time_base }
  /// The bytes that a decoder needs before all packets; nil where key frames have them.
  var configuration: [UInt8]? {
    let raw = context.pointer.pointee
    guard raw.flags & AV_CODEC_FLAG_GLOBAL_HEADER != 0 else { return nil }
    return Array(UnsafeBufferPointer(start: raw.extradata, count: Int(raw.extradata_size)))
  }

  init(
    codec: UnsafePointer<AVCodec>, options: EncoderOptions, format: CanvasFormat, encodedFormat: AVPixelFormat,
    video: VideoFormat, timeBase: Rational, container: UnsafePointer<AVOutputFormat>
  ) throws {
    self.codec = codec
    let name = String(cString: codec.pointee.name)
    context = try OwnedCodecContext(codec: codec)
    packet = try OwnedPacket()
    let c = context.pointer
    c.pointee.width = Int32(format.paddedSize.width)
    c.pointee.height = Int32(format.paddedSize.height)
    c.pointee.pix_fmt = encodedFormat
    c.pointee.time_base = AVRational(timeBase)
    c.pointee.framerate = AVRational(video.frameRate ?? Rational(25, 1))
    c.pointee.sample_aspect_ratio = AVRational(video.sampleAspectRatio)
    c.pointee.color_range = format.range
    c.pointee.colorspace = encodedFormat.isRGB ? AVCOL_SPC_RGB : format.colorspace
    c.pointee.color_primaries = format.primaries
    c.pointee.color_trc = format.transfer
    c.pointee.chroma_sample_location = format.chromaLocation
    c.pointee.thread_count = Int32(EncoderOptions.threadCount)
    c.pointee.flags |= AV_CODEC_FLAG_BITEXACT
    // B frames need decoding times before the first frame's; containers without negative times would shift everything.
    if container.pointee.flags & AVFMT_TS_NEGATIVE == 0 { c.pointee.max_b_frames = 0 }
    if container.pointee.flags & AVFMT_GLOBALHEADER != 0 { c.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER }
    if video.isInterlaced { c.pointee.field_order = video.isTopFieldFirst ? AV_FIELD_TT : AV_FIELD_BB }
    if video.isInterlaced, Self.codesFields(codec) {
      c.pointee.flags |= Int32(bitPattern: UInt32(AV_CODEC_FLAG_INTERLACED_DCT))
    }
    var dictionary = try Self.settings(options, codec: codec, context: c)
    try check(
      avcodec_open2(c, codec, &dictionary.pointer), options.encoderOptions.isEmpty ? .noEncoder : .invalidOption,
      "the encoder \(name) does not start with \(format.paddedSize) \(encodedFormat.name)")
    if let unknown = dictionary.keys.first {
      throw MediaError(
        .invalidOption, "the encoder \(name) has no option \(unknown); `ffmpeg -h encoder=\(name)` lists them")
    }
  }

  /// Encoders that take interlaced images as such.
  static func codesFields(_ codec: UnsafePointer<AVCodec>) -> Bool {
    codec.pointee.id == AV_CODEC_ID_H264 || codec.pointee.id == AV_CODEC_ID_MPEG2VIDEO
  }

  /// FFmpeg's options that say how many bits to spend.
  private static let rateControls: Set<String> = ["b", "qp", "cqp", "crf", "global_quality"]
  /// The presets that x264 and x265 know.
  private static let x26xPresets = [
    "ultrafast", "superfast", "veryfast", "faster", "fast", "medium", "slow", "slower", "veryslow", "placebo",
  ]

  /// Quality and speed under the names that this encoder has, then the user's own options.
  private static func settings(
    _ options: EncoderOptions, codec: UnsafePointer<AVCodec>, context: UnsafeMutablePointer<AVCodecContext>
  ) throws -> OwnedDictionary {
    var dictionary = OwnedDictionary()
    let name = String(cString: codec.pointee.name)
    func knows(_ option: String) -> Bool {
      guard let data = context.pointee.priv_data else { return false }
      return av_opt_find(data, option, nil, 0, 0) != nil
    }
    let rateIsAsked = options.encoderOptions.contains { rateControls.contains($0.key) }
    if options.crf == nil, rateIsAsked {
      // A default quality would win over the bit rate or quantiser that the user named.
    } else if knows("crf") {
      try dictionary.set("crf", String(options.crf ?? EncoderOptions.defaultCRF))
      if name.hasPrefix("libvpx") { try dictionary.set("b", "0") }
    } else if let crf = options.crf {
      throw MediaError(.invalidOption, "the encoder \(name) has no option crf (\(crf) was asked)")
    } else {
      context.pointee.flags |= AV_CODEC_FLAG_QSCALE
      context.pointee.global_quality = FF_QP2LAMBDA * 3
    }
    if name.hasPrefix("libvpx") {
      try dictionary.set("cpu-used", "4")
      // VP8 has none.
      if knows("row-mt") { try dictionary.set("row-mt", "1") }
    } else if knows("preset"), name.hasPrefix("libx26") || options.preset != nil {
      let preset = options.preset ?? EncoderOptions.defaultPreset
      // Asked for another one, these libraries write to standard error by themselves.
      if name.hasPrefix("libx26"), !x26xPresets.contains(preset) {
        throw MediaError(
          .invalidOption, "the encoder \(name) has no preset \(preset), only \(x26xPresets.joined(separator: ", "))")
      }
      try dictionary.set("preset", preset)
    } else if let preset = options.preset {
      throw MediaError(.invalidOption, "the encoder \(name) has no option preset (\(preset) was asked)")
    }
    let x264Parameters = name.hasPrefix("libx264") ? try x264Parameters(context, &dictionary) : []
    if !x264Parameters.isEmpty { try dictionary.set("x264-params", x264Parameters.joined(separator: ":")) }
    // libx265 writes to standard error by itself.
    if name == "libx265" { try dictionary.set("x265-params", "log-level=error") }
    for (key, value) in options.encoderOptions {
      try dictionary.set(key, key == "x264-params" ? (x264Parameters + [value]).joined(separator: ":") : value)
    }
    return dictionary
  }

  /// Pixels of a frame from which on x264 works with fewer frames at a time: between 1920×1080 and 2560×1440.
  private static let largeArea = 3 << 20
  /// Frames that it then looks ahead; `veryfast` has 10.
  private static let shortLookahead = 3
  /// The instructions that x264 is limited to on processors with AVX-512: with these, x264 164 reads memory that it has
  /// not written (in `mbtree`, with B frames), and small images, seen up to 480 pixels wide, become other bytes each
  /// time. Without, they are those of other processors.
  private static let x264Instructions = "asm=avx2,fma3,lzcnt,bmi2"

  /// Returns what x264 is told in its own words: instructions that make the same bytes each time. Lets its threads
  /// share a frame, and has it look less far ahead, where each of the frames that it works with takes tens of
  /// megabytes: with its own settings they are 23 frames, 740 MB at 3840×2160. The size of the files hardly changes.
  private static func x264Parameters(
    _ context: UnsafeMutablePointer<AVCodecContext>, _ dictionary: inout OwnedDictionary
  ) throws -> [String] {
    let parameters = av_get_cpu_flags() & AV_CPU_FLAG_AVX512 != 0 ? [x264Instructions] : []
    guard Int(context.pointee.width) * Int(context.pointee.height) > largeArea else { return parameters }
    context.pointee.thread_type = FF_THREAD_SLICE
    try dictionary.set("rc-lookahead", String(shortLookahead))
    return parameters + ["sync-lookahead=0"]
  }

  /// Encodes a frame whose `pts` is in `timeBase` (nil ends the stream) and hands out what is ready.
  func encode(
    _ frame: FrameBuffer?, duration: Int64 = 0, _ receive: (UnsafeMutablePointer<AVPacket>) throws -> Void
  ) throws {
    if let frame {
      frame.pointer.pointee.pict_type = AV_PICTURE_TYPE_NONE
      if duration > 0 { durations[frame.pointer.pointee.pts] = duration }
    }
    try check(avcodec_send_frame(context.pointer, frame?.pointer), .noEncoder, "encoding")
    while true {
      let status = avcodec_receive_packet(context.pointer, packet.pointer)
      if status == RHEO_ERROR_AGAIN || status == RHEO_ERROR_EOF { return }
      try check(status, .noEncoder, "encoding")
      defer { av_packet_unref(packet.pointer) }
      if let duration = durations.removeValue(forKey: packet.pointer.pointee.pts) {
        packet.pointer.pointee.duration = duration
      }
      try receive(packet.pointer)
    }
  }
}
