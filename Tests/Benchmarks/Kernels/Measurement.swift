// The shortest time of a piece of work, looked for at several moments.

/// Work that is timed again and again.
final class Measurement {
  /// Pixels, bytes or operations in one run of the work.
  private let count: Int
  private let work: () -> Void
  private var repetitions = 0
  /// The shortest time so far for one of them.
  private(set) var seconds = Double.infinity

  init(count: Int, work: @escaping () -> Void) {
    self.count = count
    self.work = work
  }

  /// Times the work once more, repeated until it takes about `duration` seconds.
  func measure(duration: Double) {
    while repetitions == 0 || time(repetitions) < duration / 2 { repetitions = max(1, 2 * repetitions) }
    seconds = min(seconds, time(repetitions) / Double(repetitions * count))
  }

  private func time(_ repetitions: Int) -> Double {
    let start = ContinuousClock.now
    for _ in 0..<repetitions { work() }
    return (ContinuousClock.now - start) / .seconds(1)
  }
}
