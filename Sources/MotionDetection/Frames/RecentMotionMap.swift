/// A map of the recent motion from frame to frame. Used by one thread. The constants were chosen by hand.
package struct RecentMotionMap: Sendable {
  private let grid: CellGrid
  /// The share of the last second in which each cell moved, 0…1; 1 where something travels.
  private var share: [Float]
  private var lastTime: Double?

  /// The time over which motion counts, in seconds.
  private static let windowInSeconds = 1.0
  /// The distance within which something counts as near, in cells.
  private static let reachInCells = 2

  /// Creates a map in which all cells are quiet.
  package init(grid: CellGrid) {
    self.grid = grid
    share = Array(repeating: 0, count: grid.count)
  }

  /// Forgets all, for another scene.
  package mutating func reset() {
    lastTime = nil
    for cell in share.indices { share[cell] = 0 }
  }

  /// Takes the motion in the next frame.
  package mutating func note(_ observation: MotionObservation, seconds: Double) {
    let weight = Float(min(max(seconds - (lastTime ?? seconds), 0) / Self.windowInSeconds, 1))
    lastTime = seconds
    for cell in share.indices { share[cell] += weight * ((observation.motionMask[cell] ? 1 : 0) - share[cell]) }
    for movingCell in observation.movingCells { share[movingCell.cell] = 1 }
  }

  /// Counts cells as moving over the last second.
  package mutating func disturb(_ cells: [Bool]) {
    for cell in share.indices where cells[cell] { share[cell] = 1 }
  }

  /// Returns the recent motion near each cell, 0…1: the maximum share among those near it, as far as that is above
  /// `limit`.
  package func nearbyMotion(above limit: Float) -> [Float] {
    var motion = [Float](repeating: 0, count: grid.count)
    for cell in share.indices where share[cell] > limit {
      grid.forEachNeighbor(of: cell, distance: Self.reachInCells) { motion[$0] = max(motion[$0], share[cell]) }
    }
    return motion
  }
}
