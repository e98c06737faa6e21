import Imaging

/// Follows the boxes of what travels from frame to frame, and tells for how long one of them has gone on.
///
/// Flakes before a lamp, moths and crests of waves travel, each for a moment, and hundreds of them make no event. Who
/// comes goes on, or is so much that a moment is enough.
///
/// The constants were chosen on half of the drawn scenes of two hands, see ``enough``.
struct PersistenceTracker: Sendable {
  private struct Chain {
    /// The time since which it has been moving, in seconds.
    var first: Double
    /// A Boolean value that tells whether it has not been seen before.
    var isNew = true
    /// The time since which what it goes on with has been seen now and then, in seconds.
    var origin: Double
    /// Its score over time, in percent of the image times seconds.
    var scoreTime = 0.0
    /// The box around all that belonged to it in the last frame with it.
    var box: Rectangle
    /// The largest of that.
    var latest: Sighting
    /// The largest that was seen of it of late: a rest that is seen behind it does not tell where it goes on.
    var body: Sighting
    /// The largest of all those, in pixels a second: where contrast is low the flow fades before the thing is lost.
    var largestVelocity = SIMD2<Double>.zero
  }

  /// A box in the last frame.
  private struct Sighting {
    var box: Rectangle
    /// The mean velocity of all that travels in its zone, in pixels a second.
    var velocity: SIMD2<Double>
    /// The time since which it has been moving, and that of the frame, in seconds.
    var (begin, seconds): (Double, Double)
    /// Its part of the score, in percent of the image.
    var score: Double
  }

  /// The value of a percent of the image for a second, in seconds, where nothing else moves; half of that where much
  /// does: waves are large now and then.
  private static let secondsPerScoreTime = 5.0
  /// The persistence from which on motion goes on, in seconds, where others came to nothing of late. Of 58 false events
  /// of the drawn scenes 30 have 0.1 to 1.6, and 391 true ones 1.9 and more.
  private static let enough = 1.75
  /// The persistence that is enough of what moves alone: as long as a few pixels far away are seen at a time.
  private static let enoughAlone = 1.2
  /// The persistence that is asked for in a swarm: bugs before a lamp, flakes and leaves that fall reach 3.4 in one,
  /// who walks through it 6 and more.
  private static let enoughInSwarm = 4.0
  /// The numbers of moments at which others began that came to nothing from which on it has company, and is in a swarm,
  /// and the time for which they count, in seconds.
  private static let (companyCount, swarmCount, companyTime) = (2, 6.0, 10.0)
  /// The number of moments that make a swarm as soon as it is seen: before it has been seen for ``companyTime``, as
  /// many as would have come by then.
  private static let earlySwarmCount = 2.0
  /// The mean part of the image that moves without getting anywhere from which on nothing is alone, in percent, the
  /// maximum that a frame counts for, in percent, and the time over which the mean is taken, in seconds. Chosen on
  /// twelve seeds of water and on seeds 1 to 12 of the drawn scenes of two hands.
  private static let (restlessArea, maximumRestlessArea, restlessTime) = (0.4, 1.0, 5.0)
  /// The maximum number of chains that ended that are remembered.
  private static let maximumEndedCount = 64
  /// The time without a sighting after which a chain ends, in seconds, and in intervals of frames.
  private static let (lossTime, lossIntervals) = (0.3, 2.2)
  /// The distance in which a chain goes on, in sides of what moves, and in sides a second.
  private static let (reach, reachPerSecond) = (1.2, 20.0)
  /// The time for which a chain that ended may be what another goes on with, in seconds, and how far that may have
  /// come, in sides a second.
  private static let (memoryInSeconds, lostReachPerSecond) = (2.0, 1.0)
  /// How far what goes on in the same direction may have come beside that, in sides a second, and the cosine of the
  /// angle within which two directions are the same.
  private static let (directedReachPerSecond, directionCosine) = (3.0, 0.87)
  /// The share of the speed by which the velocity of what goes on after a pause may differ.
  private static let velocityShare = 0.5
  /// The maximum time for which the score of a frame counts, in seconds.
  private static let maximumInterval = 0.5

  /// The chains that go on, and those that ended not long ago.
  private var (chains, ended): ([Chain], [Chain]) = ([], [])
  private var lastSeconds: Double?
  /// The time of the first frame, in seconds.
  private var start: Double?
  /// The mean part of the image that moves while nothing travels, in percent.
  private var restlessness = 0.0

