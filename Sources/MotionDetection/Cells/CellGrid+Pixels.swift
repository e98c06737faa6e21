// The pixels of cells.

import Imaging

extension CellGrid {
  /// The pixels of some cells and those beside them.
  func pixels(of cells: [Int]) -> PixelRect {
    let side = MotionParameters.cellSide
    var (left, right, top, bottom) = (columns, 0, rows, 0)
    for cell in cells {
      let (row, column) = (cell / columns, cell % columns)
      (left, right, top, bottom) = (min(left, column), max(right, column), min(top, row), max(bottom, row))
    }
    let (x, y) = (max(left * side - 1, 0), max(top * side - 1, 0))
    return PixelRect(
      x: x, y: y, width: max(min((right + 1) * side + 1, size.width) - x, 0),
      height: max(min((bottom + 1) * side + 1, size.height) - y, 0))
  }

  /// The pixels of a cell that have neighbours on all sides.
  @inline(__always)
  func forEachInnerPixel(of cell: Int, _ body: (_ x: Int, _ y: Int) -> Void) {
    let side = MotionParameters.cellSide
    let (left, top) = (cell % columns * side, cell / columns * side)
    for y in max(top, 1)..<min(top + side, size.height - 1) {
      for x in max(left, 1)..<min(left + side, size.width - 1) { body(x, y) }
    }
  }

  /// Returns the mean of the pixels of a cell of an image of the grid's size.
  @inline(__always)
  func mean(of cell: Int, _ image: Plane<Float>) -> Float {
    let side = MotionParameters.cellSide
    let (row, column) = (cell / columns, cell % columns)
    return image.withView { image in
      var sum: Float = 0
      for y in row * side..<(row + 1) * side {
        for x in column * side..<(column + 1) * side { sum += image.row(y)[x] }
      }
      return sum / Float(side * side)
    }
  }

  /// Returns the minimum of the pixels of a cell of an image of the grid's size.
  func minimum(of cell: Int, _ image: Plane<Float>) -> Float {
    let side = MotionParameters.cellSide
    let (row, column) = (cell / columns, cell % columns)
    return image.withView { image in
      var minimum = Float.infinity
      for y in row * side..<(row + 1) * side {
        for x in column * side..<(column + 1) * side { minimum = min(minimum, image.row(y)[x]) }
      }
      return minimum
    }
  }
}
