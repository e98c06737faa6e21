/// Where things move from frame to frame. Used by one thread.
package struct RecentMotionMap: Sendable {
  private let grid: CellGrid
  /// The share of the last second in which each cell moved, 0…1; 1 where something travels.
  private var share: [Float]
  private var lastTime: Double?

  /// Seconds over which motion counts.
  private static let span = 1.0
  /// Places that are this many cells away are as restless.
  private static let reach = 2

  /// All quiet.
  package init(grid: CellGrid) {
    self.grid = grid
    share = Array(repeating: 0, count: grid.count)
  }

  /// Forgets all, for another scene.
  package mutating func reset() {
    lastTime = nil
    for cell in share.indices { share[cell] = 0 }
  }

  /// Takes what the next frame shows.
  package mutating func note(_ observation: MotionObservation, seconds: Double) {
    let weight = Float(min(max(seconds - (lastTime ?? seconds), 0) / Self.span, 1))
    lastTime = seconds
    for cell in share.indices { share[cell] += weight * ((observation.motionMask[cell] ? 1 : 0) - share[cell]) }
    for movingCell in observation.movingCells { share[movingCell.cell] = 1 }
  }

  /// Makes cells restless for the next second.
  package mutating func disturb(_ cells: [Bool]) {
    for cell in share.indices where cells[cell] { share[cell] = 1 }
  }

  /// How restless each cell is, 0…1: the greatest share among those near it, as far as that is above `limit`.
  package func positions(above limit: Float) -> [Float] {
    var positions = [Float](repeating: 0, count: grid.count)
    for cell in share.indices where share[cell] > limit {
      grid.forEachNeighbor(of: cell, distance: Self.reach) { positions[$0] = max(positions[$0], share[cell]) }
    }
    return positions
  }
}
