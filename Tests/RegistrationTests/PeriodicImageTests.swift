import Foundation
import Imaging
import Testing

@testable import Registration

/// Images that fit in many positions: of equal ones the nearest counts.
@Suite struct PeriodicImageTests {
  enum Pattern: CaseIterable { case bricks, dots, chessboard }

  private static let periods = [11.3, 14.8, 20.7, 26.4]
  /// Shifts in periods, all under a half: further ones nobody can tell.
  private static let shifts = [SIMD2(0.3, -0.2), SIMD2(-0.35, 0.1), SIMD2(0.15, 0.4)]

  private static func level(_ pattern: Pattern, _ x: Double, _ y: Double, period: Double) -> Double {
    func rest(_ value: Double, _ period: Double) -> Double { value - (value / period).rounded(.down) * period }
    switch pattern {
    case .bricks:
      let isOdd = rest((y / period).rounded(.down), 2) == 1
      let (column, row) = (rest(x + (isOdd ? period : 0), 2 * period), rest(y, period))
      let joint = min(min(column, 2 * period - column), min(row, period - row))
      return 60 + 120 / (1 + exp(-2 * (joint - 2)))
    case .dots:
      let (column, row) = (rest(x, period) - period / 2, rest(y, period) - period / 2)
      return 60 + 140 * exp(-(column * column + row * row) / (2 * (period / 5) * (period / 5)))
    case .chessboard:
      return 128 + 90 * tanh(6 * sin(.pi * x / period) * sin(.pi * y / period))
    }
  }

  /// An image with the point (x, y) of the pattern at (x, y) − `shift`, and noise of some grey levels.
  private static func image(_ pattern: Pattern, period: Double, shift: SIMD2<Double>, seed: UInt64) -> Plane<Float> {
    var random = SplitMix64(seed: seed)
    return Plane<Float>(width: 320, height: 240) { x, y in
      let noise = Double.random(in: -3...3, using: &random)
      return Float(level(pattern, Double(x) + shift.x, Double(y) + shift.y, period: period) + noise)
    }
  }

  @Test(arguments: Pattern.allCases) func theNearestOfEqualAlignmentsIsTaken(pattern: Pattern) {
    let engine = RegistrationEngine(model: .translation)
    for (index, period) in Self.periods.enumerated() {
      let reference = Self.image(pattern, period: period, shift: .zero, seed: 7)
      for share in Self.shifts {
        let shift = share * period
        let floating = Self.image(pattern, period: period, shift: shift, seed: 8 + UInt64(index))
        let found = engine.estimate(reference: reference, floating: floating).warpTransform
        let error = SIMD2(found.elements[2], found.elements[5]) - shift
        #expect((error * error).sum().squareRoot() < 0.5, "\(pattern), period \(period), \(shift): \(found.elements)")
      }
    }
  }
}
