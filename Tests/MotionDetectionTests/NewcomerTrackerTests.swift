import Imaging
import Testing

@testable import MotionDetection

/// What gets on by strides is told at once, and where strays are frequent when it keeps its way.
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
  /// - Parameters:
  ///   - isRestless: Whether the background moves everywhere.
  ///   - chanceSize: The number of cells that come together by chance.
  ///   - interval: The time from frame to frame, in seconds.
  private static func framesTold(
    of places: [(column: Int, row: Int)], isRestless: Bool, chanceSize: Double = 10, isWeather: Bool = false,
    interval: Double = 0.2
  ) -> [Int] {
    var tracker = NewcomerTracker(grid: grid)
    let restless = [Bool](repeating: isRestless, count: grid.count)
    return places.indices.filter { frame in
      let (column, row) = places[frame]
      return !tracker.advance(
        newcomer(column: column, row: row), where: restless, chanceSize: chanceSize, isWeather: isWeather,
        seconds: Double(frame) * interval
      ).isEmpty
    }
  }

  private static let walk = (0..<7).map { (column: 2 + 6 * $0, row: 20) }
  private static let drops: [(column: Int, row: Int)] = (0..<24).map {
    let place: [(column: Int, row: Int)] = [(2, 20), (10, 24), (14, 12), (6, 16), (12, 30), (20, 26), (12, 22)]
    return place[$0 % place.count]
  }

  @Test func whoGetsOnIsToldAtOnce() {
    #expect(Self.framesTold(of: Self.walk, isRestless: false) == [1, 2, 3, 4, 5, 6])
  }

  /// At five frames a second and at ten.
  @Test(arguments: [0.2, 0.1])
  func atFirstAndAmongStraysItMustKeepItsWay(interval: Double) {
    #expect(Self.framesTold(of: Self.walk, isRestless: true, interval: interval) == [3, 4, 5, 6])
    #expect(Self.framesTold(of: Self.drops, isRestless: true, interval: interval).isEmpty)
    let told = Self.framesTold(of: Self.drops + Self.walk, isRestless: true, interval: interval)
    #expect(told == (3..<7).map { Self.drops.count + $0 })
  }

  /// Light rain before a wall: nothing is doubted at first, until what turns from frame to frame has been seen.
  @Test func whatTurnsBeforeACalmBackgroundStraysToo() {
    let told = Self.framesTold(of: Self.drops + Self.walk, isRestless: false)
    #expect(told == Array(1..<10) + (3..<7).map { Self.drops.count + $0 })
    // Long enough that the first turn counts: it is one of many frames.
    let toAndFro = Self.walk + Self.walk.reversed().dropFirst() + Self.walk.dropFirst()
    #expect(Self.framesTold(of: toAndFro, isRestless: false) == Array(1..<toAndFro.count))
  }

  @Test func whereStraysAreRareItIsToldAtOnce() {
    var tracker = NewcomerTracker(grid: Self.grid)
    let restless = [Bool](repeating: true, count: Self.grid.count)
    let nothing = [Bool](repeating: false, count: Self.grid.count)
    func advance(_ isNew: [Bool], frame: Int) -> Bool {
      !tracker.advance(isNew, where: restless, chanceSize: 10, isWeather: false, seconds: Double(frame) * 0.2).isEmpty
    }
    for frame in 0..<20 { #expect(!advance(nothing, frame: frame)) }
    let told = Self.walk.indices.filter {
      advance(Self.newcomer(column: Self.walk[$0].column, row: 20), frame: 20 + $0)
    }
    #expect(told == [1, 2, 3, 4, 5, 6])
  }

  @Test func inWeatherWhatComesTogetherByChanceIsNotTold() {
    func told(chanceSize: Double) -> [Int] {
      Self.framesTold(of: Self.walk, isRestless: false, chanceSize: chanceSize, isWeather: true)
    }
    #expect(told(chanceSize: 24).isEmpty)
    #expect(told(chanceSize: 23) == [3, 4, 5, 6])
  }

  @Test func speedGoesWithTheCells() {
    var tracker = NewcomerTracker(grid: Self.grid)
    let calm = [Bool](repeating: false, count: Self.grid.count)
    func advance(column: Int, seconds: Double) -> [MotionObservation.MovingCell] {
      tracker.advance(
        Self.newcomer(column: column, row: 20), where: calm, chanceSize: 0, isWeather: false, seconds: seconds)
    }
    #expect(advance(column: 2, seconds: 0).isEmpty)
    let moving = advance(column: 8, seconds: 0.2)
    let side = Float(MotionParameters.cellSide)
    #expect(moving.count == 24 && moving.allSatisfy { abs($0.u - 6 * side) < 1e-3 && abs($0.v) < 1e-3 && $0.age == 1 })
  }
}
