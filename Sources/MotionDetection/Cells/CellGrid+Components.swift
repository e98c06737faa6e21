// Things: what travels side by side.

import Imaging

extension CellGrid {
  /// Returns the components of moving cells: cells that touch, also at corners or across one cell, belong to one
  /// component.
  func components(of movingCells: [MotionObservation.MovingCell]) -> [[MotionObservation.MovingCell]] {
    var indices = [Int](repeating: -1, count: movingCells.isEmpty ? 0 : count)
    for (index, movingCell) in movingCells.enumerated() { indices[movingCell.cell] = index }
    var isMoving = indices.map { $0 >= 0 }
    var groups: [[MotionObservation.MovingCell]] = []
    for first in movingCells.map(\.cell).sorted() where isMoving[first] {
      let group = isMoving.takeComponent(of: first) { forEachNeighbor(of: $0, distance: 2, $1) }
      groups.append(group.map { movingCells[indices[$0]] })
    }
    return groups
  }
}
