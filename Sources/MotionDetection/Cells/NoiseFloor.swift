import Imaging

/// The squared difference that each cell has while nothing moves, whatever its cause: a slow estimate of a low
/// quantile. The constants were chosen by hand.
struct NoiseFloor: Sendable, Hashable, Codable {
  /// The floor of each cell, in squared grey levels.
  private(set) var values: [Float]

  /// The range of a floor: its minimum and maximum, in squared grey levels.
  private static let range: ClosedRange<Float> = 0.5...400
  /// The share of the whole image's median difference that any cell's floor has at least: noise that comes and goes
  /// with the gain of the sensor is everywhere.
  private static let medianResidualShare: Float = 0.7
  /// The maximum factor by which a floor rises in a second.
  private static let rise: Float = 1.64
  /// The factor that sets how fast a floor falls in a second.
  private static let fall: Float = 0.16

  /// Guesses the floor from the first pair of a scene: what differs by more than twice the median may move.
  init(first differences: CellDifferences) {
    values = differences.unexplained.map { Self.limited(min($0, 2 * differences.medianResidual)) }
  }

  /// Returns the squared difference that noise makes in a cell.
  /// - Parameter medianResidual: The median difference of the pair that is looked at, in squared grey levels.
  func noise(_ cell: Int, medianResidual: Float) -> Float {
    max(values[cell], Self.medianResidualShare * medianResidual)
  }

  /// Returns the least that any floor may be in any cell, in squared grey levels.
  static func minimum(medianResidual: Float) -> Float { max(range.lowerBound, medianResidualShare * medianResidual) }

  /// Returns the median over the cells of the squared difference that noise makes.
  func median(medianResidual: Float) -> Float {
    values.indices.map { noise($0, medianResidual: medianResidual) }.median ?? 0
  }

  /// Takes the next pair: up by a little where the difference is above, down by more where it is below.
  /// - Parameter elapsed: Seconds between the two images.
  mutating func adapt(to unexplained: [Float], elapsed: Float) {
    // First order in the time step, so that no power is needed; steps are short against a second.
    let step = min(elapsed, 0.5)
    let up = 1 + (Self.rise - 1) * step
    let down = max(1 - 2 * (1 - Self.fall) * step, 0.5)
    for cell in values.indices {
      values[cell] = Self.limited(values[cell] * (unexplained[cell] > values[cell] ? up : down))
    }
  }

  private static func limited(_ value: Float) -> Float { min(max(value, range.lowerBound), range.upperBound) }
}
