// Frames that were encoded on their own, on their way into one video.

import CFFmpeg
import Imaging

/// The packets of a closed group of frames: of a file that ``VideoWriter`` made for one.
package struct EncodedGroup {
  /// FFmpeg's name of the container: one that keeps any ticks, as multiples of its own.
  static let format = "nut"
  /// The ending of the files.
  package static let ending = "nut"

  let path: String
  let timeBase: AVRational
  /// The bytes that a decoder needs before all packets.
  let configuration: [UInt8]
  /// In decoding order.
  let packets: [MediaPacket]
  /// The times at which the frames show, in order, in ticks.
  let times: [Int64]
  /// The number of frames by which a frame is decoded before its turn to show, at most.
  package let reorderDepth: Int
  /// The number of frames.
  package var frameCount: Int { packets.count }
  /// The time at which the last frame ends, from the zero of the file.
  package let end: MediaTime

  /// Reads a file.
  /// - Parameters:
  ///   - path: The file.
  ///   - end: The end of the last frame, in ticks of the encoder, which the container keeps neither of.
  /// - Throws: ``MediaError`` `cannotOpen`, and `damaged` for packets without a time.
  package init(_ path: String, end: MediaTime) throws {
    let demuxer = try Demuxer(path: path, format: Self.format)
    guard demuxer.streams.count == 1, let stream = demuxer.streams.first else {
      throw MediaError(.damaged, "is no group of encoded frames", file: path)
    }
    self.path = path
    timeBase = AVRational(end.timeBase)
    self.end = end
    let parameters = stream.pointee.codecpar.pointee
    configuration = Array(UnsafeBufferPointer(start: parameters.extradata, count: Int(parameters.extradata_size)))
    let storedBase = stream.pointee.time_base
    let packets = try demuxer.allPackets()
    for packet in packets {
      let raw = packet.packet.pointer
      guard raw.pointee.pts != RHEO_NO_TIME else {
        throw MediaError(.damaged, "has packets without a time", file: path)
      }
      raw.pointee.pts = av_rescale_q(raw.pointee.pts, storedBase, timeBase)
    }
    self.packets = packets
    let decoded = packets.map { $0.packet.pointer.pointee.pts }
    times = decoded.sorted()
    let ranks = Dictionary(zip(times, times.indices), uniquingKeysWith: { first, _ in first })
    let ends = times.dropFirst() + [end.value]
    let lengths = zip(times, ends).map { max(0, $1.subtractingSaturated($0)) }
    let durations = Dictionary(zip(times, lengths), uniquingKeysWith: { $1 })
    for packet in packets { packet.packet.pointer.pointee.duration = durations[packet.packet.pointer.pointee.pts] ?? 0 }
    reorderDepth = decoded.enumerated().map { $0.offset - (ranks[$0.element] ?? 0) }.max() ?? 0
  }
}

/// Decoding times for groups that were encoded by themselves: the times at which frames show, some frames late.
package struct DecodingOrder {
  private let delay: Int
  /// The times of the last frames so far, as many as the delay.
  private var last: [Int64] = []

  /// - Parameter delay: The largest ``EncodedGroup/reorderDepth`` of all groups.
  package init(delay: Int) { self.delay = delay }

  /// Returns the decoding times of a group's packets, each before or at its frame's own time, and after those before.
  mutating func times(of group: EncodedGroup) -> [Int64] {
    if last.isEmpty, let first = group.times.first {
      // Steps that no video has would overflow.
      let step = group.times.count > 1 ? min(group.times[1].subtractingSaturated(first), 1 << 40) : 1
      last = (0..<delay).map { first.subtractingSaturated(Int64(delay - $0) * step) }
    }
    let times = last + group.times
    last = Array(times.suffix(delay))
    return Array(times.prefix(group.times.count))
  }
}

extension Demuxer {
  /// Reads to the end. (The compiler of Swift 6.0 crashes over the packet in an initializer that throws.)
  fileprivate func allPackets() throws -> [MediaPacket] {
    let packet = try OwnedPacket()
    var packets: [MediaPacket] = []
    while try read(packet.pointer) { packets.append(try MediaPacket(moving: packet.pointer)) }
    return packets
  }
}
