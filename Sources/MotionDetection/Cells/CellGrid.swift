// The cells that an image is cut into.

import Imaging

/// Squares of ``MotionParameters/cellSide`` pixels; what does not fill one at the right and bottom borders is left out.
public struct CellGrid: Sendable, Hashable {
  /// The number of cells from left to right.
  public let columns: Int
  /// The number of cells from top to bottom.
  public let rows: Int
  /// The size of the analysed image, in pixels.
  public let size: PixelSize

  /// Creates the grid of the whole cells of an image; none in an image that is smaller than one.
  public init(size: PixelSize) {
    self.size = size
    columns = size.width / MotionParameters.cellSide
    rows = size.height / MotionParameters.cellSide
  }

  /// The number of all cells, which are numbered row by row from the top left.
  public var count: Int { columns * rows }

  /// The size of an image with one sample for each cell.
  package var colorSize: PixelSize { PixelSize(width: columns, height: rows) }

  /// Returns the cell that holds a point of the image; points beyond the last whole cell belong to it.
  func cell(x: Float, y: Float) -> Int {
    let column = min(max(Int(x + 0.5), 0) / MotionParameters.cellSide, columns - 1)
    let row = min(max(Int(y + 0.5), 0) / MotionParameters.cellSide, rows - 1)
    return row * columns + column
  }

  /// Returns the pixel of a cell that is next to a point, row by row.
  func pixel(at position: SIMD2<Float>, in cell: Int) -> Int {
    let side = MotionParameters.cellSide
    func offset(_ coordinate: Float, _ first: Int) -> Int { min(max(Int(coordinate + 0.5) - first, 0), side - 1) }
    return offset(position.y, cell / columns * side) * side + offset(position.x, cell % columns * side)
  }

  /// Returns the middle of a cell, in pixels.
  func center(_ cell: Int) -> SIMD2<Float> {
    let half = Float(MotionParameters.cellSide - 1) / 2
    let side = Float(MotionParameters.cellSide)
    return SIMD2(Float(cell % columns) * side + half, Float(cell / columns) * side + half)
  }

  /// Returns the middle of a cell in double precision, in pixels.
  func position(_ cell: Int) -> SIMD2<Double> {
    let center = center(cell)
    return SIMD2(Double(center.x), Double(center.y))
  }

  /// Returns the cell to which a map of pixels takes the middle of another; nil: out of the grid.
  package func cell(_ cell: Int, movedBy map: Homography) -> Int? {
    let middle = position(cell)
    let (x, y) = map.apply(x: middle.x, y: middle.y)
    let side = Double(MotionParameters.cellSide)
    guard x > -0.5, y > -0.5, x < Double(columns) * side - 0.5, y < Double(rows) * side - 0.5 else { return nil }
    return self.cell(x: Float(x), y: Float(y))
  }

  /// Returns whether a cell lies at the border of the image.
  func isBorder(_ cell: Int) -> Bool {
    let (row, column) = (cell / columns, cell % columns)
    return row == 0 || column == 0 || row == rows - 1 || column == columns - 1
  }

  /// Returns whether a map of pixels leaves a cell and those around it in the image: what it takes from beyond the
  /// border is no image.
  func isSeen(_ cell: Int, movedBy map: Homography) -> Bool {
    let (middle, margin) = (position(cell), 2 * Double(MotionParameters.cellSide))
    let (x, y) = map.apply(x: middle.x, y: middle.y)
    return x >= margin && y >= margin && x <= Double(size.width - 1) - margin && y <= Double(size.height - 1) - margin
  }

  /// The cells of the square around one that reaches `distance` cells to each side, itself among them.
  @inline(__always)
  func forEachNeighbor(of cell: Int, distance: Int = 1, _ body: (Int) -> Void) {
    let (row, column) = (cell / columns, cell % columns)
    for y in max(row - distance, 0)...min(row + distance, rows - 1) {
      for x in max(column - distance, 0)...min(column + distance, columns - 1) { body(y * columns + x) }
    }
  }
}
