import Imaging
import Testing

@testable import MotionDetection

/// What looks new in rain and snow counts when it has been seen on and on.
@Suite struct NoveltyTrackerTests {
  private static let grid = CellGrid(size: PixelSize(width: 320, height: 180))

  /// The cells of a rectangle.
  private static func cells(column: Int, row: Int, width: Int, height: Int) -> [Int] {
    (row..<row + height).flatMap { y in (column..<column + width).map { y * grid.columns + $0 } }
  }

  /// The number of the first frame in which somebody who crosses the image is believed; nil: in none.
  private static func firstProof(rate: Double, width: Int, height: Int, isSeen: (Int) -> Bool) -> Int? {
    var tracker = NoveltyTracker(grid: grid)
    // 5 seconds, a cell in each sixth of a second.
    for frame in 0..<Int(5 * rate) {
      let body = cells(column: 5 + frame * 6 / Int(rate), row: 20, width: width, height: height)
      let proofs = tracker.advance(isSeen(frame) ? [body] : [], seconds: Double(frame) / rate, interval: 1 / rate)
      if proofs.contains(true) { return frame }
    }
    return nil
  }

  /// Somebody small is believed after the same time whatever the rate is, but after so many looks, and somebody large
  /// sooner.
  @Test func cellsAndSecondsAddUp() throws {
    for rate in [10.0, 25, 50] {
      let frame = try #require(Self.firstProof(rate: rate, width: 2, height: 4) { _ in true })
      let seconds = Double(frame) / rate
      #expect(abs(seconds - max(3.2, 72 / rate) / 8) < 0.11, "\(seconds) s")
    }
    let large = Double(try #require(Self.firstProof(rate: 25, width: 5, height: 10) { _ in true })) / 25
    #expect(large <= 0.12)
  }

  /// Who is hidden in every second frame is believed later; who is gone for long begins anew.
  @Test func sightingsMayMiss() throws {
    let always = try #require(Self.firstProof(rate: 25, width: 3, height: 3) { _ in true })
    let halved = try #require(Self.firstProof(rate: 25, width: 3, height: 3) { $0 % 2 == 0 })
    #expect(halved > always && halved <= 2 * always + 2)
    #expect(Self.firstProof(rate: 25, width: 3, height: 3) { $0 % 25 < 5 } == nil)
  }

  /// Flakes that look new for some frames here and there are never believed.
  @Test(arguments: [1 as UInt64, 2, 3])
  func flakesAreNever(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    var tracker = NoveltyTracker(grid: Self.grid)
    var flakes: [(column: Int, row: Int, end: Int)] = []
    for frame in 0..<500 {
      flakes.removeAll { $0.end <= frame || $0.row >= Self.grid.rows - 3 }
      if generator.next() % 3 == 0 {
        let column = Int(generator.next() % UInt64(Self.grid.columns - 3))
        flakes.append((column, Int(generator.next() % 36), frame + 3 + Int(generator.next() % 8)))
      }
      for index in flakes.indices where frame % 4 == 0 { flakes[index].row += 1 }
      let components = flakes.map { Self.cells(column: $0.column, row: $0.row, width: 2, height: 2) }
      let proofs = tracker.advance(components, seconds: Double(frame) / 25, interval: 0.04)
      #expect(!proofs.contains(true), "frame \(frame)")
    }
  }
}
