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

  @Test func confidenceFallsWithTheResidual() throws {
    let confidences = try [0.0, 1, 2, 4].map { amplitude in
      let points = seconds.enumerated().map { index, time in
        thrown(time - 1.5) + SIMD2(0, index.isMultiple(of: 2) ? amplitude : -amplitude)
      }
      let fit = try #require(ParabolicTrajectory(seconds: seconds, points: points))
      // All fit: the tolerance is 2 % of 243 px.
      let ratio = fit.residual / (0.02 * 243.6)
      #expect(abs(fit.confidence - 1 / (1 + ratio * ratio)) < 1e-9)
      return fit.confidence
    }
    #expect(confidences[0] > 0.999999 && confidences[3] < 0.7)
    #expect(zip(confidences, confidences.dropFirst()).allSatisfy { $0 > $1 }, "\(confidences)")
  }

  @Test func lengthAndSizeHaveBounds() throws {
    let positions = seconds.enumerated().map { index, time in
      TrackPosition(
        frame: index, time: MediaTime(value: Int64(index), timeBase: Rational(1, 25)),
        box: BoundingBox(center: thrown(time - 1.5), width: 12, height: 16), confidence: 1)
    }
    let track = MotionTrack(id: 1, kind: .box, positions: positions)
    func isFound(_ change: (inout ParabolicTrajectory.Parameters) -> Void) -> Bool {
      var parameters = ParabolicTrajectory.Parameters()
      change(&parameters)
      return ParabolicTrajectory(track, parameters: parameters) != nil
    }
    // The diagonal is 20 px.
    #expect(isFound { _ in } && isFound { $0.minimumSize = 19.9 } && isFound { $0.maximumSize = 20.1 })
    #expect(!isFound { $0.minimumSize = 20.1 } && !isFound { $0.maximumSize = 19.9 })
    #expect(isFound { $0.trajectoryLength = 30 } && !isFound { $0.trajectoryLength = 31 })
    for change: (inout ParabolicTrajectory.Parameters) -> Void in [
      { $0.trajectoryLength = 4 }, { $0.minimumSize = -1 }, { $0.minimumSize = .nan }, { $0.maximumSize = .infinity },
      {
        $0.minimumSize = 9
        $0.maximumSize = 8
      },
    ] {
      var parameters = ParabolicTrajectory.Parameters()
      change(&parameters)
      #expect(throws: AnalysisError.self) { try parameters.validate() }
    }
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
