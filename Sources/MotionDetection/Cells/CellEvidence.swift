// The evidence of motion in a pair of images, cell by cell: all that memory asks of it.

/// The motion of a cell along the flow, or as a small object.
struct CellMotion: Sendable, Hashable, Codable {
  /// The number of the cell, row by row from the top.
  var cell: Int
  /// The squared difference that the motion leaves, in squared grey levels.
  var residual: Float
  /// The length of the mean motion, in pixels per pair.
  var speed: Float
  /// The motion of all pixels of the cell, where that is not the flow.
  var shift: SIMD2<Float>?
}

/// The evidence of a pair of images, cell by cell. A value that can be stored and sent: of earlier pairs it knows no
/// more than ``noiseFloor``, which chose the cells that are worth a look.
struct CellEvidence: Sendable, Hashable, Codable {
  /// The difference of each cell that no change of light explains, in squared grey levels.
  var unexplained: [Float]
  /// The mean luma of each cell of the current image, in grey levels.
  var means: [Float]
  /// The median of ``unexplained`` over the cells.
  var medianResidual: Float
  /// The floor that the cells were held against.
  var noiseFloor: NoiseFloor
  /// The cells that stand out of noise and light, by number; none where no flow was needed.
  var motions: [CellMotion] = []
  /// The flow of the pixels of each of ``motions``, row by row, in pixels per pair.
  var flow: [SIMD2<Float>] = []
  /// The share of the textured cells that neither motion nor light explains, 0…1: nearly all at a cut.
  var unrelatedShare = 0.0

  /// The number of pixels of a cell.
  static let pixelCount = MotionParameters.cellSide * MotionParameters.cellSide

  /// Takes differences, where nothing moves unless said.
  init(_ differences: CellDifferences, noiseFloor: NoiseFloor) {
    unexplained = differences.unexplained
    means = differences.means
    medianResidual = differences.medianResidual
    self.noiseFloor = noiseFloor
  }

  /// Leaves out the motions of cells.
  /// - Parameter isLeftOut: One for each cell.
  mutating func removeMotions(in isLeftOut: [Bool]) {
    let kept = motions.indices.filter { !isLeftOut[motions[$0].cell] }
    guard kept.count < motions.count else { return }
    flow = kept.flatMap { flow[$0 * Self.pixelCount..<($0 + 1) * Self.pixelCount] }
    motions = kept.map { motions[$0] }
  }

  /// Returns the motion of a pixel of a cell.
  /// - Parameters:
  ///   - index: The index of the cell in ``motions``.
  ///   - pixel: The index of the pixel in the cell, row by row.
  func displacement(of index: Int, pixel: Int) -> SIMD2<Float> {
    motions[index].shift ?? flow[index * Self.pixelCount + pixel]
  }
}

extension MotionParameters {
  /// Returns the result of the rule that tells whether a cell differs by more than noise.
  @inline(__always)
  func difference(_ unexplained: Float, noise: Float) -> RuleResult {
    RuleResult(.difference, unexplained, limit: noiseFactor * noise + noiseOffset)
  }

  /// Returns the result of the rule that tells whether nothing sways or travels near a cell.
  @inline(__always)
  func calm(_ recentMotion: Float) -> RuleResult {
    RuleResult(.recentMotion, recentMotion, limit: maximumRecentMotion)
  }
}
