// The writing side as its users see it: canvases in order, and the streams that come along unchanged.

import CFFmpeg
import Imaging

/// Encodes canvases into a file.
///
/// The file appears under its final name when ``finish()`` returns; a writer that goes away before leaves nothing.
/// Times are exact wherever the container can store them. Used by one thread; the packets that are copied from the
/// source may come from the one that reads.
public final class VideoWriter {
  /// The output, as messages call it.
  public let path: String
  /// The layout of the canvases that ``append(_:)`` takes.
  public let canvasFormat: CanvasFormat
  /// The notes on what could not be carried over, and why: one line each.
  public let notes: [String]

  private let muxer: Muxer
  private let encoder: VideoEncoder
  private let scaler = FrameScaler()
  private let encodedFormat: AVPixelFormat
  private let streamIndex: Int32
  private let copiedStreams: Set<Int>
  /// The sounds that are encoded anew, by their numbers in the input.
  private let sounds: [Int: SoundTranscoder]
  private let shift: MediaTime?
  private var lastValue: Int64?
  private var endTicks: Int64 = 0
  /// The end of the last canvas, in ticks of the encoder.
  package var end: MediaTime { MediaTime(value: endTicks, timeBase: encoder.timeBase.rational) }
  /// Seconds per tick of what is stored.
  public let storedTimeBase: Rational
  /// Frames whose time fell between two of the container's ticks.
  public private(set) var roundedTimeCount = 0
  /// Frames whose time the container could not tell from the one before.
  public private(set) var movedTimeCount = 0

  /// Opens the output for drawings over a video that is being read, and writes its header.
  /// - Parameters:
  ///   - path: A file, a pattern of image files (`frame_%03d.png`), `-` for standard output, `null:` for nothing, or
  ///     `md5:` for digests of the images on standard output.
  ///   - options: Encoder, quality, container; whether an existing file is replaced.
  ///   - source: The reader whose colours, times, other streams, chapters and metadata come along.
  ///   - canvasSize: The size of what is drawn; nil: that of the source's images.
  /// - Throws: ``MediaError``.
  public convenience init(
    _ path: String, options: EncoderOptions = EncoderOptions(), source: VideoReader, canvasSize: PixelSize? = nil
  ) throws {
    let video = try source.videoFormat()
    try self.init(
      path, options: options, video: video, tags: source.firstTags, canvasSize: canvasSize ?? video.size,
      shift: source.rangeShift, inputs: [source.path]
    ) { muxer, encoder, notes in
      try Self.addStreams(of: source, to: muxer, encoder: encoder, options: options, video: video, notes: &notes)
    }
    try source.copy(streams: copiedStreams) { [muxer, sounds] packet in
      try Self.write(packet, to: muxer, sounds)
    }
  }

  /// Opens the output for the images of a video that is being read; its sound and other streams do not come along.
  /// - Parameters:
  ///   - path: A file, a pattern of image files (`frame_%03d.png`), `-` for standard output, `null:` or `md5:`.
  ///   - options: Encoder, quality, container; whether an existing file is replaced.
  ///   - source: The reader whose colours, times and metadata come along.
  /// - Throws: ``MediaError``.
  package convenience init(_ path: String, options: EncoderOptions, imagesOf source: VideoReader) throws {
    try self.init(
      path, options: options, streams: CopiedStreams(source, includesAudio: false), start: source.rangeShift,
      inputs: [source.path])
  }

