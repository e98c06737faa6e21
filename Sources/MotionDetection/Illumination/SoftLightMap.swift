// The map of wandering light: what changes with soft edges is no body.

import Imaging

/// Tells light from bodies by the width of their edges, and remembers for a short time where light was: its parts have
/// no edges that could be measured. Used by one thread. The constants were tuned on the tuning half of the drawn scenes
/// (Tests/DetectionScenes) and on clips.
struct SoftLightMap: Sendable {
  private let grid: CellGrid
  private var softness: EdgeSoftness
  /// The sums of the widths of edges near each cell and of their weights, as of the time at which they were noted.
  private var widths: [Float]
  private var weights: [Float]
  private var lastTime: [Double]

  /// The width of edges from which on a change is light, in pixels. Bodies reach 5, transparent bottles 7, headlights
  /// on walls begin at 9.
  static let lightWidth: Float = 8
  /// The number of cells around a component that may be parts of it.
  private static let reachInCells = 5
  /// The time in which a width is forgotten, in seconds.
  private static let memoryInSeconds = 0.7

  init(grid: CellGrid, enlargement: Float) {
    self.grid = grid
    softness = EdgeSoftness(grid: grid, enlargement: enlargement)
    widths = Array(repeating: 0, count: grid.count)
    weights = widths
    lastTime = Array(repeating: -.infinity, count: grid.count)
  }

  /// Forgets all, for another scene or another view.
  mutating func reset() { self = SoftLightMap(grid: grid, enlargement: softness.enlargement) }

  /// Takes the next frame.
  /// - Parameters:
  ///   - components: All that seems to travel in it.
  ///   - image: The frame, of the grid's size.
  /// - Returns: The width of the edges of each component, in pixels; 0: none was measured.
  mutating func advance(
    _ components: [[MotionObservation.MovingCell]], in image: Plane<Float>, seconds: Double
  ) -> [Float] {
    softness.append(image, seconds: seconds)
    for component in components {
      let cells = component.map(\.cell)
      if let width = softness.width(of: cells, in: image) { note(width, of: cells, seconds: seconds) }
    }
    return components.map { meanWidth(of: $0.map(\.cell), seconds: seconds) }
  }

  private mutating func note(_ width: Float, of cells: [Int], seconds: Double) {
    var isNear = [Bool](repeating: false, count: grid.count)
    for cell in cells { grid.forEachNeighbor(of: cell, distance: Self.reachInCells) { isNear[$0] = true } }
    let weight = Float(cells.count)
    for cell in isNear.indices where isNear[cell] {
      let share = rest(of: cell, seconds: seconds)
      widths[cell] = share * widths[cell] + weight * width
      weights[cell] = share * weights[cell] + weight
      lastTime[cell] = seconds
    }
  }

  /// Returns the mean width of edges in and near some cells of late; 0: none was measured.
  private func meanWidth(of cells: [Int], seconds: Double) -> Float {
    var (sum, weight) = (0 as Float, 0 as Float)
    for cell in cells {
      let share = rest(of: cell, seconds: seconds)
      sum += share * widths[cell]
      weight += share * weights[cell]
    }
    return weight > 0 ? sum / weight : 0
  }

  /// Returns how much of what was noted of a cell is left, 0…1.
  private func rest(of cell: Int, seconds: Double) -> Float {
    Float(max(0, 1 - (seconds - lastTime[cell]) / Self.memoryInSeconds))
  }
}
