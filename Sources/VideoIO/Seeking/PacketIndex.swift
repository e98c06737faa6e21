// The packets of a video in their order, without their data: a frame's number is found in it, not decoded.

import Imaging

/// A reason for which frames are counted by decoding from the beginning.
struct SeekRefusal: Error, Hashable {
  let reason: String
  init(_ reason: String) { self.reason = reason }
}

/// A packet of a video, as the demuxer gives it.
struct IndexedPacket: Hashable, Sendable {
  /// The presentation time in ticks of the stream.
  var time: Int64
  /// The time for which the frame shows, in ticks; 0 when unknown.
  var duration: Int64
  /// The position of the packet in the file, in bytes; -1 when the demuxer does not tell.
  var position: Int64
  /// The size of the packet's data, in bytes.
  var size: Int32
  /// A Boolean value that tells whether the container says that decoding can begin with the packet.
  var isKeyFrame: Bool
  /// A Boolean value that tells whether the container has the frame decoded and not shown, as an edit list may.
  var isDiscarded: Bool

  /// Returns whether two readings gave one packet. After a jump a packet's position may not be told, and demuxers guess
  /// durations anew.
  func isSame(as other: IndexedPacket) -> Bool {
    (time, size, isKeyFrame, isDiscarded) == (other.time, other.size, other.isKeyFrame, other.isDiscarded)
  }
}

/// Packets of a video that follow one another in the order of decoding.
///
/// One packet is one frame, and a frame's number is the number of packets that are shown before it. Streams for which
/// that is not so are refused where it can be seen (``PacketScan``), and where decoding shows it (``WarmUp``).
struct PacketIndex: Hashable, Sendable {
  /// The packets in the order of decoding.
  private(set) var packets: [IndexedPacket] = []
  /// The number of packets ahead of the first one here.
  var packetsBefore = 0
  /// The number of frames of the packets ahead of the first one here. All are shown before ``packets``' key frames.
  var framesBefore = 0
  /// A Boolean value that tells whether the last packet is the last one of the video.
  var isComplete = false

  /// Takes the next packet.
  mutating func append(_ packet: IndexedPacket) { packets.append(packet) }

  /// Returns the index of a packet, at or after `start`; nil where it is not among the next ones.
  func position(of packet: IndexedPacket, from start: Int = 0) -> Int? {
    packets[start...].firstIndex { $0.isSame(as: packet) }
  }

  /// The times of the frames in their order.
  /// - Throws: ``SeekRefusal`` when two frames have one time.
  func frameTimes() throws(SeekRefusal) -> [Int64] {
    var times = packets.filter { !$0.isDiscarded }.map(\.time)
    times.sort()
    for index in times.indices.dropFirst() where times[index] == times[index - 1] {
      throw SeekRefusal("two frames have one time")
    }
    return times
  }
}

/// The way to a frame: where reading and decoding begin, and which frames have to come.
struct SeekPlan {
  /// The position in the index of the packet at which, or ahead of which, reading begins.
  var firstPacket: Int
  /// The position in the index of the key frame with which decoding begins.
  var keyFrame: Int
  /// The times of the frames from the key frame to the one that is looked for.
  var frames: ArraySlice<Int64>
  /// The time of the frame before the key frame.
  var previousTime: Int64
  /// The number of the key frame's frame.
  var number: Int
  /// A Boolean value that tells whether frames that are shown before the key frame are decoded after it.
  var hasLeadingFrames: Bool
}

extension PacketIndex {
  /// Returns the way to the first frame for which `isBefore` is false, or to the end where there is none; nil when
  /// decoding has to begin with the first key frame anyway.
  /// - Parameters:
  ///   - undecodableCount: The number of frames at the beginning of the video that cannot be decoded.
  ///   - margin: The time by which reading is to begin ahead of the frame, in ticks, for the sake of other streams.
  ///   - isBefore: Tells of a frame's time and number whether what is looked for comes later.
  /// - Throws: ``SeekRefusal`` when the times of the packets do not tell.
  func plan(
    undecodableCount: Int, margin: Int64, isBefore: (_ time: Int64, _ number: Int) -> Bool
  ) throws(SeekRefusal) -> SeekPlan? {
    let times = try frameTimes()
    let offset = framesBefore - undecodableCount
    let target = times.partitioningIndex { index, time in !isBefore(time, offset + index) }
    guard isComplete || target < times.count else { throw SeekRefusal("the frame is not where it is expected") }
    guard let keyFrame = lastKeyFrame(at: target < times.count ? times[target] : .max) else { return nil }
    let time = packets[keyFrame].time
    let first = times.partitioningIndex { _, other in other >= time }
    // The frame before the key frame is needed to end what comes before.
    guard first > 0, offset + first > 0 else { return nil }
    let previous = times[first - 1]
    let latest = previous.subtractingSaturated(margin)
    // One key frame more: a demuxer that has jumped needs some packets until it guesses times of decoding.
    let early = packets[..<keyFrame].lastIndex { $0.isKeyFrame && $0.time <= latest } ?? packets.startIndex
    let firstPacket = packets[..<early].lastIndex(where: \.isKeyFrame) ?? packets.startIndex
    return SeekPlan(
      firstPacket: firstPacket, keyFrame: keyFrame, frames: times[first..<min(target + 1, times.count)],
      previousTime: previous, number: offset + first,
      hasLeadingFrames: packets[(keyFrame + 1)...].contains { !$0.isDiscarded && $0.time < time })
  }

  /// Returns the last key frame that is shown at `time` or before, after all packets ahead of it; nil where that is the
  /// first packet or none.
  private func lastKeyFrame(at time: Int64) -> Int? {
    var latest = Int64.min
    var found: Int?
    for (index, packet) in packets.enumerated() {
      if packet.isKeyFrame, !packet.isDiscarded, packet.time > latest, packet.time <= time, index > 0 {
        found = index
      }
      latest = max(latest, packet.time)
    }
    return found
  }
}

extension Array {
  /// Returns the first index at which a condition holds that, once it does, holds for all that follow.
  fileprivate func partitioningIndex(_ isBehind: (Int, Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isBehind(middle, self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