  /// Opens the output for a part of an input whose sound is handed over by ``write(_:)``.
  /// - Parameters:
  ///   - start: Becomes zero; nil: times stay as they are.
  ///   - inputs: The files that are read meanwhile; none of them is replaced.
  convenience init(
    _ path: String, options: EncoderOptions, streams: CopiedStreams, start: MediaTime?, inputs: [String] = []
  ) throws {
    let video = streams.video
    try self.init(
      path, options: options, video: video, tags: streams.tags, canvasSize: video.size, shift: start,
      inputs: inputs
    ) { muxer, encoder, notes in
      try muxer.setMetadata(&muxer.context.pointee.metadata, streams.metadata)
      var plan = StreamPlan(video: 0)
      for (index, stream) in streams.streams {
        guard streams.audioIndices.contains(index) else {
          plan.video = try muxer.addVideo(
            encoder.context.pointer, frameRate: video.frameRate,
            metadata: StreamMetadata.video(stream.pointee.metadata))
          continue
        }
        let codec = stream.pointee.codecpar.pointee.codec_id
        guard avformat_query_codec(muxer.context.pointee.oformat, codec, FF_COMPLIANCE_NORMAL) != 0 else {
          try plan.encode(stream, as: index, in: muxer, &notes)
          continue
        }
        try muxer.addCopy(of: stream, as: index)
        plan.copied.insert(index)
      }
      return plan
    }
  }

  /// Opens the output for images that are made, not read (``VideoFrame/init(image:number:presentationTime:)``).
  /// - Parameters:
  ///   - path: A file, a pattern of image files (`frame_%03d.png`), or `-` for standard output.
  ///   - options: Encoder, quality, container; whether an existing file is replaced.
  ///   - size: The size of the images.
  ///   - frameRate: The time base is its inverse.
  /// - Throws: ``MediaError``; `invalidOption` for a size that no image has and a rate that is not positive.
  public convenience init(
    _ path: String, options: EncoderOptions = EncoderOptions(), size: PixelSize, frameRate: Rational
  ) throws {
    guard frameRate.isPositive else {
      throw MediaError(.invalidOption, "\(frameRate) frames a second; a rate is positive", file: path)
    }
    let video = VideoFormat(
      size: size, timeBase: Rational(frameRate.denominator, frameRate.numerator), frameRate: frameRate,
      sampleAspectRatio: Rational(1, 1), pixelFormat: AV_PIX_FMT_RGBA.name, estimatedFrameCount: nil,
      isInterlaced: false)
    try self.init(path, options: options, video: video, tags: ColorTags(), canvasSize: size, shift: nil) {
      muxer, encoder, _ in
      StreamPlan(video: try muxer.addVideo(encoder.context.pointer, frameRate: video.frameRate, metadata: []))
    }
  }

  /// Returns FFmpeg's name of the container for a file's name, or for a format that is named.
  /// - Throws: ``MediaError`` `invalidOption` when there is none.
  package static func containerName(of path: String, format: String?) throws -> String {
    String(cString: try Muxer.outputFormat(path: path, format: format).pointee.name)
  }

  /// Returns the destination and the options that a name stands for: `null:` writes nothing, `md5:` a digest for each
  /// image to standard output.
  private static func resolved(_ path: String, _ options: EncoderOptions) -> (String, EncoderOptions) {
    guard let format = ["null:": "null", "md5:": "framemd5"][path] else { return (path, options) }
    var options = options
    (options.format, options.codec) = (format, options.codec ?? "rawvideo")
    options.copiesAudio = false
    return ("-", options)
  }

  /// The streams of an output.
  private struct StreamPlan {
    /// The destination of the video.
    var video: Int32
    /// The numbers in the input of the streams that come along.
    var copied: Set<Int> = []
    /// The sounds among them that are encoded anew.
    var sounds: [Int: SoundTranscoder] = [:]

    /// Adds a sound that the container does not take: encoded anew where it takes another one, else left out, with a
    /// line.
    mutating func encode(
      _ stream: UnsafeMutablePointer<AVStream>, as index: Int, in muxer: Muxer, _ notes: inout [String]
    ) throws {
      let container = muxer.context.pointee.oformat!
      let (codec, name) = (stream.pointee.codecpar.pointee.codec_id, String(cString: container.pointee.name))
      guard container.pointee.flags & AVFMT_NOTIMESTAMPS == 0,
        let sound = try SoundTranscoder(stream, index: index, for: container)
      else {
        notes.append(VideoWriter.leftOut("audio", index, codec, name))
        return
      }
      try muxer.addSound(sound.encoder.pointer, of: stream, as: index)
      sounds[index] = sound
      copied.insert(index)
      notes.append(
        "audio stream \(index) (\(String(cString: avcodec_get_name(codec)))) does not fit into \(name): encoded as "
          + sound.codecName)
    }
  }

