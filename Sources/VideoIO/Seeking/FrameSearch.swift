// From a point in time to the packets around it.

import CFFmpeg
import Imaging

/// Looks for the packets around a point of a video, in the list of an MP4 file's header or in all packets up to it.
struct FrameSearch: ~Copyable {
  /// The packets of the beginning and the frames that they gave.
  struct Beginning {
    var packets: [IndexedPacket] = []
    var decodingTimes: [Int64] = []
    /// The times of the frames.
    var frames: [Int64] = []
    /// The number of frames ahead of the first one, which cannot be decoded.
    var undecodableCount = 0

    /// The number of frames that are decoded to see whether packets are frames one by one.
    static let frameCount = 8
  }

  private enum Source {
    case container(ContainerIndex)
    case packets(PacketIndex)
  }

  let demuxer: Demuxer
  let stream: UnsafeMutablePointer<AVStream>
  let scan: PacketScan
  private let start: MediaRange.Position
  private let source: Source
  private let packet: OwnedPacket

  /// The number of packets that are read beyond a frame, so that none comes later that is shown earlier. Codecs reorder
  /// by 16 frames at most.
  private static let lookAhead = 64
  /// The number of key frames ahead of a point among which the one is that decoding begins with.
  private static let keyFrameCount = 4
  /// The seconds by which other streams may be stored ahead of the video.
  private static let otherStreamsLead = 5.0
  /// The number of packets after a jump that may be none of the index, as those of which a part is missing are.
  private static let strayCount = 64

  /// - Parameter index: All packets of the video where they are known already, else those up to the point: called for
  ///   containers that do not list them.
  init(
    _ start: MediaRange.Position, in demuxer: Demuxer, _ stream: UnsafeMutablePointer<AVStream>,
    index: (PacketScan) throws -> PacketIndex
  ) throws {
    let scan = try PacketScan(stream, isInMP4: demuxer.isMP4)
    let container = try ContainerIndex(of: stream, in: demuxer, scan)
    let source = try container.map(Source.container) ?? .packets(index(scan))
    packet = try OwnedPacket()
    (self.start, self.demuxer, self.stream, self.scan, self.source) = (start, demuxer, stream, scan, source)
  }

  private var timeBase: Rational { stream.pointee.time_base.rational }

  /// A Boolean value that tells whether a key frame lies between the beginning and the point, so that there is
  /// something to gain.
  var isWorthwhile: Bool {
    get throws(SeekRefusal) {
      switch source {
      case .packets(let index):
        guard let first = try index.frameTimes().first else { return false }
        return try index.plan(undecodableCount: 0, margin: 0, isBefore: isBefore(first)) != nil
      case .container(let container):
        let last = container.lastPosition(for: start, origin: container.entries[0].decodingTime, timeBase)
        return container.entries.prefix(last).dropFirst().contains(where: \.isKeyFrame)
      }
    }
  }

  /// Returns whether a frame lies before the point.
  private func isBefore(_ origin: Int64) -> (Int64, Int) -> Bool {
    let (selection, base) = (RangeSelection(MediaRange(start: start)), timeBase)
    let first = MediaTime(value: origin, timeBase: base)
    return { time, number in
      selection.isBeforeStart(MediaTime(value: time, timeBase: base), number: number, origin: first)
    }
  }

  /// Returns the packets around the point, and the way to it; nil when there is nothing to gain.
  /// - Throws: ``SeekRefusal``, ``MediaError``.
  func plan(after beginning: Beginning) throws -> (PacketIndex, SeekPlan)? {
    let index: PacketIndex
    switch source {
    case .packets(let known):
      guard beginning.packets.elementsEqual(known.packets.prefix(beginning.packets.count), by: { $0.isSame(as: $1) })
      else { throw SeekRefusal("the first packets are not those of the index") }
      index = known
    case .container(let container): index = try packets(listedIn: container, after: beginning)
    }
    let margin = Self.otherStreamsLead / timeBase.doubleValue
    guard
      let plan = try index.plan(
        undecodableCount: beginning.undecodableCount, margin: Int64(Int(saturating: margin)),
        isBefore: isBefore(beginning.frames[0]))
    else { return nil }
    return (index, plan)
  }

  /// Reads the packets around the point that the header lists.
  private func packets(listedIn container: ContainerIndex, after beginning: Beginning) throws -> PacketIndex {
    let entries = container.entries
    for (entry, (time, packet)) in zip(entries, zip(beginning.decodingTimes, beginning.packets))
    where entry.decodingTime != time || entry.size != packet.size {
      throw SeekRefusal("the first packets are not those of the header's list")
    }
    let origin = beginning.frames[0]
    let last = container.lastPosition(for: start, origin: origin, timeBase)
    var first = min(last, entries.count - 1)
    var count = 0
    let lead = Int64(Int(saturating: Self.otherStreamsLead / timeBase.doubleValue))
    let latest = entries[first].decodingTime.subtractingSaturated(lead)
    while first > 0, count < Self.keyFrameCount {
      first -= 1
      if entries[first].isKeyFrame, count > 0 || entries[first].decodingTime <= latest { count += 1 }
    }
    return try read(entries, of: container, from: first, to: last + Self.lookAhead)
  }

