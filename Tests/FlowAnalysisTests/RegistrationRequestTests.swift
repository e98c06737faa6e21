import FlowAnalysis
import Foundation
import Imaging
import Registration
import TestSupport
import Testing

/// Registration by requests: the map leads from `current`, the floating image, to `previous`, the reference.
@Suite struct RegistrationRequestTests {
  private static let truth = Homography([1.01, -0.02, 6.5, 0.02, 1.01, -4.25, 0, 0, 1])

  /// Frame n of a camera that moves by `truth` from frame to frame.
  private static func frame(_ number: Int, width: Int = 180, height: Int = 130) -> Plane<Float> {
    let map = (0..<number).reduce(Homography.identity) { map, _ in map * truth }
    return Texture(seed: 9).image(width: width, height: height) { x, y in map.apply(x: x, y: y) }
  }

  private static func isTruth(_ map: Homography, within limit: Double = 0.1) -> Bool {
    [(10.0, 10.0), (150, 20), (90, 110)].allSatisfy { x, y in
      let (found, position) = (map.apply(x: x, y: y), truth.apply(x: x, y: y))
      return hypot(found.x - position.x, found.y - position.y) < limit
    }
  }

  @Test func affineAndHomographicRequestsFindTheMap() throws {
    let handler = try ImageRequestHandler(Self.frame(0))
    let (affine, homographic) = try handler.perform(
      AffineImageRegistrationRequest(), HomographicImageRegistrationRequest(), targeting: Self.frame(1))
    #expect(Self.isTruth(affine.warpTransform) && Self.isTruth(homographic.warpTransform))
    #expect(affine.model == .affine && homographic.model == .homography)
    #expect(affine.fallbackReason == nil && affine.requestedModel == .affine)
    #expect(affine.confidence > 0.8 && affine.inlierShare > 0.8 && affine.residual < 0.5)
    let t = affine.alignmentTransform
    #expect(abs(t.a - 1.01) < 0.002 && abs(t.b - 0.02) < 0.002 && abs(t.c + 0.02) < 0.002)
    #expect(abs(t.tx - 6.5) < 0.1 && abs(t.ty + 4.25) < 0.1)
  }

  @Test func translationalAndEuclideanRequestsFindAShift() throws {
    let texture = Texture(seed: 3)
    let handler = try ImageRequestHandler(texture.image(width: 150, height: 120))
    let (shift, turn) = try handler.perform(
      TranslationalImageRegistrationRequest(), EuclideanImageRegistrationRequest(),
      targeting: texture.image(width: 150, height: 120) { ($0 + 5.5, $1 - 3) })
    #expect(abs(shift.alignmentTransform.tx - 5.5) < 0.05 && abs(shift.alignmentTransform.ty + 3) < 0.05)
    #expect(shift.alignmentTransform.a == 1 && shift.alignmentTransform.b == 0)
    #expect(abs(turn.warpTransform.apply(x: 70, y: 60).x - 75.5) < 0.05)
  }

  @Test func imagesMayDifferInSize() throws {
    let observation = try ImageRequestHandler(Self.frame(0)).perform(
      AffineImageRegistrationRequest(), targeting: Self.frame(1, width: 150, height: 140))
    #expect(Self.isTruth(observation.warpTransform))
    #expect(observation.referenceSize == PixelSize(width: 180, height: 130))
    #expect(observation.floatingSize == PixelSize(width: 150, height: 140))
  }

  @Test(arguments: [ImageRegistration.Method.automatic, .direct])
  func aSequenceFindsWhatTwoImagesDo(method: ImageRegistration.Method) throws {
    let request = HomographicImageRegistrationRequest(method: method)
    let handler = SequenceRequestHandler()
    #expect(try handler.perform(request, on: Self.frame(0)) == nil)
    for number in 1..<4 {
      let observation = try #require(try handler.perform(request, on: Self.frame(number)))
      let pair = try ImageRequestHandler(Self.frame(number - 1)).perform(request, targeting: Self.frame(number))
      #expect(observation == pair)
      #expect(Self.isTruth(observation.warpTransform))
    }
  }

  @Test func imagesFarApartAreFoundByKeypoints() throws {
    let texture = Texture(seed: 4, waveCount: 60)
    let reference = texture.image(width: 220, height: 180)
    let floating = texture.image(width: 220, height: 180) { x, y in (210 - 0.7 * y, 10 + 0.7 * x) }
    let handler = try ImageRequestHandler(reference)
    let far = try handler.perform(AffineImageRegistrationRequest(), targeting: floating)
    let position = far.apply(to: PixelPoint(x: 100, y: 80))
    #expect(hypot(position.x - 154, position.y - 80) < 0.5)
    #expect(far.confidence > 0.7)
    let direct = try handler.perform(AffineImageRegistrationRequest(method: .direct), targeting: floating)
    #expect(direct.confidence < 0.3)
  }

  @Test func aRegionIsRegisteredInThePixelsOfTheImage() throws {
    var request = AffineImageRegistrationRequest(method: .direct)
    request.regionOfInterest = NormalizedRect(x: 0.25, y: 0.2, width: 0.7, height: 0.75)
    let observation = try ImageRequestHandler(Self.frame(0)).perform(request, targeting: Self.frame(1))
    #expect(Self.isTruth(observation.warpTransform, within: 0.2))
    #expect(
      try observation
        != ImageRequestHandler(Self.frame(0)).perform(
          AffineImageRegistrationRequest(method: .direct), targeting: Self.frame(1)))
  }

  @Test func whatIsNotSupportedHasAReason() throws {
    let gray = Plane<Float>(size: PixelSize(width: 90, height: 80), repeating: 100)
    let observation = try ImageRequestHandler(gray).perform(HomographicImageRegistrationRequest(), targeting: gray)
    #expect(observation.model == .identity && observation.requestedModel == .homography)
    #expect(observation.fallbackReason == .tooLittleTexture && observation.confidence == 0)
    #expect(observation.warpTransform == .identity)
  }

  @Test func pointsAndImagesAreMapped() throws {
    let (reference, floating) = (Self.frame(0), Self.frame(1))
    let observation = try ImageRequestHandler(reference).perform(AffineImageRegistrationRequest(), targeting: floating)
    let warped = try observation.apply(to: floating, fill: -1)
    #expect(warped.size == reference.size)
    for (x, y) in [(60, 50), (100, 80), (120, 40)] { #expect(abs(warped[x, y] - reference[x, y]) < 3) }
    #expect(warped[0, 129] == -1 || warped[179, 0] == -1 || warped[0, 0] == -1)
    // The same point in three conventions.
    let pixel = PixelPoint(x: 40, y: 30)
    let there = observation.apply(to: pixel)
    let normalized = observation.apply(to: NormalizedPoint(pixel, in: floating.size)).inPixels(of: reference.size)
    #expect(hypot(normalized.x - there.x, normalized.y - there.y) < 1e-9)
    let source = NormalizedPoint(pixel, in: floating.size).flippedVertically
    let target = observation.normalizedWarpTransform.apply(x: source.x, y: source.y)
    let back = NormalizedPoint(x: target.x, y: target.y).flippedVertically.inPixels(of: reference.size)
    #expect(hypot(back.x - there.x, back.y - there.y) < 1e-9)
  }

  @Test func threadsDoNotChangeABit() throws {
    let observations = try [1, 2, 3, 7].map { threads in
      try ImageRequestHandler(Self.frame(0), parallelism: Parallelism(threadCount: threads))
        .perform(HomographicImageRegistrationRequest(method: .features), targeting: Self.frame(1))
    }
    #expect(Set(observations).count == 1)
  }
}
