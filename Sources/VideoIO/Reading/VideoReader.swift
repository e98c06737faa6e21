// The reading side as its users see it: frames in order, each with its exact time.

import CFFmpeg
import Imaging

/// An option of FFmpeg's protocol or container.
public struct InputOption: Sendable, Hashable {
  /// The name of the option, as in FFmpeg's documentation.
  public var key: String
  /// The value of the option, as after `-key` on ffmpeg's command line.
  public var value: String

  /// `key=value`.
  public init(key: String, value: String) {
    self.key = key
    self.value = value
  }
}

/// Reads a video: opens, decodes, turns upright, filters.
///
/// Anything that FFmpeg opens. Rotation and mirroring by display matrix are applied, so frames are upright. A change
/// of the frame size in mid-stream is scaled to the first size. Damaged parts are skipped and listed in ``gaps``.
/// Not thread safe: one task owns a reader.
public final class VideoReader {
  /// The options that say what to read of the input, and how.
  public struct Options: Sendable {
    /// The stream to read; nil picks the best video stream.
    public var stream: Int?
    /// A libavfilter graph ahead of everything else, as after ffmpeg's `-vf`.
    public var filter: String?
    /// FFmpeg's name of the container, when it must not be guessed.
    public var format: String?
    /// The part of the video whose frames are delivered.
    public var range: MediaRange
    /// Decoding threads; 0 means one per core.
    public var threadCount: Int
    /// A Boolean value that tells whether ``VideoReader/takePackets()`` gives the packets of the video and of its sound
    /// as well.
    public var keepsPackets = false
    /// Options of FFmpeg's protocol and container, such as `rtsp_transport` or `video_size`.
    public var inputOptions: [InputOption] = []
    /// Seconds that opening and each read may wait before they fail; nil: for ever.
    public var patience: Double?
    /// Ends what waits when it becomes true. Asked from any thread.
    public var isInterrupted: @Sendable () -> Bool = { false }
    /// The size of the stored images that others are scaled to; nil: that of the first one.
    var storedSize: PixelSize?
    /// A Boolean value that tells whether time stamps that begin anew go on from where they were, with the wall clock.
    var followsRestarts = false

    /// The best video stream, whole and unfiltered, unless given.
    public init(
      stream: Int? = nil, filter: String? = nil, format: String? = nil, range: MediaRange = .all, threadCount: Int = 0
    ) {
      self.stream = stream
      self.filter = filter
      self.format = format
      self.range = range
      self.threadCount = threadCount
    }
  }

  /// The input, as messages call it.
  public let path: String
  /// The options that say what is read of the input.
  public let options: Options
  /// Places where the input could not be decoded, so far.
  public private(set) var gaps: [MediaGap] = []
  /// Frames whose time stamp was missing or not after the one before; they got the next possible one.
  public var repairedTimeCount: Int { clock.repairedCount }
  /// Receives the packets of other streams while frames are read, with the input's time stamps.
  private var packetSink: ((MediaPacket) throws -> Void)?
  private var copiedStreams: Set<Int> = []
  /// Packets of other streams that came before the first frame, while no one could ask for them yet; and, when the
  /// range ends before the video, those that may lie behind its end.
  private var heldPackets: [MediaPacket] = []

  let demuxer: Demuxer
  let stream: UnsafeMutablePointer<AVStream>
  private let decoder: StreamDecoder
  private let packet: OwnedPacket
  let streamRate: Rational?
  private let preparation: FramePreparation
  private var clock = FrameClock()
  private var tap: PacketTap?
  private var state = State.reading
  private var selection: RangeSelection
  private var decodedCount = 0
  private var videoPacketCount = 0
  private var deliveredCount = 0
  private var knownFormat: VideoFormat?
  private var peeked: VideoFrame?

  /// The decodability of other streams by their indices, as far as it was tried.
  private var decodability: [Int32: Bool] = [:]

