import Imaging

/// One time line for the frames of connections that follow one another. Used by one thread at a time.
struct StreamTimeline {
  /// The time of the last frame, and the moment at which it came.
  var last: (time: MediaTime, arrival: ContinuousClock.Instant)?
  /// The number of ticks that is added to the times of the present connection.
  private var shift: Int64 = 0

  /// The largest time, in ticks, that connections are given: there is room for all frames that may follow it.
  private static let maximumTicks: Int64 = 1 << 62

  /// The time that is added to those of the present connection; nil before the first frame.
  var offset: MediaTime? { last.map { MediaTime(value: shift, timeBase: $0.time.timeBase) } }

  /// Lets another connection go on: its first frame comes as much later than the last one as it arrived later.
  /// - Returns: The seconds in between; nil when there was no frame yet.
  mutating func resume(with own: MediaTime, _ arrival: ContinuousClock.Instant) -> Double? {
    guard let last else { return nil }
    let missing = (arrival - last.arrival) / .seconds(1)
    let base = last.time.timeBase
    let ticks = Int64(max(1, Int(saturating: (missing / base.doubleValue).rounded())))
    shift = last.time.value.addingSaturated(ticks).subtractingSaturated(own.rescaled(to: base).value)
    return missing
  }

  /// Returns the moment at which the first frame of a connection came, by the system's steady clock. It is decoded
  /// only when the streams have been looked at, which takes part of a second of them; those that follow come in a
  /// burst.
  /// - Parameters:
  ///   - own: The frame's time.
  ///   - decoded: The moment at which it had been decoded, the latest possible.
  ///   - start: The first time stamp of its stream; nil: not known.
  ///   - opening: The moment at which the connection was open.
  static func arrival(
    of own: MediaTime, decoded: ContinuousClock.Instant, since start: MediaTime?, opening: ContinuousClock.Instant
  ) -> ContinuousClock.Instant {
    guard let start else { return decoded }
    let distance = max(0, own.seconds - start.seconds)
    guard distance < (decoded - opening) / .seconds(1) else { return decoded }
    return opening + .seconds(distance)
  }

  /// Returns the time of the next frame of the present connection as one of the whole stream. It is after that of the
  /// last frame: times that the first connection's ticks cannot tell apart follow tick by tick.
  func time(of own: MediaTime) -> MediaTime {
    let base = last?.time.timeBase ?? own.timeBase
    var value = min(own.rescaled(to: base).value.addingSaturated(shift), Self.maximumTicks)
    if let last { value = max(value, last.time.value.addingSaturated(1)) }
    return MediaTime(value: value, timeBase: base)
  }
}