  private static func write(_ packet: MediaPacket, to muxer: Muxer, _ sounds: [Int: SoundTranscoder]) throws {
    guard let sound = sounds[packet.streamIndex] else { return try muxer.write(packet) }
    try sound.append(packet, muxer.write)
  }

  /// Opens a file for a closed group of frames, which is encoded as for the container that `options` name; see
  /// ``EncodedGroup``.
  /// - Parameters:
  ///   - path: The file.
  ///   - streams: The video whose colours and times come along.
  ///   - canvasSize: The size of what is drawn.
  ///   - start: Becomes zero.
  package convenience init(
    group path: String, options: EncoderOptions, streams: CopiedStreams, canvasSize: PixelSize, start: MediaTime
  ) throws {
    let video = streams.video
    try self.init(
      path, options: options, video: video, tags: streams.tags, canvasSize: canvasSize, shift: start,
      storage: try Muxer.outputFormat(path: path, format: EncodedGroup.format)
    ) { muxer, encoder, _ in
      muxer.context.pointee.avoid_negative_ts = AVFMT_AVOID_NEG_TS_DISABLED
      return StreamPlan(video: try muxer.addVideo(encoder.context.pointer, frameRate: video.frameRate, metadata: []))
    }
  }

  /// - Parameters:
  ///   - storage: The container that is written; nil: the one that the video is encoded for.
  ///   - addStreams: Adds the streams in their order.
  private init(
    _ path: String, options: EncoderOptions, video: VideoFormat, tags: ColorTags, canvasSize: PixelSize,
    shift: MediaTime?, inputs: [String] = [], storage: UnsafePointer<AVOutputFormat>? = nil,
    addStreams: (Muxer, VideoEncoder, inout [String]) throws -> StreamPlan
  ) throws {
    let (path, options) = Self.resolved(path, options)
    let container = try Muxer.outputFormat(path: path, format: options.format)
    let containerName = String(cString: container.pointee.name)
    self.path = path == "-" ? "standard output" : path
    self.shift = shift
    var notes: [String] = []
    do {
      for size in [video.size, canvasSize] { try size.requireImage() }
      let codec = try EncoderChoice.codec(options: options, container: container, path: path)
      try EncoderChoice.requireRateFactor(options.crf, of: codec)
      let timeBase = EncoderChoice.timeBase(video, container: containerName, codec: codec)
      encodedFormat = try EncoderChoice.pixelFormat(
        options: options, codec: codec, source: video, container: containerName)
      canvasFormat = EncoderChoice.canvasFormat(
        tags: tags, video: video, canvasSize: canvasSize, encodedFormat: encodedFormat, codec: codec)
      encoder = try VideoEncoder(
        codec: codec, options: options, format: canvasFormat, encodedFormat: encodedFormat, video: video,
        timeBase: timeBase, container: container)
      muxer = try Muxer(path: path, format: storage ?? container, overwrite: options.overwrites, inputs: inputs)
      let plan = try addStreams(muxer, encoder, &notes)
      (streamIndex, copiedStreams, sounds) = (plan.video, plan.copied, plan.sounds)
      if options.pixelFormat == nil, let loss = EncoderChoice.reduction(of: video, storedAs: encodedFormat) {
        notes.append(loss)
      }
      if canvasFormat.paddedSize != canvasFormat.canvasSize {
        notes.append("the encoder wants even sizes: \(canvasSize) is padded to \(canvasFormat.paddedSize)")
      }
      try muxer.start(
        options: muxer.settings(
          path: path, container: storage.map { String(cString: $0.pointee.name) } ?? containerName, timeBase: timeBase),
        shift: shift)
      let stored = muxer.timeBase(of: streamIndex)
      storedTimeBase = stored.doubleValue > timeBase.doubleValue ? stored : timeBase
    } catch let error as MediaError { throw error.naming(path == "-" ? "standard output" : path) }
    self.notes = notes
  }

