import CFFmpeg
import Imaging

/// Gives frames times that rise. Used by one thread at a time.
struct FrameClock {
  /// The time of the latest frame.
  private(set) var last: MediaTime?
  /// Frames whose time was missing or not after the one before; they got the next possible one.
  private(set) var repairedCount = 0
  /// A Boolean value that tells whether time stamps that fall back by more than ``minimumRestart`` begin anew, as those
  /// of a sender that was started again do: they go on from where they were, by the time that passed meanwhile.
  var followsRestarts = false
  /// The number of times that the time stamps began anew.
  private(set) var restartCount = 0
  private var shift: Int64 = 0
  private var lastArrival = ContinuousClock.now

  /// The fall of time stamps beyond which they begin anew, in seconds.
  private static let minimumRestart = 1.0

  /// The largest time stamp that is taken for one, in ticks: nanoseconds since 1970 are below, and neither sums nor
  /// differences of two overflow. FFmpeg's sign for none is beyond.
  private static let maximumTicks: UInt64 = 1 << 61

  /// Returns the frame's time, or the next possible one where the container gives none or goes backwards.
  /// - Parameters:
  ///   - ticks: The time stamp in ticks of `base`, or FFmpeg's sign that there is none.
  ///   - frameRate: Frames per second, which tell where a frame without a time goes; nil when unknown.
  ///   - arrival: The moment at which the frame was there.
  mutating func time(
    of ticks: Int64, timeBase base: Rational, frameRate: Rational?, arrival: ContinuousClock.Instant = .now
  ) -> MediaTime {
    var value = ticks
    if value.magnitude > Self.maximumTicks {
      let nominal = frameRate.map { 1 / ($0.doubleValue * base.doubleValue) } ?? 1
      value = last.map { $0.value.addingSaturated(Int64(max(1, Int(saturating: nominal.rounded())))) } ?? 0
      if last != nil { repairedCount += 1 }
    }
    if followsRestarts { follow(&value, timeBase: base, arrival) }
    if let last, value <= last.value {
      value = last.value.addingSaturated(1)
      repairedCount += 1
    }
    let time = MediaTime(value: value, timeBase: base)
    last = time
    return time
  }

  private mutating func follow(_ value: inout Int64, timeBase base: Rational, _ arrival: ContinuousClock.Instant) {
    defer { lastArrival = arrival }
    if let last, (Double(last.value) - Double(value) - Double(shift)) * base.doubleValue > Self.minimumRestart {
      let passed = (arrival - lastArrival) / .seconds(1)
      let ticks = Int64(max(1, Int(saturating: (passed / base.doubleValue).rounded())))
      shift = last.value.subtractingSaturated(value).addingSaturated(ticks)
      restartCount += 1
    }
    value = value.addingSaturated(shift)
  }
}
