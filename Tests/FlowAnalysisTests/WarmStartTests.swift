import FlowAnalysis
import Imaging
import OpticalFlow
import TestSupport
import Testing

/// Starting a search from the flow of the pair before.
@Suite struct WarmStartTests {
  /// Motion that grows by 1.5 pixels from frame to frame.
  private static func frames(_ count: Int, seed: UInt64 = 3) -> [Plane<Float>] {
    let texture = Texture(seed: seed)
    return (0..<count).map { t in
      let position = 0.75 * Double(t * (t + 1))
      return texture.image(width: 160, height: 120) { x, y in (x - position, y) }
    }
  }

  /// Methods without a pyramid, which find a few pixels of motion at most.
  private static let methods: [OpticalFlowRequest.Algorithm] = [
    .farneback(FarnebackParameters(levels: 0)),
    .lucasKanade(LucasKanadeParameters(levels: 0)),
    .dis(InverseSearchParameters(minimumSide: 60, propagations: 0)),
  ]

  private func lastError(_ request: OpticalFlowRequest, _ frames: [Plane<Float>]) throws -> Double {
    let handler = SequenceRequestHandler()
    var flow: FlowField?
    for frame in frames { flow = try handler.perform(request, on: frame)?.flow }
    let shift = 1.5 * Double(frames.count - 1)
    return try #require(flow).meanError(margin: 24) { _, _ in (shift, 0) }
  }

  @Test(arguments: methods.indices) func motionThatGrowsIsFollowed(method: Int) throws {
    let frames = Self.frames(9)
    var request = OpticalFlowRequest(algorithm: Self.methods[method])
    let cold = try lastError(request, frames)
    request.startsFromLastFlow = true
    let warm = try lastError(request, frames)
    #expect(warm < 0.5, "\(warm) warm, \(cold) cold")
    #expect(cold > 2)
  }

  @Test func aCutEndsTheInfluenceOfThePast() throws {
    var request = OpticalFlowRequest(computationAccuracy: .low)
    request.startsFromLastFlow = true
    let handler = SequenceRequestHandler()
    for frame in Self.frames(5) { _ = try handler.perform(request, on: frame) }
    let after = Self.frames(2, seed: 77)
    // The pair across the cut starts cold, as two images do.
    let before = Self.frames(5)[4]
    let acrossCut = try #require(try handler.perform(request, on: after[0]))
    let pair = try ImageRequestHandler(before).perform(request, targeting: after[0])
    #expect(acrossCut.flow.bits == pair.flow.bits)
  }

  @Test func forgettingAndResettingStartCold() throws {
    var request = OpticalFlowRequest(computationAccuracy: .low)
    request.startsFromLastFlow = true
    let frames = Self.frames(4)
    let pair = try ImageRequestHandler(frames[2]).perform(request, targeting: frames[3])
    let handler = SequenceRequestHandler()
    for frame in frames.prefix(3) { _ = try handler.perform(request, on: frame) }
    handler.forgetMotion()
    #expect(try #require(try handler.perform(request, on: frames[3])).flow.bits == pair.flow.bits)
    handler.reset()
    #expect(try handler.perform(request, on: frames[2]) == nil)
    #expect(try #require(try handler.perform(request, on: frames[3])).flow.bits == pair.flow.bits)
  }
}
