import FlowAnalysis
import Imaging
import OpticalFlow
import Synchronization
import TestSupport
import Testing

@Suite struct FlowPairHandlerTests {
  private static let frames = (0..<5).map { number in
    Texture(seed: 5).image(width: 97, height: 71) { ($0 - 1.7 * Double(number), $1 + 0.6 * Double(number)) }
  }
  private static let size = PixelSize(width: 97, height: 71)

  static let requests: [OpticalFlowRequest] = {
    var reduced = OpticalFlowRequest(direction: .both)
    reduced.maximumDimension = 64
    reduced.regionOfInterest = NormalizedRect(x: 0.2, y: 0.1, width: 0.5, height: 0.6)
    reduced.marksInconsistentAsUnknown = true
    var measuring = OpticalFlowRequest(algorithm: .lucasKanade(LucasKanadeParameters()), direction: .backward)
    measuring.measuresMinimumEigenvalue = true
    measuring.measuresConfidence = true
    return [
      OpticalFlowRequest(), OpticalFlowRequest(computationAccuracy: .low, direction: .both), reduced, measuring,
      OpticalFlowRequest(algorithm: .farneback(FarnebackParameters()), direction: .both),
    ]
  }()

  /// Each frame is prepared by one of three handlers, and each pair looked at by another one than its frames.
  @Test(arguments: requests)
  func pairsOfSharedFramesHaveTheFlowOfASequence(request: OpticalFlowRequest) throws {
    let sequence = SequenceRequestHandler()
    let handlers = try (0..<3).map { _ in try FlowPairHandler(request, size: Self.size) }
    var previous: PreparedFrame?
    for (index, image) in Self.frames.enumerated() {
      let time = MediaTime(value: Int64(index), timeBase: Rational(1, 25))
      let current = try handlers[index % 3].prepare(image, at: time)
      let expected = try sequence.perform(request, on: image, at: time)
      let found = previous.map { handlers[(index + 1) % 3].observe(previous: $0, current: current) }
      previous = current
      #expect(found?.flow.bits == expected?.flow.bits)
      #expect(found?.backwardFlow?.bits == expected?.backwardFlow?.bits)
      #expect(found?.confidence == expected?.confidence && found?.occlusion == expected?.occlusion)
      #expect((found?.minimumEigenvalue == nil) == (expected?.minimumEigenvalue == nil))
      #expect(found?.previousTime == expected?.previousTime && found?.currentTime == expected?.currentTime)
    }
  }

  @Test func handlersOfSeveralThreadsShareFrames() throws {
    let request = OpticalFlowRequest()
    let handler = try FlowPairHandler(request, size: Self.size)
    let prepared = try Self.frames.map { try handler.prepare($0) }
    let expected = zip(prepared, prepared.dropFirst()).map { handler.observe(previous: $0, current: $1).flow.bits }
    let found = Mutex<[Int: [UInt32]]>([:])
    Parallelism(threadCount: 4).forEach(count: 4) { index in
      guard let handler = try? FlowPairHandler(request, size: Self.size) else { return }
      let flow = handler.observe(previous: prepared[index], current: prepared[index + 1]).flow
      found.withLock { $0[index] = flow.bits }
    }
    #expect(found.withLock { found in (0..<4).map { found[$0] } } == expected)
  }

  @Test func whatDependsOnThePastIsNotServed() {
    var warm = OpticalFlowRequest()
    warm.startsFromLastFlow = true
    var spaced = OpticalFlowRequest()
    spaced.frameSpacing = .every(2)
    #expect(FlowPairHandler.serves(OpticalFlowRequest(direction: .both)))
    #expect(!FlowPairHandler.serves(warm) && !FlowPairHandler.serves(spaced))
  }

  @Test func framesOfAnotherSizeAndWrongParametersAreErrors() throws {
    let handler = try FlowPairHandler(OpticalFlowRequest(), size: Self.size)
    let size = thrown(AnalysisError.self) { try handler.prepare(Plane(width: 40, height: 30)) }
    #expect(size?.code == .sizeMismatch)
    let empty = thrown(AnalysisError.self) { try handler.prepare(Plane(width: 0, height: 0)) }
    #expect(empty?.code == .emptyImage)
    var request = OpticalFlowRequest()
    request.maximumDimension = 3
    let wrong = thrown(AnalysisError.self) { try FlowPairHandler(request, size: Self.size) }
    #expect(wrong?.code == .invalidParameters)
  }
}
