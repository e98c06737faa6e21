import Imaging

/// Some of the cells of a grid.
package struct CellMask: Sendable {
  /// The cells that are numbered.
  package let grid: CellGrid
  /// Boolean values that tell for each cell whether it is one of them; row by row from the top.
  package var contains: [Bool]

  /// Creates a mask without cells.
  package init(grid: CellGrid) {
    self.grid = grid
    contains = Array(repeating: false, count: grid.count)
  }

  /// Returns the full-size rectangles of the cells, one for all that stand side by side.
  /// - Parameter fullSize: The size of the frame, in pixels.
  package func rectangles(in fullSize: PixelSize) -> [MotionBox] {
    (0..<grid.rows).flatMap { row in
      let cells = row * grid.columns..<(row + 1) * grid.columns
      return contains[cells].indices.filter { contains[$0] && ($0 == cells.lowerBound || !contains[$0 - 1]) }.map {
        first in
        let end = contains[first..<cells.upperBound].firstIndex(of: false) ?? cells.upperBound
        return grid.box([first, end - 1], in: fullSize)
      }
    }
  }

  /// Returns the cells of another grid over the same image whose middles lie in cells of this one.
  package func resampled(to other: CellGrid) -> CellMask {
    guard other != grid else { return self }
    var mask = CellMask(grid: other)
    guard grid.count > 0 else { return mask }
    let scale = SIMD2(
      Float(grid.size.width) / Float(other.size.width), Float(grid.size.height) / Float(other.size.height))
    for cell in 0..<other.count {
      let position = (other.center(cell) + 0.5) * scale - 0.5
      mask.contains[cell] = contains[grid.cell(x: position.x, y: position.y)]
    }
    return mask
  }
}
