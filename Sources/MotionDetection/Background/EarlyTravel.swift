// What travelled while a scene was young, beside all that moved: waves and branches seem to travel now and then.

import Imaging

/// Sums up what travels and what moves while a scene is settling, and tells whether what travelled came together by
/// chance. Used by one thread. The constants were tuned on the tuning half of the drawn scenes (Tests/DetectionScenes),
/// begun at several points and as other cameras would show them.
struct EarlyTravel: Sendable {
  /// The sums over the cells that travelled and that moved, since something first travelled, in cells times seconds.
  private var (travelSum, motionSum) = (0.0, 0.0)
  /// The part of ``motionSum`` since something last travelled.
  private var motionSinceTravel = 0.0
  /// The times at which something first and last travelled, in seconds; nil: nothing has.
  private var travelTimes: (first: Double, last: Double)?
  /// The maximum way of a cell within a window, in pixels.
  private(set) var furthestWay: Float = 0

  /// The time without travel from which on it may have been chance, in seconds: waves and rolling bands have rested for
  /// a second and more when a scene is three seconds old, who comes then and walks before trees for less than 0.4.
  private static let restTime = 0.9
  /// The maximum share of what moves that travels by chance: waves and rolling bands reach 0.06, who walks before them
  /// and has gone 0.13 where the way is short.
  private static let chanceShare = 0.08
  /// The share of the motion before that must go on after the travel: what travelled was not all that moved.
  private static let restlessShare = 0.2

  /// Takes the next frame.
  /// - Parameters:
  ///   - travelling: The cells through which something travels.
  ///   - motionCount: The number of cells in which something moves, travelling or not.
  ///   - elapsed: The time since the frame before, in seconds.
  mutating func note(
    _ travelling: [MotionObservation.MovingCell], motionCount: Int, seconds: Double, elapsed: Double
  ) {
    if !travelling.isEmpty {
      travelTimes = (travelTimes?.first ?? seconds, seconds)
      travelSum += Double(travelling.count) * elapsed
      motionSinceTravel = 0
      furthestWay = max(furthestWay, travelling.lazy.map(\.wayLength).max() ?? 0)
    } else {
      motionSinceTravel += Double(motionCount) * elapsed
    }
    if travelTimes != nil { motionSum += Double(motionCount) * elapsed }
  }

  /// Returns whether travel is over, and was a small part of a motion that goes on.
  func isChance(at seconds: Double) -> Bool {
    guard let travelTimes, seconds - travelTimes.last >= Self.restTime, travelSum < Self.chanceShare * motionSum
    else { return false }
    let before = (motionSum - motionSinceTravel) / max(travelTimes.last - travelTimes.first, Self.restTime)
    return motionSinceTravel / (seconds - travelTimes.last) >= Self.restlessShare * before
  }
}
