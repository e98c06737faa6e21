import Imaging

/// Tells whether little motion may be an event: whether it gets to where its own flow says.
///
/// Three cells in two frames of noise, of a wave or of snow have some flow, but the place where they are told does not
/// go with it. However little there is of somebody far away, the place does.
///
/// The constants were chosen on half of the drawn scenes of two hands: there 13 of 23 false events end here and none
/// of 103 true ones; of the other half 15 of 28, and none of 67. The history of motion that is too short to be compared
/// was chosen after that, on walkers before trees.
struct DisplacementCheck: Sendable {
  /// The sum of the scores over time from which on nothing is asked, in percent of the image times seconds.
  static let enough = 0.4
  /// The maximum distance between where it got to and where its flow says, as a share of the longer of the two ways.
  static let maximumDeviation = 0.5
  /// The way from which on the two are compared, as a multiple of the shorter side of what moves. What is seen for too
  /// short a time to come so far must have come as far before it was told.
  static let minimumWay = 0.75
  /// The maximum time for which the score of a frame counts, in seconds.
  private static let maximumInterval = 0.5

  private var scoreTime = 0.0
  private var weight = 0.0
  /// The flow, weighted by the scores, in pixels per frame.
  private var flow = SIMD2<Double>.zero
  private var first: First?
  /// The minimum distance of the two ways so far, as a share of the longer one.
  private var deviation = 1.0
  /// A Boolean value that tells whether it hardly came on, nor should have by its flow, though its points had come from
  /// elsewhere before.
  private var isTooShort = false

  private struct First: Sendable {
    var frame: Int
    var age: Int
    var place: SIMD2<Double>
  }

  /// Takes a frame in which something travels.
  /// - Parameter interval: The time since the frame before, in seconds.
  mutating func note(_ frame: FrameStatistics, interval: Double) {
    let zones = frame.zones.filter { $0.score > 0 }
    scoreTime += (zones.map(\.score).max() ?? 0) * min(interval, Self.maximumInterval)
    for zone in zones {
      weight += zone.score
      flow += zone.score * SIMD2(zone.u, zone.v)
    }
    guard let box = zones.flatMap(\.boxes).map(Rectangle.init).max(by: { $0.area < $1.area }) else {
      // Statistics without boxes do not tell where it is.
      deviation = 0
      return
    }
    let first = first ?? First(frame: frame.frame, age: zones.map(\.age).max() ?? 0, place: box.center)
    self.first = first
    let elapsed = Double(frame.frame.subtractingSaturated(first.frame))
    let side = min(box.width, box.height)
    let way = box.center - first.place
    let expected = elapsed / weight * flow
    let longer = max(way.length, expected.length)
    let history = (elapsed + Double(first.age)) / weight * flow
    let minimumWay = Self.minimumWay * side
    isTooShort = longer < minimumWay && history.length >= minimumWay
    guard longer > 0, way.length >= minimumWay else { return }
    deviation = min(deviation, (way - expected).length / longer)
  }

  /// Returns the result that tells whether it got to where its flow says, or is so much that nothing is asked.
  /// - Parameter isOver: A Boolean value that tells whether no more is to come, so that what was too short to be
  ///   compared is believed.
  func ruleResult(isOver: Bool = false) -> RuleResult {
    RuleResult(
      .displacement, isOver && isTooShort ? 0 : deviation,
      limit: scoreTime >= Self.enough ? .infinity : Self.maximumDeviation)
  }
}
