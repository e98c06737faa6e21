// Things: what travels side by side.

extension CellGrid {
  /// Travellers in cells that touch, also at corners or across one cell, belong to one thing.
  func things(of travellers: [MotionObservation.Traveller]) -> [[MotionObservation.Traveller]] {
    var indices = [Int](repeating: -1, count: travellers.isEmpty ? 0 : count)
    for (index, traveller) in travellers.enumerated() { indices[traveller.cell] = index }
    var groups: [[MotionObservation.Traveller]] = []
    for first in travellers.sorted(by: { $0.cell < $1.cell }) where indices[first.cell] >= 0 {
      var group = [first]
      indices[first.cell] = -1
      var next = 0
      while next < group.count {
        forEachNeighbor(of: group[next].cell, distance: 2) { cell in
          guard indices[cell] >= 0 else { return }
          group.append(travellers[indices[cell]])
          indices[cell] = -1
        }
        next += 1
      }
      groups.append(group)
    }
    return groups
  }
}
