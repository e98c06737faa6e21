// The comparison of two images, cell by cell.

import FlowKernelTypes
import FlowKernels
import Imaging

/// The part of one image a that no gain, ½…2, and offset explains by another one b, over the squares of 3 × 3 cells
/// around each cell. The constants were chosen by hand.
struct CellComparison {
  private let grid: CellGrid
  /// The sums Σa, Σb, Σa², Σb², Σab of each cell: five planes, one below the other, each with zeros around it.
  private var sums: Plane<Float>
  /// The number of pixels in each square.
  private let counts: [Float]
  /// The unexplained variance of a, in squared grey levels; a few more elements than there are cells.
  private(set) var unexplained: [Float]
  /// The variance of a, in squared grey levels; as many elements as ``unexplained`` has.
  private(set) var contrast: [Float]

  /// The number of sums of a cell, a plane for each.
  private static let planeCount = 5
  /// The number of zeros left and right of a row, which kernels read beyond it.
  private static let margin = 16
  /// The variance of b below which it has no texture to fit a gain to, in squared grey levels.
  private static let minimumContrast: Float = 0.5
  /// The number of pixels of a cell.
  private static let area = MotionParameters.cellSide * MotionParameters.cellSide

  init(grid: CellGrid) {
    self.grid = grid
    sums = Plane(
      width: (grid.columns + Self.margin - 1) / Self.margin * Self.margin + 2 * Self.margin,
      height: Self.planeCount * (grid.rows + 2))
    func extent(_ position: Int, _ count: Int) -> Int { min(position + 1, count - 1) - max(position - 1, 0) + 1 }
    let columns = (0..<grid.columns).map { extent($0, grid.columns) }
    let padding = [Float](repeating: 1, count: Self.margin)
    counts = (0..<grid.rows).flatMap { y in columns.map { Float(Self.area * extent(y, grid.rows) * $0) } } + padding
    unexplained = Array(repeating: 0, count: grid.count + Self.margin)
    contrast = unexplained
  }

  /// Compares all cells of two images of the grid's size.
  mutating func compare(_ a: PlaneView<Float>, _ b: PlaneView<Float>) {
    let sumCells = KernelTable.current.motion.sumCells
    let (grid, sample) = (grid, MemoryLayout<Float>.stride)
    withPlanes { planes in
      for row in 0..<grid.rows {
        let (y, sums) = (row * MotionParameters.cellSide, planes.row(row))
        sumCells(
          StridedRow(base: a.row(y), stride: a.stride / sample), StridedRow(base: b.row(y), stride: b.stride / sample),
          MutableStridedRow(base: sums, stride: planes.planeStride), grid.columns)
        // The kernel writes four cells at a time.
        for plane in 0..<Self.planeCount {
          let beyond = sums + plane * planes.planeStride
          for column in grid.columns..<(grid.columns + 3) / 4 * 4 { beyond[column] = 0 }
        }
      }
    }
    for row in 0..<grid.rows { compare(row: row) }
  }

  /// The means of the images that were compared over each cell.
  func means(into meansA: inout [Float], _ meansB: inout [Float]) {
    let (grid, pixels) = (grid, Float(Self.area))
    sums.withView { view in
      for row in 0..<grid.rows {
        let (a, b) = (view.row(row + 1) + Self.margin, view.row(row + 1 + grid.rows + 2) + Self.margin)
        for column in 0..<grid.columns {
          meansA[row * grid.columns + column] = a[column] / pixels
          meansB[row * grid.columns + column] = b[column] / pixels
        }
      }
    }
  }

