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
}
