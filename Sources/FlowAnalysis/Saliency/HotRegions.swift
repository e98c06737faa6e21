// Connected parts of a heat map.

import Imaging

/// Regions of warm cells around hot ones. The constants were chosen by hand.
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

  /// The heat, 0…1, that a cell of each region must reach: twice the noise floor.
  static let hot: Float = 0.5
  /// The minimum heat of all cells of a region, 0…1.
  private static let warm: Float = 0.25
  /// The minimum number of cells of a region: fewer are an error of the flow more often than a component.
  private static let minimumRegionCells = 4

  private let regions: [Region]

  init(_ heat: Plane<Float>) {
    let (width, height) = (heat.width, heat.height)
    var isFree = (0..<width * height).map { heat[$0 % width, $0 / width] >= Self.warm }
    var regions: [Region] = []
    for first in isFree.indices where isFree[first] {
      // Warm cells hang together also over corners.
      let cells = isFree.takeComponent(of: first, order: .depthFirst) { cell, body in
        let (x, y) = (cell % width, cell / width)
        for row in max(y - 1, 0)...min(y + 1, height - 1) {
          for column in max(x - 1, 0)...min(x + 1, width - 1) { body(row * width + column) }
        }
      }
      var region = Region()
      for cell in cells {
        let (x, y) = (cell % width, cell / width)
        region.add(Cell(x: x, y: y, heat: heat[x, y]))
      }
      if region.peak >= Self.hot, region.cells.count >= Self.minimumRegionCells { regions.append(region) }
    }
    self.regions = regions
  }

  /// Returns the regions with the most heat, in falling order; of equal ones the upper left first.
  func strongest(_ count: Int) -> [Region] {
    let order = regions.indices.sorted {
      regions[$0].sum != regions[$1].sum ? regions[$0].sum > regions[$1].sum : $0 < $1
    }
    return order.prefix(count).map { regions[$0] }
  }
}