  private func read(
    _ entries: [ContainerIndex.Entry], of container: ContainerIndex, from first: Int, to last: Int
  ) throws -> PacketIndex {
    try demuxer.seek(to: entries[first].decodingTime, of: stream)
    var index = PacketIndex()
    var position: Int?
    while position.map({ $0 <= last }) ?? true {
      guard try demuxer.read(packet.pointer, of: stream) else {
        index.isComplete = true
        break
      }
      let time = packet.pointer.pointee.dts
      let entry = try scan.entry(of: packet.pointer)
      guard let current = position ?? container.position(of: time), current < entries.count,
        entries[current].matches(entry, decodingTime: time)
      else { throw SeekRefusal("the packets are not those of the header's list") }
      if position == nil { (index.packetsBefore, index.framesBefore) = (current, entries[current].framesBefore) }
      index.append(entry)
      position = current + 1
    }
    return index
  }

  /// Goes to a position from which all packets of the plan come.
  /// - Returns: The number of packets of the video ahead of the next one; those that are none of the index count as if
  ///   they were none.
  /// - Throws: ``SeekRefusal``, ``MediaError``.
  func jump(along plan: SeekPlan, in index: PacketIndex) throws -> Int {
    var target = plan.firstPacket
    while true {
      try seek(to: target, in: index)
      var strayCount = 0
      var position: Int?
      while position == nil, strayCount < Self.strayCount, try demuxer.read(packet.pointer, of: stream) {
        position = (try? scan.entry(of: packet.pointer)).flatMap { index.position(of: $0) }
        if position == nil { strayCount += 1 }
      }
      if let position, position <= plan.firstPacket {
        try seek(to: target, in: index)
        return index.packetsBefore + position - strayCount
      }
      guard target > 0 else { throw SeekRefusal("the container's search does not find the packet") }
      target = index.packets[..<target].lastIndex(where: \.isKeyFrame) ?? 0
    }
  }

  private func seek(to position: Int, in index: PacketIndex) throws(SeekRefusal) {
    if case .container(let container) = source {
      try demuxer.seek(to: container.entries[index.packetsBefore + position].decodingTime, of: stream)
    } else {
      try demuxer.seek(to: index.packets[position], of: stream)
    }
  }
}

extension FrameSearch {
  /// Reads the packets of a video up to a point, or all.
  /// - Parameters:
  ///   - demuxer: An input of its own, at its beginning.
  ///   - start: The point; nil: the end.
  static func packets(
    of demuxer: Demuxer, _ stream: UnsafeMutablePointer<AVStream>, upTo start: MediaRange.Position?, _ scan: PacketScan
  ) throws -> PacketIndex {
    var index = PacketIndex()
    let packet = try OwnedPacket()
    let tick = stream.pointee.time_base.rational.doubleValue
    var (origin, behind) = (Int64.max, 0)
    while try demuxer.read(packet.pointer, of: stream) {
      let entry = try scan.entry(of: packet.pointer)
      index.append(entry)
      // The frames that come after the first key frame tell the first time, or an earlier one.
      origin = min(origin, entry.time)
      switch start {
      case .seconds(let seconds): if Double(entry.time) - Double(origin) > seconds / tick { behind += 1 }
      case .frame(let number): if index.packets.count > number { behind += 1 }
      case nil: break
      }
      // Frames at the beginning may turn out not to be decoded, which shifts the numbers.
      if behind > 4 * Self.lookAhead { return index }
    }
    index.isComplete = true
    return index
  }
}

extension ContainerIndex {
  /// Returns the index of the first packet that is decoded behind a point, or the number of packets.
  fileprivate func lastPosition(for start: MediaRange.Position, origin: Int64, _ timeBase: Rational) -> Int {
    let ticks = { (seconds: Double) in Int64(Int(saturating: (seconds / timeBase.doubleValue).rounded(.up))) }
    let position =
      switch start {
      case .seconds(let seconds):
        entries.firstIndex { $0.decodingTime > origin.addingSaturated(ticks(seconds)) }
      case .frame(let number): entries.firstIndex { $0.framesBefore > number }
      }
    return position ?? entries.count
  }
}

extension ContainerIndex.Entry {
  fileprivate func matches(_ packet: IndexedPacket, decodingTime: Int64) -> Bool {
    self.decodingTime == decodingTime && size == packet.size && isKeyFrame == packet.isKeyFrame
      && isDiscarded == packet.isDiscarded
  }
}
