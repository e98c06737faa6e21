// The memory of a sequence of images: noise, light, oscillation and tracks.

import Imaging

/// Finds what travels in a sequence of images, from the evidence of its pairs in order. Used by one thread.
///
/// A cell moves where the flow explains the image much better than no motion with a new gain and offset does, and the
/// difference stands out of the noise of that cell. Points ride along with what moves; those that get far enough, on a
/// fairly straight way and with a neighbour, make the travelling area. Where branches or flags use to sway they must
/// get further.
struct MotionMemory {
  /// The cells of the analysed images.
  let grid: CellGrid
  private let parameters: MotionParameters
  /// The squared difference that each cell has while nothing moves; nil before the first pair of a scene.
  private(set) var noiseFloor: NoiseFloor?
  private var tracks: MotionTracks
  private var light: IlluminationChangeDetector
  private var lastTime: Double?
  /// A Boolean value that tells whether observations hold the results of the rules.
  var explains = false

  /// Remembers nothing yet.
  init(grid: CellGrid, parameters: MotionParameters = MotionParameters()) {
    self.grid = grid
    self.parameters = parameters
    tracks = MotionTracks(grid: grid, parameters: parameters)
    light = IlluminationChangeDetector(grid: grid)
  }

  /// Takes the time of the first image of a sequence.
  mutating func start(seconds: Double) { lastTime = seconds }

  /// Takes the evidence of the next pair.
  /// - Parameters:
  ///   - camera: The map from pixels of the previous image to those of the current one as it was taken; nil: the camera
  ///     stood still.
  ///   - recentMotion: The share of the last second in which something moved near each cell, 0…1, of grid count: what
  ///     moves in one above the limit does not count, whatever the flow says. Nil: all are calm.
  ///   - seconds: The time of the current image.
  mutating func advance(
    _ evidence: CellEvidence, camera: Homography? = nil, recentMotion: [Float]? = nil, seconds: Double
  ) -> MotionObservation {
    let elapsed = max(seconds - (lastTime ?? seconds), 1e-3)
    lastTime = seconds
    guard grid.count > 0 else { return MotionObservation(grid: grid) }
    var floor = noiseFloor ?? evidence.noiseFloor
    var log = explains ? RuleLog(parameters.cellRules(withRecentMotion: recentMotion != nil)) : nil
    note(evidence, floor, recentMotion, in: &log)
    let moving = movingIndices(evidence, floor, recentMotion, &log)
    floor.adapt(to: evidence.unexplained, elapsed: Float(elapsed))
    noiseFloor = floor
    var observation = MotionObservation(grid: grid)
    for index in moving { observation.motionMask[evidence.motions[index].cell] = true }
    for motion in evidence.motions { observation.changedMask[motion.cell] = true }
    tracks.log = explains ? RuleLog([.straightness, .idleTime, .distance, .neighborAgreement]) : nil
    tracks.advance(evidence, moving: moving, camera: camera, time: seconds, elapsed: elapsed)
    if camera != nil { light.noteCameraMotion(until: seconds) }
    observation.lightShare = light.changedShare(
      means: evidence.means, noiseFloor: floor.values, motionMask: observation.motionMask, time: seconds)
    observation.movingCells = tracks.movingCells(elapsed: elapsed).map(tracks.observed)
    observation.unrelatedShare = evidence.unrelatedShare
    if let log, let points = tracks.log {
      observation.explanation = MotionObservation.Explanation(
        tallies: log.tallies + points.tallies, noise: Double(floor.median(medianResidual: evidence.medianResidual)))
    }
    return observation
  }

  /// Returns the indices in `evidence.motions` of the cells that move.
  private func movingIndices(
    _ evidence: CellEvidence, _ floor: NoiseFloor, _ recentMotion: [Float]?, _ log: inout RuleLog?
  ) -> [Int] {
    evidence.motions.indices.filter { index in
      let motion = evidence.motions[index]
      let (cell, unexplained) = (motion.cell, evidence.unexplained[motion.cell])
      let noise = floor.noise(cell, medianResidual: evidence.medianResidual)
      guard parameters.difference(unexplained, noise: noise).isSatisfied,
        parameters.calm(recentMotion?[cell] ?? 0).isSatisfied
      else { return false }
      let explained = RuleResult(.explained, motion.residual, limit: parameters.explainedShare * unexplained)
      log?.note(explained)
      guard explained.isSatisfied else { return false }
      let speed = RuleResult(.speed, motion.speed, limit: parameters.minimumSpeed)
      log?.note(speed)
      guard speed.isSatisfied else { return false }
      let maximumSpeed = RuleResult(.maximumSpeed, motion.speed, limit: parameters.maximumSpeed)
      log?.note(maximumSpeed)
      return maximumSpeed.isSatisfied
    }
  }

  /// Keeps the results of the rules that choose the cells whose motion is looked at.
  private func note(
    _ evidence: CellEvidence, _ floor: NoiseFloor, _ recentMotion: [Float]?, in log: inout RuleLog?
  ) {
    guard log != nil else { return }
    for cell in 0..<grid.count {
      let noise = floor.noise(cell, medianResidual: evidence.medianResidual)
      let difference = parameters.difference(evidence.unexplained[cell], noise: noise)
      log?.note(difference)
      if difference.isSatisfied { log?.note(parameters.calm(recentMotion?[cell] ?? 0)) }
    }
  }

  /// Begins anew after a gap, or, with `newScene`, after a cut: then it forgets the noise and oscillations of the
  /// cells too.
  mutating func restart(newScene: Bool) {
    tracks.reset(oscillations: newScene)
    light.reset()
    lastTime = nil
    if newScene { noiseFloor = nil }
  }
}

extension MotionParameters {
  /// The rules in the order in which cells are asked.
  fileprivate func cellRules(withRecentMotion hasRecentMotion: Bool) -> [Rule] {
    [.difference] + (hasRecentMotion ? [.recentMotion] : []) + [.explained, .speed]
      + (maximumSpeed.isFinite ? [.maximumSpeed] : [])
  }
}

extension MotionTracks {
  fileprivate func observed(_ movingCell: MovingCell) -> MotionObservation.MovingCell {
    let age = max(lastStep - movingCell.birth, 1)
    return MotionObservation.MovingCell(
      cell: movingCell.cell, u: movingCell.displacement.x / Float(age), v: movingCell.displacement.y / Float(age),
      age: age, isCurrent: movingCell.isCurrent)
  }
}
