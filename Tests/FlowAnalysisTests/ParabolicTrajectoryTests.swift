import FlowAnalysis
import Imaging
import TestSupport
import Testing

@Suite struct ParabolicTrajectoryTests {
  private let seconds = (0..<30).map { 1.5 + Double($0) / 25 }

  private func thrown(_ t: Double) -> SIMD2<Double> {
    SIMD2(40 + 210 * t, 300 - 330 * t + 0.5 * 520 * t * t)
  }

  @Test func anExactParabolaIsRecovered() throws {
    let fit = try #require(ParabolicTrajectory(seconds: seconds, points: seconds.map { thrown($0 - 1.5) }))
    #expect(abs(fit.acceleration.x) < 1e-6 && abs(fit.acceleration.y - 520) < 1e-6)
    #expect(abs(fit.velocity.x - 210) < 1e-6 && abs(fit.velocity.y + 330) < 1e-6)
    #expect(abs(fit.position.x - 40) < 1e-6 && abs(fit.position.y - 300) < 1e-6)
    #expect(fit.residual < 1e-6 && fit.confidence == 1 && fit.start == 1.5)
    let equation = try #require(fit.equationCoefficients)
    for t in [0.1, 0.5, 1.0] {
      let (position, fitted) = (thrown(t), fit.point(at: 1.5 + t))
      #expect(abs(equation.x * position.x * position.x + equation.y * position.x + equation.z - position.y) < 1e-6)
      #expect(abs(fitted.x - position.x) < 1e-6 && abs(fitted.y - position.y) < 1e-6)
    }
  }

  @Test func noiseAndWrongPositionsHardlyMatter() throws {
    var random = FixedRandom(seed: 4)
    let points = seconds.enumerated().map { index, time in
      let noise = SIMD2(Double.random(in: -0.5...0.5, using: &random), Double.random(in: -0.5...0.5, using: &random))
      return thrown(time - 1.5) + noise + (index % 7 == 3 ? SIMD2(60, -45) : SIMD2(0, 0))
    }
    let fit = try #require(ParabolicTrajectory(seconds: seconds, points: points))
    #expect(abs(fit.acceleration.y / 520 - 1) < 0.02)
    #expect(fit.residual < 0.6)
    #expect((0.8..<0.9).contains(fit.confidence))
  }

  @Test func whatGoesStraightUpHasNoEquationOverX() throws {
    let points = seconds.map { SIMD2(70, 300 - 330 * ($0 - 1.5) + 260 * ($0 - 1.5) * ($0 - 1.5)) }
    let fit = try #require(ParabolicTrajectory(seconds: seconds, points: points))
    #expect(fit.equationCoefficients == nil && abs(fit.acceleration.y - 520) < 1e-6)
  }

  @Test func whatFollowsNoParabolaHasNone() {
    let zigzag = seconds.indices.map { SIMD2(Double($0) * 5, $0 % 2 == 0 ? 0 : 80) }
    #expect(ParabolicTrajectory(seconds: seconds, points: zigzag) == nil)
    #expect(ParabolicTrajectory(seconds: seconds, points: seconds.map { _ in [5, 5] }) == nil)
    #expect(ParabolicTrajectory(seconds: [0, 1, 2, 3], points: [[0, 0], [5, 5], [9, 9], [20, 20]]) == nil)
    #expect(ParabolicTrajectory(seconds: [], points: []) == nil)
  }
}
