// Compares pairs of images cell by cell, with their flow.

import Imaging

/// Finds what a pair of images shows, cell by cell. It holds working memory alone: no result depends on earlier calls.
/// Used by one thread.
struct CellComparer {
  let grid: CellGrid
  private let parameters: MotionParameters
  /// The difference of the images where they are.
  private var still: CellComparison
  /// The difference of the images along the flow.
  private var moved: CellComparison
  private var small: SmallObjectMatcher

  init(grid: CellGrid, parameters: MotionParameters = MotionParameters()) {
    self.grid = grid
    self.parameters = parameters
    still = CellComparison(grid: grid)
    moved = still
    small = SmallObjectMatcher(grid: grid)
  }

  /// Compares a pair as if nothing moved.
  /// - Parameters:
  ///   - previous: Luma, 0…255, of the grid's size.
  ///   - current: Luma, 0…255, of the grid's size.
  mutating func differences(previous: Plane<Float>, current: Plane<Float>) -> CellDifferences {
    precondition(previous.size == grid.size && current.size == grid.size)
    if grid.count > 0 { previous.withView { previous in current.withView { still.compare(previous, $0) } } }
    return CellDifferences(grid: grid, still)
  }

  /// Returns the cells that stand out of noise and light, so that the flow is worth its time.
  /// - Parameter recentMotion: The share of the last second in which something moved near each cell, 0…1; nil: that
  ///   does not matter.
  func candidates(
    in differences: CellDifferences, _ noiseFloor: NoiseFloor, recentMotion: [Float]? = nil
  ) -> [Int] {
    (0..<grid.count).filter { cell in
      let noise = noiseFloor.noise(cell, medianResidual: differences.medianResidual)
      return differs(cell, in: differences, noise: noise)
        && parameters.calm(recentMotion?[cell] ?? 0).isSatisfied
    }
  }

  /// Returns whether a cell stands out of noise of a strength.
  func differs(_ cell: Int, in differences: CellDifferences, noise: Float) -> Bool {
    parameters.difference(differences.unexplained[cell], noise: noise).isSatisfied
  }

  /// Looks where the flow leads from some cells.
  /// - Parameters:
  ///   - candidates: The numbers of the cells, rising.
  ///   - differences: Those of `previous` and `current`.
  ///   - noiseFloor: The squared difference that each cell has while nothing moves.
  ///   - flow: From `previous` to `current`, in pixels, without the camera's motion, all known.
  mutating func evidence(
    of candidates: [Int], in differences: CellDifferences, _ noiseFloor: NoiseFloor, previous: Plane<Float>,
    current: Plane<Float>, along flow: FlowField
  ) -> CellEvidence {
    precondition(flow.size == grid.size)
    var evidence = CellEvidence(differences, noiseFloor: noiseFloor)
    evidence.flow.reserveCapacity(candidates.count * CellEvidence.pixelCount)
    evidence.motions.reserveCapacity(candidates.count)
    previous.withView { previous in
      current.withView { current in
        flow.u.withView { u in
          flow.v.withView { v in
            follow(candidates, differences, previous, current, FlowRows(u: u, v: v), into: &evidence)
          }
        }
      }
    }
    return evidence
  }

  private mutating func follow(
    _ candidates: [Int], _ differences: CellDifferences, _ previous: PlaneView<Float>, _ current: PlaneView<Float>,
    _ flow: FlowRows, into evidence: inout CellEvidence
  ) {
    moved.compare(candidates, previous, current, along: flow)
    let (noiseFloor, medianResidual) = (evidence.noiseFloor, evidence.medianResidual)
    small.search(candidates, previous, current) { noiseFloor.noise($0, medianResidual: medianResidual) }
    var unrelated = 0
    for cell in candidates {
      let shift = small.shifts[cell]
      let residual = shift == nil ? moved.unexplained[cell] : small.shares[cell] * differences.unexplained[cell]
      if differences.isTextured(cell), residual > 0.5 * differences.contrast[cell] { unrelated += 1 }
      let mean = append(flow, of: cell, to: &evidence.flow)
      let motion = shift ?? mean
      evidence.motions.append(
        CellMotion(cell: cell, residual: residual, speed: motion.length, shift: shift))
    }
    let textured = (0..<grid.count).count(where: differences.isTextured)
    evidence.unrelatedShare = textured > 0 ? Double(Float(unrelated) / Float(textured)) : 0
  }

  /// Appends the flow of a cell's pixels.
  /// - Returns: Their mean.
  private func append(_ flow: FlowRows, of cell: Int, to vectors: inout [SIMD2<Float>]) -> SIMD2<Float> {
    let side = MotionParameters.cellSide
    let (row, column) = (cell / grid.columns, cell % grid.columns)
    var sum = SIMD2<Float>.zero
    for y in row * side..<(row + 1) * side {
      let (u, v) = (flow.u.row(y), flow.v.row(y))
      for x in column * side..<(column + 1) * side {
        let vector = SIMD2(u[x], v[x])
        vectors.append(vector)
        sum += vector
      }
    }
    return sum / Float(side * side)
  }
}
