import Imaging

/// Watches that the packets and the frames between a key frame and the frame that is looked for are those of the index.
struct WarmUp {
  /// The fate of a packet.
  enum Use { case pass, decode }

  let plan: SeekPlan
  /// The time of the video's first frame.
  let origin: MediaTime
  private let index: PacketIndex
  /// The position of the next packet in the index; nil before the first one that is there.
  private var packetIndex: Int?
  /// The index of the next frame among those of the plan.
  private var frameIndex: Int
  /// The first damage since the key frame.
  private(set) var damage: String?

  init(_ plan: SeekPlan, in index: PacketIndex, origin: MediaTime) {
    self.plan = plan
    self.index = index
    self.origin = origin
    frameIndex = plan.frames.startIndex
  }

  /// A Boolean value that tells whether no frame has come yet.
  var isBeforeKeyFrame: Bool { frameIndex == plan.frames.startIndex }
  /// A Boolean value that tells whether all frames have come.
  var isOver: Bool { frameIndex == plan.frames.endIndex }

  /// Takes note of damage. That of frames which are shown before the key frame is none of what is looked for.
  mutating func note(_ reason: String) {
    guard damage == nil, !(plan.hasLeadingFrames && isBeforeKeyFrame) else { return }
    damage = reason
  }

  /// Takes the next packet of the video.
  mutating func use(of packet: IndexedPacket) throws(SeekRefusal) -> Use {
    guard let position = packetIndex ?? index.position(of: packet) else { return .pass }
    packetIndex = position + 1
    guard position < index.packets.count else {
      guard !index.isComplete else { throw SeekRefusal("there are more packets than the index has") }
      return .decode
    }
    guard index.packets[position].isSame(as: packet) else {
      throw SeekRefusal("the packets are not those of the index")
    }
    guard position >= plan.keyFrame else { return .pass }
    guard index.packets[position].duration == packet.duration else {
      throw SeekRefusal("the durations of packets are guessed")
    }
    return .decode
  }

  /// Takes the next frame; returns false for one that is shown before the key frame.
  mutating func takes(frameAt time: Int64) throws(SeekRefusal) -> Bool {
    if let damage { throw SeekRefusal(damage) }
    if isBeforeKeyFrame, let first = plan.frames.first, time < first { return false }
    guard !isOver, plan.frames[frameIndex] == time else { throw SeekRefusal("packets are not frames one by one") }
    frameIndex += 1
    return true
  }
}
