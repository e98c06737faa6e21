// Things: what travels side by side.

extension CellGrid {
  /// Returns the components of moving cells: cells that touch, also at corners or across one cell, belong to one
  /// component.
  func components(of movingCells: [MotionObservation.MovingCell]) -> [[MotionObservation.MovingCell]] {
    var indices = [Int](repeating: -1, count: movingCells.isEmpty ? 0 : count)
    for (index, movingCell) in movingCells.enumerated() { indices[movingCell.cell] = index }
    var groups: [[MotionObservation.MovingCell]] = []
    for first in movingCells.sorted(by: { $0.cell < $1.cell }) where indices[first.cell] >= 0 {
      var group = [first]
      indices[first.cell] = -1
      var next = 0
      while next < group.count {
        forEachNeighbor(of: group[next].cell, distance: 2) { cell in
          guard indices[cell] >= 0 else { return }
          group.append(movingCells[indices[cell]])
          indices[cell] = -1
        }
        next += 1
      }
      groups.append(group)
    }
    return groups
  }
}
