import Imaging
import TestSupport
import Testing

@testable import Registration

@Suite struct RegistrationAlternativeTests {
  private static let size = PixelSize(width: 320, height: 240)

  /// Two images of which the left part, up to a column, moves otherwise than the rest.
  private func pair(
    ground: Homography, part: Homography, column: Int, seed: UInt64 = 3
  ) -> (reference: Plane<Float>, floating: Plane<Float>) {
    let (one, other) = (
      SyntheticPair(ground, size: Self.size, seed: seed), SyntheticPair(part, size: Self.size, seed: seed + 40)
    )
    func joined(_ left: Plane<Float>, _ right: Plane<Float>) -> Plane<Float> {
      Plane(width: Self.size.width, height: Self.size.height) { x, y in x < column ? left[x, y] : right[x, y] }
    }
    return (joined(other.reference, one.reference), joined(other.floating, one.floating))
  }

  @Test(arguments: [(64, 3), (110, 4), (150, 5), (170, 6)] as [(Int, UInt64)])
  func whatMovesApartIsNamedWithItsShare(column: Int, seed: UInt64) throws {
    let (ground, part) = (Homography.translation(x: 3, y: -2), Homography.translation(x: -6, y: 4))
    let (reference, floating) = pair(ground: ground, part: part, column: column, seed: seed)
    let registration = ImageRegistration(model: .translation)
    let result = registration.estimate(reference: reference, floating: floating)
    let others = registration.alternatives(to: result, reference: reference, floating: floating)
    // Where both are nearly as large, either may be the one that is found.
    let share = Double(column) / Double(Self.size.width)
    func isNear(_ map: Homography, _ truth: Homography) -> Bool {
      map.farthestCornerDistance(to: truth, size: Self.size) < 0.3
    }
    let isGround = isNear(result.warpTransform, ground)
    #expect(isGround ? share < 0.55 : isNear(result.warpTransform, part) && share > 0.45)
    let other = try #require(others.first)
    #expect(others.count == 1 && isNear(other.warpTransform, isGround ? part : ground))
    #expect(abs(other.share - (isGround ? share : 1 - share)) < 0.1, "\(other.share)")
  }

  @Test(arguments: [TransformModel.translation, .affine, .homography])
  func whatMovesAsOneHasNoAlternative(model: TransformModel) {
    let truth = SyntheticPair.centered(1.01, -0.02, 0.02, 1.01, x: 4, y: 1, size: Self.size)
    for noise in [0, 6] as [Float] {
      let pair = SyntheticPair(
        model == .translation ? .translation(x: 5, y: 2) : truth, size: Self.size, noise: noise)
      let registration = ImageRegistration(model: model)
      let result = registration.estimate(reference: pair.reference, floating: pair.floating)
      let others = registration.alternatives(to: result, reference: pair.reference, floating: pair.floating)
      #expect(others.isEmpty, "\(others)")
    }
  }

  @Test func threadsDoNotChangeAlternatives() {
    let (reference, floating) = pair(
      ground: .translation(x: 3, y: -2), part: .translation(x: -6, y: 4), column: 120)
    let found = [1, 2, 5].map { count in
      let registration = ImageRegistration(model: .homography, parallelism: Parallelism(threadCount: count))
      let result = registration.estimate(reference: reference, floating: floating)
      return registration.alternatives(to: result, reference: reference, floating: floating)
    }
    #expect(!found[0].isEmpty && found.allSatisfy { $0 == found[0] })
  }

  @Test func imagesThatShareNothingHaveNone() {
    let (one, other) = (SyntheticPair(.identity, seed: 3), SyntheticPair(.identity, seed: 77))
    let registration = ImageRegistration(model: .homography)
    let result = registration.estimate(reference: one.reference, floating: other.reference)
    #expect(registration.alternatives(to: result, reference: one.reference, floating: other.reference).isEmpty)
  }
}
