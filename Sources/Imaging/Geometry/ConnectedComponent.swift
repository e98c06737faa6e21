// Parts of a grid that hang together.

/// The ways to walk through a connected component. Floating-point sums over the cells depend on it.
package enum ComponentOrder: Sendable {
  /// Near cells first.
  case breadthFirst
  /// The newest cell first.
  case depthFirst
}

extension Array where Element == Bool {
  /// Takes the component of a cell out of the cells that are marked: unmarks it and all marked cells that are connected
  /// with it.
  ///
  /// - Parameters:
  ///   - first: A marked cell.
  ///   - order: The order of the result.
  ///   - forEachNeighbor: Calls its second argument with each neighbor of the first; the cell itself may be among them.
  /// - Returns: The cells of the component; `first` is the first.
  package mutating func takeComponent(
    of first: Int, order: ComponentOrder = .breadthFirst,
    forEachNeighbor: (_ cell: Int, _ body: (Int) -> Void) -> Void
  ) -> [Int] {
    self[first] = false
    var (component, open) = ([Int](), [first])
    var next = 0
    while next < open.count {
      let cell = order == .depthFirst ? open.removeLast() : open[next]
      if order == .breadthFirst { next += 1 }
      component.append(cell)
      forEachNeighbor(cell) { neighbor in
        guard self[neighbor] else { return }
        self[neighbor] = false
        open.append(neighbor)
      }
    }
    return component
  }
}
