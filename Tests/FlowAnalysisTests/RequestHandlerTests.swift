import FlowAnalysis
import Imaging
import OpticalFlow
import TestSupport
import Testing

@Suite struct RequestHandlerTests {
  private static func frame(_ number: Int, width: Int = 97, height: Int = 71) -> Plane<Float> {
    let time = Double(number)
    return Texture(seed: 5).image(width: width, height: height) { x, y in
      (x * (1 + 0.004 * time) - 1.7 * time, y + 0.6 * time)
    }
  }

  private static let frames = (0..<6).map { frame($0) }

  private func expectedBits(_ request: OpticalFlowRequest, _ previous: Plane<Float>, _ current: Plane<Float>) throws
    -> [UInt32]
  {
    try ImageRequestHandler(previous).perform(request, targeting: current).flow.bits
  }

  @Test(arguments: OpticalFlowRequest.Direction.allCases)
  func aSequenceGivesTheFlowOfEachPair(direction: OpticalFlowRequest.Direction) throws {
    let request = OpticalFlowRequest(direction: direction)
    let handler = SequenceRequestHandler()
    #expect(try handler.perform(request, on: Self.frames[0]) == nil)
    for (previous, current) in zip(Self.frames, Self.frames.dropFirst()) {
      let observation = try #require(try handler.perform(request, on: current))
      #expect(observation.direction == direction)
      #expect(try observation.flow.bits == expectedBits(request, previous, current))
    }
  }

  @Test func aResetStartsANewSequence() throws {
    let request = OpticalFlowRequest()
    let handler = SequenceRequestHandler()
    for frame in Self.frames.prefix(3) { _ = try handler.perform(request, on: frame) }
    handler.reset()
    #expect(try handler.perform(request, on: Self.frames[4]) == nil)
    let observation = try #require(try handler.perform(request, on: Self.frames[5]))
    #expect(try observation.flow.bits == expectedBits(request, Self.frames[4], Self.frames[5]))
    handler.reset()
    #expect(try handler.perform(request, on: Self.frame(0, width: 40, height: 50)) == nil)
  }

  @Test func theRequestMayChangeFromFrameToFrame() throws {
    let requests = [
      OpticalFlowRequest(), OpticalFlowRequest(direction: .backward),
      OpticalFlowRequest(computationAccuracy: .high),
      OpticalFlowRequest(algorithm: .farneback(FarnebackParameters(levels: 1, polynomialSigma: 1.5))),
      OpticalFlowRequest(computationAccuracy: .low), OpticalFlowRequest(),
    ]
    let handler = SequenceRequestHandler()
    for (index, request) in requests.enumerated() {
      let observation = try handler.perform(request, on: Self.frames[index])
      guard index > 0 else { continue }
      let expected = try expectedBits(request, Self.frames[index - 1], Self.frames[index])
      #expect(observation?.flow.bits == expected, "frame \(index)")
    }
  }

  @Test func threadsDoNotChangeABit() throws {
    let request = OpticalFlowRequest(computationAccuracy: .high)
    let bits = try [1, 2, 3, 7].map { threads in
      let handler = SequenceRequestHandler(parallelism: Parallelism(threadCount: threads))
      _ = try handler.perform(request, on: Self.frames[0])
      return try handler.perform(request, on: Self.frames[1])?.flow.bits
    }
    #expect(bits.allSatisfy { $0 == bits[0] })
  }

  @Test func backwardFlowIsForwardFlowOfTheSwappedPair() throws {
    let (first, second) = (Self.frames[0], Self.frames[1])
    let backward = try expectedBits(OpticalFlowRequest(direction: .backward), first, second)
    #expect(try backward == expectedBits(OpticalFlowRequest(), second, first))
  }

  @Test func aFrameOfAnotherSizeIsRefusedAndChangesNothing() throws {
    let request = OpticalFlowRequest()
    let handler = SequenceRequestHandler()
    _ = try handler.perform(request, on: Self.frames[0])
    let error = thrown(AnalysisError.self) {
      try handler.perform(request, on: Self.frame(1, width: 96, height: 71))
    }
    #expect(error?.code == .sizeMismatch)
    #expect(error?.message.contains("96×71") == true && error?.message.contains("97×71") == true)
    let observation = try handler.perform(request, on: Self.frames[1])
    #expect(try observation?.flow.bits == expectedBits(request, Self.frames[0], Self.frames[1]))
  }

  @Test func wrongParametersAreRefusedAndChangeNothing() throws {
    let wrong = OpticalFlowRequest(algorithm: .farneback(FarnebackParameters(windowSize: 0)))
    let handler = SequenceRequestHandler()
    _ = try handler.perform(OpticalFlowRequest(), on: Self.frames[0])
    let error = thrown(AnalysisError.self) { try handler.perform(wrong, on: Self.frames[1]) }
    #expect(error?.code == .invalidParameters)
    #expect(error?.message.contains("window=0") == true)
    let observation = try handler.perform(OpticalFlowRequest(), on: Self.frames[1])
    #expect(try observation?.flow.bits == expectedBits(OpticalFlowRequest(), Self.frames[0], Self.frames[1]))
  }

  @Test func imagesThatDoNotFitAreRefused() {
    let mismatch = thrown(AnalysisError.self) {
      try ImageRequestHandler(Plane(width: 4, height: 5))
        .perform(OpticalFlowRequest(), targeting: Plane(width: 5, height: 4))
    }
    #expect(mismatch?.code == .sizeMismatch)
    let empty = thrown(AnalysisError.self) {
      try ImageRequestHandler(Plane(width: 0, height: 5))
    }
    #expect(empty?.code == .emptyImage)
    #expect(throws: AnalysisError.self) {
      try ImageRequestHandler(Plane(width: 4, height: 5))
        .perform(AffineImageRegistrationRequest(), targeting: Plane(width: 0, height: 0))
    }
    #expect(throws: AnalysisError.self) {
      try SequenceRequestHandler().perform(OpticalFlowRequest(), on: Plane(width: 3, height: 0))
    }
  }

  @Test func everyAccuracyFindsAShift() throws {
    let shift = (1.5, -0.75)
    let texture = Texture(seed: 2)
    let previous = texture.image(width: 120, height: 90)
    let current = texture.image(width: 120, height: 90) { ($0 - shift.0, $1 - shift.1) }
    let handler = try ImageRequestHandler(previous)
    for accuracy in OpticalFlowRequest.ComputationAccuracy.allCases {
      let search = try handler.perform(OpticalFlowRequest(computationAccuracy: accuracy), targeting: current).flow
      #expect(search.meanError(margin: 16) { _, _ in shift } < 0.05, "\(accuracy)")
      let expansion = try handler.perform(
        OpticalFlowRequest(algorithm: .farneback(FarnebackParameters(accuracy))), targeting: current
      ).flow
      #expect(expansion.meanError(margin: 16) { _, _ in shift } < 0.05, "\(accuracy)")
    }
  }
}