  /// The result that tells whether one thing goes on that is seen in the last frame, or was a moment ago: for how long,
  /// in seconds, the longest of all, its points before it was told included, and more the larger it is. Nil where
  /// statistics have no boxes, which alone tell.
  private(set) var ruleResult: RuleResult? = PersistenceTracker.nothing

  /// The result where nothing goes on.
  static let nothing = RuleResult(.persistence, 0, limit: enoughAlone)

  /// A Boolean value that tells whether so much moves that nothing is alone: where water flickers, what stopped may
  /// seem to live.
  var isRestless: Bool { restlessness >= Self.restlessArea }

  /// A Boolean value that tells whether something in the last frame goes on, by itself or with what was seen before;
  /// true where statistics have no boxes.
  var goesOn: Bool { ruleResult == nil || chains.contains { $0.latest.seconds == lastSeconds && goesOn($0) } }

  /// Returns the times since which what is in the last frame has been moving, in seconds, where that is later than a
  /// time or it did not go on up to now.
  func beginnings(after seconds: Double) -> [Double] {
    chains.filter { $0.latest.seconds == lastSeconds && ($0.first > seconds || !goesOn($0)) }.map(\.first)
  }

  /// The time since which what goes on has been seen now and then, in seconds: the earliest of all that is seen in the
  /// last frame, or was a moment ago; nil where there is none.
  var origin: Double? { chains.map(\.origin).min() }

  /// Forgets all, after a cut or a gap.
  mutating func reset() {
    (chains, ended, lastSeconds, start, restlessness, ruleResult) = ([], [], nil, nil, 0, Self.nothing)
  }

  /// Takes the next frame.
  mutating func note(_ frame: FrameStatistics) {
    let seconds = frame.time.seconds
    let interval = min(max(seconds - (lastSeconds ?? seconds), 0), Self.maximumInterval)
    lastSeconds = seconds
    start = start ?? seconds
    noteRestlessness(frame, interval: interval)
    let lossTime = max(Self.lossTime, Self.lossIntervals * interval)
    ended += chains.filter { seconds - $0.latest.seconds > lossTime }
    chains.removeAll { seconds - $0.latest.seconds > lossTime }
    ended.removeAll { seconds - $0.latest.seconds > Self.companyTime }
    ended.removeFirst(max(0, ended.count - Self.maximumEndedCount))
    var members: [(chain: Int, sighting: Sighting)] = []
    for (index, zone) in frame.zones.enumerated() where zone.score > 0 {
      let area = zone.boxes.reduce(0) { $0 + Rectangle($1).area }
      let velocity = interval > 0 ? SIMD2(zone.u, zone.v) / interval : .zero
      let begin = seconds - Double(min(max(zone.age, 0), EventDetector.maximumLeadInFrames) + 1) * interval
      // Zones may overlap: one component is listed once.
      for listed in zone.boxes where !frame.zones[..<index].contains(where: { $0.boxes.contains(listed) }) {
        let box = Rectangle(listed)
        let sighting = Sighting(
          box: box, velocity: velocity, begin: begin, seconds: seconds, score: zone.score * box.area / max(area, 1))
        members.append((chain(of: sighting, interval: interval), sighting))
      }
    }
    for index in chains.indices {
      let parts = members.filter { $0.chain == index }.map(\.sighting)
      guard let largest = parts.max(by: { $0.box.area < $1.box.area }) else { continue }
      chains[index].box = parts.dropFirst().reduce(parts[0].box) { $0.union($1.box) }
      chains[index].latest = largest
      let rest = 1 - (seconds - chains[index].body.seconds) / Self.memoryInSeconds
      if largest.box.side >= rest * chains[index].body.box.side { chains[index].body = largest }
      if largest.velocity.length > chains[index].largestVelocity.length {
        chains[index].largestVelocity = largest.velocity
      }
      // What is told now was there before, as long as its points.
      let time = chains[index].isNew ? seconds - chains[index].first : interval
      chains[index].scoreTime += parts.reduce(0) { $0 + $1.score } * time
      chains[index].isNew = false
    }
    let isUnknown = frame.zones.contains { $0.score > 0 && $0.boxes.isEmpty }
    ruleResult = isUnknown ? nil : longest
  }

  /// Takes note of what moves in a frame in which nothing travels.
  private mutating func noteRestlessness(_ frame: FrameStatistics, interval: Double) {
    guard frame.zones.allSatisfy({ $0.score == 0 }) else { return }
    let area = min(frame.zones.map(\.moving).max() ?? 0, Self.maximumRestlessArea)
    restlessness += min(interval / Self.restlessTime, 1) * (area - restlessness)
  }

