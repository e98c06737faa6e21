import FlowAnalysis
import Foundation
import Imaging
import OpticalFlow
import TestSupport
import Testing

/// Requests, and what they find, can be stored and sent.
@Suite struct AnalysisCodableTests {
  private func stored<Value: Codable>(_ value: Value) throws -> Value {
    try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
  }

  private func expectRoundTrip<Value: Codable & Equatable>(_ value: Value) throws {
    #expect(try stored(value) == value)
  }

  @Test func requestsAreWhatTheyWere() throws {
    for algorithm in [
      OpticalFlowRequest.Algorithm.dis(InverseSearchParameters(minimumSide: 61)),
      .farneback(FarnebackParameters(levels: 2, windowKind: .gaussian)), .lucasKanade(LucasKanadeParameters(.high)),
    ] {
      var flow = OpticalFlowRequest(algorithm: algorithm, direction: .both)
      flow.regionOfInterest = NormalizedRect(x: 0.25, y: 0.5, width: 0.5, height: 0.25)
      flow.maximumDimension = 640
      flow.measuresConfidence = true
      flow.frameSpacing = FrameSpacing(distance: 2, interval: 3, seconds: 0.1)
      try expectRoundTrip(flow)
    }
    try expectRoundTrip(OpticalFlowRequest(computationAccuracy: .veryHigh))
    try expectRoundTrip(TranslationalImageRegistrationRequest(method: .features))
    try expectRoundTrip(EuclideanImageRegistrationRequest())
    try expectRoundTrip(AffineImageRegistrationRequest(method: .direct))
    try expectRoundTrip(HomographicImageRegistrationRequest())
    try expectRoundTrip(GenerateMotionSaliencyRequest(computationAccuracy: .high))
    try expectRoundTrip(DetectMotionContoursRequest(threshold: 0.5))
    try expectRoundTrip(MotionTracker.Parameters())
  }

  /// A square that moves before a ground that does not.
  private static func image(_ shift: Double) -> Plane<Float> {
    let (ground, figure) = (Texture(seed: 11), Texture(seed: 23))
    return Plane(width: 160, height: 120) { x, y in
      let (dx, dy) = (Double(x) - 60 - shift, Double(y) - 40)
      return dx >= 0 && dy >= 0 && dx < 40 && dy < 40 ? figure.value(dx, dy) : ground.value(Double(x), Double(y))
    }
  }

  @Test func observationsAreWhatTheyWere() throws {
    let time = { MediaTime(value: $0, timeBase: Rational(1, 25)) }
    let (saliency, contours, map, shift) = try ImageRequestHandler(Self.image(0), at: time(0)).perform(
      GenerateMotionSaliencyRequest(), DetectMotionContoursRequest(), HomographicImageRegistrationRequest(),
      TranslationalImageRegistrationRequest(), targeting: Self.image(4), at: time(1))
    try expectRoundTrip(map)
    try expectRoundTrip(shift)
    try expectRoundTrip(shift.alignmentTransform)
    let heat = try stored(saliency)
    #expect(heat.heatMap.bits == saliency.heatMap.bits && heat.currentTime == time(1))
    #expect(saliency.salientObjects.count == 1 && heat.salientObjects == saliency.salientObjects)
    let outlines = try stored(contours)
    #expect(contours.contourCount > 0 && outlines.contours == contours.contours)
    #expect(outlines.threshold == contours.threshold && outlines.camera == contours.camera)
  }
}
