// The search for what moves too slowly, or is too dim in the noise, to be seen from frame to frame.

import Imaging

/// Analyses temporal averages: means of several frames, aligned by the camera's motion. Used by one thread.
///
/// The rules are those of the frames, for a video that runs so many times faster. A mean of two frames has half of the
/// noise, and what moves by a twentieth of a pixel a frame moves by four tenths between two means of eight. What
/// travels or sways from frame to frame is none of its business: at this distance in time it looks like anything, so
/// the cells where it does are left out, as are those whose light changed; where there is nothing else no flow is
/// computed.
final class TemporalAverageAnalyzer {
  private let estimator: PairFlowEstimator
  private let grid: CellGrid
  private let warper: ImageWarper
  private var comparer: CellComparer
  private var memory: MotionMemory
  private var average: TemporalAverage
  /// The number of images in `average` that were looked at.
  private var averagedPairs = 0
  /// The last average that is complete; nil: none.
  private(set) var previous: Plane<Float>?
  /// The number of averages that are complete.
  private(set) var averageCount = 0
  /// The map from pixels of the first image of the average `previous` to those of the first one of the next.
  private var previousMotion: Homography?
  private var recentMotion: RecentMotionMap
  private let maximumRecentMotion: Float
  /// The cells through which something travels in the last pair of averages, with speeds in pixels per frame.
  private var movingCells: [MotionObservation.MovingCell] = []
  private var motionMask: [Bool]
  private var changedMask: [Bool]
  /// The map from pixels of the image that the moving cells lie in to those of the last one; nil: the camera stood
  /// still since.
  private var findingsMotion: Homography?
  /// The time of the last comparison of two averages, in seconds, and the results of its rules; nil unless they were
  /// asked for.
  private var lastComparison: (seconds: Double, motion: MotionObservation.Explanation)?

  /// The minimum number of frames in an average.
  private let minimumFrames: Int
  /// The minimum length of an average, in seconds.
  private let minimumSeconds: Double

  /// The minimum number of frames in the averages that show what is too slow to be seen from frame to frame; what they
  /// alone show is noticed late by as many.
  static let slowFrames = 8

  /// The maximum motion of a corner of the image from one average to the next, in pixels: at the pace of what is
  /// searched for, the errors of registration move as well.
  private static let maximumCameraMotion = 3.0

  /// The length of a frame, in seconds: at 25 a second the minimum number of frames and the minimum time are one.
  private static let frameDuration = 0.04 - 1e-6

  /// - Parameters:
  ///   - frames: The number of frames in an average, at 25 frames a second or fewer; at more it has more.
  ///   - size: The size of the analysed images, in pixels.
  ///   - explains: A Boolean value that tells whether the results of the rules are kept.
  init(frames: Int, size: PixelSize, parallelism: Parallelism, explains: Bool = false) {
    minimumFrames = frames
    minimumSeconds = Double(frames) * Self.frameDuration
    warper = ImageWarper(parallelism: parallelism)
    estimator = PairFlowEstimator(parallelism: parallelism)
    let parameters = MotionParameters().slowed(by: frames)
    maximumRecentMotion = parameters.maximumRecentMotion
    grid = CellGrid(size: size)
    comparer = CellComparer(grid: grid, parameters: parameters)
    memory = MotionMemory(grid: grid, parameters: parameters)
    memory.explains = explains
    average = TemporalAverage(size: size, parallelism: parallelism)
    recentMotion = RecentMotionMap(grid: grid)
    motionMask = Array(repeating: false, count: grid.count)
    changedMask = motionMask
  }

  /// Begins anew: after a gap, or, with `newScene`, after a cut.
  func restart(newScene: Bool) {
    previous = nil
    average.reset()
    averagedPairs = 0
    memory.restart(newScene: newScene)
    forgetFindings()
    if newScene { recentMotion.reset() }
  }

  private func forgetFindings() {
    movingCells = []
    (lastComparison, findingsMotion) = (nil, nil)
    for cell in motionMask.indices { (motionMask[cell], changedMask[cell]) = (false, false) }
  }

  /// Returns the results of the rules for the last two averages before a frame at `seconds`; nil when none were kept.
  func notes(at seconds: Double) -> DetectionExplanation.TemporalAverageResults? {
    lastComparison.map {
      DetectionExplanation.TemporalAverageResults(
        frames: minimumFrames, secondsBefore: seconds - $0.seconds, motion: $0.motion)
    }
  }

  /// Takes the next frame.
  /// - Parameters:
  ///   - camera: The map from pixels of the frame before to those of this one; nil: the camera stood still.
  ///   - observation: The motion in the frame against the one before, and in shorter averages.
  ///   - restless: All that moves from frame to frame, or in shorter averages: where it does for much of a second,
  ///     nothing is looked for. By default `observation`.
  /// - Returns: The observation together with the motion in the last averages.
  func complete(
    _ observation: MotionObservation, restless: MotionObservation? = nil, image: Plane<Float>, camera: Homography?,
    seconds: Double
  ) -> MotionObservation {
    recentMotion.note(restless ?? observation, seconds: seconds)
    if isComplete(at: seconds) {
      advance(to: camera, seconds: seconds)
    } else {
      findingsMotion = camera.after(findingsMotion)
    }
    average.add(image, camera: camera, seconds: seconds)
    averagedPairs += 1
    guard !movingCells.isEmpty || changedMask.contains(true) || motionMask.contains(true) else { return observation }
    return merged(observation)
  }

