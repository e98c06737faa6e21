// Sound for containers that do not take it as it is.

import CFFmpeg
import Imaging

/// Decodes the packets of a sound and encodes it anew. Used by one thread at a time.
final class SoundTranscoder {
  /// The encoder, which describes the new stream.
  let encoder: OwnedCodecContext
  /// The number of the stream in the input.
  let streamIndex: Int
  /// The name of the new codec.
  let codecName: String
  private let decoder: StreamDecoder
  private let packet: OwnedPacket
  private var resampler: Resampler?
  private let layout: String
  private let format: AVSampleFormat
  private let takesAnyLength: Bool

  /// The bits that a channel takes in a second.
  private static let bitsPerChannel = 64_000
  /// The codecs of more than two channels.
  private static let surroundCodecs = [AV_CODEC_ID_OPUS, AV_CODEC_ID_AAC, AV_CODEC_ID_VORBIS, AV_CODEC_ID_FLAC]

  /// - Parameters:
  ///   - stream: The sound in the input.
  ///   - index: Its number there.
  ///   - container: The output, which says which codec the sound gets.
  /// - Throws: ``MediaError``; returns nil where FFmpeg has no encoder or no decoder for it.
  init?(
    _ stream: UnsafeMutablePointer<AVStream>, index: Int, for container: UnsafePointer<AVOutputFormat>
  ) throws {
    guard let codec = avcodec_find_encoder(container.pointee.audio_codec),
      avcodec_find_decoder(stream.pointee.codecpar.pointee.codec_id) != nil
    else { return nil }
    streamIndex = index
    codecName = String(cString: avcodec_get_name(codec.pointee.id))
    decoder = try StreamDecoder(stream: stream, threadCount: 1)
    packet = try OwnedPacket()
    encoder = try OwnedCodecContext(codec: codec)
    takesAnyLength = codec.pointee.capabilities & AV_CODEC_CAP_VARIABLE_FRAME_SIZE != 0
    let parameters = stream.pointee.codecpar.pointee
    let channels = Self.channelCount(parameters.ch_layout.nb_channels, codec.pointee.id)
    layout = [1: "mono", 6: "5.1", 8: "7.1"][channels] ?? "stereo"
    format = rheo_codec_sample_formats(codec)?.pointee ?? AV_SAMPLE_FMT_S16
    let rate = Self.sampleRate(parameters.sample_rate, codec)
    let context = encoder.pointer
    av_channel_layout_from_string(&context.pointee.ch_layout, layout)
    context.pointee.sample_fmt = format
    context.pointee.sample_rate = rate
    context.pointee.time_base = AVRational(num: 1, den: rate)
    context.pointee.bit_rate = Int64(channels * Self.bitsPerChannel)
    context.pointee.flags |= AV_CODEC_FLAG_BITEXACT
    if container.pointee.flags & AVFMT_GLOBALHEADER != 0 { context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER }
    try check(avcodec_open2(context, codec, nil), .noEncoder, "starting the \(codecName) encoder")
  }

  private static func channelCount(_ count: Int32, _ codec: AVCodecID) -> Int {
    if [6, 8].contains(count), surroundCodecs.contains(codec) { return Int(count) }
    return count == 1 ? 1 : 2
  }

  /// Returns the rate of the source where the encoder takes it, else the highest one that it takes.
  private static func sampleRate(_ rate: Int32, _ codec: UnsafePointer<AVCodec>) -> Int32 {
    guard var next = rheo_codec_sample_rates(codec) else { return max(rate, 8000) }
    var highest: Int32 = 0
    while next.pointee != 0 {
      if next.pointee == rate { return rate }
      highest = max(highest, next.pointee)
      next += 1
    }
    return highest
  }

  /// Takes the next packet; what cannot be decoded of it is left out.
  /// - Parameter write: Called with each packet that is ready.
  func append(_ media: MediaPacket, _ write: (MediaPacket) throws -> Void) throws {
    guard avcodec_send_packet(decoder.context.pointer, media.packet.pointer) >= 0 else { return }
    try takeFrames(write)
  }

  /// Takes note that no more packets come.
  /// - Parameter write: Called with each packet that is ready.
  func finish(_ write: (MediaPacket) throws -> Void) throws {
    _ = avcodec_send_packet(decoder.context.pointer, nil)
    try takeFrames(write)
    if let resampler {
      try resampler.send(nil)
      try encode(resampler, write)
    }
    try encode(nil as FrameBuffer?, write)
  }