  /// Compares some cells of image a with what the flow leads to in b. What the others come to means nothing.
  mutating func compare(_ cells: [Int], _ a: PlaneView<Float>, _ b: PlaneView<Float>, along flow: FlowRows) {
    let grid = grid
    var isSummed = [Bool](repeating: false, count: grid.count)
    var hasSums = [Bool](repeating: false, count: grid.rows)
    withPlanes { planes in
      for cell in cells {
        grid.forEachNeighbor(of: cell) { neighbor in
          guard !isSummed[neighbor] else { return }
          isSummed[neighbor] = true
          let (column, row) = (neighbor % grid.columns, neighbor / grid.columns)
          planes.set(planes.row(row) + column, Self.sums(column, row, a, b, flow))
        }
      }
    }
    for cell in cells { hasSums[cell / grid.columns] = true }
    for row in 0..<grid.rows where hasSums[row] { compare(row: row) }
  }

  private static func sums(
    _ column: Int, _ row: Int, _ a: PlaneView<Float>, _ b: PlaneView<Float>, _ flow: FlowRows
  ) -> SIMD8<Float> {
    let side = MotionParameters.cellSide
    var (sumA, sumB): (Float, Float) = (0, 0)
    var (squareA, squareB, product): (Float, Float, Float) = (0, 0, 0)
    for y in row * side..<(row + 1) * side {
      let (line, uRow, vRow) = (a.row(y), flow.u.row(y), flow.v.row(y))
      for x in column * side..<(column + 1) * side {
        let (p, q) = (line[x], b.sample(x: Float(x) + uRow[x], y: Float(y) + vRow[x]))
        sumA += p
        sumB += q
        squareA += p * p
        squareB += q * q
        product += p * q
      }
    }
    return SIMD8(sumA, sumB, squareA, squareB, product, 0, 0, 0)
  }

  /// Compares a row of cells by their sums. Writes a few elements past it: rows are to be taken from top to bottom.
  private mutating func compare(row: Int) {
    let compareCells = KernelTable.current.motion.compareCells
    let (first, columns) = (row * grid.columns, grid.columns)
    let rows = grid.rows + 2
    sums.withView { view in
      let rowStride = view.stride / MemoryLayout<Float>.stride
      counts.withUnsafeBufferPointer { counts in
        unexplained.withUnsafeMutableBufferPointer { unexplained in
          contrast.withUnsafeMutableBufferPointer { contrast in
            guard let counts = counts.baseAddress, let unexplained = unexplained.baseAddress,
              let contrast = contrast.baseAddress
            else { return }
            let sums = StridedBands(
              base: view.row(row + 1) + Self.margin, rowStride: rowStride, bandStride: rows * rowStride)
            compareCells(
              sums, counts + first, Self.minimumContrast, unexplained + first, contrast + first, columns)
          }
        }
      }
    }
  }

  /// The five planes while they are written.
  private struct Planes {
    let base: UnsafeMutablePointer<Float>
    let rowStride: Int
    let planeStride: Int

    /// The sums of the first cell of a row in the first plane.
    func row(_ row: Int) -> UnsafeMutablePointer<Float> { base + ((row + 1) * rowStride + CellComparison.margin) }

    /// Writes the sums of a cell.
    func set(_ position: UnsafeMutablePointer<Float>, _ sums: SIMD8<Float>) {
      for plane in 0..<CellComparison.planeCount { position[plane * planeStride] = sums[plane] }
    }
  }

  private mutating func withPlanes(_ body: (Planes) -> Void) {
    let rows = grid.rows + 2
    sums.withMutableView { view in
      let rowStride = view.stride / MemoryLayout<Float>.stride
      body(Planes(base: view.base, rowStride: rowStride, planeStride: rows * rowStride))
    }
  }
}

/// The two components of a flow field while it is looked at.
struct FlowRows {
  var u: PlaneView<Float>
  var v: PlaneView<Float>
}

extension PlaneView<Float> {
  /// Between four pixels; outside, those of the border.
  @inline(__always)
  func sample(x: Float, y: Float) -> Float {
    bilinear(
      x: Swift.min(Swift.max(x, 0), Float(width - 1)), y: Swift.min(Swift.max(y, 0), Float(height - 1)))
  }
}
