// Which cells move: the flow explains them, and no change of light does.

import Imaging

/// Judges the flow of each pair, cell by cell, against what noise and light alone would do. Used by one thread.
struct MotionEvidence {
  let grid: CellGrid
  private let parameters: MotionParameters
  /// The squared difference that a still cell has, whatever its cause.
  private(set) var noiseFloor: [Float]
  /// The cells that move in the last pair.
  private(set) var motionMask: [Bool]
  /// The cells with texture of which neither the flow nor the light explains half, as a share of all with texture.
  private(set) var unrelatedShare: Float = 0
  /// The mean luma of the cells of the last current image.
  private(set) var means: [Float]
  /// The mean luma of the cells of the last previous image.
  private var previousMeans: [Float]
  /// The difference of the images where they are.
  private var still: CellComparison
  /// The difference of the images along the flow.
  private var moved: CellComparison
  /// The cells that are compared along the flow.
  private var candidates: [Int] = []
  private var small: SmallObjectMatcher
  private var hasFloor = false
  /// The median difference of the last pair.
  private(set) var medianResidual: Float = 0
  /// The log that keeps the results of the rules; nil unless they are asked for.
  var log: RuleLog?

  /// The range of a noise floor: its minimum and maximum, in squared grey levels.
  private static let noiseFloorRange: ClosedRange<Float> = 0.5...400
  /// The share of the whole image's median difference that any cell's floor has at least: noise that comes and goes
  /// with the gain of the sensor is everywhere.
  private static let medianResidualShare: Float = 0.7
  /// The maximum factor by which a floor rises in a second.
  private static let rise: Float = 1.64
  /// The factor that sets how fast a floor falls in a second.
  private static let fall: Float = 0.16
  /// The variance above which a cell has texture, in squared grey levels.
  private static let minimumTexture: Float = 20

  /// The minimum change of a mean by light that disturbs the flow, in grey levels.
  private static let minimumLight: Float = 2

  init(grid: CellGrid, parameters: MotionParameters) {
    self.grid = grid
    self.parameters = parameters
    noiseFloor = Array(repeating: Self.noiseFloorRange.lowerBound, count: grid.count)
    motionMask = Array(repeating: false, count: grid.count)
    means = Array(repeating: 0, count: grid.count)
    previousMeans = means
    still = CellComparison(grid: grid)
    moved = still
    small = SmallObjectMatcher(grid: grid)
  }

  /// Compares a pair as if nothing moved.
  /// - Returns: A Boolean value that tells whether anything stands out of noise and light, so that the flow is worth
  ///   its time.
  /// - Parameters:
  ///   - isIlluminationCorrected: A Boolean value that tells whether `current` is not as it was taken, but in the light
  ///     of `previous`.
  ///   - recentMotion: The restlessness of each cell, 0…1; nil: that does not matter.
  mutating func compare(
    previous: PlaneView<Float>, current: PlaneView<Float>, isIlluminationCorrected: Bool = false,
    recentMotion: [Float]? = nil
  ) -> Bool {
    still.compare(previous, current)
    if !isIlluminationCorrected { still.means(into: &previousMeans, &means) }
    medianResidual = medianDifference()
    if !hasFloor {
      hasFloor = true
      for cell in 0..<grid.count { noiseFloor[cell] = limited(min(still.unexplained[cell], 2 * medianResidual)) }
    }
    return standsOut(recentMotion)
  }

  /// Returns whether anything in calm places stands out of noise and light between the images that were compared last.
  func standsOut(_ recentMotion: [Float]?) -> Bool {
    (0..<grid.count).contains { difference($0).isSatisfied && isCalm($0, recentMotion).isSatisfied }
  }

  /// The share of the cells whose mean changed from image to image, 0…1.
  var litShare: Double {
    let changed = (0..<grid.count).count { abs(means[$0] - previousMeans[$0]) > Self.minimumLight }
    return Double(changed) / Double(max(grid.count, 1))
  }

  /// A Boolean value that tells whether light alone explains half of the textured cells: otherwise another scene
  /// begins, or the camera moves.
  var isOneScene: Bool {
    let textured = (0..<grid.count).filter { still.contrast[$0] > Self.minimumTexture }
    return 2 * textured.count { still.unexplained[$0] <= 0.5 * still.contrast[$0] } >= textured.count
  }

  /// The change of light between the images that were compared last.
  var illuminationGainMap: IlluminationGainMap {
    IlluminationGainMap(grid: grid, previous: previousMeans, current: means)
  }

  /// Returns whether a change of light makes a cell brighter or darker.
  func hasIlluminationChange(_ cell: Int, in field: IlluminationGainMap) -> Bool {
    abs(field.factor(of: cell) - 1) * means[cell] > Self.minimumLight
  }

  /// Finds the cells that move in the pair that was compared last: `flow` lies on `previous`'s grid and leads into
  /// `current`; nil for none.
  /// - Parameter elapsed: Seconds between the two.
  mutating func judge(
    previous: PlaneView<Float>, current: PlaneView<Float>, flow: FlowRows?, recentMotion: [Float]? = nil, elapsed: Float
  ) {
    var textured = 0
    small.clear()
    candidates.removeAll(keepingCapacity: true)
    for cell in 0..<grid.count {
      motionMask[cell] = false
      if isTextured(cell) { textured += 1 }
      let difference = difference(cell)
      log?.note(difference)
      guard difference.isSatisfied else { continue }
      let calm = isCalm(cell, recentMotion)
      if recentMotion != nil { log?.note(calm) }
      if calm.isSatisfied { candidates.append(cell) }
    }
    let unrelated = flow.map { judgeCandidates(previous, current, $0) } ?? 0
    unrelatedShare = textured > 0 ? Float(unrelated) / Float(textured) : 0
    adaptFloor(elapsed: elapsed)
  }

