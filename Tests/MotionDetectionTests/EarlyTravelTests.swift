import Imaging
import Testing

@testable import MotionDetection

/// What travels in the first seconds is chance when it was a small part of a motion that goes on without it.
@Suite struct EarlyTravelTests {
  /// Whether travel was chance, asked with each frame of three seconds.
  /// - Parameters:
  ///   - travelling: The number of cells that travel in a frame, by its number.
  ///   - moving: The number of cells that move in it.
  private static func chances(
    rate: Double, travelling: (Int) -> Int, moving: (Int) -> Int
  ) -> [Bool] {
    var early = EarlyTravel()
    return (0..<Int(3 * rate)).map { frame in
      let cells = (0..<travelling(frame)).map {
        MotionObservation.MovingCell(cell: $0, u: 1, v: 0, age: min(frame, 8))
      }
      early.note(cells, motionCount: moving(frame), seconds: Double(frame) / rate, elapsed: 1 / rate)
      return early.isChance(at: Double(frame) / rate)
    }
  }

  /// Waves: 5 of 100 cells travel for a second, and the others move on. It is known 0.9 s after the last of them.
  @Test(arguments: [5.0, 12.5, 25, 50]) func aSmallPartOfAMotionThatGoesOnIsChance(rate: Double) throws {
    let chances = Self.chances(rate: rate, travelling: { Double($0) < rate ? 5 : 0 }, moving: { _ in 100 })
    let first = try #require(chances.firstIndex(of: true))
    let last = (rate - 1).rounded(.up) / rate
    #expect(abs(Double(first) / rate - last - 0.9) <= 1 / rate + 1e-9)
    #expect(!chances[first...].contains(false))
  }

  @Test func whatTravelsOnOrWasMuchOrTookTheMotionWithItIsNot() {
    // It goes on.
    #expect(!Self.chances(rate: 25, travelling: { _ in 5 }, moving: { _ in 100 }).contains(true))
    // It comes and goes, but for less than 0.9 s: somebody before trees is seen now and then.
    #expect(!Self.chances(rate: 25, travelling: { $0 % 20 == 0 ? 5 : 0 }, moving: { _ in 100 }).contains(true))
    // 30 of 130 cells: somebody before waves who has gone.
    #expect(
      !Self.chances(rate: 25, travelling: { $0 < 40 ? 30 : 0 }, moving: { $0 < 40 ? 130 : 100 }).contains(true))
    // Somebody of whom little was seen, and who left a calm scene.
    #expect(!Self.chances(rate: 25, travelling: { $0 < 25 ? 2 : 0 }, moving: { $0 < 25 ? 40 : 1 }).contains(true))
    // Nothing ever travelled.
    #expect(!Self.chances(rate: 25, travelling: { _ in 0 }, moving: { _ in 100 }).contains(true))
  }

  /// Who comes after the waves is not chance while they are there.
  @Test func whoComesLaterIsNot() {
    let chances = Self.chances(
      rate: 25, travelling: { $0 < 20 ? 4 : $0 < 45 ? 0 : 20 }, moving: { $0 < 45 ? 100 : 120 })
    #expect(chances[44] && !chances[45...].contains(true))
  }

  @Test func theFurthestWayIsRemembered() {
    var early = EarlyTravel()
    early.note(
      [.init(cell: 0, u: 3, v: 4, age: 10), .init(cell: 1, u: 1, v: 0, age: 2)], motionCount: 9, seconds: 0,
      elapsed: 0)
    early.note([.init(cell: 0, u: 1, v: 0, age: 1)], motionCount: 9, seconds: 0.04, elapsed: 0.04)
    #expect(early.furthestWay == 50)
  }
}
