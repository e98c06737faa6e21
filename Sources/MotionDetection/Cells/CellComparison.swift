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

  /// Returns the sums of a cell whose four rows of four pixels are compared with what the flow leads to in b.
  private static func sums(
    _ column: Int, _ row: Int, _ a: PlaneView<Float>, _ b: PlaneView<Float>, _ flow: FlowRows
  ) -> SIMD8<Float> {
    let side = MotionParameters.cellSide
    var (sumA, sumB) = (SIMD4<Float>.zero, SIMD4<Float>.zero)
    var (squareA, squareB, product) = (SIMD4<Float>.zero, SIMD4<Float>.zero, SIMD4<Float>.zero)
    let x = column * side
    let columns = SIMD4<Float>(0, 1, 2, 3) + Float(x)
    for y in row * side..<(row + 1) * side {
      let p = SIMD4(at: a.row(y) + x)
      let q = b.samples(x: columns + SIMD4(at: flow.u.row(y) + x), y: Float(y) + SIMD4(at: flow.v.row(y) + x))
      sumA += p
      sumB += q
      squareA += p * p
      squareB += q * q
      product += p * q
    }
    return SIMD8(sumA.sum(), sumB.sum(), squareA.sum(), squareB.sum(), product.sum(), 0, 0, 0)
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
  /// Returns the samples at four positions, each between four pixels; outside, those of the border.
  @inline(__always)
  fileprivate func samples(x: SIMD4<Float>, y: SIMD4<Float>) -> SIMD4<Float> {
    let (right, bottom) = (SIMD4(repeating: Float(width - 1)), SIMD4(repeating: Float(height - 1)))
    let (x, y) = (x.limited(to: right), y.limited(to: bottom))
    let (left, top) = (x.wholePart, y.wholePart)
    let (fx, fy) = (x - left, y - top)
    let (columns, rows) = (left.integers, top.integers)
    let (column, row) = (Int(columns.x), Int(rows.x))
    let upper: (SIMD4<Float>, SIMD4<Float>)
    let lower: (SIMD4<Float>, SIMD4<Float>)
    // Where neighbours move alike, their pixels are neighbours.
    if columns == SIMD4(0, 1, 2, 3) &+ columns.x, rows == SIMD4(repeating: rows.x), column + 4 < width,
      row + 1 < height
    {
      let (line, next) = (self.row(row) + column, self.row(row + 1) + column)
      upper = (SIMD4(at: line), SIMD4(at: line + 1))
      lower = (SIMD4(at: next), SIMD4(at: next + 1))
    } else {
      var pixels = (SIMD4<Float>.zero, SIMD4<Float>.zero, SIMD4<Float>.zero, SIMD4<Float>.zero)
      for lane in 0..<4 {
        let (column, row) = (Int(columns[lane]), Int(rows[lane]))
        let (line, next) = (self.row(row), self.row(Swift.min(row + 1, height - 1)))
        let beside = Swift.min(column + 1, width - 1)
        (pixels.0[lane], pixels.1[lane]) = (line[column], line[beside])
        (pixels.2[lane], pixels.3[lane]) = (next[column], next[beside])
      }
      (upper, lower) = ((pixels.0, pixels.1), (pixels.2, pixels.3))
    }
    let above = upper.0 + fx * (upper.1 - upper.0)
    let below = lower.0 + fx * (lower.1 - lower.0)
    return above + fy * (below - above)
  }
}

extension SIMD4<Float> {
  /// The four values from an address on.
  @inline(__always)
  fileprivate init(at start: UnsafePointer<Float>) {
    self = UnsafeRawPointer(start).loadUnaligned(as: SIMD4<Float>.self)
  }

  /// Returns the values within 0 … `maximum`; 0 for what is not a number, so that nothing outside is read.
  @inline(__always)
  fileprivate func limited(to maximum: Self) -> Self {
    let positive = Self.zero.replacing(with: self, where: self .> Self.zero)
    return positive.replacing(with: maximum, where: positive .> maximum)
  }

  /// The number from which on a float has no fraction: 2²³.
  private static var wholeLimit: Self { Self(repeating: 8_388_608) }

  /// The whole parts of values of 0 … 2²².
  @inline(__always)
  fileprivate var wholePart: Self {
    let nearest = (self + Self.wholeLimit) - Self.wholeLimit
    return nearest.replacing(with: nearest - 1, where: nearest .> self)
  }

  /// Whole values of 0 … 2²² as integers.
  @inline(__always)
  fileprivate var integers: SIMD4<Int32> {
    unsafeBitCast(self + Self.wholeLimit, to: SIMD4<Int32>.self) & SIMD4<Int32>(repeating: 0x7F_FFFF)
  }
}
