// Connected components: cells that travel side by side.

import Imaging

/// Working memory for components of cells, so that many small ones of the same grid cost no more than their cells.
struct ComponentScratch {
  /// The index of each moving cell among those that were given; of others anything.
  fileprivate var indices: [Int] = []
  /// All false between two calls.
  fileprivate var isMoving: [Bool] = []
}

extension CellGrid {
  /// Returns the components of moving cells: cells that touch, also at corners or across one cell, belong to one
  /// component.
  func components(of movingCells: [MotionObservation.MovingCell]) -> [[MotionObservation.MovingCell]] {
    var scratch = ComponentScratch()
    return components(of: movingCells, &scratch)
  }

  /// Returns the components of moving cells.
  func components(
    of movingCells: [MotionObservation.MovingCell], _ scratch: inout ComponentScratch
  ) -> [[MotionObservation.MovingCell]] {
    guard !movingCells.isEmpty else { return [] }
    if scratch.isMoving.isEmpty {
      (scratch.indices, scratch.isMoving) = (Array(repeating: 0, count: count), Array(repeating: false, count: count))
    }
    for (index, movingCell) in movingCells.enumerated() {
      (scratch.indices[movingCell.cell], scratch.isMoving[movingCell.cell]) = (index, true)
    }
    var groups: [[MotionObservation.MovingCell]] = []
    // Each cell is taken out by its component, so nothing is marked in the end.
    for first in movingCells.map(\.cell).sorted() where scratch.isMoving[first] {
      let group = scratch.isMoving.takeComponent(of: first) { forEachNeighbor(of: $0, distance: 2, $1) }
      groups.append(group.map { movingCells[scratch.indices[$0]] })
    }
    return groups
  }

  /// Returns the share of all cells that the component of a cell has, in the mean over the cells, 0…1: 1 where all
  /// touch, little where they lie here and there.
  /// - Parameter cells: Different cells, in any order.
  func meanComponentShare(of cells: [Int]) -> Double {
    var isOpen = [Bool](repeating: false, count: count)
    for cell in cells { isOpen[cell] = true }
    var squares = 0
    for cell in isOpen.indices where isOpen[cell] {
      let size = isOpen.takeComponent(of: cell) { forEachNeighbor(of: $0, $1) }.count
      squares += size * size
    }
    return Double(squares) / Double(max(cells.count * cells.count, 1))
  }
}
