// The map of televisions and monitors, which show one scene after the other.

import Imaging

/// Finds the screens in the view: areas that change as a whole from one frame to the next, and not in the frames before
/// and after. What moves on a screen is not there. Used by one thread. The constants were tuned on the tuning half of
/// the drawn scenes (Tests/DetectionScenes).
struct ScreenMap: Sendable {
  private let grid: CellGrid
  /// A Boolean value for each cell that tells whether it is part of a screen.
  private(set) var isScreen: [Bool]
  /// The time of the last cut in each cell, in seconds, and the number of those that did not come too late for one.
  private var lastCut: [Double]
  private var cutCount: [Int]
  /// The cells that changed in the last pair of frames without a motion that explains it, and the areas of them that
  /// may have been a cut.
  private var wasAbrupt: [Bool]
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
    /// The cells that changed without a motion that explains it.
    var cells: [Int]
    var box: CellBox
    /// A Boolean value that tells whether it is so large and so rectangular that it needs no second one.
    var isClear: Bool
    var seconds: Double
  }

  /// The minimum number of cells that change at once.
  private static let minimumCutCells = 24
  /// The minimum share of all that changes at once in the image: rain changes all of it.
  private static let minimumShareOfChange = 0.7
  /// The maximum share of the image that a screen covers.
  private static let maximumScreenShare = 0.4
  /// The minimum share of the rectangle around a cut that changes: screens are rectangles.
  private static let minimumFill = 0.6
  /// The maximum share of the cells of a cut that change abruptly in the frame before or after, too.
  private static let maximumRepeat = 0.3
  /// The minimum mean change of the pixels of a cut, in grey levels: another scene, not an object that creeps.
  private static let minimumChange: Float = 12
  /// The number of cuts that make a screen, unless one is clear enough.
  private static let minimumCuts = 2
  /// The minimum number of cells, and the minimum share of the rectangle around them, of a cut that is clear enough.
  private static let (clearCells, clearFill) = (60, 0.85)
  /// The time after which cuts are forgotten, in seconds.
  private static let cutMemoryInSeconds = 60.0
  /// The maximum time between two frames, in seconds: in longer ones people change the image as a cut does.
  private static let maximumInterval = 0.09

  init(grid: CellGrid) {
    self.grid = grid
    isScreen = Array(repeating: false, count: grid.count)
    wasAbrupt = isScreen
    lastCut = Array(repeating: -.infinity, count: grid.count)
    cutCount = Array(repeating: 0, count: grid.count)
  }

  /// Forgets all, for another scene or another view.
  mutating func reset() {
    self = ScreenMap(grid: grid)
  }

  /// Takes the next pair of frames.
  /// - Parameters:
  ///   - changed: The cells in which something moves or changes.
  ///   - moving: Those of them whose change a motion explains.
  ///   - image: The later frame, of the grid's size.
  mutating func note(changed: [Bool], moving: [Bool], image: Plane<Float>, seconds: Double) {
    defer { previous = image }
    let interval = seconds - (lastTime ?? seconds)
    lastTime = seconds
    let abrupt = changed.indices.map { changed[$0] && !moving[$0] }
    for cut in pending where interval <= Self.maximumInterval {
      let again = cut.cells.count { abrupt[$0] }
      if Double(again) <= Self.maximumRepeat * Double(cut.cells.count) { take(cut) }
    }
    pending = interval <= Self.maximumInterval ? cuts(changed: changed, abrupt: abrupt, image, seconds: seconds) : []
    wasAbrupt = abrupt
    for cell in 0..<grid.count where cutCount[cell] > 0 && seconds - lastCut[cell] > Self.cutMemoryInSeconds {
      (cutCount[cell], isScreen[cell]) = (0, false)
    }
  }

  /// Returns the areas that may have been cut to another scene.
  private func cuts(
    changed: [Bool], abrupt: [Bool], _ image: Plane<Float>, seconds: Double
  ) -> [Cut] {
    let count = abrupt.count { $0 }
    guard count >= Self.minimumCutCells else { return [] }
    var open = changed
    var found: [Cut] = []
    for cell in 0..<grid.count where open[cell] {
      let component = open.takeComponent(of: cell) { grid.forEachNeighbor(of: $0, distance: 1, $1) }
      let cells = component.filter { abrupt[$0] }
      guard cells.count >= Self.minimumCutCells, 2 * cells.count >= component.count,
        Double(cells.count) >= Self.minimumShareOfChange * Double(count)
      else { continue }
      let (columns, rows) = (component.map { $0 % grid.columns }, component.map { $0 / grid.columns })
      guard let left = columns.min(), let right = columns.max(), let top = rows.min(), let bottom = rows.max()
      else { continue }
      let box = CellBox(columns: left...right, rows: top...bottom)
      let again = cells.count { wasAbrupt[$0] }
      guard Double(component.count) >= Self.minimumFill * Double(box.count),
        Double(box.count) <= Self.maximumScreenShare * Double(grid.count),
        Double(again) <= Self.maximumRepeat * Double(cells.count),
        change(of: cells, in: image) >= Self.minimumChange
      else { continue }
      let isClear = component.count >= Self.clearCells && Double(component.count) >= Self.clearFill * Double(box.count)
      found.append(Cut(cells: cells, box: box, isClear: isClear, seconds: seconds))
    }
    return found
  }

  /// Returns the mean change of the pixels of some cells from the frame before, in grey levels.
  private func change(of cells: [Int], in image: Plane<Float>) -> Float {
    guard let previous, !cells.isEmpty else { return 0 }
    let side = MotionParameters.cellSide
    var sum: Float = 0
    image.withView { image in
      previous.withView { previous in
        for cell in cells {
          let (left, top) = (cell % grid.columns * side, cell / grid.columns * side)
          for y in top..<top + side {
            for x in left..<left + side { sum += abs(image.row(y)[x] - previous.row(y)[x]) }
          }
        }
      }
    }
    return sum / Float(cells.count * side * side)
  }

  private mutating func take(_ cut: Cut) {
    for row in cut.box.rows {
      for column in cut.box.columns {
        let cell = row * grid.columns + column
        cutCount[cell] += 1
        lastCut[cell] = cut.seconds
        if cut.isClear || cutCount[cell] >= Self.minimumCuts { isScreen[cell] = true }
      }
    }
  }
}