  private static func addStreams(
    of source: VideoReader, to muxer: Muxer, encoder: VideoEncoder, options: EncoderOptions, video: VideoFormat,
    notes: inout [String]
  ) throws -> StreamPlan {
    var plan = StreamPlan(video: -1)
    let input = source.demuxer
    let container = muxer.context.pointee.oformat!
    let containerName = String(cString: container.pointee.name)
    try muxer.setMetadata(&muxer.context.pointee.metadata, StreamMetadata.container(input.context.pointee.metadata))
    for stream in input.streams {
      if stream == source.stream {
        plan.video = try muxer.addVideo(
          encoder.context.pointer, frameRate: video.frameRate,
          metadata: StreamMetadata.video(stream.pointee.metadata))
        muxer.context.pointee.streams[Int(plan.video)]!.pointee.disposition = stream.pointee.disposition
        continue
      }
      let parameters = stream.pointee.codecpar.pointee
      let isAudio = parameters.codec_type == AVMEDIA_TYPE_AUDIO
      guard isAudio || parameters.codec_type == AVMEDIA_TYPE_SUBTITLE,
        !isAudio || options.copiesAudio
      else { continue }
      let (kind, index) = (isAudio ? "audio" : "subtitle", Int(stream.pointee.index))
      let isTaken =
        isAudio
        ? EncoderChoice.takesSound(container, parameters.codec_id)
        : avformat_query_codec(container, parameters.codec_id, FF_COMPLIANCE_NORMAL) != 0
      guard isTaken,
        parameters.codec_id != AV_CODEC_ID_NONE, container.pointee.flags & AVFMT_NOTIMESTAMPS == 0,
        isAudio ? container.pointee.audio_codec != AV_CODEC_ID_NONE : true
      else {
        if isAudio, source.isDecodable(stream) {
          try plan.encode(stream, as: index, in: muxer, &notes)
        } else {
          notes.append(leftOut(kind, index, parameters.codec_id, containerName))
        }
        continue
      }
      guard source.isDecodable(stream) else { continue }
      try muxer.addCopy(of: stream)
      plan.copied.insert(index)
    }
    if source.rangeShift == nil {
      for index in 0..<Int(input.context.pointee.nb_chapters) {
        guard let chapter = input.context.pointee.chapters[index] else { continue }
        try check(rheo_add_chapter(muxer.context, chapter), .outOfMemory, "copying the chapters")
      }
    }
    return plan
  }

  static func leftOut(_ kind: String, _ index: Int, _ codec: AVCodecID, _ container: String) -> String {
    "\(kind) stream \(index) (\(String(cString: avcodec_get_name(codec)))) does not fit into \(container): left out"
  }

  /// Encodes a canvas. Frames come in the order of their times.
  /// - Throws: ``MediaError`` `invalidOption` for a canvas of another format than ``canvasFormat``, `noEncoder`, or
  ///   `cannotWrite`, also after ``finish()``.
  public func append(_ canvas: Canvas) throws {
    try muxer.requireOpen()
    var buffer = canvas.buffer
    guard buffer.size == canvasFormat.paddedSize, buffer.format == canvasFormat.pixelFormat else {
      throw MediaError(
        .invalidOption,
        "a canvas of \(buffer.size) \(buffer.format.name); the video takes "
          + "\(canvasFormat.paddedSize) \(canvasFormat.pixelFormat.name)", file: path)
    }
    if encodedFormat != buffer.format {
      let converted = try FrameBuffer(size: canvasFormat.paddedSize, format: encodedFormat)
      try converted.copyTags(from: buffer)
      try scaler.convert(buffer, into: converted, size: canvasFormat.paddedSize)
      buffer = converted
    }
    let time = canvas.presentationTime
    let from = AVRational(time.timeBase)
    let offset = shift.map { av_rescale_q($0.value, AVRational($0.timeBase), from) } ?? 0
    let exact = MediaTime(value: time.value.subtractingSaturated(offset), timeBase: time.timeBase)
    var value = av_rescale_q(exact.value, from, encoder.timeBase)
    let stored = MediaTime(
      value: av_rescale_q(value, encoder.timeBase, AVRational(storedTimeBase)), timeBase: storedTimeBase)
    if stored != exact { roundedTimeCount += 1 }
    if let lastValue, value <= lastValue {
      value = lastValue.addingSaturated(1)
      movedTimeCount += 1
    }
    lastValue = value
    buffer.pointer.pointee.pts = value
    let duration = av_rescale_q(canvas.duration, from, encoder.timeBase)
    endTicks = value.addingSaturated(max(1, duration))
    try encode(buffer, duration: duration)
  }

