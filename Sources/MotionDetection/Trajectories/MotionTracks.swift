// Points that ride on the flow, and how far they travel.
//
// A point starts in each moving cell that has none, and is carried along by the flow of its cell (Sand & Teller 2008,
// "Particle video", doi:10.1007/s11263-008-0136-6, with no appearance model: points live for seconds). What it covered
// in the last window, as the crow flies and along the way, tells an object that travels from one that sways.

import Imaging

/// The points of one sequence. Used by one thread.
struct MotionTracks {
  private struct Point {
    /// The position in the last image, in pixels.
    var position: SIMD2<Float>
    /// The time since the point moved, in seconds.
    var idle: Double
    /// The step in which the point started, or went on after a rest.
    var birth: Int
    /// The index of the point's trail in ``trails``.
    var slot: Int
  }

  /// A cell through which something travels.
  struct MovingCell {
    var cell: Int
    /// The displacement over the window without the camera's motion, in pixels.
    var displacement: SIMD2<Float>
    /// The step in which its point started.
    var birth: Int
    /// A Boolean value that tells whether its point was carried on in the last step.
    var isCurrent: Bool
  }

  private let grid: CellGrid
  private let parameters: MotionParameters
  /// The points, sorted by age, the oldest first.
  private var points: [Point] = []
  /// The sum of displacements so far and the length of the way, for each point and each of the last ``trailLength``
  /// steps.
  private var trails: [SIMD4<Float>] = []
  private var freeSlots: [Int] = []
  /// The time of each of the last steps, in seconds.
  private var times: [Double]
  private var step = 0
  /// The time since when the oscillations are learned, in seconds; nil before the first step.
  private var sceneStart: Double?
  private var isTaken: [Bool]
  /// The index of each cell that moves in the motions of the pair that is looked at; nil for the others.
  private var motionIndex: [Int?]
  /// The distance by which the points of each cell swing without getting anywhere, in pixels.
  private var oscillationAmplitude: [Float]
  private var oscillation: [Float]
  /// The log that keeps the results of the rules; nil unless they are asked for.
  var log: RuleLog?

  /// The number of steps that a trail holds, a power of two: more than ``MotionParameters/window`` has at 60 frames a
  /// second.
  private static let trailLength = 64
  /// The bits of a step's index in a trail.
  private static let mask = trailLength - 1

  init(grid: CellGrid, parameters: MotionParameters) {
    self.grid = grid
    self.parameters = parameters
    times = Array(repeating: 0, count: Self.trailLength)
    isTaken = Array(repeating: false, count: grid.count)
    motionIndex = Array(repeating: nil, count: grid.count)
    oscillationAmplitude = Array(repeating: 0, count: grid.count)
    oscillation = oscillationAmplitude
  }

  /// Forgets the points; with `oscillations` also how the cells use to sway.
  mutating func reset(oscillations: Bool) {
    points = []
    freeSlots = Array(0..<trails.count / Self.trailLength)
    step = 0
    if oscillations {
      sceneStart = nil
      for cell in 0..<grid.count { oscillationAmplitude[cell] = 0 }
    }
  }

  /// Carries all points to the current image, and starts new ones.
  /// - Parameters:
  ///   - evidence: The motion without the camera's.
  ///   - moving: The indices in `evidence.motions` of the cells that move.
  ///   - camera: The map to where the camera's motion takes a point of the image before; nil: where it was.
  mutating func advance(
    _ evidence: CellEvidence, moving: [Int], camera: Homography?, time: Double, elapsed: Double
  ) {
    for index in moving { motionIndex[evidence.motions[index].cell] = index }
    defer { for index in moving { motionIndex[evidence.motions[index].cell] = nil } }
    step += 1
    if sceneStart == nil { sceneStart = time - elapsed }
    times[step & Self.mask] = time
    for cell in 0..<grid.count { isTaken[cell] = false }
    var kept = 0
    for index in points.indices {
      var point = points[index]
      carry(&point, evidence, camera: camera, elapsed: elapsed)
      let cell = grid.cell(x: point.position.x, y: point.position.y)
      // The oldest point of a cell has come furthest: the others tell nothing more.
      guard point.idle < parameters.forgetTime, isInside(point.position), !isTaken[cell] else {
        freeSlots.append(point.slot)
        continue
      }
      isTaken[cell] = true
      points[kept] = point
      kept += 1
    }
    points.removeLast(points.count - kept)
    for index in moving where !isTaken[evidence.motions[index].cell] { start(in: evidence.motions[index].cell) }
  }

  private func isInside(_ position: SIMD2<Float>) -> Bool {
    position.x >= -0.5 && position.y >= -0.5 && position.x < Float(grid.size.width) - 0.5
      && position.y < Float(grid.size.height) - 0.5
  }

