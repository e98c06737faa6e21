import FlowAnalysis
import Imaging
import TestSupport
import Testing

@Suite struct MotionSaliencyTests {
  private static let size = PixelSize(width: 240, height: 180)

  /// A square of another texture over a background; both move.
  private static func frame(
    background: (x: Double, y: Double), squares: [(x: Double, y: Double, side: Double)], seed: UInt64 = 1
  ) -> Plane<Float> {
    let (ground, figure) = (Texture(seed: 11), Texture(seed: 23))
    return Plane(width: size.width, height: size.height) { x, y in
      for square in squares {
        let (dx, dy) = (Double(x) - square.x, Double(y) - square.y)
        if dx >= 0, dy >= 0, dx < square.side, dy < square.side { return figure.value(dx, dy) }
      }
      return ground.value(Double(x) - background.x, Double(y) - background.y)
    }
  }

  private static func observe(
    camera: (x: Double, y: Double), square: (x: Double, y: Double), threads: Int = 2
  ) throws -> MotionSaliencyObservation {
    let (x, y) = (120.0, 70.0)
    let first = frame(background: (0, 0), squares: [(x, y, 40)])
    let second = frame(background: camera, squares: [(x + camera.x + square.x, y + camera.y + square.y, 40)])
    return try ImageRequestHandler(first, parallelism: Parallelism(threadCount: threads))
      .perform(GenerateMotionSaliencyRequest(), targeting: second)
  }

  @Test(arguments: [(0.0, 0.0), (5, -3), (-9, 6)])
  func whatMovesAgainstTheCameraIsBoxed(x: Double, y: Double) throws {
    let found = try Self.observe(camera: (x, y), square: (4, 3))
    #expect(found.salientObjects.count == 1)
    let object = try #require(found.salientObjects.first)
    // The square lies at 120, 70 and is 40 wide.
    let (box, width, height) = (object.boundingBox, 240.0, 180.0)
    #expect(abs(box.x * width - 120) < 13 && abs(box.y * height - 70) < 13)
    #expect(abs((box.x + box.width) * width - 160) < 13 && abs((box.y + box.height) * height - 110) < 13)
    #expect(abs(object.motion.x - 4) < 1 && abs(object.motion.y - 3) < 1)
    #expect(object.confidence >= 0.5 && object.confidence <= 1)
    #expect(found.heat(at: NormalizedPoint(x: 140 / width, y: 90 / height)) > 0.7)
    #expect(found.heat(at: NormalizedPoint(x: 0.2, y: 0.8)) < 0.2)
    #expect(abs(found.camera.warpTransform.apply(x: 0, y: 0).x + x) < 0.3)
  }

  @Test(arguments: [(0.0, 0.0), (6, 2)])
  func aSceneThatMovesAsAWholeHasNoObjects(x: Double, y: Double) throws {
    let (first, second) = (Self.frame(background: (0, 0), squares: []), Self.frame(background: (x, y), squares: []))
    let found = try ImageRequestHandler(first).perform(GenerateMotionSaliencyRequest(), targeting: second)
    #expect(found.salientObjects.isEmpty)
    #expect(found.heat(at: NormalizedPoint(x: 0.5, y: 0.5)) < 0.1)
  }

  /// The flow of even regions is a guess; the images do not confirm it.
  @Test func noiseOnEvenGroundIsNothing() throws {
    var random = FixedRandom(seed: 8)
    let texture = Texture(seed: 11)
    let frames = (0..<2).map { _ in
      Plane(width: Self.size.width, height: Self.size.height) { x, y in
        (x < 150 ? 90 : texture.value(Double(x), Double(y))) + Float.random(in: -4...4, using: &random)
      }
    }
    let found = try ImageRequestHandler(frames[0]).perform(GenerateMotionSaliencyRequest(), targeting: frames[1])
    #expect(found.salientObjects.isEmpty)
  }

  @Test func atMostThreeObjectsTheStrongestFirst() throws {
    let positions = [(20.0, 20.0, 30.0), (100, 20, 44), (190, 20, 24), (20, 120, 36), (120, 120, 40)]
    let first = Self.frame(background: (0, 0), squares: positions.map { (x: $0.0, y: $0.1, side: $0.2) })
    let second = Self.frame(background: (0, 0), squares: positions.map { (x: $0.0 + 4, y: $0.1 + 2, side: $0.2) })
    let found = try ImageRequestHandler(first).perform(GenerateMotionSaliencyRequest(), targeting: second)
    #expect(found.salientObjects.count == 3)
    let box = try #require(found.salientObjects.first).boundingBox
    #expect(abs(box.x * 240 - 100) < 14 && abs(box.y * 180 - 20) < 14, "the largest one")
  }

  @Test func valuesStayInRangeAndTheMapCoversTheImage() throws {
    let found = try Self.observe(camera: (3, 1), square: (6, 0))
    let full = found.fullSizeHeatMap()
    #expect(full.size == Self.size)
    for y in 0..<full.height { for x in 0..<full.width { #expect((0...1).contains(full[x, y])) } }
    #expect(full[140, 90] > 0.7)
    #expect(found.heat(at: NormalizedPoint(x: 1.2, y: 0.5)) == 0)
  }

  @Test func aSequenceFindsWhatTwoImagesDoOnAnyNumberOfThreads() throws {
    let first = Self.frame(background: (0, 0), squares: [(120, 70, 40)])
    let second = Self.frame(background: (3, 1), squares: [(128, 72, 40)])
    let pair = try ImageRequestHandler(first).perform(GenerateMotionSaliencyRequest(), targeting: second)
    for threads in [1, 2, 3, 7] {
      let handler = SequenceRequestHandler(parallelism: Parallelism(threadCount: threads))
      #expect(try handler.perform(GenerateMotionSaliencyRequest(), on: first) == nil)
      let found = try #require(try handler.perform(GenerateMotionSaliencyRequest(), on: second))
      #expect(found.heatMap.bits == pair.heatMap.bits && found.salientObjects == pair.salientObjects)
    }
  }
}
