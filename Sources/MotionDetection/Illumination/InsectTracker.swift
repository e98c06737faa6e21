// The tracker of insects and spiders close to the lens: out of focus, and erratic.

import Imaging

/// Follows what travels, and tells what is too close to the lens for its edges to be sharp, and changes its way as
/// often as no body does, or is softer than any, or flutters: is small, and turns so sharply and fast as moths do
/// before a lamp. Used by one thread.
///
/// A soft thing is no insect for that alone, nor is an erratic one: hands before the lens are soft, and people who turn
/// are erratic. The constants were chosen on the tuning half of the drawn scenes (Tests/DetectionScenes) and on clips.
struct InsectTracker: Sendable {
  /// The kinds of what travels.
  enum Kind: Sendable {
    /// Something in focus, or that keeps its way.
    case body
    /// Something out of focus that has not been seen for long.
    case undecided
    /// An insect.
    case insect
  }

  private struct Track: Sendable {
    /// The times of the first and of the last sighting, and that of the first one after a rest.
    var (first, last, begin): (Double, Double, Double)
    var center: SIMD2<Float>
    /// The mean side of what is followed, in pixels.
    var side: Float
    /// The mean width of its edges of late, in pixels; 0: none was measured.
    var width: Float = 0
    /// Its velocities of late, in pixels a second, each with its time.
    var velocities: [(seconds: Double, velocity: SIMD2<Float>)] = []
    /// How much speaks for an insect; a change of velocity by a side a second counts 1 for each second that it lasts.
    var evidence = 0.0
    /// The time of its last turn, in seconds.
    var lastTurn = -Double.infinity
    /// How much its turns speak for an insect, soft or sharp, counted alike.
    var flutter = 0.0
    /// Its mean speed of late, in sides a second.
    var speed: Float = 0
    var isInsect = false
  }

  private let grid: CellGrid
  private var tracks: [Track] = []
  private var lastSeconds: Double?

  /// The width of edges from which on what travels may be close to the lens, in pixels. Drawn bodies reach 3.9, those
  /// of 12 % contrast 4.4, insects have 3.6 to 6.5.
  static let softWidth: Float = 3.8
  /// The width of edges below which what travels is in focus, in pixels.
  private static let sharpWidth: Float = 3.3
  /// The widths between which edges speak for an insect by themselves, in pixels: each further pixel counts as much as
  /// a change of velocity by a side a second.
  private static let verySoftWidths: ClosedRange<Float> = 4.5...7
  /// The change of velocity in sides a second that is a turn, and the time after it in which softness counts, in
  /// seconds.
  private static let (turnChange, turnMemory): (Float, Double) = (0.2, 1.0)
  /// The times in which the mean width rises and falls, in seconds: what was sharp once is no insect.
  private static let (riseTime, fallTime) = (1.5, 0.4)
  /// The time after an appearance in which all edges seem soft, in seconds: until ``EdgeSoftness`` has an image with
  /// it.
  private static let firstTime = 0.3
  /// The evidence from which on it is an insect, and the maximum, which bounds how long it takes to forget. Hands with
  /// bottles reach 0.36, who walks 0.12.
  private static let (onEvidence, maximumEvidence) = (0.6, 2.0)
  /// The evidence below which it is none any more.
  private static let offEvidence = 0.1
  /// The times in which evidence is forgotten, in seconds: of what is soft, and of what is sharp.
  private static let (memoryInSeconds, sharpMemoryInSeconds) = (5.0, 0.4)
  /// The time over which changes of velocity are taken, in seconds.
  private static let changeTime = 0.24
  /// The share of the speed by which the velocity of a body may change: its limbs come and go.
  private static let steadyShare: Float = 0.35
  /// The maximum change of velocity that counts, in sides a second.
  private static let maximumChange: Float = 3
  /// The change of velocity in sides a second from which on it flutters, the share of the speed by which the velocity
  /// may change besides, and the time in which that is forgotten, in seconds. Bodies, on clips and 147 drawn scenes of
  /// another hand, reach no flutter but in rain and snow; three of five moths have 0.7 and more of it.
  private static let (flutterChange, flutterSteadyShare, flutterMemory): (Float, Float, Double) = (4, 0.7, 6)
  /// The flutter from which on it is an insect, below which it is none any more, and its maximum.
  private static let (onFlutter, offFlutter, maximumFlutter) = (0.6, 0.3, 1.0)
  /// The maximum side of what flutters, as a share of the longest side of the image.
  private static let maximumFlutterSide: Float = 0.1
  /// The speed from which on what is small may prove to flutter, in sides a second: who walks has 1 to 4, a cat that
  /// runs 5 to 10.
  private static let flutterSpeed: Float = 6
  /// The maximum side of an insect, as a share of the longest side of the image.
  private static let maximumSide: Float = 0.25
  /// The time in which what is soft shows whether it is an insect, in seconds.
  private static let decisionTime = 3.0
  /// The time without a sighting after which a track ends, in seconds; that of an insect, which may rest.
  private static let (lossTime, insectLossTime) = (0.5, 5.0)
  /// The minimum number of cells with which a track begins, and whose turns count: what is left of something larger as
  /// its motion fades is fewer.
  private static let minimumCells = 4
  /// The distance in which a track goes on, in pixels, and in sides of what is followed.
  private static let (reach, reachInSides) = (12 as Float, 2 as Float)
  /// The speed with which an insect may go on unseen, in pixels a second.
  private static let lostSpeed: Float = 120
  /// The share of its distance with which an insect competes for what may be a part of it.
  private static let preference: Float = 0.5

