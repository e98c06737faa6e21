import Imaging
import Testing

@testable import MotionDetection

/// What gets on by strides is told at once before a still background, and before one that moves when it keeps its way.
@Suite struct NewcomerTrackerTests {
  private static let grid = CellGrid(size: PixelSize(width: 320, height: 180))

  /// Returns Boolean values that tell which cells belong to something of 4 × 6 cells.
  private static func newcomer(column: Int, row: Int) -> [Bool] {
    var isNew = [Bool](repeating: false, count: grid.count)
    for y in row..<row + 6 {
      for x in column..<column + 4 { isNew[y * grid.columns + x] = true }
    }
    return isNew
  }

  /// Returns the numbers of the frames in which something is told that is at a place in each of them.
  /// - Parameter isRestless: Whether the background moves everywhere.
  private static func framesTold(of places: [(column: Int, row: Int)], isRestless: Bool) -> [Int] {
    var tracker = NewcomerTracker(grid: grid)
    let restless = [Bool](repeating: isRestless, count: grid.count)
    return places.indices.filter { frame in
      let (column, row) = places[frame]
      return !tracker.advance(newcomer(column: column, row: row), where: restless).isEmpty
    }
  }

  private static let walk = (0..<7).map { (column: 2 + 6 * $0, row: 20) }

  @Test func whoGetsOnIsToldAtOnce() {
    #expect(Self.framesTold(of: Self.walk, isRestless: false) == [1, 2, 3, 4, 5, 6])
  }

  @Test func whereTheBackgroundMovesItMustKeepItsWay() {
    #expect(Self.framesTold(of: Self.walk, isRestless: true) == [3, 4, 5, 6])
    let drops: [(column: Int, row: Int)] = [
      (2, 20), (10, 24), (14, 12), (6, 16), (12, 30), (20, 26), (12, 22), (20, 18),
    ]
    #expect(Self.framesTold(of: drops, isRestless: true).isEmpty)
    #expect(Self.framesTold(of: drops, isRestless: false) == [1, 2, 3, 4, 5, 6, 7])
  }

  @Test func speedGoesWithTheCells() throws {
    var tracker = NewcomerTracker(grid: Self.grid)
    let calm = [Bool](repeating: false, count: Self.grid.count)
    _ = tracker.advance(Self.newcomer(column: 2, row: 20), where: calm)
    let moving = tracker.advance(Self.newcomer(column: 8, row: 20), where: calm)
    let side = Float(MotionParameters.cellSide)
    #expect(moving.count == 24 && moving.allSatisfy { abs($0.u - 6 * side) < 1e-3 && abs($0.v) < 1e-3 && $0.age == 1 })
  }
}
