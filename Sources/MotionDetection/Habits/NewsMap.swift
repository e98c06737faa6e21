import Imaging

/// Where something looked new of late: what follows it closely belongs to it. Used by one thread.
struct NewsMap: Sendable {
  private let grid: CellGrid
  /// The time at which something last travelled near each cell that was news, in seconds.
  private var lastNews: [Double]
  /// The time at which something near each cell last looked new, in seconds, up to the frame before, and with this one.
  private var lastLook: [Double]
  private var currentLook: [Double]

  /// The number of cells around what looks new that are near it.
  private static let reach = 3
  /// The time for which what is near news belongs to it, in seconds.
  private static let newsTime = 1.5
  /// The time within which what looks new must do so once more, in seconds, or in a frame and a half where they are
  /// further apart: flakes do by chance.
  private static let confirmationTime = 0.25
  private static let confirmationFrames = 1.5

  init(grid: CellGrid) {
    self.grid = grid
    lastNews = Array(repeating: -.infinity, count: grid.count)
    (lastLook, currentLook) = (lastNews, lastNews)
  }

  /// Forgets all, for another scene or another view.
  mutating func reset() { self = NewsMap(grid: grid) }

  /// Takes note of cells that look new.
  /// - Parameter interval: The time since the frame before, in seconds.
  /// - Returns: A Boolean value that tells whether something near them did so before.
  mutating func noteLook(_ cells: [Int], seconds: Double, interval: Double) -> Bool {
    let memory = max(Self.confirmationTime, Self.confirmationFrames * interval)
    for cell in cells { grid.forEachNeighbor(of: cell, distance: Self.reach) { currentLook[$0] = seconds } }
    return cells.contains { seconds > lastLook[$0] && seconds - lastLook[$0] <= memory }
  }

  /// Takes note of cells that are news.
  mutating func noteNews(_ cells: [Int], seconds: Double) {
    for cell in cells { grid.forEachNeighbor(of: cell, distance: Self.reach) { lastNews[$0] = seconds } }
  }

  /// Ends a frame.
  mutating func endFrame() { lastLook = currentLook }

  /// Returns whether cells follow news closely.
  func isFollowing(_ cells: [Int], seconds: Double) -> Bool {
    cells.contains { seconds - lastNews[$0] < Self.newsTime }
  }
}
