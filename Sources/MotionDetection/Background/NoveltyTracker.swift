// The tracker of what looks new behind rain and snow.

import Imaging

/// Follows what looks new from frame to frame until it has been seen for so long that it is no flake.
///
/// Somebody small shows few cells between the flakes, fewer than flakes do by chance, but shows them on and on along a
/// way. Radar calls this track before detect (Barniv 1985, doi:10.1109/TAES.1985.310548). Used by one thread. The
/// constants were tuned on the tuning half of the drawn scenes (Tests/DetectionScenes).
struct NoveltyTracker: Sendable {
  private struct Trail: Sendable {
    var center: SIMD2<Float>
    var lastSeconds: Double
    var sightings: Int
    /// The sum of the cells that were seen.
    var cells: Int
    /// The sum of the cells that were seen, each times the seconds from frame to frame.
    var cellSeconds: Double
  }

  private let grid: CellGrid
  private var trails: [Trail] = []

  /// The minimum number of cells of a sighting.
  private static let minimumCells = 2
  /// The maximum way between two sightings, as a share of the longest side: 14 pixels of 320.
  private static let maximumStep: Float = 0.044
  /// The maximum time between two sightings, in seconds, and the number of frames where that is longer.
  private static let (memoryInSeconds, memoryInFrames) = (0.25, 1.5)
  /// The minimum number of sightings.
  private static let minimumSightings = 3
  /// The minimum sum of cells. In rain and snow alone it reaches 60, with people in them 88 and more, at 25 and at 12.5
  /// looks a second.
  private static let minimumCellSum = 72
  /// The minimum sum of cells and seconds, for more looks a second.
  private static let minimumCellSeconds = 3.2

  init(grid: CellGrid) { self.grid = grid }

  /// Forgets all: for another scene or another view, and when the rain is over.
  mutating func reset() { trails = [] }

  /// Takes what looks new in the next frame.
  /// - Parameters:
  ///   - components: The cells of each component that looks new.
  ///   - interval: The time since the frame before, in seconds.
  /// - Returns: A Boolean value for each component that tells whether it has been seen for long enough.
  mutating func advance(_ components: [[Int]], seconds: Double, interval: Double) -> [Bool] {
    let memory = max(Self.memoryInSeconds, Self.memoryInFrames * interval)
    trails.removeAll { seconds - $0.lastSeconds > memory }
    let step = Self.maximumStep * Float(max(grid.size.width, grid.size.height))
    let centers = components.map { cells in
      cells.reduce(SIMD2<Float>.zero) { $0 + grid.center($1) } / Float(max(cells.count, 1))
    }
    var open = components.indices.filter { components[$0].count >= Self.minimumCells }
    var isProven = [Bool](repeating: false, count: components.count)
    for index in trails.indices {
      let distances = open.map { (centers[$0] - trails[index].center).length }
      guard let nearest = distances.indices.min(by: { distances[$0] < distances[$1] }),
        distances[nearest] <= step
      else { continue }
      let component = open.remove(at: nearest)
      trails[index].center = centers[component]
      trails[index].lastSeconds = seconds
      trails[index].sightings += 1
      trails[index].cells += components[component].count
      trails[index].cellSeconds += Double(components[component].count) * interval
      isProven[component] =
        trails[index].sightings >= Self.minimumSightings && trails[index].cells >= Self.minimumCellSum
        && trails[index].cellSeconds >= Self.minimumCellSeconds
    }
    trails += open.map {
      let count = components[$0].count
      return Trail(
        center: centers[$0], lastSeconds: seconds, sightings: 1, cells: count, cellSeconds: Double(count) * interval)
    }
    return isProven
  }
}