  /// Writes the frames of a group that was encoded before, in place of canvases.
  /// - Parameters:
  ///   - group: The next group; the one before ends ahead of it.
  ///   - zero: The time that was taken off its times.
  ///   - keepsZero: A Boolean value that tells whether this output takes it off as well.
  ///   - order: The decoding times of the groups so far.
  ///   - pass: Called before each frame with its time in the source, to pass on what lies before it.
  /// - Throws: ``MediaError`` `cannotOpen` for a group that another encoder made, `cannotWrite`, and what `pass`
  ///   throws.
  package func append(
    _ group: EncodedGroup, zero: MediaTime, keepsZero: Bool, order: inout DecodingOrder,
    _ pass: (MediaTime) throws -> Void
  ) throws {
    let base = encoder.timeBase
    let isAlike = encoder.configuration.map { $0 == group.configuration } ?? true
    guard av_cmp_q(group.timeBase, base) == 0, isAlike else {
      throw MediaError(
        .cannotOpen, "was made by another encoder than is here, or with other options", file: group.path)
    }
    let origin = av_rescale_q(zero.value, AVRational(zero.timeBase), base)
    let offset = keepsZero ? 0 : origin
    let times = order.times(of: group)
    for (packet, decodingTime) in zip(group.packets, times) {
      let raw = packet.packet.pointer
      try pass(MediaTime(value: raw.pointee.pts.addingSaturated(origin), timeBase: base.rational))
      raw.pointee.pts = raw.pointee.pts.addingSaturated(offset)
      raw.pointee.dts = decodingTime.addingSaturated(offset)
      let exact = MediaTime(value: raw.pointee.pts, timeBase: base.rational)
      if exact.rescaled(to: storedTimeBase) != exact { roundedTimeCount += 1 }
      do { try muxer.write(raw, stream: streamIndex, timeBase: base) } catch let error as MediaError {
        throw error.naming(path)
      }
    }
  }

  /// Writes a packet of a sound: copied, or encoded anew.
  func write(_ packet: MediaPacket) throws {
    do { try Self.write(packet, to: muxer, sounds) } catch let error as MediaError { throw error.naming(path) }
  }

  /// Gives the output up: nothing of it stays. A writer that goes away without ``finish()`` does so by itself, but
  /// perhaps later than the program ends when other threads still hold it.
  public func abandon() { muxer.discard() }

  /// Writes what the encoder still holds, completes the file and gives it its final name.
  /// - Throws: ``MediaError`` `cannotWrite`, also when the writer is finished or was given up; `noEncoder`.
  public func finish() throws {
    try muxer.requireOpen()
    try encode(nil, duration: 0)
    do {
      for sound in sounds.values.sorted(by: { $0.streamIndex < $1.streamIndex }) { try sound.finish(muxer.write) }
      try muxer.finish()
    } catch let error as MediaError { throw error.naming(path) }
  }

  private func encode(_ buffer: FrameBuffer?, duration: Int64) throws {
    do {
      try encoder.encode(buffer, duration: duration) { packet in
        try muxer.write(packet, stream: streamIndex, timeBase: encoder.timeBase)
      }
    } catch let error as MediaError { throw error.naming(path) }
  }
}