  private enum State { case reading, draining, ended }

  /// Opens a file, `-` for standard input, or a URL that FFmpeg knows, and decodes its first frame.
  /// - Throws: ``MediaError`` that names the file and the reason; `damaged` when no frame can be decoded.
  public init(_ path: String, options: Options = Options()) throws {
    self.options = options
    demuxer = try Demuxer(
      path: path, format: options.format, options: options.inputOptions,
      inputGuard: InputGuard(patience: options.patience, isInterrupted: options.isInterrupted))
    self.path = demuxer.path
    let index = try demuxer.videoStreamIndex(requested: options.stream)
    stream = demuxer.streams[index]
    packet = try OwnedPacket()
    selection = RangeSelection(options.range)
    let rate = av_guess_frame_rate(demuxer.context, stream, nil)
    streamRate = rate.isPositive ? rate.rational : nil
    preparation = FramePreparation(stream: stream, streamRate: streamRate, filter: options.filter)
    preparation.firstSize = options.storedSize
    clock.followsRestarts = options.followsRestarts
    if options.keepsPackets { tap = PacketTap(video: stream) }
    do {
      decoder = try StreamDecoder(stream: stream, threadCount: options.threadCount)
    } catch let error as MediaError { throw error.naming(demuxer.path) }
  }

  /// The information that the headers hold about the whole file.
  public var info: MediaInfo { demuxer.info }

  /// Returns the format of what `nextFrame` delivers. Decodes the first frame to know.
  /// - Throws: ``MediaError`` `damaged` when there is none.
  public func videoFormat() throws -> VideoFormat {
    if knownFormat == nil { peeked = try advance() }
    guard let knownFormat else {
      if decodedCount > 0 {
        throw MediaError(.noVideo, "no frame lies in the asked range", file: path)
      }
      let reason = gaps.last.map { ": \($0.reason)" } ?? ""
      throw MediaError(.damaged, "not one frame can be decoded\(reason)", file: path)
    }
    return knownFormat
  }

  /// The next frame, or nil at the end.
  /// - Throws: ``MediaError`` for failures that end the reading; damage that can be skipped goes to ``gaps``.
  public func nextFrame() throws -> VideoFrame? {
    if packetSink == nil { heldPackets = [] }
    if let frame = peeked.take() { return frame }
    return try advance()
  }

  /// The packets that were read since the last call, in their order: those of the next frames may be among them. Empty
  /// without ``Options/keepsPackets``.
  public func takePackets() -> [SourcePacket] { tap?.take() ?? [] }

  /// The size of the stored images, before rotation and filters; nil before the first one.
  var storedSize: PixelSize? { preparation.firstSize }
  /// The number of times that the time stamps began anew.
  var restartCount: Int { clock.restartCount }

  /// The colour tags of the first delivered frame.
  private(set) var firstTags = ColorTags()

  /// The time of the first delivered frame, when the range begins later than the video; an output starts there at 0.
  var rangeShift: MediaTime? { selection.shift }

  /// Returns whether another stream can be decoded at all, and lists one that cannot in ``gaps`` as damage.
  func isDecodable(_ other: UnsafeMutablePointer<AVStream>) -> Bool {
    if let known = decodability[other.pointee.index] { return known }
    let isDecodable = tryDecoder(of: other)
    decodability[other.pointee.index] = isDecodable
    return isDecodable
  }

  private func tryDecoder(of other: UnsafeMutablePointer<AVStream>) -> Bool {
    let parameters = other.pointee.codecpar!
    guard avcodec_find_decoder(parameters.pointee.codec_id) != nil else { return true }
    do {
      _ = try StreamDecoder(stream: other, threadCount: 1)
      return true
    } catch {
      let kind = av_get_media_type_string(parameters.pointee.codec_type).map { String(cString: $0) } ?? "other"
      gaps.append(
        MediaGap(seconds: nil, frameNumber: 0, reason: "\(kind) stream \(other.pointee.index) is damaged: \(error)"))
      return false
    }
  }

