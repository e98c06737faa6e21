import Foundation
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

  /// The map of a camera of a focal length of `focalLength` pixels that turns about its axes by small angles.
  private static func turned(_ pan: Double, _ tilt: Double, _ roll: Double, focalLength: Double) -> Homography {
    let (x, y) = (Double(size.width - 1) / 2, Double(size.height - 1) / 2)
    let center = Homography([focalLength, 0, x, 0, focalLength, y, 0, 0, 1])
    let rotation = Homography([1, -roll, pan, roll, 1, -tilt, -pan, tilt, 1])
    guard let inverse = center.inverse else { return rotation }
    return center * rotation * inverse
  }

  /// A camera that turns about any axis, up to a field of view of 90°, or zooms, hardly deforms the image.
  @Test(arguments: [160.0, 300, 1200], [[0.03, 0, 0], [0, 0.02, 0], [0, 0, 0.02], [0.01, -0.015, 0.01]])
  func aCameraThatTurnsHardlyDeforms(focalLength: Double, angles: [Double]) {
    let map = Self.turned(angles[0], angles[1], angles[2], focalLength: focalLength)
    let deformation = CameraMotionValidator.deformation(of: map, size: Self.size)
    #expect(deformation.isSatisfied && deformation.value < 0.35, "\(deformation.value)")
    let zoom = Homography([1.02, 0, -3.2, 0, 1.02, -1.8, 0, 0, 1])
    #expect(CameraMotionValidator.deformation(of: zoom, size: Self.size).value < 1e-9)
    #expect(CameraMotionValidator.deformation(of: .identity, size: Self.size).isSatisfied)
  }

  /// A map that lets the upper half stand and follows water in the lower half is no camera's, whichever way it flows.
  @Test(arguments: [SIMD2(2.0, 0), SIMD2(0, 2), SIMD2(-1, 1), SIMD2(0.2, 0.1)])
  func aMapOfWaterDeforms(speed: SIMD2<Double>) {
    let step = 2 / Double(Self.size.height)
    // Affine: still in a quarter of the height.
    let shear = Homography([
      1, speed.x * step, -speed.x / 2, 0, 1 + speed.y * step, -speed.y / 2, 0, 0, 1,
    ])
    #expect(!CameraMotionValidator.deformation(of: shear, size: Self.size).isSatisfied)
  }

  /// While the camera moves anyway, fewer points must move alike.
  @Test func aMotionUnderWayNeedsFewerPoints() throws {
    let map = Homography([1, 0, 3.5, 0, 1, -1.25, 0, 0, 1])
    var flow = Self.flow(map)
    for y in 0..<Self.size.height {
      for x in 0..<Self.size.width where (x * 7 + y * 13) / 40 % 5 < 3 { flow.u[x, y] = Float((x * y) % 23) - 11 }
    }
    let image = Self.view(.identity)
    let limits = try [false, true].map { isShaking in
      try #require(GlobalMotionGate.commonMotion(of: flow, on: image, isShaking: isShaking)).ruleResult
    }
    #expect(limits[0].value == limits[1].value)
    #expect(!limits[0].isSatisfied && limits[1].isSatisfied, "\(limits[0].value)")
  }

  /// A pan is seen though a lawn below has been coded so coarsely that it seems to stand; a lorry as large is none.
  @Test(arguments: [(lawn: 0.15, isPan: true), (1, false)])
  func weakTextureMayStandStill(lawn: Double, isPan: Bool) throws {
    let texture = Texture(seed: 4)
    let image = Plane<Float>(width: Self.size.width, height: Self.size.height) { x, y in
      let value = texture.value(Double(x), Double(y))
      return y < 72 ? value : 120 + Float(lawn) * (value - 120)
    }
    var flow = Self.flow(Homography([1, 0, 1.5, 0, 1, 0, 0, 0, 1]))
    for y in 72..<Self.size.height {
      for x in 0..<Self.size.width { flow.u[x, y] = 0 }
    }
    let result = try #require(GlobalMotionGate.ruleResult(on: flow, of: image))
    #expect(result.isSatisfied == isPan, "\(result.value)")
    let common = try #require(GlobalMotionGate.commonMotion(of: flow, on: image))
    #expect(!isPan || common.ruleResult.isSatisfied && abs(common.map.apply(x: 0, y: 0).x - 1.5) < 0.1)
  }

  /// At night a line of text has more texture than all the rest, and stands still along an edge while the camera turns.
  /// In the middle it may be what stands behind something large.
  @Test(arguments: [(top: 158, isPan: true), (80, false)])
  func aLineOfTextStandsStillAtNight(top: Int, isPan: Bool) throws {
    let (texture, pan) = (Texture(seed: 4), Homography([1, 0, 1.5, 0, 1, 0, 0, 0, 1]))
    let line = PixelRect(x: 160, y: top, width: 120, height: 14)
    func isWritten(_ x: Int, _ y: Int) -> Bool {
      x >= line.x && y >= line.y && x < line.x + line.size.width && y < line.y + line.size.height
    }
    func image(_ shift: Double) -> Plane<Float> {
      Plane<Float>(width: Self.size.width, height: Self.size.height) { x, y in
        // The ground below is black.
        let isSeen = y < 90
        let value = isSeen ? 30 + 0.25 * (texture.value(Double(x) - shift, Double(y)) - 120) : 12
        return isWritten(x, y) ? ((x / 3 + y / 4) % 2 == 0 ? 250 : 5) : value
      }
    }
    var flow = Self.flow(pan)
    for y in 0..<Self.size.height {
      for x in 0..<Self.size.width where isWritten(x, y) { flow.u[x, y] = 0 }
    }
    let moved = try #require(GlobalMotionGate.ruleResult(on: flow, of: image(0)))
    #expect(moved.isSatisfied, "\(moved.value)")
    let common = try #require(GlobalMotionGate.commonMotion(of: flow, on: image(0)))
    #expect(common.ruleResult.isSatisfied, "\(common.ruleResult.value)")
    let votes = CameraMotionValidator.ruleResult(on: pan, isMoving: false, previous: image(0), current: image(1.5))
    #expect(votes.isSatisfied == isPan, "\(votes.value) of \(votes.limit)")
  }

  /// Where hardly anything has texture, faint edges tell that the camera moves.
  @Test func faintEdgesTellOfAPan() throws {
    func fog(_ shift: Double) -> Plane<Float> {
      Plane<Float>(width: Self.size.width, height: Self.size.height) { x, _ in
        120 + 25 * Float(sin((Double(x) + shift) / 12))
      }
    }
    let pan = Self.flow(Homography([1, 0, 6, 0, 1, 0, 0, 0, 1]))
    let result = try #require(GlobalMotionGate.ruleResult(on: pan, of: fog(0)))
    #expect(result.isSatisfied)
    let wall = Plane<Float>(size: Self.size, repeating: 120)
    #expect(GlobalMotionGate.ruleResult(on: pan, of: wall) == nil)
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
