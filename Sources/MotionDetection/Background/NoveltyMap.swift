import Imaging

/// A map of where something looked new of late: what follows it closely belongs to it. Used by one thread. The
/// constants were tuned on the tuning half of the drawn scenes (Tests/DetectionScenes).
struct NoveltyMap: Sendable {
  private let grid: CellGrid
  /// The time at which something new last travelled near each cell, in seconds.
  private var lastNovelty: [Double]
  /// The time at which something near each cell last looked new, in seconds, up to the frame before, and with this one.
  private var lastCandidate: [Double]
  private var currentCandidate: [Double]

  /// The number of cells around what looks new that are near it.
  private static let reachInCells = 3
  /// The time for which what is near something new belongs to it, in seconds.
  private static let followTime = 1.5
  /// The time within which what looks new must do so once more, in seconds: flakes look new once, by chance.
  private static let confirmationTime = 0.25
  /// The number of frames within which it must do so where ``confirmationTime`` is shorter.
  private static let confirmationFrames = 1.5

  init(grid: CellGrid) {
    self.grid = grid
    lastNovelty = Array(repeating: -.infinity, count: grid.count)
    (lastCandidate, currentCandidate) = (lastNovelty, lastNovelty)
  }

  /// Forgets all, for another scene or another view.
  mutating func reset() { self = NoveltyMap(grid: grid) }

  /// Takes note of cells that look new.
  /// - Parameter interval: The time since the frame before, in seconds.
  /// - Returns: A Boolean value that tells whether something near them did so before.
  mutating func noteCandidates(_ cells: [Int], seconds: Double, interval: Double) -> Bool {
    let memory = max(Self.confirmationTime, Self.confirmationFrames * interval)
    for cell in cells { grid.forEachNeighbor(of: cell, distance: Self.reachInCells) { currentCandidate[$0] = seconds } }
    return cells.contains { seconds > lastCandidate[$0] && seconds - lastCandidate[$0] <= memory }
  }

  /// Takes note of cells in which something new travels.
  mutating func noteNovelty(_ cells: [Int], seconds: Double) {
    for cell in cells { grid.forEachNeighbor(of: cell, distance: Self.reachInCells) { lastNovelty[$0] = seconds } }
  }

  /// Ends a frame.
  mutating func endFrame() { lastCandidate = currentCandidate }

  /// Returns whether cells follow something new closely.
  func isFollowing(_ cells: [Int], seconds: Double) -> Bool {
    cells.contains { seconds - lastNovelty[$0] < Self.followTime }
  }
}