  init(grid: CellGrid) { self.grid = grid }

  /// Forgets all, for another scene or another view.
  mutating func reset() { (tracks, lastSeconds) = ([], nil) }

  /// Takes what travels in the next frame.
  /// - Parameters:
  ///   - components: All that seems to travel in it.
  ///   - widths: The width of the edges of each component, in pixels; 0: it was not measured.
  ///   - isRestless: A Boolean value that tells whether much moves here and there: drops and flakes flutter, too.
  ///   - isNight: A Boolean value that tells whether it is so dark that headlights glare.
  /// - Returns: What each component may be.
  mutating func advance(
    _ components: [[MotionObservation.MovingCell]], widths: [Float], isRestless: Bool, isNight: Bool, seconds: Double
  ) -> [Kind] {
    let interval = seconds - (lastSeconds ?? seconds)
    lastSeconds = seconds
    guard interval > 0 else { return components.map { _ in .body } }
    tracks.removeAll { seconds - $0.last > ($0.isInsect ? Self.insectLossTime : Self.lossTime) }
    let trackOfComponent = components.map { trackIndex(for: $0, seconds: seconds) }
    for track in tracks.indices {
      let members = components.indices.filter { trackOfComponent[$0] == track }
      guard !members.isEmpty else { continue }
      let width = width(of: members, components, widths)
      let cells = members.flatMap { components[$0] }
      // Strides between frames that are far apart are too rough to tell a turn by.
      noteFlutter(
        of: cells, counts: !isRestless && interval < NewcomerTracker.minimumInterval, &tracks[track], seconds: seconds,
        interval: interval)
      extend(&tracks[track], with: cells, width, isNight: isNight, seconds: seconds, interval: interval)
    }
    return trackOfComponent.map { $0.map { kind(of: tracks[$0]) } ?? .body }
  }

  private func kind(of track: Track) -> Kind {
    if track.isInsect { return .insect }
    let mayBeInsect = track.width >= Self.softWidth || track.speed >= Self.flutterSpeed
    return mayBeInsect && track.last - track.first < Self.decisionTime ? .undecided : .body
  }

  /// Returns the track that a component goes on with, or that begins with it; nil: it is too small for that.
  private mutating func trackIndex(for component: [MotionObservation.MovingCell], seconds: Double) -> Int? {
    let (center, side) = (center(of: component), side(of: component.count))
    var nearest: (track: Int, distance: Float)?
    for (index, track) in tracks.enumerated() {
      let distance = (center - track.center).length
      let lost = Float(track.isInsect ? seconds - track.last : 0)
      guard distance < Self.reach + Self.reachInSides * max(side, track.side) + Self.lostSpeed * lost else { continue }
      let rank = track.isInsect ? Self.preference * distance : distance
      if rank < nearest?.distance ?? .infinity { nearest = (index, rank) }
    }
    if let nearest { return nearest.track }
    guard component.count >= Self.minimumCells else { return nil }
    tracks.append(Track(first: seconds, last: seconds, begin: seconds, center: center, side: side))
    return tracks.count - 1
  }

  /// Returns the mean width of the edges of the components of a track; nil: it was not measured, or most of them are
  /// cut by the border of the image, where the sharpest parts of an insect show alone: its legs.
  private func width(of members: [Int], _ components: [[MotionObservation.MovingCell]], _ widths: [Float]) -> Float? {
    let whole = members.filter { !components[$0].contains { grid.isBorder($0.cell) } }
    let (cells, wholeCells) = (members.map { components[$0].count }, whole.map { components[$0].count })
    guard 2 * wholeCells.reduce(0, +) > cells.reduce(0, +) else { return nil }
    var (sum, weight) = (0 as Float, 0 as Float)
    for member in whole where widths[member] > 0 {
      sum += widths[member] * Float(components[member].count)
      weight += Float(components[member].count)
    }
    return weight > 0 ? sum / weight : nil
  }

