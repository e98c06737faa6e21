import Imaging

/// Tells whether motion may be an insect close to the lens: whether most of it was too soft, or too small and fast, to
/// be told from one.
///
/// Until ``decisionTime`` that is left to the ``InsectTracker``, which needs turns to see. What goes on after it, or is
/// over before, is believed where it is larger than an insect, as hands before the lens are, or where it went one way,
/// and far or for long, as who runs past and cars behind their headlights do: an insect that crosses the image takes
/// half a second, and turns.
///
/// The constants were chosen on 946 drawn videos of two hands and on twelve more of insects: all 16 true events that
/// were soft are told there, and two of 14 false ones.
struct FocusCheck: Sendable {
  /// The share of what moved up to which it may have been too soft.
  static let maximumUndecidedShare = 0.5
  /// The time in motion after which what is soft is told, in seconds, if it is believed.
  static let decisionTime = 3.0
  /// The maximum score of an insect, in percent: those that were told had up to 2.3, hands with bottles have 4.6, and
  /// headlights 4.0.
  static let maximumInsectScore = 3.3
  /// The length of the mean flow from which on it went one way, as a share of the mean length: who runs past has 0.99
  /// and more.
  static let minimumUniformity = 0.95
  /// The distance from where it began from which on it went far, in sides of what moves: who runs past gets 5.5 sides
  /// away and more, an insect that goes one way 3.2, but for one with 9.
  static let minimumWay = 4.2
  /// The time in motion from which on what went one way did so for long, in seconds: insects that do take 0.6, who
  /// walks slowly far away 2.0.
  static let minimumTime = 1.0

  private var (weight, undecided) = (0.0, 0.0)
  private var peakScore = 0.0
  /// The sums of the flow and of its lengths, weighted by the scores, in pixels per frame.
  private var (flow, flowLength) = (SIMD2<Double>.zero, 0.0)
  /// The center of what moved at first, in pixels.
  private var origin: SIMD2<Double>?
  /// The maximum distance from ``origin``, in pixels; infinite: statistics without boxes do not tell where it is.
  private var way = 0.0
  private var (sideSum, sideCount) = (0.0, 0)

  /// Takes a frame with motion.
  mutating func note(_ frame: FrameStatistics) {
    let zones = frame.zones.filter { $0.score > 0 }
    for zone in zones {
      weight += zone.score
      undecided += zone.undecided
      peakScore = max(peakScore, zone.score)
      flow += zone.score * SIMD2(zone.u, zone.v)
      flowLength += zone.score * SIMD2(zone.u, zone.v).length
    }
    guard !zones.isEmpty else { return }
    guard let box = zones.flatMap(\.boxes).map(Rectangle.init).max(by: { $0.area < $1.area }) else {
      way = .infinity
      return
    }
    sideSum += box.area.squareRoot()
    sideCount += 1
    let origin = origin ?? box.center
    self.origin = origin
    way = max(way, (box.center - origin).length)
  }

  /// Returns the result that tells whether most of what moved is in focus, or no insect for other reasons.
  /// - Parameters:
  ///   - movingSeconds: The time in which it moved, in seconds.
  ///   - isCertain: A Boolean value that tells whether it was told.
  ///   - isOver: A Boolean value that tells whether no more is to come.
  func ruleResult(movingSeconds: Double, isCertain: Bool, isOver: Bool) -> RuleResult {
    let wentLong = wentFar || movingSeconds >= Self.minimumTime
    let isDecided = isOver || movingSeconds > Self.decisionTime
    let isBelieved =
      isCertain || isDecided && (peakScore > Self.maximumInsectScore || wentOneWay && wentLong)
    return RuleResult(
      .focus, weight > 0 ? min(undecided / weight, 1) : 0, limit: isBelieved ? 1 : Self.maximumUndecidedShare)
  }

  private var wentFar: Bool { way * Double(sideCount) >= Self.minimumWay * sideSum }
  private var wentOneWay: Bool { flow.length >= Self.minimumUniformity * flowLength }
}
