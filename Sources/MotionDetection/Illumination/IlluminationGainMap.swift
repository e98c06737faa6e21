import FlowKernels
import Imaging

/// The factors by which the light of each part of the image changed from one image to the next.
///
/// A lamp scales what it lights. The factor of a point is the median of the factors of the cells around it, so that
/// what moves there, with less than half of them, has no say. The constants were chosen by hand.
struct IlluminationGainMap {
  private let grid: CellGrid
  /// The factors, one for every other cell, row by row.
  private var factors: [Float]
  private let columns: Int
  private let rows: Int

  /// The number of cells from one factor to the next.
  private static let stride = 2
  /// The number of factors that the median takes in each direction; beyond the border, the outermost.
  private static let medianRadius = 2
  /// The range of the factors: beyond it the image shows something else, not a change of light.
  private static let range: ClosedRange<Float> = 0.5...2

  /// - Parameters:
  ///   - previous: The mean of each cell of `grid`, in grey levels.
  ///   - current: The mean of each cell of the image after, in grey levels.
  init(grid: CellGrid, previous: [Float], current: [Float]) {
    self.grid = grid
    columns = (grid.columns + Self.stride - 1) / Self.stride
    rows = (grid.rows + Self.stride - 1) / Self.stride
    // Black tells nothing of the light.
    let quotients = zip(previous, current).map { ($0 + 1) / ($1 + 1) }
    var sampled = PaddedPlane(size: PixelSize(width: columns, height: rows))
    let (columns, rows) = (columns, rows)
    sampled.withMutableView { view in
      for row in 0..<rows {
        for column in 0..<columns {
          view.row(row)[column] = quotients[Self.stride * (row * grid.columns + column)]
        }
      }
      view.replicateBorders(of: PixelSize(width: columns, height: rows), margin: Self.medianRadius)
    }
    factors = Self.medianFiltered(sampled).map { min(max($0, Self.range.lowerBound), Self.range.upperBound) }
  }

  /// Returns the medians of the squares of 5 × 5 around each sample.
  private static func medianFiltered(_ plane: PaddedPlane) -> [Float] {
    let kernels = KernelTable.current.variational
    let (width, height) = (plane.size.width, plane.size.height)
    let sorted = ScratchRows(count: 2 * medianRadius + 1, width: width, margin: 2 * medianRadius)
    return [Float](unsafeUninitializedCapacity: width * height) { output, count in
      plane.withView { view in
        for y in 0..<height {
          let rows = (-medianRadius...medianRadius).map { UnsafePointer(view.row(y + $0) - medianRadius) }
          kernels.sortColumns(rows, sorted.row(0) - medianRadius, sorted.stride, width + 2 * medianRadius)
          guard let first = output.baseAddress else { return }
          kernels.medianRow(sorted.row(0), sorted.stride, first + y * width, width)
        }
      }
      count = width * height
    }
  }

  /// Returns the factor of a cell.
  func factor(of cell: Int) -> Float {
    factors[cell / grid.columns / Self.stride * columns + cell % grid.columns / Self.stride]
  }

  /// Returns the current image in the light of the previous one.
  func applied(to image: Plane<Float>) -> Plane<Float> {
    let spacing = Float(Self.stride * MotionParameters.cellSide)
    // Factors lie in the middles of the cells that they are of.
    let first = Float(MotionParameters.cellSide - 1) / 2
    func position(_ pixel: Int, _ count: Int) -> (Int, Int, Float) {
      let at = min(max((Float(pixel) - first) / spacing, 0), Float(count - 1))
      return (Int(at), min(Int(at) + 1, count - 1), at - Float(Int(at)))
    }
    let across = (0..<image.width).map { position($0, columns) }
    return image.withView { source in
      Plane(size: image.size) { target in
        var line = [Float](repeating: 1, count: columns)
        for y in 0..<source.height {
          let (upper, lower, part) = position(y, rows)
          for x in 0..<columns {
            let (a, b) = (factors[upper * columns + x], factors[lower * columns + x])
            line[x] = a + part * (b - a)
          }
          let (from, to) = (source.row(y), target.row(y))
          for x in 0..<source.width {
            let (left, right, part) = across[x]
            to[x] = from[x] * (line[left] + part * (line[right] - line[left]))
          }
        }
      }
    }
  }
}
