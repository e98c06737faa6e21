import Imaging
import SceneSynthesis
import TestSupport
import Testing

@testable import FlowAnalysis

/// Regions, reduced sizes and both directions.
@Suite struct GeometryTests {
  private static func pair(_ name: SceneName, width: Int = 240, height: Int = 160, motion: Double = 1) throws -> (
    Scene, OpticalFlowInput
  ) {
    let scene = try Scene(
      SceneParameters(name: name, size: PixelSize(width: width, height: height), frameCount: 12, motion: motion))
    return (scene, OpticalFlowInput(previous: scene.luma(4), current: scene.luma(5)))
  }

  struct OpticalFlowInput {
    var previous: Plane<Float>
    var current: Plane<Float>

    func perform(_ request: OpticalFlowRequest) throws -> OpticalFlowObservation {
      try ImageRequestHandler(previous).perform(request, targeting: current)
    }
  }

  private static func meanError(_ flow: FlowField, _ truth: FlowField, inset: Int = 0) -> Double {
    var sum = 0.0
    var count = 0.0
    for y in inset..<flow.height - inset {
      for x in inset..<flow.width - inset where flow.isKnown(x: x, y: y) {
        let (du, dv) = (flow[x, y].u - truth[x, y].u, flow[x, y].v - truth[x, y].v)
        sum += Double(du * du + dv * dv).squareRoot()
        count += 1
      }
    }
    return sum / count
  }

  /// Columns of a few pixels are seen as rows: engines pad each row by more than that.
  @Test func narrowColumnsAreSeenAsRows() throws {
    let texture = Texture(seed: 4)
    func image(_ shift: Double, _ isUpright: Bool) -> Plane<Float> {
      isUpright
        ? Plane(width: 20, height: 3000) { x, y in texture.value(Double(y) - shift, Double(x)) }
        : Plane(width: 3000, height: 20) { x, y in texture.value(Double(x) - shift, Double(y)) }
    }
    let request = OpticalFlowRequest()
    let upright = try ImageRequestHandler(image(0, true)).perform(request, targeting: image(1.5, true)).flow
    let lying = try ImageRequestHandler(image(0, false)).perform(request, targeting: image(1.5, false)).flow
    #expect(upright.size == PixelSize(width: 20, height: 3000))
    for (x, y) in [(0, 0), (19, 2999), (7, 1500), (10, 2100)] {
      #expect(upright[x, y].u == lying[y, x].v && upright[x, y].v == lying[y, x].u, "\(x), \(y)")
    }
    #expect(abs(upright[10, 1500].v - 1.5) < 0.1 && abs(upright[10, 1500].u) < 0.1, "\(upright[10, 1500])")
  }

