import Imaging

/// The latest packets of an input, in the order in which they were read, each under a number that never changes.
///
/// Its owner decides what is dropped and when; ``isFull`` says that it is time.
package struct PacketRing: Sendable {
  /// A quarter of a gigabyte: half a minute at 70 Mbit/s.
  package static let standardByteLimit = 256 << 20

  /// The number of bytes from which on it is full.
  package let byteLimit: Int
  /// The number of the first packet that is still there.
  package private(set) var startIndex = 0
  /// The packets that are kept; ``dropped`` ones are still ahead of that of ``startIndex``.
  private var packets: [SourcePacket] = []
  private var dropped = 0
  private var byteCount = 0

  /// An empty ring.
  package init(byteLimit: Int = PacketRing.standardByteLimit) { self.byteLimit = byteLimit }

  /// The number that the next packet gets.
  package var endIndex: Int { startIndex + packets.count - dropped }
  /// A Boolean value that tells whether the packets take more memory than the limit allows.
  package var isFull: Bool { byteCount > byteLimit }

  /// The packet with a number from ``startIndex`` to before ``endIndex``.
  package subscript(index: Int) -> SourcePacket { packets[index - startIndex + dropped] }

  /// Takes the next packet.
  package mutating func append(_ packet: SourcePacket) {
    packets.append(packet)
    byteCount += packet.byteCount
  }

  /// Drops the oldest packet.
  package mutating func dropFirst() {
    precondition(startIndex < endIndex, "no packet is there")
    byteCount -= self[startIndex].byteCount
    startIndex += 1
    dropped += 1
    // Half of the array at a time, so that a packet costs the same however many there are.
    guard 2 * dropped > packets.count else { return }
    packets.removeFirst(dropped)
    dropped = 0
  }

  /// The last key frame of the video that shows at or before `time`.
  package func keyFrame(atOrBefore time: MediaTime) -> Int? {
    (startIndex..<endIndex).last { index in
      let packet = self[index]
      return packet.isVideo && packet.isKeyFrame && packet.time.map { $0 <= time } ?? false
    }
  }

  /// The first key frame of the video.
  package var firstKeyFrame: Int? {
    (startIndex..<endIndex).first { self[$0].isVideo && self[$0].isKeyFrame && self[$0].time != nil }
  }

  /// The last packet of the video that shows at or before `time`, from `index` on.
  package func lastPacket(atOrBefore time: MediaTime, from index: Int) -> Int? {
    (max(index, startIndex)..<max(index, endIndex)).last { index in
      self[index].isVideo && self[index].time.map { $0 <= time } ?? false
    }
  }
}