  private func takeFrames(_ write: (MediaPacket) throws -> Void) throws {
    while true {
      let frame = try FrameBuffer()
      guard avcodec_receive_frame(decoder.context.pointer, frame.pointer) >= 0 else { return }
      frame.pointer.pointee.pts = frame.pointer.pointee.best_effort_timestamp
      let kind = Resampler.Kind(frame.pointer)
      if let resampler, resampler.kind != kind {
        try resampler.send(nil)
        try encode(resampler, write)
        self.resampler = nil
      }
      if resampler == nil { resampler = try? makeResampler(kind) }
      guard let resampler else { return }
      try resampler.send(frame)
      try encode(resampler, write)
    }
  }

  private func makeResampler(_ kind: Resampler.Kind) throws -> Resampler {
    let context = encoder.pointer.pointee
    let filters =
      "aresample=\(context.sample_rate),aformat=sample_fmts=\(String(cString: av_get_sample_fmt_name(format)))"
      + ":channel_layouts=\(layout)"
    return try Resampler(
      filters, kind, timeBase: decoder.stream.pointee.time_base.rational,
      frameLength: takesAnyLength ? nil : Int(context.frame_size))
  }

  private func encode(_ resampler: Resampler, _ write: (MediaPacket) throws -> Void) throws {
    while let frame = try resampler.receive() {
      if frame.pointer.pointee.pts != RHEO_NO_TIME {
        frame.pointer.pointee.pts = av_rescale_q(
          frame.pointer.pointee.pts, resampler.timeBase, encoder.pointer.pointee.time_base)
      }
      try encode(frame, write)
    }
  }

  private func encode(_ frame: FrameBuffer?, _ write: (MediaPacket) throws -> Void) throws {
    try check(avcodec_send_frame(encoder.pointer, frame?.pointer), .noEncoder, "encoding the sound")
    while true {
      let status = avcodec_receive_packet(encoder.pointer, packet.pointer)
      if status == RHEO_ERROR_AGAIN || status == RHEO_ERROR_EOF { return }
      try check(status, .noEncoder, "encoding the sound")
      packet.pointer.pointee.stream_index = Int32(streamIndex)
      try write(try MediaPacket(moving: packet.pointer))
    }
  }
}

extension SoundTranscoder {
  /// Brings decoded sound into the form that an encoder takes.
  private final class Resampler {
    /// The kind of sound that it was made for; another kind needs another one.
    struct Kind: Equatable {
      let rate: Int32
      let format: Int32
      let layout: String

      init(_ frame: UnsafeMutablePointer<AVFrame>) {
        rate = frame.pointee.sample_rate
        format = frame.pointee.format
        var text = [CChar](repeating: 0, count: 128)
        av_channel_layout_describe(&frame.pointee.ch_layout, &text, text.count)
        layout = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      }
    }

    let kind: Kind
    private let graph: OwnedFilterGraph
    private let source: UnsafeMutablePointer<AVFilterContext>
    private let sink: UnsafeMutablePointer<AVFilterContext>

    /// - Parameter frameLength: The number of samples of each frame but the last one; nil: any.
    init(_ filters: String, _ kind: Kind, timeBase: Rational, frameLength: Int?) throws {
      self.kind = kind
      graph = try OwnedFilterGraph()
      guard let format = av_get_sample_fmt_name(AVSampleFormat(rawValue: kind.format)) else {
        throw MediaError(.damaged, "the sound has no known form of samples")
      }
      source = try FilterGraph.make(
        "abuffer", "in",
        "time_base=\(timeBase):sample_rate=\(kind.rate):sample_fmt=\(String(cString: format))"
          + ":channel_layout=\(kind.layout)", in: graph.pointer)
      sink = try FilterGraph.make("abuffersink", "out", nil, in: graph.pointer)
      try FilterGraph.link(filters, from: source, to: sink, in: graph.pointer)
      if let frameLength, frameLength > 0 { av_buffersink_set_frame_size(sink, UInt32(frameLength)) }
    }

    var timeBase: AVRational { av_buffersink_get_time_base(sink) }

    /// Feeds a frame, or the end with nil.
    func send(_ frame: FrameBuffer?) throws {
      try check(
        av_buffersrc_add_frame_flags(source, frame?.pointer, Int32(AV_BUFFERSRC_FLAG_KEEP_REF)), .damaged,
        "resampling the sound")
    }

    /// Returns the next frame; nil when more is needed, or at the end.
    func receive() throws -> FrameBuffer? {
      let frame = try FrameBuffer()
      let status = av_buffersink_get_frame(sink, frame.pointer)
      if status == RHEO_ERROR_AGAIN || status == RHEO_ERROR_EOF { return nil }
      try check(status, .damaged, "resampling the sound")
      return frame
    }
  }
}
