import FlowAnalysis
import MotionDetection
import TestSupport
import Testing

@testable import Rheo

@Suite struct FlowPrefetcherTests {
  private static let scene = WatchedScene(position: { (x: 60 + 2 * Double($0), y: 70) })

  /// Frames of the scene, 320 wide or twice that, linked as the decoder links them.
  private func frames(_ count: Int, scale: Int, longestSide: (Int) -> Int) throws -> [DecodedFrame] {
    var (before, secondBefore): (PendingValue<NumberedImage>?, PendingValue<NumberedImage>?)
    return try (0..<count).map { t in
      let image = Self.scene.image(t)
      let colored = Plane<RGBA8>(width: scale * image.width, height: scale * image.height) { x, y in
        let grey = UInt8(image[x / scale, y / scale])
        return RGBA8(grey, grey, grey, 255)
      }
      let time = MediaTime(value: Int64(t), timeBase: Rational(1, 25))
      let frame = DecodedFrame(
        frame: try VideoFrame(image: colored, number: t, presentationTime: time), longestSide: longestSide(t),
        before: before, secondBefore: secondBefore)
      (before, secondBefore) = (frame.image, before)
      return frame
    }
  }

  private func prepare(
    _ frames: [DecodedFrame], threadCount: Int, expecting kind: PairFlow.Kind? = .cameraAtRest,
    isThinning: Bool = false
  ) throws -> [AnalyzedFrame] {
    let stages = StageGroup()
    let decoded = stages.add(BoundedQueue<DecodedFrame>(capacity: 4))
    let ready = stages.add(BoundedQueue<Attached<AnalyzedFrame>>(capacity: 3))
    let prediction = FlowPrediction()
    for _ in 0..<2 { prediction.note(needed: kind) }
    prediction.note(isThinning: isThinning)
    let size = try #require(frames.first).frame.size
    stages.start(.decode) { _ in
      defer { decoded.finish() }
      for frame in frames { guard decoded.push(frame) else { return } }
    }
    stages.start(.analyse, threadCount: threadCount, from: decoded, into: ready) {
      FlowPrefetcher(size: size, prediction: prediction, keepsFrames: false).prepare
    }
    var prepared: [AnalyzedFrame] = []
    try stages.runAndWait(.encode) { _ in while let frame = ready.pop() { prepared.append(frame.value) } }
    return prepared
  }

  private static func flow(
    _ engine: InverseSearchEngine, _ previous: Plane<Float>, _ current: Plane<Float>, in regions: [PixelRect]
  ) -> FlowField {
    var (first, second, workspace) = (engine.makePrepared(), engine.makePrepared(), engine.makeWorkspace())
    engine.prepare(previous, into: &first)
    engine.prepare(current, into: &second)
    return engine.flow(previous: first, current: second, in: regions, workspace: &workspace)
  }

  @Test(arguments: [(1, 1), (2, 1), (5, 1), (2, 2)], PairFlow.Kind.allCases)
  func flowAheadIsTheFlow(_ counts: (threads: Int, scale: Int), kind: PairFlow.Kind) throws {
    let prepared = try prepare(
      try frames(12, scale: counts.scale) { _ in MotionParameters.analysisSide }, threadCount: counts.threads,
      expecting: kind)
    #expect(prepared.map(\.number) == Array(0..<12))
    #expect(prepared[0].flow == nil)
    let engine = try InverseSearchEngine(parameters: FramePairAnalyzer.flowParameters(kind), parallelism: .serial)
    for (previous, frame) in zip(prepared, prepared.dropFirst()) {
      #expect(frame.image.size == WatchedScene.size)
      let flow = try #require(frame.flow)
      #expect((flow.regions == [PixelRect(whole: WatchedScene.size)]) == (kind != .cameraAtRest))
      let expected = Self.flow(engine, previous.image, frame.image, in: flow.regions)
      #expect(flow.field.u == expected.u && flow.field.v == expected.v, "frame \(frame.number)")
    }
  }

  /// Where every other frame is left out, flow leads from one of the others to the next, and nothing else is computed.
  @Test func flowSkipsTheFramesThatAreLeftOut() throws {
    let prepared = try prepare(
      try frames(8, scale: 1) { _ in MotionParameters.analysisSide }, threadCount: 2, isThinning: true)
    #expect(prepared.map(\.comparedNumber) == [nil, nil, 0, nil, 2, nil, 4, nil])
    let engine = try InverseSearchEngine(
      parameters: FramePairAnalyzer.flowParameters(.cameraAtRest), parallelism: .serial)
    for number in [2, 4, 6] {
      let flow = try #require(prepared[number].flow)
      let expected = Self.flow(engine, prepared[number - 2].image, prepared[number].image, in: flow.regions)
      #expect(flow.field.u == expected.u && flow.field.v == expected.v)
    }
  }

  @Test func flowIsExpectedWhenTwoPairsNeededTheSame() {
    let prediction = FlowPrediction()
    var expected: [PairFlow.Kind?] = []
    for kind in [.cameraAtRest, .cameraAtRest, nil, .cameraInMotion, .cameraInMotion, .cameraAtRest] as [PairFlow.Kind?]
    {
      prediction.note(needed: kind)
      expected.append(prediction.expected)
    }
    #expect(expected == [nil, .cameraAtRest, nil, nil, .cameraInMotion, nil])
  }

  @Test func noFlowIsComputedThatNobodyExpects() throws {
    let frames = try frames(4, scale: 1) { _ in MotionParameters.analysisSide }
    #expect(try prepare(frames, threadCount: 2, expecting: nil).allSatisfy { $0.flow == nil })
  }

  @Test func imagesOfDifferentSizesHaveNone() throws {
    let prepared = try prepare(try frames(6, scale: 2) { $0 < 3 ? 320 : 240 }, threadCount: 3)
    #expect(prepared.map { $0.image.width } == [320, 320, 320, 240, 240, 240])
    #expect(prepared.map { $0.flow == nil } == [true, false, false, true, false, false])
  }

  /// A frame that was dropped leaves its predecessor to the next one.
  @Test func afterADroppedFrameFlowComesFromTheOneBefore() throws {
    var frames = try frames(4, scale: 1) { _ in MotionParameters.analysisSide }
    DecodedFrame.inherit(frames[1], &frames[2])
    frames.remove(at: 1)
    let prepared = try prepare(frames, threadCount: 2)
    let engine = try InverseSearchEngine(
      parameters: FramePairAnalyzer.flowParameters(.cameraAtRest), parallelism: .serial)
    let flow = try #require(prepared[1].flow)
    let expected = Self.flow(engine, prepared[0].image, prepared[1].image, in: flow.regions)
    #expect(flow.field.u == expected.u && flow.field.v == expected.v)
  }

  /// A wrong guess changes nothing: which frames are left out, the analysis alone decides.
  @Test(arguments: [false, true]) func theDetectionFindsTheSameWithAndWithoutIt(isThinning: Bool) throws {
    let frames = try frames(30, scale: 1) { _ in MotionParameters.analysisSide }
    let prepared = try prepare(frames, threadCount: 3, isThinning: isThinning)
    func statistics(_ frames: [AnalyzedFrame]) -> [FrameStatistics] {
      let detection = SerialDetection(
        Detection(input: "scene"), size: WatchedScene.size, analyzedSize: WatchedScene.size)
      return frames.map(detection.statistics)
    }
    let without = prepared.map { AnalyzedFrame(number: $0.number, time: $0.time, image: $0.image, colors: $0.colors) }
    let found = statistics(prepared)
    #expect(found == statistics(without))
    #expect(found.contains { $0.zones[0].score > 0 })
  }
}
