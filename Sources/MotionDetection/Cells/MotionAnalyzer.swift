// From pairs of images and their flow to what moves.

import Imaging

/// The motion and the change of light in one pair of images.
public struct MotionObservation: Sendable {
  /// A cell through which something travels.
  public struct MovingCell: Sendable, Hashable {
    /// The number of the cell, row by row from the top.
    public var cell: Int
    /// The motion to the right, in pixels of the analysed image per pair, without the camera's motion.
    public var u: Float
    /// The motion down, in pixels of the analysed image per pair, without the camera's motion.
    public var v: Float
    /// The number of pairs for which the motion has been seen, at most those of the window.
    public var age: Int
    /// The number of frames by which the motion is noticed late.
    public var lag: Int

    /// Takes the measured values.
    public init(cell: Int, u: Float, v: Float, age: Int, lag: Int = 0) {
      self.cell = cell
      self.u = u
      self.v = v
      self.age = age
      self.lag = lag
    }
  }

  /// The cells that are numbered.
  public let grid: CellGrid
  /// The cells that something moves through, wherever it gets; row by row from the top.
  public var motionMask: [Bool]
  /// The cells through which something travels.
  public var movingCells: [MovingCell]
  /// The share of the image that became brighter or darker with nothing moving there, 0…1.
  public var lightShare: Double
  /// The share of the textured cells that neither motion nor light explains, 0…1: nearly all at a cut.
  public var unrelatedShare: Double
  /// The results of the rules, if they were asked for.
  public var explanation: Explanation?

  /// The results of the rules for cells and points.
  public struct Explanation: Sendable, Hashable {
    /// The tallies in the order in which the rules are asked; a cell or point that fails one is not asked the next.
    public var tallies: [RuleTally]
    /// The squared difference that noise makes, in grey levels: the median over the cells.
    public var noise: Double
  }

  /// Takes the measured values.
  ///
  /// - Parameters:
  ///   - grid: The cells that are numbered.
  ///   - motionMask: One for each cell of `grid`.
  ///   - movingCells: The cells through which something travels.
  ///   - lightShare: 0…1.
  ///   - unrelatedShare: 0…1.
  public init(
    grid: CellGrid, motionMask: [Bool], movingCells: [MovingCell], lightShare: Double, unrelatedShare: Double
  ) {
    precondition(motionMask.count == grid.count, "\(motionMask.count) cells instead of \(grid.count)")
    self.grid = grid
    self.motionMask = motionMask
    self.movingCells = movingCells
    self.lightShare = lightShare
    self.unrelatedShare = unrelatedShare
  }
}

/// Finds what travels in a sequence of images of a fixed, shaking or panning camera. Used by one thread.
///
/// A cell moves where the flow explains the image much better than no motion with a new gain and offset does, and the
/// difference stands out of the noise of that place. Points ride along with what moves; those that get far enough, on a
/// fairly straight way and with a neighbour, make the travelling area. Where things use to sway they must get further.
public struct MotionAnalyzer {
  /// The cells of the analysed images.
  public let grid: CellGrid
  private var evidence: MotionEvidence
  private var tracks: MotionTracks
  private var light: IlluminationChangeDetector
  private var lastTime: Double?
  private static let minimumLitShare = 0.2
  /// A Boolean value that tells whether observations hold the results of the rules.
  public var explains = false

  /// Creates an analyzer that has seen no image.
  ///
  /// - Parameters:
  ///   - size: The size of the analysed images, about ``MotionParameters/analysisSide`` pixels long.
  ///   - parameters: The rules for what counts as motion.
  public init(size: PixelSize, parameters: MotionParameters = MotionParameters()) {
    grid = CellGrid(size: size)
    evidence = MotionEvidence(grid: grid, parameters: parameters)
    tracks = MotionTracks(grid: grid, parameters: parameters)
    light = IlluminationChangeDetector(grid: grid)
  }

  /// Takes the time of the first image of a sequence.
  public mutating func start(seconds: Double) { lastTime = seconds }

  /// Looks at the next pair as if nothing moved.
  /// - Parameters:
  ///   - previous: Luma, 0…255, of the analysed size.
  ///   - current: Luma, 0…255, of the analysed size.
  ///   - isIlluminationCorrected: A Boolean value that tells whether `current` comes from
  ///     ``illuminationCorrected(_:)``.
  ///   - recentMotion: See ``advance(previous:current:flow:camera:recentMotion:seconds:)``.
  /// - Returns: A Boolean value that tells whether anything stands out of noise and light: otherwise the pair's flow is
  ///   not needed.
  public mutating func compare(
    previous: Plane<Float>, current: Plane<Float>, isIlluminationCorrected: Bool = false, recentMotion: [Float]? = nil
  ) -> Bool {
    precondition(previous.size == grid.size && current.size == grid.size)
    guard grid.count > 0 else { return false }
    return previous.withView { previous in
      current.withView { current in
        evidence.compare(
          previous: previous, current: current, isIlluminationCorrected: isIlluminationCorrected,
          recentMotion: recentMotion)
      }
    }
  }

