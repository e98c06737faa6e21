// Connected parts of a heat map.

import Imaging

/// Regions of warm cells around hot ones.
struct HotRegions {
  struct Cell {
    var x: Int
    var y: Int
    var heat: Float
  }

  struct Region {
    private(set) var cells: [Cell] = []
    private(set) var columns = 0..<0
    private(set) var rows = 0..<0
    private(set) var peak: Float = 0
    private(set) var sum: Float = 0

    mutating func add(_ cell: Cell) {
      let isFirst = cells.isEmpty
      columns =
        isFirst ? cell.x..<cell.x + 1 : min(columns.lowerBound, cell.x)..<max(columns.upperBound, cell.x + 1)
      rows = isFirst ? cell.y..<cell.y + 1 : min(rows.lowerBound, cell.y)..<max(rows.upperBound, cell.y + 1)
      peak = max(peak, cell.heat)
      sum += cell.heat
      cells.append(cell)
    }
  }

  /// A region needs a cell as hot as this: twice the noise floor.
  static let hot: Float = 0.5
  /// It reaches as far as its cells are this warm.
  private static let warm: Float = 0.25
  /// The minimum number of cells of a region: fewer are an error of the flow more often than a component.
  private static let minimumCells = 4

  private let regions: [Region]

  init(_ heat: Plane<Float>) {
    var isFree = Plane<Bool>(width: heat.width, height: heat.height) { heat[$0, $1] >= Self.warm }
    var regions: [Region] = []
    for y in 0..<heat.height {
      for x in 0..<heat.width where isFree[x, y] {
        let region = Self.grow(from: (x, y), in: heat, free: &isFree)
        if region.peak >= Self.hot, region.cells.count >= Self.minimumCells { regions.append(region) }
      }
    }
    self.regions = regions
  }

  /// Those with the most heat, in falling order; of equal ones the upper left first.
  func strongest(_ count: Int) -> [Region] {
    let order = regions.indices.sorted {
      regions[$0].sum != regions[$1].sum ? regions[$0].sum > regions[$1].sum : $0 < $1
    }
    return order.prefix(count).map { regions[$0] }
  }

  /// All warm cells that hang together with one, also over corners.
  private static func grow(from start: (x: Int, y: Int), in heat: Plane<Float>, free: inout Plane<Bool>) -> Region {
    var region = Region()
    var open = [start]
    free[start.x, start.y] = false
    while let cell = open.popLast() {
      region.add(Cell(x: cell.x, y: cell.y, heat: heat[cell.x, cell.y]))
      for y in max(cell.y - 1, 0)...min(cell.y + 1, heat.height - 1) {
        for x in max(cell.x - 1, 0)...min(cell.x + 1, heat.width - 1) where free[x, y] {
          free[x, y] = false
          open.append((x, y))
        }
      }
    }
    return region
  }
}
