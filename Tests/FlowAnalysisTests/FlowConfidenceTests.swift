import FlowAnalysis
import Imaging
import OpticalFlow
import TestSupport
import Testing

/// A textured square that moves over textured ground: what is hidden, what leads out and what is smooth is not trusted.
@Suite struct FlowConfidenceTests {
  private static let size = PixelSize(width: 240, height: 180)
  private static let (shiftX, shiftY) = (10, -4)
  private static let square = (x: 70..<150, y: 60..<130)
  private static let ground = Texture(seed: 11)
  private static let object = Texture(seed: 12)

  private static func scene(_ dx: Int, _ dy: Int) -> Plane<Float> {
    Plane(width: size.width, height: size.height) { x, y in
      square.x.contains(x - dx) && square.y.contains(y - dy)
        ? object.value(Double(x - dx), Double(y - dy)) : ground.value(Double(x), Double(y))
    }
  }
  private static let previous = scene(0, 0)
  private static let current = scene(shiftX, shiftY)

  private static func request(_ change: (inout OpticalFlowRequest) -> Void = { _ in }) -> OpticalFlowRequest {
    var request = OpticalFlowRequest()
    request.measuresConfidence = true
    change(&request)
    return request
  }

  private func observe(
    _ previous: Plane<Float> = previous, _ current: Plane<Float> = current, threads: Int = 1,
    _ change: (inout OpticalFlowRequest) -> Void = { _ in }
  ) throws -> OpticalFlowObservation {
    try ImageRequestHandler(previous, parallelism: Parallelism(threadCount: threads))
      .perform(Self.request(change), targeting: current)
  }

  private func mean(_ plane: Plane<Float>, x: Range<Int>, y: Range<Int>) -> Float {
    var sum: Float = 0
    for y in y { for x in x { sum += plane[x, y] } }
    return sum / Float(x.count * y.count)
  }

  @Test func itIsThereOnRequestOnlyAndChangesNoFlow() throws {
    let plain = try observe { $0.measuresConfidence = false }
    let measured = try observe()
    #expect(plain.confidence == nil && measured.confidence != nil && measured.occlusion == nil)
    #expect(plain.flow.bits == measured.flow.bits)
  }

  @Test func whatGetsHiddenIsNotTrustedAndTheRestIs() throws {
    let confidence = try #require(try observe().confidence)
    #expect(confidence.size == Self.size)
    #expect(confidence.bits.allSatisfy { (0...1).contains(Float(bitPattern: $0)) })
    // The ground right of the square that it moves onto.
    #expect(mean(confidence, x: 152..<158, y: 66..<120) < 0.5)
    #expect(mean(confidence, x: 80..<140, y: 70..<120) > 0.85)
    #expect(mean(confidence, x: 10..<55, y: 10..<170) > 0.9)
    #expect(mean(confidence, x: 180..<230, y: 10..<170) > 0.9)
  }

  @Test func theBackwardFlowHasItsOwn() throws {
    let confidence = try #require(try observe { $0.direction = .backward }.confidence)
    // In current, the ground left of the square was hidden in previous.
    #expect(mean(confidence, x: 72..<78, y: 66..<116) < 0.5)
    #expect(mean(confidence, x: 90..<150, y: 66..<116) > 0.85)
  }

  @Test func whatLeadsOutOfTheImageIsNotTrusted() throws {
    let texture = Self.ground
    let (previous, current) = (
      texture.image(width: 240, height: 180), texture.image(width: 240, height: 180) { ($0 + 12, $1) }
    )
    let confidence = try #require(try observe(previous, current).confidence)
    #expect(mean(confidence, x: 0..<8, y: 20..<160) < 0.02)
    #expect(mean(confidence, x: 24..<236, y: 20..<160) > 0.85)
  }

