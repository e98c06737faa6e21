import FlowAnalysis
import Imaging
import OpticalFlow
import TestSupport
import Testing

@Suite struct InverseSearchRequestTests {
  private static let frames = (0..<4).map { number -> Plane<Float> in
    let time = Double(number)
    return Texture(seed: 5).image(width: 97, height: 71) { x, y in
      (x * (1 + 0.004 * time) - 1.7 * time, y + 0.6 * time)
    }
  }

  @Test(arguments: OpticalFlowRequest.ComputationAccuracy.allCases, OpticalFlowRequest.Direction.allCases)
  func aSequenceGivesTheFlowOfEachPair(
    accuracy: OpticalFlowRequest.ComputationAccuracy, direction: OpticalFlowRequest.Direction
  ) throws {
    let request = OpticalFlowRequest(algorithm: .dis(InverseSearchParameters(accuracy)), direction: direction)
    let handler = SequenceRequestHandler()
    #expect(try handler.perform(request, on: Self.frames[0]) == nil)
    for (previous, current) in zip(Self.frames, Self.frames.dropFirst()) {
      let observation = try #require(try handler.perform(request, on: current))
      let expected = try ImageRequestHandler(previous).perform(request, targeting: current)
      #expect(observation.flow.bits == expected.flow.bits)
    }
  }

  @Test func wrongParametersAreRefused() {
    let request = OpticalFlowRequest(algorithm: .dis(InverseSearchParameters(patchStride: 9)))
    let error = thrown(AnalysisError.self) {
      try SequenceRequestHandler().perform(request, on: Self.frames[0])
    }
    #expect(error?.code == .invalidParameters)
    #expect(error?.message.contains("patch-stride=9") == true)
  }
}
