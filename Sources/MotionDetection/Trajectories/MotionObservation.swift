// The motion between two images of a sequence, after all that was seen before.

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
    /// The number of pairs by which the motion is noticed late.
    public var lag: Int
    /// A Boolean value that tells whether it moves in this very pair; false: it did a moment ago, or in an average of
    /// some frames, and what moved may have gone on.
    public var isCurrent: Bool
    /// How much the image differs from the background there, as a multiple of what noise may make; infinity where the
    /// background is not known.
    var contrast = Float.infinity
    /// A Boolean value that tells whether the image shows the background there: what moved has gone on.
    var hasGoneOn: Bool { contrast <= 1 }

    /// Takes the measured values.
    public init(cell: Int, u: Float, v: Float, age: Int, lag: Int = 0, isCurrent: Bool = true) {
      self.cell = cell
      self.u = u
      self.v = v
      self.age = age
      self.lag = lag
      self.isCurrent = isCurrent
    }

    /// The way in the time for which the motion has been seen, in pixels of the analysed image.
    var way: SIMD2<Float> { SIMD2(u, v) * Float(age) }
    /// The length of ``way``.
    var wayLength: Float { way.length }
  }

  /// The cells that are numbered.
  public let grid: CellGrid
  /// The cells that something moves through, wherever it gets; row by row from the top.
  public var motionMask: [Bool]
  /// The cells through which something travels.
  public var movingCells: [MovingCell]
  /// The cells that stand out of noise and light, whether or not a motion explains them; row by row from the top.
  public var changedMask: [Bool]
  /// The cells in which something is that came and shows signs of life now and then; row by row from the top.
  public var presentMask: [Bool] = []
  /// The cells of ``presentMask`` in which it shows a sign of life now; row by row from the top.
  public var aliveMask: [Bool] = []
  /// The cells of ``presentMask`` in which what came stopped, and from which nothing went away since.
  var stoppedMask: [Bool] = []
  /// The cells of what travels that is too soft to be told from an insect close to the lens yet.
  var undecidedCells: [Int] = []
  /// The cells through which an insect close to the lens travels; these are not among ``movingCells``.
  var insectCells: [Int] = []
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

  /// An observation of nothing: no cell moves.
  init(grid: CellGrid) {
    self.init(
      grid: grid, motionMask: Array(repeating: false, count: grid.count), movingCells: [], lightShare: 0,
      unrelatedShare: 0)
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
    changedMask = Array(repeating: false, count: grid.count)
    self.movingCells = movingCells
    self.lightShare = lightShare
    self.unrelatedShare = unrelatedShare
  }
}

extension [MotionObservation.MovingCell] {
  /// The mean motion of the cells from frame to frame, in pixels; zero for none.
  var meanMotion: SIMD2<Float> {
    reduce(SIMD2<Float>.zero) { $0 + SIMD2($1.u, $1.v) } / Float(Swift.max(count, 1))
  }
}
