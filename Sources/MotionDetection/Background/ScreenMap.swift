// The map of televisions and monitors, which show one scene after the other.

import Imaging

/// Finds the screens in the view: areas of which all shows something else from one frame to the next, and goes on from
/// there. What moves on a screen is not there. Used by one thread. The constants were tuned on the televisions of the
/// drawn scenes (Tests/DetectionScenes), seeds 1 to 5 of both halves, and on clips.
struct ScreenMap: Sendable {
  private let grid: CellGrid
  /// A Boolean value for each cell that tells whether it is part of a screen.
  private(set) var isScreen: [Bool]
  /// The time of the last cut in each cell, in seconds, and the number of those that did not come too late for one.
  private var lastCut: [Double]
  private var cutCount: [Int]
  /// The mean change of the pixels of each cell in the last pair of frames, in grey levels, and the areas that may have
  /// been a cut.
  private var lastChange: [Float]
  private var pending: [Cut] = []
  private var lastTime: Double?
  private var previous: Plane<Float>?

  /// The cells of a rectangle.
  private struct CellBox {
    var columns: ClosedRange<Int>
    var rows: ClosedRange<Int>

    var count: Int { columns.count * rows.count }
  }

  /// An area that may have been cut to another scene.
  private struct Cut {
    /// The cells that changed by at least a limit.
    var cells: [Int]
    /// The limit, in grey levels.
    var limit: Float
    var box: CellBox
    /// The share of the rectangle around it that changed, 0…1.
    var fill: Double { Double(cells.count) / Double(box.count) }
    /// A Boolean value that tells whether it is so large that it needs no second one.
    var isClear: Bool
    var seconds: Double
  }

  /// The minimum number of cells that change at once.
  private static let minimumCutCells = 40
  /// The limits that the mean change of the pixels of a cell must reach, in grey levels. The one counts whose cells
  /// fill a rectangle best: a high one leaves out what moves beside the screen and on it, a low one finds all of a dim
  /// screen.
  private static let changeLimits: [Float] = [10, 6, 4]
  /// The minimum share of all that changes at once in the image: rain changes all of it.
  private static let minimumShareOfChange = 0.7
  /// The maximum share of the image that a screen covers.
  private static let maximumScreenShare = 0.4
  /// The minimum share of the rectangle around a cut that changes: screens are rectangles.
  private static let minimumFill = 0.5
  /// The maximum share of the cells of a cut that change in the frame before or after, too.
  private static let maximumRepeat = 0.25
  /// The maximum correlation of the images before and after a cut: it is another scene, not the same one in another
  /// light.
  private static let maximumCorrelation: Float = 0.6
  /// The number of cuts that make a screen, unless one is clear enough.
  private static let minimumCuts = 2
  /// The minimum number of cells of a cut that is clear enough.
  private static let clearCells = 64
  /// The time after which cuts are forgotten, in seconds: after the first one, and after more.
  private static let (firstCutMemoryInSeconds, cutMemoryInSeconds) = (15.0, 60.0)
  /// The maximum time between two frames, in seconds: in longer ones people change the image as a cut does.
  private static let maximumInterval = 0.09

  init(grid: CellGrid) {
    self.grid = grid
    isScreen = Array(repeating: false, count: grid.count)
    lastChange = Array(repeating: 0, count: grid.count)
    lastCut = Array(repeating: -.infinity, count: grid.count)
    cutCount = Array(repeating: 0, count: grid.count)
  }

  /// Forgets all, for another scene or another view.
  mutating func reset() {
    self = ScreenMap(grid: grid)
  }

  /// Takes the next pair of frames.
  /// - Parameters:
  ///   - changed: The cells in which something moves or changes, by another cause than light: where there are few,
  ///     there is no cut.
  ///   - image: The later frame, of the grid's size.
  mutating func note(changed: [Bool], image: Plane<Float>, seconds: Double) {
    defer { previous = image }
    let interval = seconds - (lastTime ?? seconds)
    lastTime = seconds
    let isPossible = interval <= Self.maximumInterval
    let isLooked = isPossible && (!pending.isEmpty || changed.count { $0 } >= Self.minimumCutCells / 2)
    let change = isLooked ? changes(in: image) : Array(repeating: 0, count: grid.count)
    let cuts = pending.filter { cut in
      let again = cut.cells.count { change[$0] >= cut.limit }
      return Double(again) <= Self.maximumRepeat * Double(cut.cells.count)
    }
    if isPossible, let cut = cuts.max(by: { $0.fill < $1.fill }) { take(cut) }
    pending = isLooked ? Self.changeLimits.compactMap { self.cut(change, above: $0, image, seconds: seconds) } : []
    lastChange = change
    for cell in 0..<grid.count where cutCount[cell] > 0 {
      let memory = cutCount[cell] < Self.minimumCuts ? Self.firstCutMemoryInSeconds : Self.cutMemoryInSeconds
      if seconds - lastCut[cell] > memory { (cutCount[cell], isScreen[cell]) = (0, false) }
    }
  }

