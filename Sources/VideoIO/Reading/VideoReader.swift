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
  /// The points at which the input could not be decoded so far: of more than a thousand the first ones, and one that
  /// tells how many others there are.
  public var gaps: [MediaGap] { damage.gaps }
  /// The gaps with the number of those that ``gaps`` leaves out, since they are too many.
  package var gapList: LimitedList<MediaGap> { damage.list }
  /// Frames whose time stamp was missing or not after the one before; they got the next possible one.
  public var repairedTimeCount: Int { clock.repairedCount }

  private(set) var source: DecodedSource
  var router: PacketRouter
  var clock = FrameClock()
  private var damage = DamageLog()
  private var state = State.reading
  var selection: RangeSelection
  var decodedCount = 0
  private var knownFormat: VideoFormat?
  private var peeked: VideoFrame?
  /// The time of the last packet of the video that ``passPackets(before:)`` has read, in seconds.
  private var passedTime: Double?
  /// A Boolean value that tells whether nobody has asked for a frame yet.
  private var isUntouched = true
  /// Watches the frames between the key frame that was gone to and the range; nil otherwise.
  var warmUp: WarmUp?
  /// The way in which the first frame of the range was reached.
  package internal(set) var approach = SeekApproach.beginning(reason: nil)

  /// The decodability of other streams by their indices, as far as it was tried.
  private var decodability: [Int32: Bool] = [:]

  private enum State { case reading, draining, ended }

  /// Opens a file, `-` for standard input, or a URL that FFmpeg knows, and decodes its first frame.
  /// - Throws: ``MediaError`` that names the file and the reason; `damaged` when no frame can be decoded.
  public init(_ path: String, options: Options = Options()) throws {
    self.options = options
    source = try DecodedSource(path, options)
    self.path = source.demuxer.path
    router = try PacketRouter(
      source.demuxer, video: source.stream, keepsPackets: options.keepsPackets,
      rangeEndsEarly: options.range.endsEarly)
    selection = RangeSelection(options.range)
    clock.followsRestarts = options.followsRestarts
    if let start = options.range.start { try seek(to: start, in: path) }
  }

  /// Goes to the key frame before the range where the frames that come then are those that decoding from the beginning
  /// gives; otherwise stays at the beginning.
  private func seek(to start: MediaRange.Position, in path: String) throws {
    do {
      guard let (warmUp, packetsBefore) = try approach(start, in: path) else { return }
      router = try PacketRouter(
        demuxer, video: stream, keepsPackets: options.keepsPackets, rangeEndsEarly: options.range.endsEarly,
        packetsBefore: packetsBefore)
      self.warmUp = warmUp
      peeked = try advance()
      guard self.warmUp?.isOver ?? true else { throw SeekRefusal("frames are missing") }
      self.warmUp = nil
      approach = .keyFrame(number: warmUp.plan.number)
      FFmpegLog.note("\(self.path): decoding begins with frame \(warmUp.plan.number), a key frame")
    } catch {
      // An error of the input itself comes again.
      let reason = (error as? SeekRefusal)?.reason ?? "\(error)"
      FFmpegLog.note("\(self.path): decoding from the beginning to reach the range: \(reason)")
      try startAnew(path)
      approach = .beginning(reason: reason)
    }
    _ = FFmpegLog.takeLastError()
  }

  /// Opens the input again, at its beginning.
  func startAnew(_ path: String) throws {
    source = try DecodedSource(path, options)
    router = try PacketRouter(
      demuxer, video: stream, keepsPackets: options.keepsPackets, rangeEndsEarly: options.range.endsEarly)
    (clock, damage, selection) = (FrameClock(), DamageLog(), RangeSelection(options.range))
    clock.followsRestarts = options.followsRestarts
    (state, decodedCount, knownFormat, peeked, warmUp) = (.reading, 0, nil, nil, nil)
    firstTags = ColorTags()
  }

  var demuxer: Demuxer { source.demuxer }
  /// The first time stamp of the video, as the streams were looked at; nil: not known.
  var startTime: MediaTime? {
    let (ticks, base) = (stream.pointee.start_time, stream.pointee.time_base.rational)
    return ticks == RHEO_NO_TIME ? nil : MediaTime(value: ticks, timeBase: base)
  }
  var stream: UnsafeMutablePointer<AVStream> { source.stream }
  var streamRate: Rational? { source.streamRate }
  private var decoder: StreamDecoder { source.decoder }
  private var preparation: FramePreparation { source.preparation }

  /// The information that the headers hold about the whole file.
  public var info: MediaInfo { demuxer.info }

  /// Returns the format of what `nextFrame` delivers. Decodes the first frame to know.
  /// - Throws: ``MediaError`` `damaged` when there is none.
  public func videoFormat() throws -> VideoFormat {
    isUntouched = false
    if knownFormat == nil { peeked = try advance() }
    guard let knownFormat else {
      if decodedCount > 0 {
        throw MediaError(.noVideo, "no frame lies in the asked range", file: path)
      }
      let reason = gapList.last.map { ": \($0.reason)" } ?? ""
      throw MediaError(.damaged, "not one frame can be decoded\(reason)", file: path)
    }
    return knownFormat
  }

  /// The next frame, or nil at the end.
  /// - Throws: ``MediaError`` for failures that end the reading; damage that can be skipped goes to ``gaps``.
  public func nextFrame() throws -> VideoFrame? {
    // A frame that seeking has read is not one that somebody has asked for.
    if !isUntouched { router.dropUnclaimed() }
    isUntouched = false
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

  /// Passes the packets of other streams on that lie before a frame, without decoding any.
  /// - Parameter time: The time of the frame; nil: all packets there are.
  /// - Throws: ``MediaError`` and the errors of whoever receives the packets.
  package func passPackets(before time: MediaTime?) throws {
    while state == .reading, time.map({ passedTime ?? -.infinity < $0.seconds }) ?? true {
      switch try router.next() {
      case .video(let packet):
        let ticks = packet.pointee.dts != RHEO_NO_TIME ? packet.pointee.dts : packet.pointee.pts
        guard ticks != RHEO_NO_TIME else { continue }
        passedTime = MediaTime(value: ticks, timeBase: stream.pointee.time_base.rational).seconds
      case .end(let failure):
        if let failure { noteDamage(failure.description) }
        state = .ended
      }
    }
    try router.release(before: time?.seconds ?? .infinity)
  }

  /// Passes the packets on that lie before the end of what is read, and no others.
  package func passLastPackets(before end: MediaTime) throws {
    guard options.range.endsEarly else { return try passPackets(before: nil) }
    try passPackets(before: end)
    try router.stop(at: end)
  }

  // MARK: Steps

  /// Decodes up to the next frame of the range.
  private func advance() throws -> VideoFrame? {
    while let buffer = try nextBuffer() {
      guard try isCounted(buffer) else { continue }
      let time = clock.time(
        of: buffer.pointer.pointee.pts, timeBase: preparation.timeBase, frameRate: preparation.frameRate)
      decodedCount += 1
      switch selection.decide(time) {
      case .skip: try router.skip(time)
      case .stop:
        warmUp = nil
        try router.stop(at: time)
        state = .ended
        preparation.discard()
        return nil
      case .deliver:
        warmUp = nil
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

  /// Returns whether a frame is one to decide about, as those are not that are shown before the key frame which was
  /// gone to. Ahead of the first one, ends what came before it.
  private func isCounted(_ buffer: FrameBuffer) throws -> Bool {
    guard let before = warmUp else { return true }
    guard try warmUp?.takes(frameAt: buffer.pointer.pointee.pts) ?? true else { return false }
    if before.isBeforeKeyFrame { try resume(behind: before) }
    return true
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
      if warmUp != nil, try warmUp?.use(of: source.scan().entry(of: packet)) == .pass { return }
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
    if frame.isDamaged { noteDamage("a frame was decoded from damaged data") }
    try preparation.accept(frame)
  }

  /// Lists damage at a time stamp of the stream, or at the last frame where there is none.
  private func noteDamage(_ reason: String, ticks: Int64 = RHEO_NO_TIME) {
    let isKnown = ticks != RHEO_NO_TIME && ticks != 0
    let time = isKnown ? MediaTime(value: ticks, timeBase: stream.pointee.time_base.rational) : clock.last
    warmUp?.note(reason)
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

  /// The largest number of frames that a header is believed: a thousand a second for 30 years.
  private static let maximumFrameCount = 1e12

  private func estimatedFrameCount(rate: Rational?) -> Int? {
    let counted = Int(stream.pointee.nb_frames)
    let whole = demuxer.info.duration ?? 0
    var count = counted > 0 ? Double(counted) : whole * (rate?.doubleValue ?? 0)
    guard count > 0 else { return nil }
    if let share = selection.share(of: whole, frames: count) { count = share }
    guard count <= Self.maximumFrameCount else { return nil }
    return max(1, Int(count.rounded()))
  }
}
