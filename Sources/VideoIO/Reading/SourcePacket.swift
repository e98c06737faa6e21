// Packets of an input beside its frames: for clips that are copied, not encoded.

import CFFmpeg
import Imaging

/// A packet of an input with what is known of it without decoding. Its data are shared, not copied, and never changed.
package struct SourcePacket: Sendable {
  private let media: MediaPacket
  /// A Boolean value that tells whether the packet belongs to the video that is read; otherwise it belongs to its
  /// sound.
  package let isVideo: Bool
  /// A Boolean value that tells whether decoding can begin with the packet.
  package let isKeyFrame: Bool
  /// The time at which the packet shows or sounds: the presentation time, else the decoding time; nil when the
  /// container has neither.
  package let time: MediaTime?
  /// The time for which the packet shows or sounds, in seconds; 0 when unknown.
  package let duration: Double
  /// The memory that the packet takes, in bytes.
  package let byteCount: Int

  /// The index of the stream in the input.
  package var streamIndex: Int { media.streamIndex }
  /// FFmpeg's packet, to be read only.
  var pointer: UnsafeMutablePointer<AVPacket> { media.packet.pointer }

  init(_ source: UnsafeMutablePointer<AVPacket>, timeBase: Rational, isVideo: Bool) throws {
    media = try MediaPacket(sharing: source)
    self.isVideo = isVideo
    let raw = source.pointee
    isKeyFrame = raw.flags & Int32(AV_PKT_FLAG_KEY) != 0
    let ticks = raw.pts != RHEO_NO_TIME ? raw.pts : raw.dts
    time = ticks == RHEO_NO_TIME ? nil : MediaTime(value: ticks, timeBase: timeBase)
    duration = MediaTime(value: max(0, raw.duration), timeBase: timeBase).seconds
    byteCount = media.byteCount
  }
}

extension SourcePacket {
  /// Returns the same packet as one of another connection's stream.
  /// - Parameters:
  ///   - source: The stream that it was read from.
  ///   - target: The stream that it becomes one of.
  ///   - shift: The time that is added to its times.
  func moved(
    from source: UnsafeMutablePointer<AVStream>, to target: UnsafeMutablePointer<AVStream>, shift: MediaTime
  ) throws -> SourcePacket {
    let copy = try MediaPacket(sharing: pointer)
    let packet = copy.packet.pointer
    av_packet_rescale_ts(packet, source.pointee.time_base, target.pointee.time_base)
    let base = target.pointee.time_base.rational
    let ticks = shift.rescaled(to: base).value
    if packet.pointee.pts != RHEO_NO_TIME { packet.pointee.pts = packet.pointee.pts.addingSaturated(ticks) }
    if packet.pointee.dts != RHEO_NO_TIME { packet.pointee.dts = packet.pointee.dts.addingSaturated(ticks) }
    packet.pointee.stream_index = target.pointee.index
    return try SourcePacket(packet, timeBase: base, isVideo: isVideo)
  }
}

/// Collects the packets that a reader reads. Used by one thread at a time.
struct PacketTap {
  private let videoIndex: Int32
  private var packets: [SourcePacket] = []
  private var byteCount = 0
  private let byteLimit: Int
  /// A Boolean value that tells whether packets had to be dropped.
  private(set) var hasLoss = false

  /// - Parameters:
  ///   - video: The stream whose packets are those of the video.
  ///   - byteLimit: The bytes that are collected at most; beyond them, the packets that came first are dropped.
  init(video: UnsafeMutablePointer<AVStream>, byteLimit: Int) {
    videoIndex = video.pointee.index
    self.byteLimit = byteLimit
  }

  /// Takes a reference to a packet of the video or of a sound.
  mutating func append(_ packet: UnsafeMutablePointer<AVPacket>, of stream: UnsafeMutablePointer<AVStream>) throws {
    let isVideo = stream.pointee.index == videoIndex
    guard isVideo || stream.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_AUDIO else { return }
    packets.append(try SourcePacket(packet, timeBase: stream.pointee.time_base.rational, isVideo: isVideo))
    byteCount += packets[packets.count - 1].byteCount
    if byteCount > byteLimit { drop() }
  }

  /// Drops what came first, half of all at once, which costs little for each; the last packet stays.
  private mutating func drop() {
    var first = 0
    while byteCount > byteLimit / 2, first < packets.count - 1 {
      byteCount -= packets[first].byteCount
      first += 1
    }
    packets.removeFirst(first)
    hasLoss = hasLoss || first > 0
  }

  /// Returns whether packets had to be dropped since the last call.
  mutating func takeLoss() -> Bool {
    defer { hasLoss = false }
    return hasLoss
  }

  mutating func take() -> [SourcePacket] {
    defer { (packets, byteCount) = ([], 0) }
    return packets
  }

  /// Drops what is not needed to decode what comes after `time`. Called before the first frame that is delivered.
  mutating func forget(before time: MediaTime) {
    guard let first = packets.lastIndex(where: { $0.isVideo && $0.isKeyFrame && $0.time.map { $0 <= time } ?? false })
    else { return }
    byteCount -= packets[..<first].reduce(0) { $0 + $1.byteCount }
    packets.removeFirst(first)
    hasLoss = false
  }
}
