// The times of parts that follow each other.

import Imaging

/// Gives the frames and the sound of parts of videos times that go on from part to part, beginning with zero.
struct JoinedTimeline {
  /// The time base of all times that it gives to frames.
  let timeBase: Rational
  /// The time that is taken off those of the input.
  private(set) var shift: MediaTime
  /// The time at which the frames so far end.
  private(set) var end: MediaTime
  /// The input's time of the newest frame of the input so far; nil before its first one.
  private(set) var newest: MediaTime?
  /// The decoding time of the latest packet, as it was written.
  private var lastDecodingTime: Int64?
  /// The input's time with which the part begins.
  private var start: MediaTime
  /// The newest frame of the input before the part.
  private var known: MediaTime?
  /// The seconds at which each sound ends, as it was written, and the input's time of the latest packet of it.
  private var sounds: [Int: (end: Double, newest: MediaTime?)] = [:]
  /// The sounds of which something was written in the part.
  private var begun: Set<Int> = []

  /// The seconds by which the sound of a part may begin before that of the part before it ends.
  private static let overlap = 0.001

  init(timeBase: Rational) {
    self.timeBase = timeBase
    shift = MediaTime(value: 0, timeBase: timeBase)
    (end, start) = (shift, shift)
  }

  /// Begins with another input, whose times say nothing about those before.
  mutating func beginInput() {
    newest = nil
    for key in sounds.keys { sounds[key]?.newest = nil }
  }

  /// Begins a part. One that begins before the end of the part before goes on with it.
  /// - Parameters:
  ///   - start: The input's time of its first frame.
  ///   - delay: The ticks by which that frame is decoded before it shows.
  mutating func beginPart(at start: MediaTime, delay: Int64 = 0) {
    self.start = start
    known = newest
    begun = []
    if let newest, start <= newest { return }
    var first = end.value
    if let lastDecodingTime { first = max(first, lastDecodingTime.addingSaturated(1).addingSaturated(delay)) }
    let value = start.rescaled(to: timeBase).value.subtractingSaturated(first)
    shift = MediaTime(value: value, timeBase: timeBase)
  }

  /// Returns whether a frame belongs to the part and was not written before.
  func takes(frameAt time: MediaTime) -> Bool { time >= start && known.map { time > $0 } ?? true }

  /// Takes note of a frame, or the packet of one.
  /// - Parameters:
  ///   - time: The input's time.
  ///   - duration: The seconds for which it shows.
  ///   - decodingTime: The decoding time of the packet, as it is written.
  /// - Returns: The time at which it shows.
  mutating func note(frameAt time: MediaTime, duration: Double, decodingTime: Int64? = nil) -> MediaTime {
    let value = time.rescaled(to: timeBase).value.subtractingSaturated(shift.value)
    let ticks = Int64(max(1, Int(saturating: (duration / timeBase.doubleValue).rounded())))
    end = max(end, MediaTime(value: value.addingSaturated(ticks), timeBase: timeBase))
    newest = max(newest ?? time, time)
    if let decodingTime { lastDecodingTime = decodingTime }
    return MediaTime(value: value, timeBase: timeBase)
  }

  /// Returns whether a packet of a sound belongs to the part and was not written before, and takes note of it.
  mutating func takes(soundAt time: MediaTime, duration: Double, stream: Int) -> Bool {
    let before = sounds[stream]
    guard time >= start, before?.newest.map({ time > $0 }) ?? true else { return false }
    let seconds = time.seconds - shift.seconds
    if let before, !begun.contains(stream), seconds + Self.overlap < before.end { return false }
    begun.insert(stream)
    sounds[stream] = (seconds + duration, time)
    return true
  }
}
