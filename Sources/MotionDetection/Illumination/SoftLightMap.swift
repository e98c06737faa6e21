// The map of wandering light: what changes with soft edges is no body.

import Imaging

/// Tells light from bodies by the width of their edges, and remembers for a short time where light was: its parts have
/// no edges that could be measured. Used by one thread. The constants were tuned on the tuning half of the drawn scenes
/// (Tests/DetectionScenes) and on clips.
struct SoftLightMap: Sendable {
  private var softness: EdgeSoftness
  private var widths: RecentCellMeans

  /// The width of edges from which on a change is light, in pixels. Bodies reach 5, transparent bottles 7, headlights
  /// on walls begin at 9.
  static let lightWidth: Float = 8
  /// The number of cells around a component that may be parts of it.
  private static let reachInCells = 5
  /// The time in which a width is forgotten, in seconds.
  private static let memoryInSeconds = 0.7

  init(grid: CellGrid, enlargement: Float) {
    softness = EdgeSoftness(grid: grid, enlargement: enlargement)
    widths = RecentCellMeans(grid: grid, reachInCells: Self.reachInCells, memoryInSeconds: Self.memoryInSeconds)
  }

  /// By how much the edges of what rests are wider than those of a scene in focus, at least 1.
  var blur: Float { softness.blur }

  /// Forgets all, for another scene or another view.
  mutating func reset() {
    softness.reset()
    widths.reset()
  }

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
      guard let width = softness.width(of: cells, in: image) else { continue }
      widths.note(width, weight: Float(cells.count), of: cells, seconds: seconds)
    }
    return components.map { widths.mean(of: $0.map(\.cell), seconds: seconds) ?? 0 }
  }
}