  /// Takes a frame that is not looked at: an average has it all the same.
  func noteLeftOut(_ image: Plane<Float>, seconds: Double) {
    if average.count > 0, !isComplete(at: seconds) { average.add(image, camera: nil, seconds: seconds) }
  }

  /// Returns whether an average that goes on to the frame before one at `seconds` is long enough.
  private func isComplete(at seconds: Double) -> Bool {
    average.count >= minimumFrames && seconds - average.start >= minimumSeconds
  }

  private func merged(_ observation: MotionObservation) -> MotionObservation {
    var whole = observation
    let known = Set(observation.movingCells.map(\.cell))
    for movingCell in movingCells {
      guard let cell = position(of: movingCell.cell, movedBy: findingsMotion), !known.contains(cell) else { continue }
      whole.movingCells.append(movingCell)
      whole.movingCells[whole.movingCells.count - 1].cell = cell
    }
    // Each access to a member of a class is checked.
    let (motionMask, changedMask) = (motionMask, changedMask)
    for cell in motionMask.indices where motionMask[cell] || changedMask[cell] {
      guard let position = position(of: cell, movedBy: findingsMotion) else { continue }
      if motionMask[cell] { whole.motionMask[position] = true }
      if changedMask[cell] { whole.changedMask[position] = true }
    }
    return whole
  }

  /// Returns the cell to which a motion takes another; nil: out of the image.
  private func position(of cell: Int, movedBy motion: Homography?) -> Int? {
    motion.map { grid.cell(cell, movedBy: $0) } ?? cell
  }

  /// Compares the average that is complete with the one before, and begins another.
  private func advance(to camera: Homography?, seconds: Double) {
    let (current, pairCount) = (average.image, averagedPairs)
    let motion = average.motion
    defer {
      previous = current
      averageCount += 1
      previousMotion = camera.after(motion)
      average.reset()
      averagedPairs = 0
    }
    guard let previous else { return memory.start(seconds: seconds) }
    if let previousMotion, previousMotion.largestMotion(of: current.size) > Self.maximumCameraMotion {
      memory.restart(newScene: false)
      return forgetFindings()
    }
    let aligned = previousMotion.map { warper.warped(current, by: $0) }
    let seen = aligned ?? current
    let differences = comparer.differences(previous: previous, current: seen)
    let noiseFloor = memory.noiseFloor ?? NoiseFloor(first: differences)
    var recent = recentMotion.nearbyMotion(above: maximumRecentMotion)
    var candidates = comparer.candidates(in: differences, noiseFloor, recentMotion: recent)
    if !candidates.isEmpty {
      recentMotion.disturb(differences.illuminationChangedCells)
      recent = recentMotion.nearbyMotion(above: maximumRecentMotion)
      candidates = comparer.candidates(in: differences, noiseFloor, recentMotion: recent)
    }
    var evidence = CellEvidence(differences, noiseFloor: noiseFloor)
    let kind = aligned == nil ? PairFlow.Kind.cameraAtRest : .cameraInMotion
    if !candidates.isEmpty {
      let regions = comparer.regions(around: candidates, for: kind)
      let flow = estimator.flow(kind, from: previous, to: seen, in: regions).field
      evidence = comparer.evidence(
        of: candidates, in: differences, noiseFloor, previous: previous, current: seen, along: flow)
    }
    let found = memory.advance(
      evidence, camera: aligned == nil ? nil : previousMotion, recentMotion: recent, seconds: seconds)
    findingsMotion = camera.after(motion)
    lastComparison = found.explanation.map { (seconds, $0) }
    keep(found, pairCount: pairCount)
  }

  private func keep(_ found: MotionObservation, pairCount: Int) {
    let pace = Float(pairCount)
    // What moves is told where it was, what travels where it has got to.
    var (moves, changes) = (
      [Bool](repeating: false, count: grid.count), [Bool](repeating: false, count: grid.count)
    )
    for cell in found.motionMask.indices where found.motionMask[cell] || found.changedMask[cell] {
      guard let position = position(of: cell, movedBy: previousMotion) else { continue }
      if found.motionMask[cell] { moves[position] = true }
      if found.changedMask[cell] { changes[position] = true }
    }
    (motionMask, changedMask) = (moves, changes)
    movingCells = found.movingCells.map {
      MotionObservation.MovingCell(
        cell: $0.cell, u: $0.u / pace, v: $0.v / pace, age: $0.age * pairCount, lag: pairCount, isCurrent: false)
    }
  }
}

extension Homography? {
  /// Returns both motions as one, `earlier` first; nil is none.
  fileprivate func after(_ earlier: Homography?) -> Homography? {
    guard let self, let earlier else { return self ?? earlier }
    return self * earlier
  }
}