  /// Returns whether anything stands out of noise and light between the images of the last comparison, when other
  /// places are restless.
  package func standsOut(recentMotion: [Float]) -> Bool { grid.count > 0 && evidence.standsOut(recentMotion) }

  /// Returns the current image of the last comparison in the light of the previous one; nil when it shows another
  /// scene, or the light changed in less than a fifth of the image. Flow takes what changes its brightness for
  /// something that moves.
  public func illuminationCorrected(_ current: Plane<Float>) -> Plane<Float>? {
    guard evidence.litShare >= Self.minimumLitShare, evidence.isOneScene else { return nil }
    return evidence.illuminationGainMap.applied(to: current)
  }

  /// The cells whose light changed between the images of the last comparison.
  public var litCells: [Bool] {
    let field = evidence.illuminationGainMap
    return (0..<grid.count).map { evidence.hasIlluminationChange($0, in: field) }
  }

  /// The median over the cells of the difference that no light explains between the images of the last comparison, in
  /// squared grey levels.
  public var medianResidual: Double { Double(evidence.medianResidual) }

  /// Takes the next pair, which was given to ``compare(previous:current:)`` right before.
  /// - Parameters:
  ///   - previous: Luma, 0…255, of the analysed size.
  ///   - current: Luma, 0…255, of the analysed size; when the camera moved, as seen from where it was (`warped` by the
  ///     camera's map).
  ///   - flow: The flow from `previous` to `current`, in pixels of the analysed size, without the camera's motion, all
  ///     known. Nil: nothing moved.
  ///   - camera: The map from pixels of `previous` to those of the real current image; nil: the camera stood still.
  ///   - recentMotion: The share of the last second in which something moved near each cell, 0…1, of grid count: what
  ///     moves in a restless one does not count, whatever the flow says. Nil: all are calm.
  ///   - seconds: The time of the current image.
  public mutating func advance(
    previous: Plane<Float>, current: Plane<Float>, flow: FlowField?, camera: Homography? = nil,
    recentMotion: [Float]? = nil, seconds: Double
  ) -> MotionObservation {
    precondition(previous.size == grid.size && current.size == grid.size && flow?.size ?? grid.size == grid.size)
    startLogs(withUnrest: recentMotion != nil)
    let elapsed = max(seconds - (lastTime ?? seconds), 1e-3)
    lastTime = seconds
    guard grid.count > 0 else {
      return MotionObservation(grid: grid, motionMask: [], movingCells: [], lightShare: 0, unrelatedShare: 0)
    }
    previous.withView { previous in
      current.withView { current in
        withRows(of: flow) { flow in
          evidence.judge(
            previous: previous, current: current, flow: flow, recentMotion: recentMotion, elapsed: Float(elapsed))
          tracks.advance(
            motionMask: evidence.motionMask, flow: flow, shift: evidence.shift, camera: camera, time: seconds,
            elapsed: elapsed)
        }
      }
    }
    if camera != nil { light.noteCameraMotion(until: seconds) }
    let lightShare = light.changedShare(
      means: evidence.means, noiseFloor: evidence.noiseFloor, motionMask: evidence.motionMask, time: seconds)
    let movingCells = tracks.movingCells(elapsed: elapsed).map(tracks.observed)
    var observation = MotionObservation(
      grid: grid, motionMask: evidence.motionMask, movingCells: movingCells, lightShare: lightShare,
      unrelatedShare: Double(evidence.unrelatedShare))
    observation.explanation = explanation
    return observation
  }

  private mutating func startLogs(withUnrest hasUnrest: Bool) {
    evidence.log = explains ? RuleLog(evidence.rules(withUnrest: hasUnrest)) : nil
    tracks.log = explains ? RuleLog([.straightness, .idleTime, .distance, .neighborAgreement]) : nil
  }

  private var explanation: MotionObservation.Explanation? {
    guard let cells = evidence.log, let points = tracks.log else { return nil }
    return MotionObservation.Explanation(
      tallies: cells.tallies + points.tallies, noise: Double(evidence.medianNoise))
  }

  /// Begins anew after a gap, or, with `newScene`, after a cut: then it forgets the noise and oscillations of the
  /// places too.
  public mutating func restart(newScene: Bool) {
    tracks.reset(oscillations: newScene)
    light.reset()
    lastTime = nil
    if newScene { evidence.reset() }
  }
}

private func withRows(of flow: FlowField?, _ body: (FlowRows?) -> Void) {
  guard let flow else { return body(nil) }
  flow.u.withView { u in flow.v.withView { v in body(FlowRows(u: u, v: v)) } }
}

extension MotionTracks {
  fileprivate func observed(_ movingCell: MovingCell) -> MotionObservation.MovingCell {
    let age = max(lastStep - movingCell.birth, 1)
    return MotionObservation.MovingCell(
      cell: movingCell.cell, u: movingCell.displacement.x / Float(age), v: movingCell.displacement.y / Float(age),
      age: age)
  }
}