  /// - Returns: The number of textured candidates that neither the flow nor the light explains by half.
  private mutating func judgeCandidates(
    _ previous: PlaneView<Float>, _ current: PlaneView<Float>, _ flow: FlowRows
  ) -> Int {
    moved.compare(candidates, previous, current, along: flow)
    small.search(candidates, previous, current) { [noiseFloor, medianResidual] in
      max(noiseFloor[$0], Self.medianResidualShare * medianResidual)
    }
    var unrelated = 0
    for cell in candidates {
      let shift = small.shifts[cell]
      let residual = shift == nil ? moved.unexplained[cell] : small.shares[cell] * still.unexplained[cell]
      if isTextured(cell), residual > 0.5 * still.contrast[cell] { unrelated += 1 }
      let explained = RuleResult(.explained, residual, limit: parameters.explainedShare * still.unexplained[cell])
      log?.note(explained)
      guard explained.isSatisfied else { continue }
      let pace = shift.map { ($0 * $0).sum().squareRoot() } ?? meanSpeed(cell, flow)
      let speed = RuleResult(.speed, pace, limit: parameters.minimumSpeed)
      log?.note(speed)
      guard speed.isSatisfied else { continue }
      let largestSpeed = RuleResult(.largestSpeed, pace, limit: parameters.largestSpeed)
      if parameters.largestSpeed.isFinite { log?.note(largestSpeed) }
      motionMask[cell] = largestSpeed.isSatisfied
    }
    return unrelated
  }

  /// Returns the shift of a cell, where that is not the flow.
  func shift(of cell: Int) -> SIMD2<Float>? { small.shifts[cell] }

  private func isTextured(_ cell: Int) -> Bool { still.contrast[cell] > Self.minimumTexture }

  /// Returns the result of the rule that tells whether a cell differs by more than noise.
  @inline(__always)
  private func difference(_ cell: Int) -> RuleResult {
    RuleResult(
      .difference, still.unexplained[cell], limit: parameters.noiseFactor * noise(cell) + parameters.noiseOffset)
  }

  /// The rules in the order in which cells are asked.
  func rules(withUnrest hasUnrest: Bool) -> [Rule] {
    [.difference] + (hasUnrest ? [.recentMotion] : []) + [.explained, .speed]
      + (parameters.largestSpeed.isFinite ? [.largestSpeed] : [])
  }

  /// Returns the result of the rule that tells whether nothing sways or travels near a cell.
  @inline(__always)
  private func isCalm(_ cell: Int, _ recentMotion: [Float]?) -> RuleResult {
    RuleResult(.recentMotion, recentMotion?[cell] ?? 0, limit: parameters.maximumRecentMotion)
  }

  /// Returns the squared difference that noise makes in a cell.
  private func noise(_ cell: Int) -> Float { max(noiseFloor[cell], Self.medianResidualShare * medianResidual) }

  /// The median over the cells of the squared difference that noise makes.
  var medianNoise: Float { (0..<grid.count).map(noise).sorted()[grid.count / 2] }

  /// Forgets the noise: for another scene.
  mutating func reset() { hasFloor = false }

  private func limited(_ value: Float) -> Float {
    min(max(value, Self.noiseFloorRange.lowerBound), Self.noiseFloorRange.upperBound)
  }

  /// Returns the median over the cells of the difference that light does not explain.
  private func medianDifference() -> Float {
    guard grid.count > 0 else { return 0 }
    // A bin for each half grey level squared, up to 512: exact enough for a floor.
    var bins = [Int](repeating: 0, count: 1024)
    for cell in 0..<grid.count { bins[min(Int(still.unexplained[cell] * 2), bins.count - 1)] += 1 }
    var seen = 0
    for (bin, count) in bins.enumerated() {
      seen += count
      if 2 * seen >= grid.count { return (Float(bin) + 0.5) / 2 }
    }
    return 0
  }

  /// Adapts the floor, a slow estimate of a low quantile: up by a little where the difference is above, down by more
  /// where it is below.
  private mutating func adaptFloor(elapsed: Float) {
    // First order in the time step, so that no power is needed; steps are short against a second.
    let step = min(elapsed, 0.5)
    let up = 1 + (Self.rise - 1) * step
    let down = max(1 - 2 * (1 - Self.fall) * step, 0.5)
    for cell in 0..<grid.count {
      noiseFloor[cell] = limited(noiseFloor[cell] * (still.unexplained[cell] > noiseFloor[cell] ? up : down))
    }
  }

  private func meanSpeed(_ cell: Int, _ flow: FlowRows) -> Float {
    let side = MotionParameters.cellSide
    let (row, column) = (cell / grid.columns, cell % grid.columns)
    var (sumU, sumV): (Float, Float) = (0, 0)
    for y in row * side..<(row + 1) * side {
      let (uRow, vRow) = (flow.u.row(y), flow.v.row(y))
      for x in column * side..<(column + 1) * side {
        sumU += uRow[x]
        sumV += vRow[x]
      }
    }
    return (sumU * sumU + sumV * sumV).squareRoot() / Float(side * side)
  }
}
