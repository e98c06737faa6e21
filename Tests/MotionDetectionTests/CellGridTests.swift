import Imaging
import TestSupport
import Testing

@testable import MotionDetection

@Suite struct CellGridTests {
  /// One column, even and odd numbers of them, and pixels beside the last whole cell.
  @Test(arguments: [4, 7, 8, 12, 21])
  func sumsAreThoseOfEachCell(width: Int) {
    var random = FixedRandom(seed: 3)
    let size = PixelSize(width: width, height: 9)
    func picture() -> Plane<Float> {
      Plane(width: size.width, height: size.height) { _, _ in Float(Int.random(in: 0...255, using: &random)) }
    }
    let (a, b) = (picture(), picture())
    let grid = CellGrid(size: size)
    var sums = [CellSums](repeating: .zero, count: grid.count)
    a.withView { a in b.withView { b in grid.sums(a, b, into: &sums) } }
    for cell in 0..<grid.count {
      var expected = CellSums.zero
      for y in cell / grid.columns * 4..<cell / grid.columns * 4 + 4 {
        for x in cell % grid.columns * 4..<cell % grid.columns * 4 + 4 {
          expected += SIMD8(a[x, y], b[x, y], a[x, y] * a[x, y], b[x, y] * b[x, y], a[x, y] * b[x, y], 1, 0, 0)
        }
      }
      // Whole numbers below 2²⁴: no rounding.
      #expect(sums[cell] == expected, "cell \(cell) of \(grid.columns) × \(grid.rows)")
    }
  }

  @Test func aMapTakesCellsAlong() {
    let grid = CellGrid(size: PixelSize(width: 40, height: 40))
    #expect(grid.cell(11, movedBy: .identity) == 11)
    #expect(grid.cell(11, movedBy: .translation(x: 4, y: -4)) == 2)
    #expect(grid.cell(11, movedBy: .translation(x: -6, y: 0)) == nil)
    #expect(grid.cell(19, movedBy: .translation(x: 3, y: 0)) == nil)
  }
}