  /// The result for the chain that goes on for the longest time.
  private var longest: RuleResult {
    guard let longest = chains.max(by: { persistence(of: $0) < persistence(of: $1) }) else { return Self.nothing }
    return RuleResult(.persistence, persistence(of: longest), limit: limit(of: longest))
  }

  private func persistence(of chain: Chain) -> Double {
    chain.latest.seconds - chain.first + Self.secondsPerScoreTime / (isRestless ? 1 + restlessness : 1)
      * chain.scoreTime
  }

  private func goesOn(_ chain: Chain) -> Bool {
    persistence(of: chain) >= limit(of: chain) || chain.latest.seconds - chain.origin >= Self.enough
  }

  /// Returns the persistence that is enough for a chain.
  private func limit(of chain: Chain) -> Double {
    // What it may go on with is no company, and what began in one moment came of one thing.
    let others = (chains + ended).filter { persistence(of: $0) < Self.enough && $0.origin != chain.origin }
    let company = Set(others.map(\.first)).count
    if Double(company) >= swarmCount { return Self.enoughInSwarm }
    return company >= Self.companyCount || isRestless ? Self.enough : Self.enoughAlone
  }

  /// The number of moments from which on there is a swarm.
  private var swarmCount: Double {
    let known = min(((lastSeconds ?? 0) - (start ?? 0)) / Self.companyTime, 1)
    return max(Self.earlySwarmCount, known * Self.swarmCount)
  }

  /// Returns the chain that a box goes on with: the nearest within reach, or one that ended and would have come there;
  /// a new one where there is none.
  private mutating func chain(of sighting: Sighting, interval: Double) -> Int {
    let box = sighting.box
    var nearest: (chain: Int, distance: Double)?
    for (index, chain) in chains.enumerated() {
      let distance = box.distance(to: chain.box)
      let reach = max(Self.reach, Self.reachPerSecond * interval) * max(chain.latest.box.side, box.side)
      if distance <= reach, distance < nearest?.distance ?? .infinity { nearest = (index, distance) }
    }
    if let nearest { return nearest.chain }
    if let index = chains.firstIndex(where: { leads($0.body, to: sighting) }) { return index }
    if let revived = ended.firstIndex(where: { leads($0.latest, to: sighting) }) {
      chains.append(ended.remove(at: revived))
    } else {
      let former = ended.filter { mayGoOn($0, with: sighting) }
      let begin = sighting.begin
      let origin = min(begin, former.map(\.origin).min() ?? begin)
      chains.append(Chain(first: begin, origin: origin, box: box, latest: sighting, body: sighting))
    }
    return chains.count - 1
  }

  /// Returns whether a sighting leads to a later one: it would have come there, and that goes on as it did.
  private func leads(_ former: Sighting, to sighting: Sighting) -> Bool {
    let elapsed = sighting.seconds - former.seconds
    guard elapsed <= Self.memoryInSeconds else { return false }
    let way = elapsed * former.velocity
    let speed = max(sighting.velocity.length, former.velocity.length)
    return sighting.box.distance(to: former.box.moved(by: way)) <= Self.reach * max(former.box.side, sighting.box.side)
      && (sighting.velocity - former.velocity).length <= Self.velocityShare * speed
  }

  /// Returns whether what ended may go on with a box: from where it was, or from where it would have come; farther
  /// away where that goes in the same direction, as fast as either.
  private func mayGoOn(_ chain: Chain, with sighting: Sighting) -> Bool {
    let elapsed = sighting.seconds - chain.latest.seconds
    guard elapsed <= Self.memoryInSeconds else { return false }
    func isReached(with velocities: [SIMD2<Double>], sidesPerSecond: Double) -> Bool {
      let reach = (Self.reach + sidesPerSecond * elapsed) * max(chain.latest.box.side, sighting.box.side)
      return velocities.contains { sighting.box.distance(to: chain.box.moved(by: elapsed * $0)) <= reach }
    }
    let (velocity, other) = (sighting.velocity, chain.largestVelocity)
    return isReached(with: [.zero, chain.latest.velocity], sidesPerSecond: Self.lostReachPerSecond)
      || (velocity * other).sum() >= Self.directionCosine * velocity.length * other.length
        && isReached(with: [velocity, other], sidesPerSecond: Self.directedReachPerSecond)
  }
}
