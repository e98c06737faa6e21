// Which plane every cell would belong to: that of the nearest cells that a plane explains.

/// Planes extended beyond the cells that they explain, along the image's surfaces: a distance between cells grows with
/// the difference of their grey levels, and no plane reaches farther than a few times its own width.
final class PlaneExtension {
  // The numbers were chosen by hand.

  /// The distance that a grey level of difference adds to that of neighbors, which is 1.
  private static let distancePerLevel: Float = 0.2
  /// The maximum distance from a plane at which cells are taken into it, as a multiple of the square root of the number
  /// of cells that it explains.
  private static let relativeReach: Float = 3
  /// The number of passes over all cells, down and up.
  private static let passes = 2
  /// The radius of the window in which cells must agree, in cells.
  private static let agreementRadius = 2

  /// The number of each cell's plane, or −1.
  private(set) var owners: [Int32] = []
  private var distances: [Float] = []
  private var reaches: [Float] = []

  func extend(_ detection: PlaneDetection, _ cells: FlowCells) {
    begin(detection, cells)
    for _ in 0..<Self.passes { sweep(cells) }
  }

  /// A cell is a source when at least half of the trusted cells around it belong to its plane.
  private func begin(_ detection: PlaneDetection, _ cells: FlowCells) {
    var owners = [Int32](repeating: PlaneDetection.unlabeled, count: cells.count)
    var distances = [Float](repeating: .infinity, count: cells.count)
    var sizes = [Float](repeating: 0, count: detection.planes.count)
    let radius = Self.agreementRadius
    detection.labels.withUnsafeBufferPointer { labels in
      for row in 0..<cells.rows {
        let rows = max(row - radius, 0)...min(row + radius, cells.rows - 1)
        for column in 0..<cells.columns {
          let cell = row * cells.columns + column
          let label = labels[cell]
          guard label != PlaneDetection.unlabeled else { continue }
          sizes[Int(label)] += 1
          let columns = max(column - radius, 0)...min(column + radius, cells.columns - 1)
          var (same, trusted) = (0, 0)
          for y in rows {
            for other in (y * cells.columns + columns.lowerBound)...(y * cells.columns + columns.upperBound) {
              if labels[other] == label { same += 1 }
              if cells.isTrusted(other) { trusted += 1 }
            }
          }
          guard 2 * same >= trusted else { continue }
          owners[cell] = label
          distances[cell] = 0
        }
      }
    }
    (self.owners, self.distances) = (owners, distances)
    reaches = sizes.map { Self.relativeReach * $0.squareRoot() }
  }

  /// Makes a pass down and a pass up, each row both ways.
  private func sweep(_ cells: FlowCells) {
    let (columns, rows) = (cells.columns, cells.rows)
    owners.withUnsafeMutableBufferPointer { owners in
      distances.withUnsafeMutableBufferPointer { distances in
        let (level, reaches) = (cells.level, reaches)
        func relax(_ cell: Int, _ neighbor: Int) {
          guard owners[neighbor] >= 0 else { return }
          let distance = distances[neighbor] + 1 + Self.distancePerLevel * abs(level[cell] - level[neighbor])
          guard distance < distances[cell], distance < reaches[Int(owners[neighbor])] else { return }
          distances[cell] = distance
          owners[cell] = owners[neighbor]
        }
        for row in 0..<rows {
          let first = row * columns
          for cell in first..<(first + columns) {
            if cell > first { relax(cell, cell - 1) }
            if row > 0 { relax(cell, cell - columns) }
          }
          for cell in (first..<(first + columns - 1)).reversed() { relax(cell, cell + 1) }
        }
        for row in (0..<rows).reversed() {
          let first = row * columns
          for cell in (first..<(first + columns)).reversed() {
            if cell < first + columns - 1 { relax(cell, cell + 1) }
            if row < rows - 1 { relax(cell, cell + columns) }
          }
          for cell in (first + 1)..<max(first + columns, first + 1) { relax(cell, cell - 1) }
        }
      }
    }
  }
}
