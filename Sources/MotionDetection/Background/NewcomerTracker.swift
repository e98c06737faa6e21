// The tracker of what crosses the image in strides that no flow follows.

import Imaging

/// Follows what looks new from frame to frame where the frames are far apart: somebody who gets on by more than their
/// own width between two frames has no flow. Used by one thread. The constants were tuned on the tuning half of the
/// drawn scenes (Tests/DetectionScenes).
struct NewcomerTracker: Sendable {
  private struct Newcomer: Sendable {
    var cells: [Int]
    var center: SIMD2<Float>
    /// The number of frames in which it has been seen on its way.
    var age: Int
  }

  private let grid: CellGrid
  private var newcomers: [Newcomer] = []

  /// The minimum time between two frames for newcomers to be looked for, in seconds: flow follows what is seen more
  /// often.
  static let minimumInterval = 0.09
  /// The minimum number of cells of a newcomer.
  private static let minimumNewcomerCells = 6
  /// The maximum share of the image that newcomers cover; more is a change of light.
  private static let maximumNewShare = 0.5
  /// The maximum ratio of the cells of a newcomer in two frames.
  private static let maximumGrowth = 2.5
  /// The minimum way between two frames, as a multiple of the side of a square of as many cells.
  private static let minimumStride: Float = 0.3
  /// The maximum way between two frames, as a share of the longest side.
  private static let maximumStride: Float = 0.4

  init(grid: CellGrid) { self.grid = grid }

  /// Forgets all, for another scene or another view.
  mutating func reset() { newcomers = [] }

  /// Takes the cells of a frame that look new.
  /// - Returns: Those of newcomers that got on since the frame before.
  mutating func advance(_ isNew: [Bool]) -> [MotionObservation.MovingCell] {
    let previous = newcomers
    newcomers = []
    let count = isNew.count { $0 }
    guard count >= Self.minimumNewcomerCells, Double(count) <= Self.maximumNewShare * Double(grid.count) else {
      return []
    }
    var (open, moving) = (isNew, [MotionObservation.MovingCell]())
    for cell in 0..<grid.count where open[cell] {
      let cells = open.takeComponent(of: cell) { grid.forEachNeighbor(of: $0, distance: 2, $1) }
      guard cells.count >= Self.minimumNewcomerCells else { continue }
      var newcomer = Newcomer(cells: cells, center: .zero, age: 0)
      for cell in cells { newcomer.center += grid.center(cell) / Float(cells.count) }
      if let (stride, age) = stride(of: newcomer, from: previous) {
        newcomer.age = age + 1
        moving += cells.map {
          MotionObservation.MovingCell(cell: $0, u: stride.x, v: stride.y, age: newcomer.age)
        }
      }
      newcomers.append(newcomer)
    }
    return moving
  }

  /// Returns the way of a newcomer since the frame before, and for how many frames it was on its way there; nil: it did
  /// not get on, or was not there.
  private func stride(of newcomer: Newcomer, from previous: [Newcomer]) -> (way: SIMD2<Float>, age: Int)? {
    let size = Float(newcomer.cells.count).squareRoot() * Float(MotionParameters.cellSide)
    let longest = Float(max(grid.size.width, grid.size.height))
    var nearest: (way: SIMD2<Float>, age: Int, distance: Float)?
    for other in previous {
      let ratio = Double(newcomer.cells.count) / Double(other.cells.count)
      guard max(ratio, 1 / ratio) <= Self.maximumGrowth else { continue }
      let way = newcomer.center - other.center
      let distance = (way * way).sum().squareRoot()
      if distance < nearest?.distance ?? Self.maximumStride * longest { nearest = (way, other.age, distance) }
    }
    return nearest.flatMap { $0.distance >= Self.minimumStride * size ? ($0.way, $0.age) : nil }
  }
}
