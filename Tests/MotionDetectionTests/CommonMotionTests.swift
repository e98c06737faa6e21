import Imaging
import TestSupport
import Testing

@testable import MotionDetection

/// The motion that the points of an image have in common, and whether its parts vote for it.
@Suite struct CommonMotionTests {
  private static let size = PixelSize(width: 320, height: 180)

  /// The view of a texture through a map from pixels of the view to those of the texture.
  private static func view(_ map: Homography) -> Plane<Float> {
    let texture = Texture(seed: 4)
    return Plane<Float>(width: size.width, height: size.height) { x, y in
      let place = map.apply(x: Double(x), y: Double(y))
      return texture.value(place.x, place.y)
    }
  }

  /// The flow of a map.
  private static func flow(_ map: Homography) -> FlowField {
    func component(_ value: @escaping (Int, Int) -> Double) -> Plane<Float> {
      Plane<Float>(width: size.width, height: size.height) { x, y in Float(value(x, y)) }
    }
    return FlowField(
      u: component { x, y in map.apply(x: Double(x), y: Double(y)).x - Double(x) },
      v: component { x, y in map.apply(x: Double(x), y: Double(y)).y - Double(y) })
  }

  /// A pan, a zoom and a turn of a camera are found as they are, and get the votes.
  @Test(arguments: [
    [1, 0, 3.5, 0, 1, -1.25, 0, 0, 1], [1.02, 0, -3.2, 0, 1.02, -1.8, 0, 0, 1],
    [0.9998, -0.02, 1.8, 0.02, 0.9998, -3.2, 0, 0, 1],
  ])
  func aCameraMovesAllAlike(elements: [Double]) throws {
    let map = Homography(elements)
    let (previous, current) = (
      Self.view(Homography([1, 0, 0, 0, 1, 0, 0, 0, 1])), Self.view(try #require(map.inverse))
    )
    let common = try #require(GlobalMotionGate.commonMotion(of: Self.flow(map), on: previous))
    #expect(common.ruleResult.isSatisfied && common.ruleResult.value > 0.99)
    for (x, y) in [(0.0, 0.0), (319, 0), (0, 179), (319, 179)] {
      let (found, expected) = (common.map.apply(x: x, y: y), map.apply(x: x, y: y))
      #expect(abs(found.x - expected.x) < 0.01 && abs(found.y - expected.y) < 0.01)
    }
    let votes = CameraMotionValidator.flowRuleResult(
      on: common.map, isMoving: false, previous: previous, current: current)
    #expect(votes.isSatisfied && votes.rule == .flowConsensus)
  }

  /// Nothing votes for a motion that only the flow shows: the image stood still.
  @Test func whatStandsStillHasNoVote() throws {
    let still = Self.view(Homography([1, 0, 0, 0, 1, 0, 0, 0, 1]))
    let common = try #require(
      GlobalMotionGate.commonMotion(of: Self.flow(Homography([1, 0, 3.5, 0, 1, -1.25, 0, 0, 1])), on: still))
    for isMoving in [false, true] {
      let votes = CameraMotionValidator.flowRuleResult(
        on: common.map, isMoving: isMoving, previous: still, current: still)
      #expect(!votes.isSatisfied && votes.value == 0)
    }
  }

  /// A motion under way may have fewer votes than one that begins.
  @Test func theFlowNeedsFewerVotesThanARegistration() throws {
    let map = Homography([1, 0, 3.5, 0, 1, -1.25, 0, 0, 1])
    let (previous, current) = (
      Self.view(Homography([1, 0, 0, 0, 1, 0, 0, 0, 1])), Self.view(try #require(map.inverse))
    )
    for (isMoving, share) in [(false, 0.4), (true, 0.3)] {
      let whole = CameraMotionValidator.ruleResult(on: map, isMoving: isMoving, previous: previous, current: current)
      let flow = CameraMotionValidator.flowRuleResult(
        on: map, isMoving: isMoving, previous: previous, current: current)
      #expect(flow.value == whole.value && flow.limit == share * whole.limit)
    }
  }
}
