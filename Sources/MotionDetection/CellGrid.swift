// The cells that a picture is cut into, and how well one picture explains another cell by cell.

import Imaging

/// Squares of ``MotionParameters/cellSide`` pixels; what does not fill one at the right and bottom borders is left out.
public struct CellGrid: Sendable, Hashable {
  /// Cells from left to right.
  public let columns: Int
  /// Cells from top to bottom.
  public let rows: Int
  /// Of the analysed picture.
  public let size: PixelSize

  /// The whole cells of a picture; none in a picture that is smaller than one.
  public init(size: PixelSize) {
    self.size = size
    columns = size.width / MotionParameters.cellSide
    rows = size.height / MotionParameters.cellSide
  }

  /// All cells; they are numbered row by row from the top left.
  public var count: Int { columns * rows }

  /// The cell that holds a place of the picture; places beyond the last whole cell belong to it.
  func cell(x: Float, y: Float) -> Int {
    let column = min(max(Int(x + 0.5), 0) / MotionParameters.cellSide, columns - 1)
    let row = min(max(Int(y + 0.5), 0) / MotionParameters.cellSide, rows - 1)
    return row * columns + column
  }

  /// The middle of a cell.
  func center(_ cell: Int) -> SIMD2<Float> {
    let half = Float(MotionParameters.cellSide - 1) / 2
    let side = Float(MotionParameters.cellSide)
    return SIMD2(Float(cell % columns) * side + half, Float(cell / columns) * side + half)
  }

  /// The same in double precision.
  func place(_ cell: Int) -> SIMD2<Double> {
    let center = center(cell)
    return SIMD2(Double(center.x), Double(center.y))
  }

  /// The cell to which a map of pixels takes the middle of another; nil: out of the grid.
  package func cell(_ cell: Int, movedBy map: Homography) -> Int? {
    let middle = place(cell)
    let (x, y) = map.apply(x: middle.x, y: middle.y)
    let side = Double(MotionParameters.cellSide)
    guard x > -0.5, y > -0.5, x < Double(columns) * side - 0.5, y < Double(rows) * side - 0.5 else { return nil }
    return self.cell(x: Float(x), y: Float(y))
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

/// Sums over the pixels of a cell: Σa, Σb, Σa², Σb², Σab in the first five lanes, the number of pixels in the sixth.
typealias CellSums = SIMD8<Float>

/// The mean squared difference of two pictures that no gain and offset explains.
struct Comparison {
  /// What remains of picture a after the best gain and offset of b, in squared grey levels.
  var unexplained: Float
  /// The variance of a.
  var contrast: Float

  /// Gains beyond these are no change of light, but another thing.
  private static let gains: ClosedRange<Float> = 0.5...2
  /// Variance of b below which it has no texture to fit a gain to.
  private static let leastContrast: Float = 0.5

  init(_ sums: CellSums) {
    let n = max(sums[5], 1)
    let (meanA, meanB) = (sums[0] / n, sums[1] / n)
    let varianceA = max(sums[2] / n - meanA * meanA, 0)
    let varianceB = max(sums[3] / n - meanB * meanB, 0)
    let covariance = sums[4] / n - meanA * meanB
    let fitted = varianceB > Self.leastContrast ? covariance / max(varianceB, Self.leastContrast) : 1
    let gain = min(max(fitted, Self.gains.lowerBound), Self.gains.upperBound)
    unexplained = max(varianceA - 2 * gain * covariance + gain * gain * varianceB, 0)
    contrast = varianceA
  }
}

extension CellGrid {
  /// The sums of all cells of two pictures of this grid's size.
  func sums(_ a: PlaneView<Float>, _ b: PlaneView<Float>, into sums: inout [CellSums]) {
    sums.withUnsafeMutableBufferPointer { sums in
      for row in 0..<rows {
        let first = row * columns
        for pair in 0..<columns / 2 {
          let column = 2 * pair
          (sums[first + column], sums[first + column + 1]) = sumsOfTwo(a, b, row: row, column: column)
        }
        // The last one of an odd number with the one before it again; one alone has none.
        if columns % 2 == 1 {
          sums[first + columns - 1] =
            columns > 1
            ? sumsOfTwo(a, b, row: row, column: columns - 2).1 : sumsOfOne(a, b, row: row)
        }
      }
    }
  }

  /// Of a cell and the one right of it.
  @inline(__always)
  private func sumsOfTwo(_ a: PlaneView<Float>, _ b: PlaneView<Float>, row: Int, column: Int) -> (CellSums, CellSums) {
    let side = MotionParameters.cellSide
    var (sumA, sumB) = (SIMD8<Float>.zero, SIMD8<Float>.zero)
    var (squareA, squareB, product) = (SIMD8<Float>.zero, SIMD8<Float>.zero, SIMD8<Float>.zero)
    for y in row * side..<(row + 1) * side {
      let p = UnsafeRawPointer(a.row(y) + column * side).loadUnaligned(as: SIMD8<Float>.self)
      let q = UnsafeRawPointer(b.row(y) + column * side).loadUnaligned(as: SIMD8<Float>.self)
      sumA += p
      sumB += q
      squareA += p * p
      squareB += q * q
      product += p * q
    }
    let (n, a, b) = (Float(side * side), totals(sumA), totals(sumB))
    let (aa, bb, ab) = (totals(squareA), totals(squareB), totals(product))
    return (SIMD8(a.0, b.0, aa.0, bb.0, ab.0, n, 0, 0), SIMD8(a.1, b.1, aa.1, bb.1, ab.1, n, 0, 0))
  }

  private func sumsOfOne(_ a: PlaneView<Float>, _ b: PlaneView<Float>, row: Int) -> CellSums {
    let side = MotionParameters.cellSide
    var sums = CellSums.zero
    for y in row * side..<(row + 1) * side {
      for x in 0..<side {
        let (p, q) = (a.row(y)[x], b.row(y)[x])
        sums += SIMD8(p, q, p * p, q * q, p * q, 1, 0, 0)
      }
    }
    return sums
  }

  /// The comparisons over the squares of 3 × 3 cells around each cell.
  func compare(_ sums: [CellSums], into comparisons: inout [Comparison], scratch: inout [CellSums]) {
    for row in 0..<rows {
      let start = row * columns
      for column in 0..<columns {
        var sum = sums[start + column]
        if column > 0 { sum += sums[start + column - 1] }
        if column + 1 < columns { sum += sums[start + column + 1] }
        scratch[start + column] = sum
      }
    }
    for row in 0..<rows {
      for column in 0..<columns {
        let cell = row * columns + column
        var sum = scratch[cell]
        if row > 0 { sum += scratch[cell - columns] }
        if row + 1 < rows { sum += scratch[cell + columns] }
        comparisons[cell] = Comparison(sum)
      }
    }
  }
}

/// The sums of the lower and of the upper four lanes.
@inline(__always)
private func totals(_ lanes: SIMD8<Float>) -> (Float, Float) {
  let pairs = lanes.evenHalf + lanes.oddHalf
  return (pairs[0] + pairs[1], pairs[2] + pairs[3])
}
