// Packets on their way from the demuxer: to the decoder, to an output that copies them, to whoever keeps them.

import CFFmpeg
import Imaging

/// Reads packets, returns those of one video, and sends those of other streams where they are wanted. Used by one
/// thread at a time.
///
/// Who copies other streams knows which only after the first frame: until then their packets are held, as are later
/// those that may lie behind the end of a range.
struct PacketRouter: ~Copyable {
  enum Result {
    /// A packet of the video; it stays until the next call.
    case video(UnsafeMutablePointer<AVPacket>)
    /// The end of the input, which may be a failure to read on.
    case end(MediaError?)
  }

  /// The number of packets of the video so far.
  private(set) var videoPacketCount: Int

  private let demuxer: Demuxer
  private let videoIndex: Int
  /// A Boolean value that tells whether packets may lie behind the end of the range.
  private let rangeEndsEarly: Bool
  private let packet: OwnedPacket
  private var tap: PacketTap?
  private var isBeforeFirstFrame = true
  /// Receives the packets of other streams while frames are read, with the input's time stamps.
  private var sink: ((MediaPacket) throws -> Void)?
  private var copiedStreams: Set<Int> = []
  private var held: [MediaPacket] = []
  /// The memory that `held` takes, in bytes.
  private var heldByteCount = 0
  private let heldByteLimit: Int
  private var dropsHeld = false

  /// The bytes that are held at most: a quarter of an hour of a CD's sound, minutes of it in six channels.
  private static let heldByteLimit = 128 << 20

  /// - Parameters:
  ///   - video: The stream whose packets are returned.
  ///   - keepsPackets: A Boolean value that tells whether ``takePackets()`` gives packets.
  ///   - rangeEndsEarly: A Boolean value that tells whether the input may be given up before its end.
  ///   - packetsBefore: The number of packets of the video ahead of the point at which the input is.
  ///   - heldByteLimit: The bytes that are held at most, and those that wait for ``takePackets()``; beyond them, the
  ///     packets that came first are dropped.
  init(
    _ demuxer: Demuxer, video: UnsafeMutablePointer<AVStream>, keepsPackets: Bool, rangeEndsEarly: Bool,
    packetsBefore: Int = 0, heldByteLimit: Int = Self.heldByteLimit
  ) throws {
    // (The compiler of Swift 6.0 destroys twice what is there of `self` when its initializer throws.)
    self.init(
      demuxer, packet: try OwnedPacket(), video: video, keepsPackets: keepsPackets, rangeEndsEarly: rangeEndsEarly,
      packetsBefore: packetsBefore, heldByteLimit: heldByteLimit)
  }

  private init(
    _ demuxer: Demuxer, packet: consuming OwnedPacket, video: UnsafeMutablePointer<AVStream>, keepsPackets: Bool,
    rangeEndsEarly: Bool, packetsBefore: Int, heldByteLimit: Int
  ) {
    videoPacketCount = packetsBefore
    self.heldByteLimit = heldByteLimit
    self.demuxer = demuxer
    videoIndex = Int(video.pointee.index)
    self.rangeEndsEarly = rangeEndsEarly
    self.packet = packet
    tap = keepsPackets ? PacketTap(video: video, byteLimit: heldByteLimit) : nil
  }

  /// Reads up to the next packet of the video; other streams' packets go their way.
  mutating func next() throws -> Result {
    while true {
      av_packet_unref(packet.pointer)
      do {
        guard try demuxer.read(packet.pointer) else { return .end(nil) }
      } catch let error as MediaError { return .end(error) }
      let index = Int(packet.pointer.pointee.stream_index)
      try tap?.append(packet.pointer, of: demuxer.streams[index])
      if index == videoIndex {
        videoPacketCount += 1
        return .video(packet.pointer)
      }
      try route(packet.pointer, streamIndex: index)
    }
  }

