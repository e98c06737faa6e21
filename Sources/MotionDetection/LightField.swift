import Imaging

/// By what factor the light of each part of the picture changed from one picture to the next.
///
/// A lamp scales what it lights. The factor of a place is the median of the factors of the cells around it, so that what moves
/// there, with less than half of them, has no say.
struct LightField {
  private let grid: CellGrid
  /// One for every other cell, row by row.
  private var factors: [Float]
  private let columns: Int
  private let rows: Int

  /// Cells from one factor to the next.
  private static let stride = 2
  /// The cells that are asked, in cells from the place.
  private static let offsets = [-4, -2, 0, 2, 4]
  /// Beyond these it is no change of light, but another thing.
  private static let range: ClosedRange<Float> = 0.5...2

  /// - Parameters:
  ///   - previous: The mean of each cell of `grid`, in grey levels.
  ///   - current: The same of the picture after.
  init(grid: CellGrid, previous: [Float], current: [Float]) {
    self.grid = grid
    columns = (grid.columns + Self.stride - 1) / Self.stride
    rows = (grid.rows + Self.stride - 1) / Self.stride
    factors = []
    factors.reserveCapacity(columns * rows)
    // Black tells nothing of the light.
    let quotients = zip(previous, current).map { ($0 + 1) / ($1 + 1) }
    var around: [Float] = []
    for row in 0..<rows {
      for column in 0..<columns {
        around.removeAll(keepingCapacity: true)
        for y in Self.offsets {
          for x in Self.offsets {
            let (cellRow, cellColumn) = (row * Self.stride + y, column * Self.stride + x)
            guard (0..<grid.rows).contains(cellRow), (0..<grid.columns).contains(cellColumn) else { continue }
            around.append(quotients[cellRow * grid.columns + cellColumn])
          }
        }
        around.sort()
        factors.append(min(max(around[around.count / 2], Self.range.lowerBound), Self.range.upperBound))
      }
    }
  }

  /// The factor of a cell.
  func factor(of cell: Int) -> Float {
    factors[cell / grid.columns / Self.stride * columns + cell % grid.columns / Self.stride]
  }

  /// The current picture in the light of the previous one.
  func applied(to picture: Plane<Float>) -> Plane<Float> {
    let spacing = Float(Self.stride * MotionParameters.cellSide)
    // Factors lie in the middles of the cells that they are of.
    let first = Float(MotionParameters.cellSide - 1) / 2
    func place(_ pixel: Int, _ count: Int) -> (Int, Int, Float) {
      let at = min(max((Float(pixel) - first) / spacing, 0), Float(count - 1))
      return (Int(at), min(Int(at) + 1, count - 1), at - Float(Int(at)))
    }
    let across = (0..<picture.width).map { place($0, columns) }
    return picture.withView { source in
      Plane(size: picture.size) { target in
        var line = [Float](repeating: 1, count: columns)
        for y in 0..<source.height {
          let (upper, lower, part) = place(y, rows)
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
