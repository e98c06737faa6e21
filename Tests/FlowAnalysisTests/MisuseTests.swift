import FlowAnalysis
import Imaging
import OpticalFlow
import Registration
import TestSupport
import Testing

/// Tests of all that callers can get wrong with requests and handlers: a typed error, or an observation; never a trap.
@Suite struct MisuseTests {
  /// One of each kind, and flow by each algorithm at each level of accuracy.
  private static let flowRequests: [any AnalysisRequest] =
    OpticalFlowRequest.ComputationAccuracy.allCases.flatMap { accuracy -> [any AnalysisRequest] in
      [
        OpticalFlowRequest(computationAccuracy: accuracy, direction: .both),
        OpticalFlowRequest(algorithm: .farneback(FarnebackParameters(accuracy)), direction: .both),
        OpticalFlowRequest(algorithm: .lucasKanade(LucasKanadeParameters(accuracy)), direction: .both),
      ]
    } + [GenerateMotionSaliencyRequest(), DetectMotionContoursRequest(), DetectMotionContoursRequest(threshold: 1)]
  private static let registrationRequests: [any AnalysisRequest] = ImageRegistration.Method.allCases.flatMap {
    method -> [any AnalysisRequest] in
    [
      TranslationalImageRegistrationRequest(method: method), EuclideanImageRegistrationRequest(method: method),
      AffineImageRegistrationRequest(method: method), HomographicImageRegistrationRequest(method: method),
    ]
  }
  private static var requests: [any AnalysisRequest] { flowRequests + registrationRequests }

  private static func image(_ width: Int, _ height: Int, shift: Double = 0) -> Plane<Float> {
    Texture(seed: 5).image(width: width, height: height) { x, y in (x - shift, y) }
  }

  private func code(_ body: () throws(AnalysisError) -> Void) -> AnalysisError.Code? {
    do throws(AnalysisError) {
      try body()
      return nil
    } catch { return error.code }
  }

  /// Numbers that no camera gives leave nothing behind in what a handler keeps from pair to pair.
  @Test(arguments: [Float.infinity, .nan, 1e30, -1e38])
  func anImageWithoutSenseSpoilsNoLaterFlow(level: Float) throws {
    let good = (0..<3).map { Self.image(96, 64, shift: Double($0)) }
    var bad = good[0]
    bad.withMutableRow(20) { row in for x in 10..<30 { row[x] = level } }
    for case let request as OpticalFlowRequest in Self.flowRequests {
      let (spoilt, fresh) = (SequenceRequestHandler(), SequenceRequestHandler())
      for image in [bad, bad, good[0]] { _ = try spoilt.perform(request, on: image) }
      _ = try fresh.perform(request, on: good[0])
      for image in good[1...] {
        let found = try #require(try spoilt.perform(request, on: image))
        #expect(try found.flow.bits == fresh.perform(request, on: image)?.flow.bits)
      }
    }
  }

  @Test(arguments: [(1, 1), (1, 9), (9, 1), (2, 2), (3, 5), (8, 8), (17, 4), (4, 33), (1, 300), (300, 1)])
  func everyRequestTakesImagesOfAnySize(width: Int, height: Int) throws {
    let (previous, current) = (Self.image(width, height), Self.image(width, height, shift: 1))
    let found = try ImageRequestHandler(previous).perform(Self.requests, targeting: current)
    #expect(found.count == Self.requests.count)
    for case let flow as OpticalFlowObservation in found {
      #expect(flow.size == previous.size)
      #expect(flow.flow.u.bits.allSatisfy { Float(bitPattern: $0).isFinite })
    }
    for case let map as ImageHomographicAlignmentObservation in found {
      #expect(map.warpTransform.elements.allSatisfy { $0.isFinite })
    }
  }

