import Registration
import Testing

@Suite struct TransformModelTests {
  @Test func familiesGrowInOrder() {
    #expect(TransformModel.allCases == TransformModel.allCases.sorted())
    #expect(TransformModel.allCases.map(\.degreesOfFreedom) == [0, 2, 3, 6, 8])
    #expect(TransformModel.homography.simpler == .affine && TransformModel.identity.simpler == nil)
  }
}
