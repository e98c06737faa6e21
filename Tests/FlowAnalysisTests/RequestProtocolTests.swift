import FlowAnalysis
import Imaging
import OpticalFlow
import TestSupport
import Testing

/// Tests of what holds for all requests and both handlers.
@Suite struct RequestProtocolTests {
  private static let frames = (0..<8).map { number in
    let time = Double(number)
    return Texture(seed: 6).image(width: 110, height: 84) { x, y in (x - 1.4 * time, y + 0.7 * time) }
  }

  private static func pair(_ request: OpticalFlowRequest, _ first: Int, _ second: Int) throws -> [UInt32] {
    try ImageRequestHandler(frames[first]).perform(request, targeting: frames[second]).flow.bits
  }

  // MARK: Several requests in one pass

  @Test func severalRequestsFindWhatEachFindsAlone() throws {
    let forward = OpticalFlowRequest()
    let both = OpticalFlowRequest(direction: .both)
    let registration = AffineImageRegistrationRequest()
    let handler = SequenceRequestHandler()
    let none = try handler.perform(forward, both, registration, on: Self.frames[0])
    #expect(none.0 == nil && none.1 == nil && none.2 == nil)
    for index in 1..<4 {
      let (a, b, c) = try handler.perform(forward, both, registration, on: Self.frames[index])
      let image = try ImageRequestHandler(Self.frames[index - 1])
      #expect(try a?.flow.bits == image.perform(forward, targeting: Self.frames[index]).flow.bits)
      let alone = try image.perform(both, targeting: Self.frames[index])
      #expect(b?.flow.bits == alone.flow.bits && b?.backwardFlow?.bits == alone.backwardFlow?.bits)
      #expect(try c == image.perform(registration, targeting: Self.frames[index]))
    }
  }

  @Test func aListOfRequestsGivesAListOfObservations() throws {
    let requests: [any AnalysisRequest] = [
      OpticalFlowRequest(computationAccuracy: .low), TranslationalImageRegistrationRequest(method: .direct),
    ]
    let observations = try ImageRequestHandler(Self.frames[0]).perform(requests, targeting: Self.frames[1])
    let flow = try #require(observations[0] as? OpticalFlowObservation)
    #expect(try flow.flow.bits == Self.pair(OpticalFlowRequest(computationAccuracy: .low), 0, 1))
    #expect(observations[1] is ImageAlignmentObservation && observations.count == 2)
    let handler = SequenceRequestHandler()
    #expect(try handler.perform(requests, on: Self.frames[0]).allSatisfy { $0 == nil })
    let next = try handler.perform(requests, on: Self.frames[1])
    #expect((next[0] as? OpticalFlowObservation)?.flow.bits == flow.flow.bits)
  }

  /// Counts how often it is asked to look at a pair.
  private struct CountingRequest: AnalysisRequest {
    static let supportedRevisions = [1]
    var revision = 1
    var regionOfInterest = NormalizedRect.full
    var frameSpacing = FrameSpacing.everyFrame
    let counter: Counter

    struct Found: AnalysisObservation {
      var previousTime: MediaTime?
      var currentTime: MediaTime?
      var mean: Float
    }

    func observe(_ pair: FramePair) throws(AnalysisError) -> Found {
      counter.count += 1
      let flow = try pair.observation(of: OpticalFlowRequest())
      return Found(previousTime: pair.previousTime, currentTime: pair.currentTime, mean: flow.flow.meanVector.u)
    }
  }

  /// SAFETY (unchecked Sendable): used by one test on one thread.
  private final class Counter: @unchecked Sendable, Hashable {
    var count = 0
    static func == (a: Counter, b: Counter) -> Bool { a === b }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
  }

  @Test func requestsCanBeMadeOfOthersAndAreComputedOncePerPass() throws {
    let request = CountingRequest(counter: Counter())
    let (first, second, flow) = try ImageRequestHandler(Self.frames[0])
      .perform(request, request, OpticalFlowRequest(), targeting: Self.frames[1])
    #expect(request.counter.count == 1)
    #expect(first.mean == second.mean && first.mean == flow.flow.meanVector.u)
  }

