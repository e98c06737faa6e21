import Foundation
import Imaging
import Testing

@testable import MotionDetection

/// What goes far on a straight way is believed, whatever it looks like; what sways or falls a little way never is.
@Suite struct PassageTrackerTests {
  private static let grid = CellGrid(size: PixelSize(width: 320, height: 180))

  /// The times, in seconds, at which a body of 5 × 8 cells is believed to have come far.
  /// - Parameters:
  ///   - others: The number of cells that travel besides.
  ///   - position: Its column and row at a time; nil: it is not seen.
  private static func proofs(
    rate: Double, seconds: Double, others: Int = 0, isWeather: Bool = false, position: (Double) -> (Double, Double)?
  ) -> [Double] {
    var (tracker, proofs) = (PassageTracker(grid: grid), [Double]())
    for frame in 0..<Int(seconds * rate) {
      let time = Double(frame) / rate
      let body = position(time).map { column, row in
        (0..<8).flatMap { y in (0..<5).map { (Int(row) + y) * grid.columns + Int(column) + $0 } }
      }
      let passed = tracker.advance(
        body.map { [$0] } ?? [], allCells: (body?.count ?? 0) + others, isWeather: isWeather, seconds: time)
      if passed.contains(true) { proofs.append(time) }
    }
    return proofs
  }

  /// Twelve cells are 48 pixels of 320: somebody who goes eight cells a second is believed after a second and a half.
  @Test(arguments: [8.0, 12.5, 25, 50])
  func whoCrossesIsBelieved(rate: Double) throws {
    let proofs = Self.proofs(rate: rate, seconds: 5) { (5 + 8 * $0, 20) }
    let first = try #require(proofs.first)
    #expect(abs(first - 1.5) < 0.2, "\(first) s")
    #expect(Double(proofs.count) > 3.2 * rate)
  }

  /// What is fast needs its time all the same: a drop is gone by then.
  @Test func whatIsGoneSoonIsNever() throws {
    #expect(Self.proofs(rate: 25, seconds: 0.7) { (5 + 50 * $0, 20) }.isEmpty)
    let again = Self.proofs(rate: 25, seconds: 6) { time in
      let part = time.truncatingRemainder(dividingBy: 1.2)
      return part < 0.7 ? (30, 2 + 40 * part) : nil
    }
    #expect(again.isEmpty)
  }

  @Test func whatSwaysIsNever() {
    #expect(Self.proofs(rate: 25, seconds: 8) { (30 + 5 * sin(.pi * $0), 20) }.isEmpty)
  }

  /// Who turns has not come far until the way is straight again.
  @Test func whoIsLostBeginsAnew() throws {
    let gap = try #require(Self.proofs(rate: 25, seconds: 5) { (1..<1.5).contains($0) ? nil : (5 + 8 * $0, 20) }.first)
    #expect(abs(gap - 3) < 0.2)
  }

  /// 35 pixels of 320 are nine cells: behind rain and snow they are enough for what is most of all that travels.
  @Test(arguments: [8.0, 12.5, 25])
  func whoCrossesInRainIsBelieved(rate: Double) throws {
    let alone = Self.proofs(rate: rate, seconds: 5, isWeather: true) { (5 + 8 * $0, 20) }
    let first = try #require(alone.first)
    #expect(abs(first - 1.1) < 0.2, "\(first) s")
    #expect(Double(alone.count) > 3.6 * rate)
    #expect(!Self.proofs(rate: rate, seconds: 5, others: 20, isWeather: true) { (5 + 8 * $0, 20) }.isEmpty)
  }

  /// Dense snow travels everywhere, and single flakes seem to go far.
  @Test func whatIsOneOfManyInSnowIsNever() {
    #expect(Self.proofs(rate: 25, seconds: 5, others: 40, isWeather: true) { (5 + 8 * $0, 20) }.isEmpty)
  }
}