  /// Sends the packets of `streams` to `sink` from now on, and those that came before the first frame at once.
  func copy(streams: Set<Int>, to sink: @escaping (MediaPacket) throws -> Void) throws {
    copiedStreams = streams
    packetSink = sink
    heldPackets.removeAll { !streams.contains($0.streamIndex) }
    if !options.range.endsEarly { try releasePackets(before: .infinity) }
  }

  // MARK: Steps

  /// Decodes up to the next frame of the range.
  private func advance() throws -> VideoFrame? {
    while let buffer = try nextBuffer() {
      let (time, duration) = clock.timing(
        of: buffer, timeBase: preparation.timeBase, frameRate: preparation.frameRate)
      decodedCount += 1
      switch selection.decide(time) {
      case .skip:
        if deliveredCount == 0 { tap?.forget(before: time) }
        if knownFormat == nil { heldPackets.removeAll { seconds(of: $0) ?? .infinity < time.seconds - 1 } }
        try releasePackets(before: time.seconds)
      case .stop:
        try releasePackets(before: time.seconds)
        heldPackets = []
        state = .ended
        preparation.discard()
        return nil
      case .deliver:
        let frame = VideoFrame(
          buffer: buffer, number: deliveredCount, presentationTime: time, duration: duration)
        deliveredCount += 1
        if knownFormat == nil { knownFormat = format(of: frame) }
        try releasePackets(before: time.seconds)
        return frame
      }
    }
    try releasePackets(before: .infinity)
    return nil
  }

  /// The next image after rotation and filters.
  private func nextBuffer() throws -> FrameBuffer? {
    while true {
      if let frame = preparation.next() { return frame }
      switch state {
      case .ended: return nil
      case .reading, .draining: try decodeStep()
      }
    }
  }

  private func decodeStep() throws {
    do {
      switch try decoder.receive() {
      case .frame(let frame): try accept(frame)
      case .needsPacket: try feedDecoder()
      case .finished:
        state = .ended
        try preparation.finish()
        noteTruncation()
      }
    } catch let error as MediaError where error.code == .damaged {
      noteGap(error.description)
      if state == .draining, error.status == RHEO_ERROR_EOF { state = .ended }
    } catch let error as MediaError { throw error.naming(path) }
  }

  /// Reads packets until one was for the decoder; other streams' packets go their way.
  private func feedDecoder() throws {
    while true {
      defer { av_packet_unref(packet.pointer) }
      var isThere = false
      do {
        isThere = try demuxer.read(packet.pointer)
      } catch let error as MediaError {
        noteGap(error.description)
      }
      guard isThere else {
        state = .draining
        try decoder.send(nil)
        return
      }
      let index = Int(packet.pointer.pointee.stream_index)
      try tap?.append(packet.pointer, of: demuxer.streams[index])
      if index == Int(stream.pointee.index) {
        videoPacketCount += 1
        if packet.pointer.pointee.flags & Int32(AV_PKT_FLAG_CORRUPT) != 0 {
          noteGap("the container marks a packet as corrupt")
        }
        try decoder.send(packet.pointer)
        return
      }
      try passOn(packet.pointer, streamIndex: index)
    }
  }

  private func passOn(_ packet: UnsafeMutablePointer<AVPacket>, streamIndex: Int) throws {
    if let packetSink {
      guard copiedStreams.contains(streamIndex) else { return }
      let media = try MediaPacket(moving: packet)
      if options.range.endsEarly { heldPackets.append(media) } else { try packetSink(media) }
    } else if knownFormat == nil {
      let kind = demuxer.streams[streamIndex].pointee.codecpar.pointee.codec_type
      guard kind == AVMEDIA_TYPE_AUDIO || kind == AVMEDIA_TYPE_SUBTITLE else { return }
      heldPackets.append(try MediaPacket(moving: packet))
    }
  }