  // MARK: Times and spacing

  private static func time(_ value: Int) -> MediaTime { MediaTime(value: Int64(value), timeBase: Rational(1, 25)) }

  @Test func observationsCarryTheTimesOfTheirImages() throws {
    let handler = SequenceRequestHandler()
    _ = try handler.perform(OpticalFlowRequest(), on: Self.frames[0], at: Self.time(10))
    let flow = try #require(try handler.perform(OpticalFlowRequest(), on: Self.frames[1], at: Self.time(12)))
    #expect(flow.previousTime == Self.time(10) && flow.currentTime == Self.time(12))
    let pair = try ImageRequestHandler(Self.frames[0], at: Self.time(3))
      .perform(AffineImageRegistrationRequest(), targeting: Self.frames[1], at: Self.time(4))
    #expect(pair.previousTime == Self.time(3) && pair.currentTime == Self.time(4))
    #expect(
      try ImageRequestHandler(Self.frames[0])
        .perform(OpticalFlowRequest(), targeting: Self.frames[1]).previousTime == nil)
  }

  @Test(arguments: [
    (FrameSpacing(distance: 1, interval: 1), [1, 2, 3, 4, 5, 6, 7]), (FrameSpacing(distance: 3), [3, 4, 5, 6, 7]),
    (FrameSpacing(distance: 1, interval: 3), [1, 4, 7]), (.every(2), [2, 4, 6]),
    (FrameSpacing(distance: 4, interval: 2), [4, 6]),
  ])
  func spacingChoosesThePairs(spacing: FrameSpacing, expected: [Int]) throws {
    var request = OpticalFlowRequest(computationAccuracy: .low)
    request.frameSpacing = spacing
    let handler = SequenceRequestHandler()
    var found: [Int] = []
    for (index, frame) in Self.frames.enumerated() {
      guard let flow = try handler.perform(request, on: frame)?.flow else { continue }
      found.append(index)
      #expect(
        try flow.bits == Self.pair(OpticalFlowRequest(computationAccuracy: .low), index - spacing.distance, index))
    }
    #expect(found == expected && request.minimumLatencyFrameCount == spacing.distance)
  }

  @Test func requestsOfDifferentSpacingShareAPass() throws {
    let near = OpticalFlowRequest(computationAccuracy: .low)
    var far = near
    far.frameSpacing = FrameSpacing(distance: 2)
    let handler = SequenceRequestHandler()
    for (index, frame) in Self.frames.prefix(5).enumerated() {
      let (a, b) = try handler.perform(near, far, on: frame)
      #expect((a != nil) == (index >= 1) && (b != nil) == (index >= 2))
      if let b { #expect(try b.flow.bits == Self.pair(near, index - 2, index)) }
    }
    handler.reset()
    let none = try handler.perform(near, far, on: Self.frames[0])
    #expect(none.0 == nil && none.1 == nil)
  }

  /// The frames that a longer distance needs are kept from the first call on that has it.
  @Test func aLongerDistanceHasNothingUntilItsFramesAreThere() throws {
    let near = OpticalFlowRequest(computationAccuracy: .low)
    var far = near
    far.frameSpacing = FrameSpacing(distance: 3)
    let handler = SequenceRequestHandler()
    for index in 0..<4 { _ = try handler.perform(near, on: Self.frames[index]) }
    let found = try (4..<8).map { try handler.perform(far, on: Self.frames[$0]) != nil }
    #expect(found == [false, false, true, true])
  }

  // MARK: Errors

  private func code(_ request: some AnalysisRequest) -> AnalysisError.Code? {
    do throws(AnalysisError) {
      _ = try ImageRequestHandler(Self.frames[0]).perform(request, targeting: Self.frames[1])
      return nil
    } catch { return error.code }
  }

  @Test func unknownRevisionsAreRefused() {
    var flow = OpticalFlowRequest()
    flow.revision = 99
    #expect(code(flow) == .unsupportedRevision)
    var registration = HomographicImageRegistrationRequest()
    registration.revision = 0
    #expect(code(registration) == .unsupportedRevision)
    for known in [OpticalFlowRequest.defaultRevision, HomographicImageRegistrationRequest.defaultRevision] {
      #expect(known == 1)
    }
  }

  @Test(arguments: [
    NormalizedRect(x: .nan, y: 0, width: 1, height: 1), NormalizedRect(x: 0, y: 0, width: .nan, height: 1),
    NormalizedRect(x: 0.5, y: 0, width: 0.6, height: 1), NormalizedRect(x: 0, y: 0, width: 0, height: 1),
    NormalizedRect(x: 0, y: -0.1, width: 1, height: 1), NormalizedRect(x: 0, y: 0, width: .infinity, height: 1),
  ])
  func regionsThatAreNoneAreRefused(region: NormalizedRect) {
    var flow = OpticalFlowRequest()
    flow.regionOfInterest = region
    #expect(code(flow) == .invalidParameters)
    var registration = AffineImageRegistrationRequest()
    registration.regionOfInterest = region
    #expect(code(registration) == .invalidParameters)
    var saliency = GenerateMotionSaliencyRequest()
    saliency.regionOfInterest = region
    #expect(code(saliency) == .invalidParameters)
  }

  @Test func wrongSpacingIsRefused() {
    var request = OpticalFlowRequest()
    for spacing in [
      FrameSpacing(distance: 0), FrameSpacing(interval: 0), FrameSpacing(distance: 1001), .every(seconds: 0),
      .every(seconds: -1), .every(seconds: .nan), .every(seconds: .infinity),
    ] {
      request.frameSpacing = spacing
      #expect(code(request) == .invalidParameters)
    }
  }

  @Test func aFailureOfOneRequestChangesNothing() throws {
    let good = OpticalFlowRequest(computationAccuracy: .low)
    var bad = OpticalFlowRequest()
    bad.revision = 7
    let handler = SequenceRequestHandler()
    _ = try handler.perform(good, on: Self.frames[0])
    #expect(throws: AnalysisError.self) { try handler.perform(good, bad, on: Self.frames[3]) }
    #expect(throws: AnalysisError.self) { try handler.perform([good, bad], on: Self.frames[3]) }
    #expect(try handler.perform(good, on: Self.frames[1])?.flow.bits == Self.pair(good, 0, 1))
  }

  /// The parameters that the levels of accuracy stand for in revision 1. Other values make a new revision.
  @Test(arguments: [
    (
      OpticalFlowRequest.ComputationAccuracy.low,
      "2 4 8 3 16 0.0 8 1 4 0.0 4 3 1 10.0 0 1 2 4 1.85 30.0 5.0 10.0 0.2 5.0 0.05 1"
    ),
    (.medium, "3 3 8 2 16 0.0 8 3 4 0.0 8 2 2 8.0 1 1 2 5 1.85 22.0 5.0 10.0 0.2 5.0 0.05 1"),
    (.high, "3 0 8 2 16 0.0 8 3 4 0.0 8 2 2 8.0 1 1 3 5 1.85 22.0 5.0 10.0 0.2 5.0 0.05 1"),
    (.veryHigh, "6 0 8 2 16 0.0 8 3 4 0.0 8 2 3 8.0 1 2 3 4 1.85 34.0 3.0 10.0 0.2 5.0 0.05 1"),
  ])
  func theFirstRevisionIsPinned(accuracy: OpticalFlowRequest.ComputationAccuracy, values: String) {
    var request = OpticalFlowRequest(computationAccuracy: accuracy)
    request.revision = 1
    #expect(request.algorithm.name == "dis" && request.computationAccuracy == accuracy)
    #expect(request.algorithm.parameters.map(\.value).joined(separator: " ") == values)
  }

  @Test func unusualParametersAreNoLevelOfAccuracy() {
    let request = OpticalFlowRequest(algorithm: .dis(InverseSearchParameters(minimumSide: 61)))
    #expect(request.computationAccuracy == nil)
    #expect(OpticalFlowRequest().computationAccuracy == .medium)
  }
}
