// One clip: which packets of the ring go into it.

import Imaging
import VideoIO

/// A clip that is being written. Used by one thread.
final class EventClip {
  /// The number of the event.
  let event: Int
  let path: String
  private let sink: any ClipSink
  /// The indices of the sound streams that belong to the clip.
  private let audioStreams: Set<Int>
  /// The number of the next packet of the ring.
  private(set) var next: Int
  /// The sound that was read before the images that go with it.
  private var waiting: [SourcePacket] = []
  /// The memory that ``waiting`` takes, in bytes.
  private(set) var waitingByteCount = 0
  private let soundByteLimit: Int
  /// The time of the image up to which sound was written when there was no room for more; nil: there was.
  private var clearedTime: MediaTime?
  /// A Boolean value that tells whether sound is left out, since too much of it waited for its images.
  private(set) var lacksSound = false
  /// The time of the latest image in the clip; nil before the first one.
  private var lastTime: MediaTime?
  /// The time for which the latest image shows, in seconds.
  private var lastDuration = 0.0
  /// The time at which the sound ends, in seconds; nil until the images are complete.
  private var audioEnd: Double?
  /// The indices of the sound streams that have got to ``audioEnd``.
  private var passed: Set<Int> = []

  /// The length of the video after the end for which the clip waits for its sound, in seconds.
  private static let patience = 2.0
  /// The longest time for which the last image is believed to show, in seconds: longer than from one image of a slow
  /// camera to the next. The clip waits for sound up to its end.
  private static let maximumLastDuration = 10.0

  /// - Parameters:
  ///   - first: The number of the key frame that it begins with.
  ///   - ring: Also holds the sound that begins with it but was read before.
  ///   - soundByteLimit: The memory that sound may take while it waits, in bytes; what is beyond is left out.
  init(
    event: Int, path: String, sink: any ClipSink, audioStreams: Set<Int>, first: Int, ring: PacketRing,
    soundByteLimit: Int
  ) throws {
    (self.event, self.path, self.sink, self.audioStreams) = (event, path, sink, audioStreams)
    self.soundByteLimit = soundByteLimit
    next = first
    guard let start = ring[first].time else { return }
    for index in ring.startIndex..<first where !ring[index].isVideo {
      if let time = ring[index].time, time >= start { try hold(ring[index]) }
    }
  }

  /// Writes the packets of an event that goes on up to a frame at `end`, as far as they were read.
  func advance(through end: MediaTime, ring: PacketRing) throws {
    try sink.advance(to: end)
    if let last = ring.lastPacket(atOrBefore: end, from: next) { try write(through: last, ring: ring) }
    try writeAudio(before: max(end.seconds, lastTime?.seconds ?? end.seconds))
  }

  /// Writes the packets that are about to leave the ring: rather too long a clip than one with a hole.
  func advance(throughPacket index: Int, ring: PacketRing) throws {
    guard audioEnd == nil, index >= next else { return }
    if ring[index].isVideo, let time = ring[index].time { try sink.advance(to: time) }
    try write(through: index, ring: ring)
  }

  /// Completes the images of an event that is over, with its last frame at `end`.
  func close(at end: MediaTime, ring: PacketRing) throws {
    try advance(through: end, ring: ring)
    if sink.keepsWholeGroups, let lastTime {
      // Frames between those that are there: without them the image would jump.
      let rest = (next..<max(next, ring.endIndex)).last { index in
        ring[index].isVideo && ring[index].time.map { $0 < lastTime } ?? false
      }
      if let rest { try write(through: rest, ring: ring) }
    }
    try sink.finishVideo()
    audioEnd = (sink.keepsWholeGroups ? max(end.seconds, lastTime?.seconds ?? end.seconds) : end.seconds) + lastDuration
    try writeAudio(before: audioEnd ?? end.seconds)
    (waiting, waitingByteCount) = ([], 0)
  }

  /// Takes the sound of a clip that is closed.
  /// - Parameter isLast: A Boolean value that tells whether nothing more will be read.
  /// - Returns: A Boolean value that tells whether the file is complete now.
  func finish(ring: PacketRing, isLast: Bool) throws -> Bool {
    guard let audioEnd else { return false }
    var newest = 0.0
    for index in next..<max(next, ring.endIndex) {
      let packet = ring[index]
      guard let time = packet.time?.seconds else { continue }
      if packet.isVideo {
        newest = max(newest, time)
      } else if time < audioEnd {
        try sink.append(packet)
      } else {
        passed.insert(packet.streamIndex)
      }
    }
    next = max(next, ring.endIndex)
    guard isLast || audioStreams.isSubset(of: passed) || newest > audioEnd + Self.patience else { return false }
    try sink.finish()
    return true
  }

  func abandon() { sink.abandon() }

  // MARK: Steps

  private func write(through last: Int, ring: PacketRing) throws {
    guard last >= next else { return }
    for index in next...last {
      let packet = ring[index]
      guard packet.isVideo else {
        try hold(packet)
        continue
      }
      try sink.append(packet)
      if let time = packet.time, lastTime.map({ time > $0 }) ?? true {
        lastTime = time
        lastDuration = min(packet.duration, Self.maximumLastDuration)
      }
    }
    next = last + 1
  }

  /// Keeps sound until the images that go with it come.
  private func hold(_ packet: SourcePacket) throws {
    func isTooMuch() -> Bool { waitingByteCount + packet.byteCount > soundByteLimit }
    if isTooMuch(), let lastTime, lastTime != clearedTime {
      clearedTime = lastTime
      try writeAudio(before: lastTime.seconds)
    }
    guard !isTooMuch() else {
      lacksSound = true
      return
    }
    waiting.append(packet)
    waitingByteCount += packet.byteCount
  }

  /// Writes the sound that was read already and begins before a time in seconds.
  private func writeAudio(before end: Double) throws {
    let ready = waiting.filter { $0.time.map { $0.seconds < end } ?? true }
    guard !ready.isEmpty else { return }
    waiting.removeAll { $0.time.map { $0.seconds < end } ?? true }
    waitingByteCount -= ready.reduce(0) { $0 + $1.byteCount }
    for packet in ready { try sink.append(packet) }
  }
}
