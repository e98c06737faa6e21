// Means of what was measured in and near cells of late.

/// A mean for each cell, of values that are noted for it and for those around it and soon forgotten. Used by one
/// thread.
struct RecentCellMeans: Sendable {
  private let grid: CellGrid
  /// The number of cells around those of a measurement for which it holds, too.
  private let reachInCells: Int
  /// The time in which a value is forgotten, in seconds.
  private let memoryInSeconds: Double
  /// The sums of the values near each cell and of their weights, as of the time at which they were noted.
  private var sums: [Float]
  private var weights: [Float]
  private var lastTime: [Double]

  init(grid: CellGrid, reachInCells: Int, memoryInSeconds: Double) {
    (self.grid, self.reachInCells, self.memoryInSeconds) = (grid, reachInCells, memoryInSeconds)
    sums = Array(repeating: 0, count: grid.count)
    weights = sums
    lastTime = Array(repeating: -.infinity, count: grid.count)
  }

  /// Forgets all, for another scene or another view.
  mutating func reset() {
    self = RecentCellMeans(grid: grid, reachInCells: reachInCells, memoryInSeconds: memoryInSeconds)
  }

  /// Takes what was measured of some cells.
  mutating func note(_ value: Float, weight: Float, of cells: [Int], seconds: Double) {
    var isNear = [Bool](repeating: false, count: grid.count)
    for cell in cells { grid.forEachNeighbor(of: cell, distance: reachInCells) { isNear[$0] = true } }
    for cell in isNear.indices where isNear[cell] {
      let share = rest(of: cell, seconds: seconds)
      sums[cell] = share * sums[cell] + weight * value
      weights[cell] = share * weights[cell] + weight
      lastTime[cell] = seconds
    }
  }

  /// Returns the mean in and near some cells of late; nil: nothing was noted there.
  func mean(of cells: [Int], seconds: Double) -> Float? {
    var (sum, weight) = (0 as Float, 0 as Float)
    for cell in cells {
      let share = rest(of: cell, seconds: seconds)
      sum += share * sums[cell]
      weight += share * weights[cell]
    }
    return weight > 0 ? sum / weight : nil
  }

  /// Returns how much of what was noted of a cell is left, 0…1.
  private func rest(of cell: Int, seconds: Double) -> Float {
    Float(max(0, 1 - (seconds - lastTime[cell]) / memoryInSeconds))
  }
}
