import Imaging
import Testing

@testable import MotionDetection

@Suite struct CellGridTests {
  @Test func aMapTakesCellsAlong() {
    let grid = CellGrid(size: PixelSize(width: 40, height: 40))
    #expect(grid.cell(11, movedBy: .identity) == 11)
    #expect(grid.cell(11, movedBy: .translation(x: 4, y: -4)) == 2)
    #expect(grid.cell(11, movedBy: .translation(x: -6, y: 0)) == nil)
    #expect(grid.cell(19, movedBy: .translation(x: 3, y: 0)) == nil)
  }

  @Test func oneWayIsNotScatteredAndDropsAre() {
    let grid = CellGrid(size: PixelSize(width: 320, height: 180))
    #expect(grid.meanComponentShare(of: []) == 0)
    let way = (5..<65).flatMap { column in (20..<24).map { $0 * grid.columns + column } }
    #expect(grid.meanComponentShare(of: way.reversed()) == 1)
    // Two ways of one length, and a way with a gap.
    #expect(grid.meanComponentShare(of: way + way.map { $0 + 10 * grid.columns }) == 0.5)
    #expect(grid.meanComponentShare(of: way.filter { $0 % grid.columns != 50 }) > 0.6)
    let drops = (0..<25).map { (5 + 6 * ($0 / 5)) * grid.columns + 5 + 12 * ($0 % 5) }
    #expect(abs(grid.meanComponentShare(of: drops) - 0.04) < 1e-12)
  }
}
