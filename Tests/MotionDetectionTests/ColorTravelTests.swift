import Imaging
import Testing

@testable import MotionDetection

/// What differs by its colour alone must get elsewhere: what fades or spreads in its place does not travel.
@Suite struct ColorTravelTests {
  private static let grid = CellGrid(size: PixelSize(width: 320, height: 240))

  /// Returns the number of frames in which something travels on a grey wall.
  /// - Parameter columns: The columns of cells that are red in a frame, in rows 20 to 31; empty: none.
  private func travellingCount(frames: Int = 60, columns: (_ frame: Int) -> Range<Int>) -> Int {
    var tracker = ColorTravelTracker(grid: Self.grid)
    let image = Plane<Float>(size: Self.grid.size, repeating: 120)
    let excluded = [Bool](repeating: false, count: Self.grid.count)
    return (0..<frames).count { frame in
      let red = Plane<Float>(width: Self.grid.colorSize.width, height: Self.grid.colorSize.height) { column, row in
        columns(frame).contains(column) && (20..<32).contains(row) ? 160 : 128
      }
      let grey = Plane<Float>(size: Self.grid.colorSize, repeating: 128)
      let colors = ChrominancePlanes(blueDifference: grey, redDifference: red)
      let cells = tracker.advance(image, colors: colors, excluding: excluded, seconds: Double(frame) / 20)
      return !cells.isEmpty
    }
  }

  @Test func whoWalksTravels() {
    #expect(travellingCount { frame in frame < 10 ? 0..<0 : frame / 2..<frame / 2 + 4 } > 30)
  }

  /// By 24 columns of cells in two seconds.
  @Test func whatFadesOrSpreadsDoesNot() {
    #expect(travellingCount { frame in frame < 10 ? 0..<0 : min(10 + (frame - 10) / 2, 34)..<40 } == 0)
    #expect(travellingCount { frame in frame < 10 ? 0..<0 : 10..<14 + (frame - 10) / 2 } == 0)
  }
}
