import Imaging

/// One time line for the frames of connections that follow one another. Used by one thread at a time.
struct StreamTimeline {
  /// The time of the last frame, and the moment at which it came.
  var last: (time: MediaTime, arrival: ContinuousClock.Instant)?
  /// The number of ticks that is added to the times of the present connection.
  private var shift: Int64 = 0

  /// The time that is added to those of the present connection; nil before the first frame.
  var offset: MediaTime? { last.map { MediaTime(value: shift, timeBase: $0.time.timeBase) } }

  /// Lets another connection go on: its first frame comes as much later than the last one as it arrived later.
  /// - Returns: The seconds in between; nil when there was no frame yet.
  mutating func resume(with own: MediaTime, _ arrival: ContinuousClock.Instant) -> Double? {
    guard let last else { return nil }
    let missing = (arrival - last.arrival) / .seconds(1)
    let base = last.time.timeBase
    shift = last.time.value + max(1, Int64((missing / base.doubleValue).rounded())) - own.rescaled(to: base).value
    return missing
  }

  /// Returns a time of the present connection as one of the whole stream.
  func time(of own: MediaTime) -> MediaTime {
    let base = last?.time.timeBase ?? own.timeBase
    return MediaTime(value: own.rescaled(to: base).value + shift, timeBase: base)
  }
}