  /// Sends those of the held packets on that begin before `end`, in seconds; those without a time are not held up.
  private func releasePackets(before end: Double) throws {
    guard let packetSink, !heldPackets.isEmpty else { return }
    let packets = heldPackets
    heldPackets = []
    for media in packets {
      if seconds(of: media) ?? -.infinity < end { try packetSink(media) } else { heldPackets.append(media) }
    }
  }

  private func seconds(of media: MediaPacket) -> Double? {
    let time = media.packet.pointer.pointee.pts
    guard time != RHEO_NO_TIME else { return nil }
    return MediaTime(
      value: time, timeBase: demuxer.streams[media.streamIndex].pointee.time_base.rational
    ).seconds
  }

  private func accept(_ frame: FrameBuffer) throws {
    let raw = frame.pointer
    if raw.pointee.decode_error_flags != 0 || raw.pointee.flags & Int32(AV_FRAME_FLAG_CORRUPT) != 0 {
      noteGap("a picture was decoded from damaged data")
    }
    try preparation.accept(frame)
  }

  private func noteGap(_ reason: String) {
    let time = packet.pointer.pointee.pts
    let base = stream.pointee.time_base.rational
    let seconds =
      time != RHEO_NO_TIME && time != 0 ? MediaTime(value: time, timeBase: base).seconds : clock.last?.seconds
    if let last = gaps.last, last.frameNumber == decodedCount, last.reason == reason { return }
    gaps.append(MediaGap(seconds: seconds, frameNumber: decodedCount, reason: reason))
  }

  /// A file that was cut off ends like a whole one; the demuxer's log or the header's number of frames tells.
  private func noteTruncation() {
    if demuxer.isCutOff { noteGap("the file ends in the middle of its data") }
    let promised = Int(stream.pointee.nb_frames)
    guard demuxer.formatName.hasPrefix("mov"), promised > videoPacketCount
    else { return }
    if videoPacketCount == 0, (demuxer.context.pointee.pb?.pointee.seekable ?? 1) == 0 {
      noteGap("the index of this \(demuxer.formatName) stands at its end, which a pipe cannot reach; give it as a file")
      return
    }
    noteGap("the file ends after \(videoPacketCount) of \(promised) pictures")
  }

  private func format(of frame: VideoFrame) -> VideoFormat {
    let raw = frame.buffer.pointer.pointee
    firstTags = ColorTags(
      colorspace: raw.colorspace, primaries: raw.color_primaries, transfer: raw.color_trc, range: raw.color_range,
      chromaLocation: raw.chroma_location)
    let rate = preparation.frameRate
    let order = stream.pointee.codecpar.pointee.field_order
    let isInterlaced =
      options.filter == nil && order != AV_FIELD_UNKNOWN && order != AV_FIELD_PROGRESSIVE
      || rheo_frame_is_interlaced(frame.buffer.pointer) != 0
    return VideoFormat(
      size: frame.size, timeBase: frame.presentationTime.timeBase, frameRate: rate,
      sampleAspectRatio: raw.sample_aspect_ratio.isPositive ? raw.sample_aspect_ratio.rational : Rational(1, 1),
      pixelFormat: frame.pixelFormat, estimatedFrameCount: estimatedFrameCount(rate: rate),
      isInterlaced: isInterlaced, isTopFieldFirst: rheo_frame_is_top_field_first(frame.buffer.pointer) != 0)
  }

  private func estimatedFrameCount(rate: Rational?) -> Int? {
    let counted = Int(stream.pointee.nb_frames)
    let whole = demuxer.info.duration ?? 0
    var count = counted > 0 ? Double(counted) : whole * (rate?.doubleValue ?? 0)
    guard count > 0 else { return nil }
    if let share = selection.share(of: whole, frames: count) { count = share }
    return max(1, Int(count.rounded()))
  }
}
