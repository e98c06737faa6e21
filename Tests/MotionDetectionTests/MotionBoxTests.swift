import Imaging
import Testing

@testable import MotionDetection

/// The boxes of what moves, in an image of 32 × 24 cells of 4 pixels.
@Suite struct MotionBoxTests {
  private let grid = CellGrid(size: PixelSize(width: 128, height: 96))

  private func cells(_ columns: Range<Int>, _ rows: Range<Int>) -> [Int] {
    rows.flatMap { row in columns.map { row * grid.columns + $0 } }
  }

  private func boxes(
    moving: [Int], lag: Int = 0, left: [Int] = [], background: [Int] = [], contrast: Float = 20, present: [Int] = []
  ) throws -> [MotionBox] {
    var observation = MotionObservation(
      grid: grid, motionMask: Array(repeating: false, count: grid.count),
      movingCells: moving.map { .init(cell: $0, u: 3, v: -1, age: 5, lag: lag) }
        + left.map { .init(cell: $0, u: 3, v: -1, age: 5, lag: 8, isCurrent: false) },
      lightShare: 0, unrelatedShare: 0)
    if !background.isEmpty {
      for (index, cell) in observation.movingCells.map(\.cell).enumerated() {
        observation.movingCells[index].contrast = background.contains(cell) ? 0.5 : contrast
      }
    }
    observation.presentMask = Array(repeating: false, count: grid.count)
    observation.aliveMask = observation.presentMask
    for cell in present { observation.presentMask[cell] = true }
    let meter = ZoneMeter(zones: .everywhere, grid: grid, size: grid.size)
    return meter.measure(observation).flatMap(\.boxes)
  }

  private func box(_ columns: Range<Int>, _ rows: Range<Int>) -> MotionBox {
    MotionBox(x: 4 * columns.lowerBound, y: 4 * rows.lowerBound, width: 4 * columns.count, height: 4 * rows.count)
  }

  @Test func whatWasLeftIsNotInTheBox() throws {
    let (body, trail) = (cells(10..<14, 5..<15), cells(5..<10, 5..<15))
    #expect(try boxes(moving: body, left: trail) == [box(10..<14, 5..<15)])
    // Of too little the pair says nothing.
    #expect(try boxes(moving: Array(body.prefix(2)), left: trail + body.dropFirst(2)) == [box(5..<14, 5..<15)])
  }

  @Test func whoMovesAHandHasTheBoxOfTheWhole() throws {
    let present = cells(10..<16, 4..<20)
    #expect(try boxes(moving: cells(15..<17, 8..<10), present: present) == [box(10..<17, 4..<20)])
    // Both hands are of one.
    let hands = cells(15..<17, 8..<10) + cells(9..<11, 8..<10)
    #expect(try boxes(moving: hands, present: present) == [box(9..<17, 4..<20)])
    // What is present elsewhere has nothing to do with it.
    #expect(try boxes(moving: cells(25..<27, 8..<10), present: present) == [box(25..<27, 8..<10)])
  }

  /// Those who walk leave cells behind that are taken for present, and these may tie two together.
  @Test func walkersHaveBoxesOfTheirOwn() throws {
    let walkers = cells(5..<9, 5..<15) + cells(20..<24, 5..<15)
    let present = cells(5..<24, 5..<15)
    #expect(try boxes(moving: walkers, present: present) == [box(5..<9, 5..<15), box(20..<24, 5..<15)])
  }

  /// What moves in the tests comes 16 pixels far.
  @Test func whatMovesHasLeftAPlaceThatIsSmallerThanItsWay() throws {
    let (body, small, large) = (cells(20..<24, 5..<15), cells(5..<7, 5..<7), cells(5..<10, 5..<10))
    #expect(try boxes(moving: body, left: small) == [box(20..<24, 5..<15)])
    #expect(try boxes(moving: body, left: large) == [box(5..<10, 5..<10), box(20..<24, 5..<15)])
    #expect(try boxes(moving: [], left: small) == [box(5..<7, 5..<7)], "nothing moves elsewhere")
  }

  @Test func whereTheBackgroundIsSeenNothingIsThere() throws {
    let (body, trail, ghost) = (cells(10..<14, 5..<15), cells(5..<10, 5..<15), cells(20..<24, 5..<15))
    #expect(try boxes(moving: body + trail + ghost, background: trail + ghost) == [box(10..<14, 5..<15)])
    // Where nearly all looks like the background, it is no guide.
    #expect(try boxes(moving: body, background: Array(body.dropFirst(8))) == [box(10..<14, 5..<15)])
    #expect(
      try boxes(moving: body + trail, background: trail, contrast: 3) == [box(5..<14, 5..<15)], "hardly told from it")
    #expect(try boxes(moving: ghost, background: ghost) == [box(20..<24, 5..<15)], "nothing moves elsewhere")
  }

  /// In the median of some frames all is where it was some frames ago.
  @Test func whatIsSeenLateHasTheBoxOfWhereItIsNow() throws {
    let body = cells(10..<14, 5..<15)
    #expect(try boxes(moving: body, lag: 2) == [MotionBox(x: 46, y: 18, width: 16, height: 40)])
    // At the border of the image it is what is still in it; what has left is told where it was.
    #expect(try boxes(moving: cells(29..<32, 5..<15), lag: 2) == [MotionBox(x: 122, y: 18, width: 6, height: 40)])
    #expect(try boxes(moving: cells(30..<32, 5..<15), lag: 4) == [box(30..<32, 5..<15)])
  }
}
