// The reading side as its users see it: frames in order, each with its exact time.

import CFFmpeg
import Imaging

/// Reads a video: opens, decodes, turns upright, filters.
///
/// Anything that FFmpeg opens. Rotation and mirroring by display matrix are applied, so frames are upright. A change
/// of the frame size in mid-stream is scaled to the first size. Damaged parts are skipped and listed in ``gaps``.
/// Not thread safe: one task owns a reader.
public final class VideoReader {
  /// The input, as messages call it.
  public let path: String
  /// The options that say what is read of the input.
  public let options: Options
  /// Places where the input could not be decoded, so far.
  public var gaps: [MediaGap] { damage.gaps }
  /// Frames whose time stamp was missing or not after the one before; they got the next possible one.
  public var repairedTimeCount: Int { clock.repairedCount }

  let demuxer: Demuxer
  let stream: UnsafeMutablePointer<AVStream>
  let streamRate: Rational?
  private let decoder: StreamDecoder
  private let preparation: FramePreparation
  private var router: PacketRouter
  private var clock = FrameClock()
  private var damage = DamageLog()
  private var state = State.reading
  private var selection: RangeSelection
  private var decodedCount = 0
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
      allowedProtocols: options.allowedProtocols,
      inputGuard: InputGuard(patience: options.patience, isInterrupted: options.isInterrupted))
    self.path = demuxer.path
    let index = try demuxer.videoStreamIndex(requested: options.stream)
    stream = demuxer.streams[index]
    router = try PacketRouter(
      demuxer, video: stream, keepsPackets: options.keepsPackets, rangeEndsEarly: options.range.endsEarly)
    selection = RangeSelection(options.range)
    let rate = av_guess_frame_rate(demuxer.context, stream, nil)
    streamRate = rate.isPositive ? rate.rational : nil
    preparation = FramePreparation(stream: stream, streamRate: streamRate, filter: options.filter)
    preparation.firstSize = options.storedSize
    clock.followsRestarts = options.followsRestarts
    let parameters = stream.pointee.codecpar.pointee
    try PixelSize(width: Int(parameters.width), height: Int(parameters.height)).requireWork(options, demuxer.path)
    do {
      decoder = try StreamDecoder(
        stream: stream, threadCount: options.threadCount, maximumPixelCount: options.maximumPixelCount)
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
    router.dropUnclaimed()
    if let frame = peeked.take() { return frame }
    return try advance()
  }

  /// The packets that were read since the last call, in their order: those of the next frames may be among them. Empty
  /// without ``Options/keepsPackets``.
  package func takePackets() -> [SourcePacket] { router.takePackets() }

  /// The size of the stored images, before rotation and filters; nil before the first one.
  var storedSize: PixelSize? { preparation.firstSize }
  /// The number of times that the time stamps began anew.
  var restartCount: Int { clock.restartCount }

  /// The colour tags of the first delivered frame.
  private(set) var firstTags = ColorTags()

  /// The time of the first delivered frame, when the range begins later than the video; an output starts there at 0.
  var rangeShift: MediaTime? { selection.shift }

  /// The number of the first delivered frame; 0 before ``videoFormat()`` or ``nextFrame()`` has read it.
  package var firstFrameNumber: Int { selection.firstFrameNumber }

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
      let reason = "\(kind) stream \(other.pointee.index) is damaged: \(error)"
      damage.note(reason, seconds: nil, frameNumber: 0)
      return false
    }
  }

  /// Sends the packets of `streams` to `sink` from now on, and those that came before the first frame at once.
  func copy(streams: Set<Int>, to sink: @escaping (MediaPacket) throws -> Void) throws {
    try router.copy(streams: streams, to: sink)
  }

  // MARK: Steps

  /// Decodes up to the next frame of the range.
  private func advance() throws -> VideoFrame? {
    while let buffer = try nextBuffer() {
      let time = clock.time(
        of: buffer.pointer.pointee.pts, timeBase: preparation.timeBase, frameRate: preparation.frameRate)
      decodedCount += 1
      switch selection.decide(time) {
      case .skip: try router.skip(time)
      case .stop:
        try router.stop(at: time)
        state = .ended
        preparation.discard()
        return nil
      case .deliver:
        let frame = VideoFrame(buffer: buffer, number: selection.frameNumber, presentationTime: time)
        if knownFormat == nil {
          try frame.size.requireWork(options, path)
          learnFormat(from: frame)
        }
        if let size = knownFormat?.size, frame.size != size {
          throw MediaError(
            .invalidOption, "a frame of \(frame.size) follows those of \(size); the filter must keep one size",
            file: path)
        }
        try router.deliver(time)
        if router.takeLoss() {
          noteDamage("too much sound came while no frame was delivered: the first of it is left out")
        }
        if router.takeTapLoss() {
          noteDamage("too many data came while no frame was delivered: copied clips lack the first of them")
        }
        return frame
      }
    }
    try router.release()
    return nil
  }

  /// The next image after rotation and filters.
  private func nextBuffer() throws -> FrameBuffer? {
    while true {
      if let frame = preparation.next() { return frame }
      if state == .ended { return nil }
      try decodeStep()
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
      noteDamage(error.description)
      if state == .draining, error.status == RHEO_ERROR_EOF { state = .ended }
    } catch let error as MediaError { throw error.naming(path) }
  }

  private func feedDecoder() throws {
    switch try router.next() {
    case .video(let packet):
      if packet.pointee.flags & Int32(AV_PKT_FLAG_CORRUPT) != 0 {
        noteDamage("the container marks a packet as corrupt", ticks: packet.pointee.pts)
      }
      try decoder.send(packet)
    case .end(let failure):
      if let failure { noteDamage(failure.description) }
      state = .draining
      try decoder.send(nil)
    }
  }

  private func accept(_ frame: FrameBuffer) throws {
    let raw = frame.pointer
    if raw.pointee.decode_error_flags != 0 || raw.pointee.flags & Int32(AV_FRAME_FLAG_CORRUPT) != 0 {
      noteDamage("a frame was decoded from damaged data")
    }
    try preparation.accept(frame)
  }

  /// Lists damage at a time stamp of the stream, or at the last frame where there is none.
  private func noteDamage(_ reason: String, ticks: Int64 = RHEO_NO_TIME) {
    let isKnown = ticks != RHEO_NO_TIME && ticks != 0
    let time = isKnown ? MediaTime(value: ticks, timeBase: stream.pointee.time_base.rational) : clock.last
    damage.note(reason, seconds: time?.seconds, frameNumber: decodedCount)
  }

  private func noteTruncation() {
    let end = InputEnd(
      format: demuxer.formatName, isCutOff: demuxer.isCutOff, promised: Int(stream.pointee.nb_frames),
      read: router.videoPacketCount, isSeekable: (demuxer.context.pointee.pb?.pointee.seekable ?? 1) != 0)
    for fault in end.faults { noteDamage(fault) }
  }

  private func learnFormat(from frame: VideoFrame) {
    firstTags = ColorTags(of: frame)
    let rate = preparation.frameRate
    knownFormat = VideoFormat(
      of: frame, stream: stream, frameRate: rate, isFiltered: options.filter != nil,
      estimatedFrameCount: estimatedFrameCount(rate: rate))
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

extension PixelSize {
  /// The minimum number of bytes that any work takes for a pixel: two decoded images, or the luma of one as floats.
  private static let bytesPerPixel = 4

  /// Checks that images of this size are allowed, and that there is memory for the least that is done with them.
  /// - Throws: ``MediaError`` `invalidOption` or `outOfMemory`.
  fileprivate func requireWork(_ options: VideoReader.Options, _ file: String) throws {
    let (count, overflows) = width.multipliedReportingOverflow(by: height)
    guard !overflows, count <= options.maximumPixelCount else {
      throw MediaError(
        .invalidOption,
        "images of \(self) have more than \(options.maximumPixelCount) pixels; --max-pixels allows more", file: file)
    }
    do {
      try FrameMemory.require(byteCount: max(count, 0) * Self.bytesPerPixel)
    } catch {
      throw MediaError(
        .outOfMemory, "there is no memory for images of \(self), \(error.byteCount >> 20) MB at least",
        file: file)
    }
  }
}