  /// Sends the packets of `streams` to `sink` from now on, and those that came before the first frame at once.
  mutating func copy(streams: Set<Int>, to sink: @escaping (MediaPacket) throws -> Void) throws {
    copiedStreams = streams
    self.sink = sink
    keep { streams.contains($0.streamIndex) }
    if !rangeEndsEarly { try release() }
  }

  /// Returns whether packets that were held had to be dropped since the last call.
  mutating func takeLoss() -> Bool {
    defer { dropsHeld = false }
    return dropsHeld
  }

  /// Returns whether packets that ``takePackets()`` would have given had to be dropped since the last call.
  mutating func takeTapLoss() -> Bool { tap?.takeLoss() ?? false }

  /// Takes the packets that were read since the last call.
  mutating func takePackets() -> [SourcePacket] { tap?.take() ?? [] }

  /// Drops what was held for a copy that nobody asked for.
  mutating func dropUnclaimed() { if sink == nil { keep { _ in false } } }

  /// Lets the packets pass that begin before a frame that is delivered.
  mutating func deliver(_ time: MediaTime) throws {
    isBeforeFirstFrame = false
    try release(before: time.seconds)
  }

  /// Lets the packets pass that begin before a frame that is left out; ahead of the first one, drops them.
  mutating func skip(_ time: MediaTime) throws {
    if isBeforeFirstFrame {
      tap?.forget(before: time)
      keep { [demuxer] in demuxer.seconds(of: $0) ?? .infinity >= time.seconds - 1 }
    }
    try release(before: time.seconds)
  }

  /// Lets the packets pass that begin before the end of the range, and drops the others.
  mutating func stop(at time: MediaTime) throws {
    try release(before: time.seconds)
    keep { _ in false }
  }

  /// Sends those of the held packets on that begin before `end`, in seconds; those without a time are not held up.
  mutating func release(before end: Double = .infinity) throws {
    guard let sink, !held.isEmpty else { return }
    let packets = held
    (held, heldByteCount) = ([], 0)
    for media in packets {
      if demuxer.seconds(of: media) ?? -.infinity < end { try sink(media) } else { hold(media) }
    }
  }

  /// Holds a packet. When there are too many, half of them go at once, which costs little for each.
  private mutating func hold(_ media: MediaPacket) {
    held.append(media)
    heldByteCount += media.byteCount
    guard heldByteCount > heldByteLimit else { return }
    dropsHeld = true
    var rest = heldByteCount
    let count = held.prefix { media in
      defer { rest -= media.byteCount }
      return rest > heldByteLimit / 2
    }.count
    held.removeFirst(count)
    heldByteCount = held.reduce(0) { $0 + $1.byteCount }
  }

  /// Drops the held packets that are not wanted.
  private mutating func keep(where isWanted: (MediaPacket) -> Bool) {
    held.removeAll { !isWanted($0) }
    heldByteCount = held.reduce(0) { $0 + $1.byteCount }
  }

  private mutating func route(_ packet: UnsafeMutablePointer<AVPacket>, streamIndex: Int) throws {
    if let sink {
      guard copiedStreams.contains(streamIndex) else { return }
      let media = try MediaPacket(moving: packet)
      if rangeEndsEarly { hold(media) } else { try sink(media) }
    } else if isBeforeFirstFrame {
      let kind = demuxer.streams[streamIndex].pointee.codecpar.pointee.codec_type
      guard kind == AVMEDIA_TYPE_AUDIO || kind == AVMEDIA_TYPE_SUBTITLE else { return }
      hold(try MediaPacket(moving: packet))
    }
  }
}

extension Demuxer {
  fileprivate func seconds(of media: MediaPacket) -> Double? {
    let time = media.packet.pointer.pointee.pts
    guard time != RHEO_NO_TIME else { return nil }
    return MediaTime(value: time, timeBase: streams[media.streamIndex].pointee.time_base.rational).seconds
  }
}