  /// An even surface fits itself everywhere: at rest it is believed, moving it is not.
  @Test func evenSurfacesAreTrustedAtRestOnly() throws {
    let even = Plane<Float>(size: Self.size, repeating: 120)
    #expect(mean(try #require(try observe(even, even).confidence), x: 0..<240, y: 0..<180) > 0.99)
    // Texture at the sides carries its motion into the even middle.
    func striped(_ shift: Int) -> Plane<Float> {
      Plane(width: 240, height: 180) { x, y in
        (100..<140).contains(x) ? 120 : Self.ground.value(Double(x - shift), Double(y))
      }
    }
    let observation = try observe(striped(0), striped(4)) { $0.algorithm = .dis(InverseSearchParameters(.medium)) }
    let confidence = try #require(observation.confidence)
    for y in stride(from: 20, to: 160, by: 4) where observation.flow[120, y].u > 2 { #expect(confidence[120, y] < 0.3) }
    #expect(mean(confidence, x: 30..<80, y: 20..<160) > 0.8)
  }

  @Test func lightThatChangesIsNoContradiction() throws {
    let brighter = Plane(width: 240, height: 180) { x, y in Self.previous[x, y] * 0.9 + 30 }
    let confidence = try #require(try observe(Self.previous, brighter).confidence)
    #expect(mean(confidence, x: 20..<220, y: 20..<160) > 0.85)
  }

  @Test func withBothDirectionsItIsTheSmallerOne() throws {
    let forward = try #require(try observe().confidence)
    let consistency = try observe {
      $0.direction = .both
      $0.measuresConfidence = false
    }
    let both = try observe { $0.direction = .both }
    #expect(both.occlusion == consistency.occlusion)
    let agreement = try #require(consistency.confidence)
    let expected = Plane(width: 240, height: 180) { x, y in min(forward[x, y], agreement[x, y]) }
    #expect(both.confidence?.bits == expected.bits)
  }

  @Test func outsideTheRegionItIsZero() throws {
    let region = NormalizedRect(x: 0.25, y: 0.5, width: 0.5, height: 0.25)
    let confidence = try #require(try observe { $0.regionOfInterest = region }.confidence)
    #expect(mean(confidence, x: 0..<56, y: 0..<180) == 0 && mean(confidence, x: 0..<240, y: 0..<84) == 0)
    #expect(mean(confidence, x: 66..<140, y: 96..<130) > 0.8)
  }

  @Test func threadsAndHandlersDoNotChangeIt() throws {
    let frames = [Self.previous, Self.current, Self.scene(2 * Self.shiftX, 2 * Self.shiftY)]
    for direction in OpticalFlowRequest.Direction.allCases {
      let request = Self.request { $0.direction = direction }
      let expected = try (1..<3).map { number in
        try observe(frames[number - 1], frames[number]) { $0.direction = direction }.confidence?.bits
      }
      for threads in [2, 3, 7] {
        #expect(
          try observe(frames[0], frames[1], threads: threads) { $0.direction = direction }.confidence?.bits
            == expected[0])
      }
      let sequence = SequenceRequestHandler(parallelism: Parallelism(threadCount: 2))
      let found = try frames.map { try sequence.perform(request, on: $0)?.confidence?.bits }
      #expect(found == [nil] + expected)
      let pairs = try FlowPairHandler(request, size: Self.size)
      let prepared = try frames.map { try pairs.prepare($0) }
      #expect(pairs.observe(previous: prepared[1], current: prepared[2]).confidence?.bits == expected[1])
      #expect(pairs.observe(previous: prepared[0], current: prepared[1]).confidence?.bits == expected[0])
    }
  }

  /// A request without confidence, which shares the engine, has seen the frame before.
  @Test func requestsWithAndWithoutItShareFrames() throws {
    let sequence = SequenceRequestHandler()
    _ = try sequence.perform(Self.request { $0.measuresConfidence = false }, on: Self.previous)
    let found = try sequence.perform(Self.request(), on: Self.current)
    #expect(try found?.confidence?.bits == observe().confidence?.bits)
  }

  @Test(arguments: [
    PixelSize(width: 1, height: 1), PixelSize(width: 3, height: 40), PixelSize(width: 40, height: 2),
    PixelSize(width: 63, height: 33), PixelSize(width: 31, height: 31), PixelSize(width: 1001, height: 37),
  ])
  func anySizeHasOne(size: PixelSize) throws {
    let (previous, current) = (
      Self.ground.image(width: size.width, height: size.height),
      Self.ground.image(width: size.width, height: size.height) { ($0 + 0.5, $1) }
    )
    let confidence = try #require(try observe(previous, current).confidence)
    #expect(confidence.size == size)
    #expect(confidence.bits.allSatisfy { (0...1).contains(Float(bitPattern: $0)) })
  }
}