  /// Returns the mean change of the pixels of each cell from the frame before, in grey levels.
  private func changes(in image: Plane<Float>) -> [Float] {
    var changes = [Float](repeating: 0, count: grid.count)
    guard let previous, previous.size == image.size else { return changes }
    let side = MotionParameters.cellSide
    image.withView { image in
      previous.withView { previous in
        for cell in 0..<grid.count {
          let (left, top) = (cell % grid.columns * side, cell / grid.columns * side)
          var sum: Float = 0
          for y in top..<top + side {
            let (now, then) = (image.row(y), previous.row(y))
            for x in left..<left + side { sum += abs(now[x] - then[x]) }
          }
          changes[cell] = sum / Float(side * side)
        }
      }
    }
    return changes
  }

  /// Returns the area that may have been cut to another scene; nil: there is none.
  /// - Parameters:
  ///   - change: The mean change of the pixels of each cell, in grey levels.
  ///   - limit: The change that its cells exceed.
  private func cut(_ change: [Float], above limit: Float, _ image: Plane<Float>, seconds: Double) -> Cut? {
    var open = change.map { $0 >= limit }
    let count = open.count { $0 }
    guard count >= Self.minimumCutCells else { return nil }
    for cell in 0..<grid.count where open[cell] {
      let cells = open.takeComponent(of: cell) { grid.forEachNeighbor(of: $0, distance: 1, $1) }
      guard cells.count >= Self.minimumCutCells,
        Double(cells.count) >= Self.minimumShareOfChange * Double(count)
      else { continue }
      let (columns, rows) = (cells.map { $0 % grid.columns }, cells.map { $0 / grid.columns })
      guard let left = columns.min(), let right = columns.max(), let top = rows.min(), let bottom = rows.max()
      else { continue }
      let box = CellBox(columns: left...right, rows: top...bottom)
      let cut = Cut(
        cells: cells, limit: limit, box: box, isClear: cells.count >= Self.clearCells, seconds: seconds)
      let again = cells.count { lastChange[$0] >= limit }
      guard cut.fill >= Self.minimumFill, Double(box.count) <= Self.maximumScreenShare * Double(grid.count),
        Double(again) <= Self.maximumRepeat * Double(cells.count),
        correlation(of: cells, in: image) <= Self.maximumCorrelation
      else { continue }
      return cut
    }
    return nil
  }

  /// Returns the correlation of an image with the one before in some cells; 1 where either is flat.
  private func correlation(of cells: [Int], in image: Plane<Float>) -> Float {
    guard let previous, !cells.isEmpty else { return 1 }
    let side = MotionParameters.cellSide
    // The sums of both, of their squares and of their product.
    var (a, b, aa, bb, ab) = (0.0, 0.0, 0.0, 0.0, 0.0)
    image.withView { image in
      previous.withView { previous in
        for cell in cells {
          let (left, top) = (cell % grid.columns * side, cell / grid.columns * side)
          for y in top..<top + side {
            for x in left..<left + side {
              let (now, then) = (Double(image.row(y)[x]), Double(previous.row(y)[x]))
              a += now
              b += then
              aa += now * now
              bb += then * then
              ab += now * then
            }
          }
        }
      }
    }
    let count = Double(cells.count * side * side)
    let (varianceA, varianceB) = (aa - a * a / count, bb - b * b / count)
    guard varianceA > count, varianceB > count else { return 1 }
    return Float((ab - a * b / count) / (varianceA * varianceB).squareRoot())
  }

  /// Counts a cut. Cells of its border show the screen too, in a part of their pixels.
  private mutating func take(_ cut: Cut) {
    for row in max(cut.box.rows.lowerBound - 1, 0)...min(cut.box.rows.upperBound + 1, grid.rows - 1) {
      for column in max(cut.box.columns.lowerBound - 1, 0)...min(cut.box.columns.upperBound + 1, grid.columns - 1) {
        let cell = row * grid.columns + column
        cutCount[cell] += 1
        lastCut[cell] = cut.seconds
        if cut.isClear || cutCount[cell] >= Self.minimumCuts { isScreen[cell] = true }
      }
    }
  }
}