  private mutating func carry(_ point: inout Point, _ evidence: CellEvidence, camera: Homography?, elapsed: Double) {
    var trail = trails[point.slot * Self.trailLength + ((step - 1) & Self.mask)]
    let cell = grid.cell(x: point.position.x, y: point.position.y)
    if let index = motionIndex[cell] {
      let shift = evidence.displacement(of: index, pixel: grid.pixel(at: point.position, in: cell))
      trail += SIMD4(shift.x, shift.y, (shift.x * shift.x + shift.y * shift.y).squareRoot(), 0)
      point.position += shift
      // Who moves it now need not be who moved it before.
      if point.idle > parameters.holdTime { point.birth = step - 1 }
      point.idle = 0
    } else {
      point.idle += elapsed
    }
    if let camera {
      let position = camera.apply(x: Double(point.position.x), y: Double(point.position.y))
      point.position = SIMD2(Float(position.x), Float(position.y))
    }
    trails[point.slot * Self.trailLength + (step & Self.mask)] = trail
  }

  private mutating func start(in cell: Int) {
    let slot = freeSlots.popLast() ?? trails.count / Self.trailLength
    if slot == trails.count / Self.trailLength {
      trails.append(contentsOf: repeatElement(.zero, count: Self.trailLength))
    }
    trails[slot * Self.trailLength + (step & Self.mask)] = .zero
    isTaken[cell] = true
    points.append(Point(position: grid.center(cell), idle: 0, birth: step, slot: slot))
  }

  /// The number of steps that the window holds.
  private var windowSteps: Int {
    let now = times[step & Self.mask]
    var steps = parameters.minimumWindowSteps
    while steps < Self.trailLength - 1, steps < step,
      now - times[(step - steps - 1) & Self.mask] <= parameters.window
    {
      steps += 1
    }
    return min(steps, Self.trailLength - 1)
  }

  /// The number of the last step.
  var lastStep: Int { step }

  /// Returns the cells through which something travels now, and learns how cells sway.
  mutating func movingCells(elapsed: Double) -> [MovingCell] {
    let window = windowSteps
    let threshold = parameters.travelShare * Float(max(grid.size.width, grid.size.height))
    for cell in 0..<grid.count { oscillation[cell] = 0 }
    var found: [MovingCell] = []
    let now = times[step & Self.mask]
    // While the oscillations of the cells are not known yet, every motion may be one.
    let ignorance = 1 - (now - (sceneStart ?? now)) / parameters.learningTime
    for point in points {
      let base = point.slot * Self.trailLength
      let first = max(step - window, point.birth)
      let covered = trails[base + (step & Self.mask)] - trails[base + (first & Self.mask)]
      let distance = (covered.x * covered.x + covered.y * covered.y).squareRoot()
      let cell = grid.cell(x: point.position.x, y: point.position.y)
      let straightness = RuleResult(.straightness, distance, limit: parameters.straightness * covered.z)
      log?.note(straightness)
      guard straightness.isSatisfied else {
        // There and back: the way is about twice the swing.
        grid.forEachNeighbor(of: cell, distance: 2) { oscillation[$0] = max(oscillation[$0], covered.z / 2) }
        continue
      }
      let youth = max(0, 1 - (now - times[first & Self.mask]) / parameters.trustTime, ignorance)
      let minimum =
        threshold * (1 + parameters.youthFactor * Float(youth)) + parameters.oscillationWeight
        * oscillationAmplitude[cell]
      let idleTime = RuleResult(.idleTime, point.idle, limit: parameters.holdTime)
      log?.note(idleTime)
      guard idleTime.isSatisfied else { continue }
      let way = RuleResult(.distance, distance, limit: minimum)
      log?.note(way)
      guard way.isSatisfied else { continue }
      found.append(
        MovingCell(
          cell: cell, displacement: SIMD2(covered.x, covered.y), birth: first, isCurrent: point.idle == 0))
    }
    learnOscillations(elapsed: elapsed)
    return coherent(found)
  }

  private mutating func learnOscillations(elapsed: Double) {
    let rise = Float(min(elapsed / parameters.oscillationRise, 1))
    let fall = Float(min(elapsed / parameters.oscillationFall, 1))
    for cell in 0..<grid.count {
      oscillationAmplitude[cell] +=
        (oscillation[cell] - oscillationAmplitude[cell])
        * (oscillation[cell] > oscillationAmplitude[cell] ? rise : fall)
    }
  }

  /// The minimum cosine between the ways of two neighbours that belong together, chosen by hand.
  private static let coherence: Float = 0.8

  /// Returns the cells that have a neighbour which travels the same way.
  private mutating func coherent(_ movingCells: [MovingCell]) -> [MovingCell] {
    var ways = [SIMD2<Float>?](repeating: nil, count: movingCells.isEmpty ? 0 : grid.count)
    for movingCell in movingCells { ways[movingCell.cell] = movingCell.displacement }
    var kept: [MovingCell] = []
    for movingCell in movingCells {
      let a = movingCell.displacement
      var cosine: Float = -1
      grid.forEachNeighbor(of: movingCell.cell) { neighbor in
        guard neighbor != movingCell.cell, let b = ways[neighbor] else { return }
        let lengths = ((a.x * a.x + a.y * a.y) * (b.x * b.x + b.y * b.y)).squareRoot()
        cosine = max(cosine, (a.x * b.x + a.y * b.y) / lengths)
      }
      let neighborAgreement = RuleResult(.neighborAgreement, cosine, limit: Self.coherence)
      log?.note(neighborAgreement)
      if neighborAgreement.isSatisfied { kept.append(movingCell) }
    }
    return kept
  }
}
