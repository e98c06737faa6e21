// The cells that zones cover.

import Imaging

/// The cells of each zone of a set. Those of zones that are fixed to the image are found once.
struct ZoneCells: Sendable {
  private struct Shape: Sendable {
    var isBarred: Bool
    var edges: PolygonEdges
    /// The factors from fractions of the image's sides to the unit of the edges.
    var scale: SIMD2<Double>
    /// The cells of a zone that is fixed to the image; nil for one that goes with the scene.
    var fixed: [Int]?
  }

  private let grid: CellGrid
  private let shapes: [Shape]

  /// - Parameters:
  ///   - grid: The grid of the analysed images.
  ///   - size: The size of the full-size image.
  init(_ zones: ZoneSet, grid: CellGrid, size: PixelSize) {
    self.grid = grid
    let points = Self.points(grid, back: nil)
    shapes = zones.zones.map { zone in
      let scale = zone.effectiveUnits == .pixels ? SIMD2(Double(size.width), Double(size.height)) : SIMD2(1, 1)
      var shape = Shape(
        isBarred: zone.effectiveMode != .include, edges: PolygonEdges(zone.polygon.map { SIMD2($0[0], $0[1]) }),
        scale: scale)
      if zone.anchor != .scene { shape.fixed = Self.cells(of: shape, points) }
      return shape
    }
  }

  /// Returns the cells that no zone bars, as a Boolean value for each, and those of them in each zone that includes, in
  /// the order of the zones.
  /// - Parameter scene: Pixels of the analysed image in which the zones were drawn to those of the current one.
  func cells(scene: Homography) -> (open: [Bool], included: [[Int]]) {
    let points = shapes.contains { $0.fixed == nil } ? Self.points(grid, back: scene.inverse ?? .identity) : []
    func cells(of shape: Shape) -> [Int] { shape.fixed ?? Self.cells(of: shape, points) }
    var open = [Bool](repeating: true, count: grid.count)
    for shape in shapes where shape.isBarred {
      for cell in cells(of: shape) { open[cell] = false }
    }
    return (open, shapes.filter { !$0.isBarred }.map { shape in cells(of: shape).filter { open[$0] } })
  }

  private static func cells(of shape: Shape, _ points: [SIMD2<Double>]) -> [Int] {
    points.indices.filter { shape.edges.contains(points[$0] * shape.scale) }
  }

  /// Returns the middles of all cells, in fractions of the image's sides.
  /// - Parameter back: Pixels of the current image to those of the one in which scene zones were drawn; nil: the same.
  private static func points(_ grid: CellGrid, back: Homography?) -> [SIMD2<Double>] {
    let size = SIMD2(Double(grid.size.width), Double(grid.size.height))
    return (0..<grid.count).map { cell in
      var position = grid.position(cell)
      if let back {
        let (x, y) = back.apply(x: position.x, y: position.y)
        position = SIMD2(x, y)
      }
      return (position + 0.5) / size
    }
  }
}

/// The zones that each cell belongs to.
struct ZonesOfCells: Sendable {
  private let zones: [Int32]
  /// The index into `zones` at which those of each cell begin, and at last their number.
  private let starts: [Int]

  /// - Parameters:
  ///   - cells: The cells of each zone.
  ///   - cellCount: The number of all cells.
  init(_ cells: [[Int]], cellCount: Int) {
    var starts = [Int](repeating: 0, count: cellCount + 1)
    for cell in cells.joined() { starts[cell + 1] += 1 }
    for cell in 0..<cellCount { starts[cell + 1] += starts[cell] }
    var (next, zones) = (starts, [Int32](repeating: 0, count: starts[cellCount]))
    for (zone, cells) in cells.enumerated() {
      for cell in cells {
        zones[next[cell]] = Int32(zone)
        next[cell] += 1
      }
    }
    (self.starts, self.zones) = (starts, zones)
  }

  /// Calls `body` with the zones of a cell, in their order.
  @inline(__always)
  func forEachZone(of cell: Int, _ body: (Int) -> Void) {
    for index in starts[cell]..<starts[cell + 1] { body(Int(zones[index])) }
  }
}
