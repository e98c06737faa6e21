import Imaging
import TestSupport
import Testing

@testable import Registration

/// The robust fit on matches that are made up.
@Suite struct FeatureFittingTests {
  private static let truth = Homography(0.9, -0.4, 0.1, 0.35, 1.1, -0.2, 0.15, -0.1, 1)
  private static let plausibility = MapPlausibility(
    corners: [SIMD2(-0.8, -0.6), SIMD2(0.8, -0.6), SIMD2(0.8, 0.6), SIMD2(-0.8, 0.6)])

  private static func position(_ random: inout FixedRandom) -> SIMD2<Double> {
    SIMD2(Double.random(in: -0.8...0.8, using: &random), Double.random(in: -0.6...0.6, using: &random))
  }

  /// Matches, of which every `spacing`-th is right; the others are random. Their sizes and directions tell nothing.
  private static func matches(_ count: Int, rightEvery spacing: Int, noise: Double = 0.001) -> [PointMatch] {
    var random = FixedRandom(seed: 11)
    return (0..<count).map { index in
      let floating = position(&random)
      var reference = position(&random)
      if index % spacing == 0 {
        let error = SIMD2(Double.random(in: -1...1, using: &random), Double.random(in: -1...1, using: &random)) * noise
        reference = truth.apply(floating) + error
      }
      return PointMatch(
        reference: reference, floating: floating, referenceVariance: 1, floatingVariance: 1, frame: .identity)
    }
  }

  private static func estimator(_ matches: [PointMatch]) -> RobustEstimator {
    RobustEstimator(set: MatchSet(matches), plausibility: plausibility, limit: 0.008, sampleCount: 20_000, seed: 1)
  }

  private static func error(_ map: Homography) -> Double {
    plausibility.corners.map { corner in
      let distance = map.apply(corner) - truth.apply(corner)
      return (distance * distance).sum().squareRoot()
    }.max() ?? 0
  }

  @Test func fourMatchesDetermineAHomography() throws {
    let corners = Self.plausibility.corners
    let sample = corners.map {
      PointMatch(
        reference: Self.truth.apply($0), floating: $0, referenceVariance: 1, floatingVariance: 1, frame: .identity)
    }
    let map = try #require(TransformModel.homography.map(through: sample))
    #expect(Self.error(map) < 1e-12)
    // Mirrored, crossed, on a line: no camera sees that.
    var mirrored = sample
    for index in mirrored.indices { mirrored[index].reference.x *= -1 }
    #expect(TransformModel.homography.map(through: mirrored).map { Self.plausibility.keepsImage($0) } != true)
    var crossed = sample
    (crossed[0].reference, crossed[1].reference) = (sample[1].reference, sample[0].reference)
    #expect(TransformModel.homography.map(through: crossed) == nil)
    var flat = sample
    for index in flat.indices { flat[index].floating.y = 0.1 }
    #expect(TransformModel.homography.map(through: flat) == nil)
  }

  @Test func fourOutOfFiveMatchesMayBeWrong() throws {
    let matches = Self.matches(300, rightEvery: 5)
    let estimate = try #require(Self.estimator(matches).estimate(.homography))
    #expect(Self.error(estimate.map) < 0.002)
    let chance = AContrarioModel(matches: matches, area: 1.6 * 1.2, precision: 0.001)
    #expect(chance.evidence(for: estimate.map, model: .homography, limit: 0.008) > 50)
  }

  @Test func wrongMatchesAloneAreNoEvidence() {
    let matches = Self.matches(301, rightEvery: 1000)
    let chance = AContrarioModel(matches: matches, area: 1.6 * 1.2, precision: 0.001)
    for model in [TransformModel.translation, .euclidean, .affine, .homography] {
      guard let estimate = Self.estimator(matches).estimate(model) else { continue }
      #expect(chance.evidence(for: estimate.map, model: model, limit: 0.008) < 5, "\(model)")
    }
  }

  @Test func onlyEnoughMatchesGiveAMap() {
    for count in 0..<4 {
      #expect(Self.estimator(Self.matches(count, rightEvery: 1)).estimate(.homography) == nil)
    }
    #expect(Self.estimator(Self.matches(9, rightEvery: 1)).estimate(.identity) == nil)
  }

  @Test func weightsFallFromTheMiddleToTheLimit() {
    let weights = (0...100).map { MarginalWeights.shared.weight(Double($0) / 100) }
    #expect(zip(weights, weights.dropFirst()).allSatisfy { $0 > $1 } && weights[100] == 0)
    // √(π/2) · erf(3.0348…/√2)
    #expect(abs(weights[0] - 1.2503) < 1e-3)
  }

  @Test func samplesAreSureOnesFirstAndNeverRepeatAMatch() {
    var sampler = MatchSampler(sampleSize: 4, count: 50, total: 1000, seed: 3)
    let samples = (0..<1000).map { _ in sampler.next() }
    #expect(Set(samples[0]) == [0, 1, 2, 3])
    #expect(samples.allSatisfy { Set($0).count == 4 && $0.allSatisfy { (0..<50).contains($0) } })
    #expect(samples.prefix(20).flatMap { $0 }.max() ?? 50 < 40)
    #expect(Set(samples.suffix(500).flatMap { $0 }).count == 50)
  }

  @Test func functionsBySeriesAgreeWithTheirValues() {
    #expect(abs(decimalLogarithm(1000) - 3) < 1e-12 && abs(decimalLogarithm(0.02) + 1.6989700043360187) < 1e-12)
    #expect(abs(powerOfTwo(0.5) - 1.4142135) < 1e-6 && abs(powerOfTwo(-1.25) - 0.42044821) < 1e-6)
    let (cosine, sine) = unitVector(turns: 1.0 / 3)
    #expect(abs(cosine + 0.5) < 1e-6 && abs(sine - 0.8660254) < 1e-6)
  }

  @Test func hullsHoldTheirPoints() {
    let hull = ConvexHull([SIMD2(0, 0), SIMD2(4, 0), SIMD2(4, 3), SIMD2(0, 3), SIMD2(2, 1), SIMD2(2, 0)])
    #expect(hull.corners.count == 4)
    #expect(hull.contains(SIMD2(1, 1)) && !hull.contains(SIMD2(5, 1)) && !hull.contains(SIMD2(-1, -1)))
    #expect(!ConvexHull([SIMD2(0, 0), SIMD2(1, 1)]).contains(SIMD2(0.5, 0.5)))
  }
}