  @Test func outsideTheRegionTheFlowIsUnknownAndInsideItIsAsGood() throws {
    let (scene, input) = try Self.pair(.pan)
    var request = OpticalFlowRequest()
    request.regionOfInterest = NormalizedRect(x: 0.25, y: 0.5, width: 0.5, height: 0.25)
    let flow = try input.perform(request).flow
    for y in 0..<160 {
      for x in 0..<240 { #expect(flow.isKnown(x: x, y: y) == ((60..<180).contains(x) && (80..<120).contains(y))) }
    }
    #expect(Self.meanError(flow, scene.flow(from: 4)) < 0.1)
  }

  @Test func aReducedSizeGivesFullSizeVectors() throws {
    let (scene, input) = try Self.pair(.pan, width: 321, height: 203)
    var request = OpticalFlowRequest()
    request.maximumDimension = 160
    let flow = try input.perform(request).flow
    #expect(flow.size == PixelSize(width: 321, height: 203))
    #expect(Self.meanError(flow, scene.flow(from: 4), inset: 16) < 0.2)
  }

  @Test func aLimitAboveTheSizeChangesNothing() throws {
    let (_, input) = try Self.pair(.pan)
    var request = OpticalFlowRequest()
    let plain = try input.perform(request).flow
    request.maximumDimension = 240
    #expect(try input.perform(request).flow.u == plain.u)
  }

  /// A square of 12×12 moves 5 pixels to the right over a still background: the strip that it covers is hidden.
  @Test func coveredPixelsAreOccludedAndNoOthers() {
    func inside(_ x: Int, _ y: Int) -> Bool { (10..<22).contains(x) && (8..<20).contains(y) }
    let forward = FlowField(width: 48, height: 32) { x, y in (inside(x, y) ? 5 : 0, 0) }
    let backward = FlowField(width: 48, height: 32) { x, y in (inside(x - 5, y) ? -5 : 0, 0) }
    let check = ForwardBackwardConsistency(of: forward, against: backward, parallelism: .serial)
    for y in 0..<32 {
      for x in 0..<48 {
        let isCovered = inside(x - 5, y) && !inside(x, y)
        #expect((check.occlusion[x, y] != 0) == isCovered)
        #expect(isCovered ? check.confidence[x, y] < 0.1 : check.confidence[x, y] == 1)
      }
    }
  }

  @Test func vectorsThatLeaveTheImageHaveNoConfidence() {
    let forward = FlowField(width: 20, height: 4) { _, _ in (3, 0) }
    let backward = FlowField(width: 20, height: 4) { _, _ in (-3, 0) }
    let check = ForwardBackwardConsistency(of: forward, against: backward, parallelism: .serial)
    for x in 0..<20 { #expect(check.confidence[x, 1] == (x + 3 <= 19 ? 1 : 0)) }
  }

  @Test func occlusionIsConfidenceUpToOneHalf() throws {
    let (_, input) = try Self.pair(.objects, motion: 5)
    let observation = try input.perform(OpticalFlowRequest(direction: .both))
    let occlusion = try #require(observation.occlusion)
    let confidence = try #require(observation.confidence)
    for y in 0..<occlusion.height {
      for x in 0..<occlusion.width { #expect((confidence[x, y] <= 0.5) == (occlusion[x, y] != 0)) }
    }
  }

  @Test func contradictedVectorsAreUnknownWhenAsked() throws {
    let (_, input) = try Self.pair(.objects)
    var request = OpticalFlowRequest(direction: .both)
    let plain = try input.perform(request)
    request.marksInconsistentAsUnknown = true
    let marked = try input.perform(request)
    let occlusion = try #require(marked.occlusion)
    for y in 0..<marked.flow.height {
      for x in 0..<marked.flow.width {
        #expect(marked.flow.isKnown(x: x, y: y) == (occlusion[x, y] == 0))
        if occlusion[x, y] == 0 { #expect(marked.flow[x, y] == plain.flow[x, y]) }
      }
    }
  }

  @Test func zeroMotionIsFullyConfident() throws {
    let scene = try Scene(SceneParameters(name: .still, size: PixelSize(width: 64, height: 48)))
    let image = scene.luma(0)
    let observation = try OpticalFlowInput(previous: image, current: image)
      .perform(OpticalFlowRequest(direction: .both))
    let confidence = try #require(observation.confidence)
    for y in 0..<48 { for x in 0..<64 { #expect(confidence[x, y] == 1) } }
  }

  @Test func theHandlerOfASequenceGivesTheSameBits() throws {
    let scene = try Scene(SceneParameters(name: .objectsPan, size: PixelSize(width: 120, height: 90), frameCount: 5))
    var request = OpticalFlowRequest(direction: .both)
    request.regionOfInterest = NormalizedRect(x: 0.1, y: 0.2, width: 0.7, height: 0.6)
    request.maximumDimension = 64
    let handler = SequenceRequestHandler()
    _ = try handler.perform(request, on: scene.luma(0))
    for t in 1..<5 {
      let sequence = try #require(try handler.perform(request, on: scene.luma(t)))
      let pair = try OpticalFlowInput(previous: scene.luma(t - 1), current: scene.luma(t)).perform(request)
      #expect(sequence.flow.u.bits == pair.flow.u.bits)
      #expect(sequence.flow.v.bits == pair.flow.v.bits)
      #expect(sequence.confidence?.bits == pair.confidence?.bits)
    }
  }

  @Test(arguments: [
    NormalizedRect(x: -0.1, y: 0, width: 0.5, height: 0.5), NormalizedRect(x: 0.6, y: 0, width: 0.5, height: 0.5),
    NormalizedRect(x: 0, y: 0, width: 0, height: 1), NormalizedRect(x: .nan, y: 0, width: 1, height: 1),
  ])
  func aRegionBeyondTheImageIsRefused(rect: NormalizedRect) throws {
    let (_, input) = try Self.pair(.still, width: 32, height: 32)
    var request = OpticalFlowRequest()
    request.regionOfInterest = rect
    #expect(throws: AnalysisError.self) { try input.perform(request) }
  }
}