  @Test(arguments: [Float.nan, .infinity, -.infinity, .greatestFiniteMagnitude, -1e30])
  func pixelsThatAreNoLumaDoNotTrap(value: Float) throws {
    for hole in [PixelRect(x: 20, y: 10, width: 12, height: 9), PixelRect(x: 0, y: 0, width: 72, height: 54)] {
      var (previous, current) = (Self.image(72, 54), Self.image(72, 54, shift: 1))
      for y in hole.rows { for x in hole.columns { (previous[x, y], current[x, y]) = (value, value) } }
      for request in Self.requests {
        let found = try ImageRequestHandler(previous).perform([request], targeting: current)
        if let flow = found[0] as? OpticalFlowObservation { #expect(flow.size == previous.size) }
        _ = try ImageRequestHandler(Self.image(72, 54)).perform([request], targeting: current)
      }
    }
  }

  @Test(arguments: [
    NormalizedRect(x: .nan, y: 0, width: 1, height: 1), NormalizedRect(x: 0, y: .nan, width: 1, height: 1),
    NormalizedRect(x: 0, y: 0, width: .nan, height: 1), NormalizedRect(x: 0, y: 0, width: 1, height: .nan),
    NormalizedRect(x: 0, y: 0, width: .infinity, height: 1), NormalizedRect(x: -.infinity, y: 0, width: 1, height: 1),
    NormalizedRect(x: 0, y: 0, width: 0, height: 1), NormalizedRect(x: 0.5, y: 0, width: 0.6, height: 1),
    NormalizedRect(x: 0, y: -0.1, width: 1, height: 1), NormalizedRect(x: 0, y: 0, width: 1, height: -1),
  ])
  func everyRequestRefusesARegionThatIsNone(region: NormalizedRect) throws {
    let image = Self.image(40, 30)
    let (images, sequence) = (try ImageRequestHandler(image), SequenceRequestHandler())
    for request in Self.requests {
      var request = request
      request.regionOfInterest = region
      let once = request
      #expect(
        code { () throws(AnalysisError) in _ = try images.perform([once], targeting: image) }
          == .invalidParameters)
      #expect(
        code { () throws(AnalysisError) in _ = try sequence.perform([once], on: image) }
          == .invalidParameters)
    }
  }

  @Test func everyRequestTakesTheSmallestRegion() throws {
    for rect in [(0.0, 0.0), (0.999, 0.999), (1 - 1e-12, 0.5)] {
      for request in Self.requests {
        var request = request
        request.regionOfInterest = NormalizedRect(x: rect.0, y: rect.1, width: 1e-12, height: 1e-12)
        let handler = try ImageRequestHandler(Self.image(40, 30))
        #expect(try handler.perform([request], targeting: Self.image(40, 30, shift: 1)).count == 1)
      }
    }
  }

  @Test func everyRequestRefusesRevisionsAndSpacingsThatAreNone() throws {
    let image = Self.image(40, 30)
    let handler = try ImageRequestHandler(image)
    for request in Self.requests {
      for revision in [0, -1, 2, Int.max] {
        var request = request
        request.revision = revision
        let once = request
        #expect(
          code { () throws(AnalysisError) in _ = try handler.perform([once], targeting: image) }
            == .unsupportedRevision)
      }
      for spacing in [FrameSpacing(distance: 0), FrameSpacing(interval: 0), .every(-1), .every(.max)] {
        var request = request
        request.frameSpacing = spacing
        let once = request
        #expect(
          code { () throws(AnalysisError) in _ = try handler.perform([once], targeting: image) }
            == .invalidParameters)
      }
    }
  }

  @Test func emptyImagesAreRefusedByEveryRequest() throws {
    let image = Self.image(40, 30)
    for empty in [Plane<Float>(width: 0, height: 0), Plane(width: 0, height: 30), Plane(width: 40, height: 0)] {
      #expect(code { () throws(AnalysisError) in _ = try ImageRequestHandler(empty) } == .emptyImage)
      for request in Self.requests {
        let handler = try ImageRequestHandler(image)
        #expect(
          code { () throws(AnalysisError) in _ = try handler.perform([request], targeting: empty) }
            == .emptyImage)
        let sequence = SequenceRequestHandler()
        #expect(code { () throws(AnalysisError) in _ = try sequence.perform([request], on: empty) } == .emptyImage)
        // The failure left the handler as it was.
        #expect(try sequence.perform([request], on: image).first! == nil)
      }
    }
  }

  @Test func flowWantsOneSizeAndRegistrationTakesAny() throws {
    let (previous, current) = (Self.image(40, 30), Self.image(41, 30))
    let handler = try ImageRequestHandler(previous)
    for request in Self.flowRequests {
      #expect(
        code { () throws(AnalysisError) in _ = try handler.perform([request], targeting: current) }
          == .sizeMismatch)
    }
    #expect(try handler.perform(Self.registrationRequests, targeting: current).count == Self.registrationRequests.count)
    for request in Self.requests {
      let sequence = SequenceRequestHandler()
      _ = try sequence.perform([request], on: previous)
      #expect(code { () throws(AnalysisError) in _ = try sequence.perform([request], on: current) } == .sizeMismatch)
      sequence.reset()
      #expect(try sequence.perform([request], on: current).first! == nil)
    }
  }

  // MARK: What was found

  @Test func observationsWarpImagesOfTheirSizeAlone() throws {
    let (previous, current) = (Self.image(40, 30), Self.image(48, 36))
    let map = try ImageRequestHandler(previous).perform(TranslationalImageRegistrationRequest(), targeting: current)
    #expect(try map.apply(to: current, fill: 0).size == previous.size)
    #expect(code { () throws(AnalysisError) in _ = try map.apply(to: previous, fill: 0) } == .sizeMismatch)
    let flow = try ImageRequestHandler(previous).perform(OpticalFlowRequest(), targeting: previous)
    #expect(try flow.warp(previous, fill: 0).size == previous.size)
    #expect(code { () throws(AnalysisError) in _ = try flow.warp(current, fill: 0) } == .sizeMismatch)
    #expect(
      code { () throws(AnalysisError) in _ = try flow.warp(Plane<UInt8>(width: 0, height: 0), fill: 0) }
        == .sizeMismatch)
  }

  @Test func aTrackerTakesPositionsAndMotionOfItsSizeAlone() throws {
    let size = PixelSize(width: 40, height: 30)
    let timestamp = FrameTimestamp(frame: 0, time: MediaTime(value: 0, timeBase: Rational(1, 25)))
    let motion = PairMotion(forward: FlowField(width: 40, height: 30) { _, _ in (1, 0) })
    var tracker = MotionTracker(size: size)
    for number in [Double.nan, .infinity, -.infinity, 1e300] {
      for point in [SIMD2(number, 3), SIMD2(3, number)] {
        #expect(code { () throws(AnalysisError) in try tracker.add(point: point, at: timestamp) } == .invalidParameters)
      }
      for box in [
        BoundingBox(x: number, y: 3, width: 9, height: 9), BoundingBox(x: 3, y: 3, width: 9, height: number),
      ] {
        #expect(code { () throws(AnalysisError) in try tracker.add(box: box, at: timestamp) } == .invalidParameters)
      }
    }
    for box in [BoundingBox(x: 3, y: 3, width: 0, height: 9), BoundingBox(x: 3, y: 3, width: 9, height: -9)] {
      #expect(code { () throws(AnalysisError) in try tracker.add(box: box, at: timestamp) } == .invalidParameters)
    }
    for number in [Double.nan, .infinity, 1e300, 0, -1] {
      let region = BoundingBox(x: 1, y: 3, width: 9, height: number)
      #expect(
        code { () throws(AnalysisError) in try tracker.associate(regions: [region], at: timestamp) }
          == .invalidParameters)
    }
    try tracker.add(box: BoundingBox(x: 3, y: 3, width: 9, height: 9), at: timestamp)
    let other = PairMotion(forward: FlowField(size: PixelSize(width: 30, height: 40)))
    #expect(code { () throws(AnalysisError) in try tracker.advance(by: other, to: timestamp) } == .sizeMismatch)
    #expect(
      code { () throws(AnalysisError) in
        try tracker.advance(by: motion, to: timestamp, image: Self.image(41, 30))
      } == .sizeMismatch)
    #expect(tracker.activeTracks.map(\.positions.count) == [1])
    try tracker.advance(by: motion, to: timestamp, image: Self.image(40, 30))
    #expect(tracker.activeTracks.map(\.positions.count) == [2])
  }

  @Test func aTrackerFollowsAlongMotionOfAnyNumbers() throws {
    let timestamp = FrameTimestamp(frame: 0, time: MediaTime(value: 0, timeBase: Rational(1, 25)))
    for number in [Float.nan, .infinity, -.infinity, .greatestFiniteMagnitude, -1e30, 0] {
      var tracker = MotionTracker(size: PixelSize(width: 40, height: 30))
      try tracker.add(box: BoundingBox(x: 3, y: 3, width: 30, height: 20), at: timestamp)
      try tracker.add(point: SIMD2(9, 9), at: timestamp)
      tracker.image = Plane(width: 40, height: 30) { x, _ in x % 3 == 0 ? number : 7 }
      let field = FlowField(width: 40, height: 30) { x, y in (x % 5 == 0 ? 1 : number, y % 2 == 0 ? number : 2) }
      for _ in 0..<9 {
        try tracker.advance(by: PairMotion(forward: field, backward: field), to: timestamp, image: tracker.image)
        try tracker.associate(regions: [BoundingBox(x: 1, y: 3, width: 30, height: 20)], at: timestamp)
      }
      #expect(tracker.tracks.count >= 2)
    }
  }
}