  private func extend(
    _ track: inout Track, with cells: [MotionObservation.MovingCell], _ width: Float?, isNight: Bool,
    seconds: Double, interval: Double
  ) {
    let elapsed = seconds - track.last
    if elapsed > Self.lossTime { track.begin = seconds }
    let velocity = velocity(of: cells, interval: interval)
    track.side += Float(min(1, interval / Self.changeTime)) * (side(of: cells.count) - track.side)
    let isSharp = width.map { $0 < Self.sharpWidth } ?? false
    track.evidence *= max(0, 1 - elapsed / (isSharp ? Self.sharpMemoryInSeconds : Self.memoryInSeconds))
    if let width {
      let time = width < track.width ? Self.fallTime : Self.riseTime
      track.width += Float(track.width == 0 ? 1 : min(1, elapsed / time)) * (width - track.width)
      let isSoft = width >= Self.softWidth && track.width >= Self.sharpWidth
      if isSoft, cells.count >= Self.minimumCells, side(of: cells.count) < Self.maximumSide * longestSide,
        seconds - track.begin >= Self.firstTime
      {
        let change = change(of: track, to: velocity, steadyShare: Self.steadyShare, seconds: seconds)
        // The glare of headlights is as soft, and keeps its way.
        if change ?? .infinity >= Self.turnChange { track.lastTurn = seconds }
        let hasTurned = !isNight || seconds - track.lastTurn <= Self.turnMemory
        let signs = (hasTurned ? softness(width) : 0) + min(change ?? 0, Self.maximumChange)
        track.evidence = min(track.evidence + Double(signs) * interval, Self.maximumEvidence)
      }
    }
    if track.evidence >= Self.onEvidence || track.flutter >= Self.onFlutter { track.isInsect = true }
    if track.evidence < Self.offEvidence, track.flutter < Self.offFlutter { track.isInsect = false }
    track.velocities.removeAll { seconds - $0.seconds > 2 * Self.changeTime }
    track.velocities.append((seconds, velocity))
    (track.center, track.last) = (center(of: cells), seconds)
  }

  /// Takes note of how fast a track turns, before it is extended.
  /// - Parameter counts: A Boolean value that tells whether turns may speak for an insect.
  private func noteFlutter(
    of cells: [MotionObservation.MovingCell], counts: Bool, _ track: inout Track, seconds: Double, interval: Double
  ) {
    let isSmall = track.side < Self.maximumFlutterSide * longestSide
    let memory = isSmall ? Self.flutterMemory : Self.sharpMemoryInSeconds
    track.flutter *= max(0, 1 - (seconds - track.last) / memory)
    guard counts, isSmall else {
      track.speed = 0
      return
    }
    let velocity = velocity(of: cells, interval: interval)
    let weight = track.speed == 0 ? 1 : Float(min(1, interval / Self.changeTime))
    track.speed += weight * (velocity.length / max(track.side, 1) - track.speed)
    let change = change(of: track, to: velocity, steadyShare: Self.flutterSteadyShare, seconds: seconds)
    let turn = min(max((change ?? 0) - Self.flutterChange, 0), Self.maximumChange)
    track.flutter = min(track.flutter + Double(turn) * interval, Self.maximumFlutter)
  }

  /// Returns the mean velocity of some cells, in pixels a second.
  private func velocity(of cells: [MotionObservation.MovingCell], interval: Double) -> SIMD2<Float> {
    cells.reduce(SIMD2<Float>.zero) { $0 + SIMD2($1.u, $1.v) } / Float(Double(max(cells.count, 1)) * interval)
  }

  /// Returns how much the width of edges speaks for an insect, in pixels.
  private func softness(_ width: Float) -> Float {
    max(0, min(width, Self.verySoftWidths.upperBound) - Self.verySoftWidths.lowerBound)
  }

  /// Returns by how much a velocity differs from that of a moment ago, in sides a second, where it differs by more than
  /// the parts of a body do; nil: that of a moment ago is not known.
  private func change(
    of track: Track, to velocity: SIMD2<Float>, steadyShare: Float, seconds: Double
  ) -> Float? {
    let past = track.velocities.last { (Self.changeTime...2 * Self.changeTime).contains(seconds - $0.seconds + 1e-6) }
    guard let past else { return nil }
    let speed = max(velocity.length, past.velocity.length)
    let change = (velocity - past.velocity).length - steadyShare * speed
    return max(change, 0) / max(track.side, 1)
  }

  private var longestSide: Float { Float(max(grid.size.width, grid.size.height)) }

  private func center(of cells: [MotionObservation.MovingCell]) -> SIMD2<Float> {
    cells.reduce(SIMD2<Float>.zero) { $0 + grid.center($1.cell) } / Float(max(cells.count, 1))
  }

  private func side(of count: Int) -> Float { Float(MotionParameters.cellSide) * Float(count).squareRoot() }
}
