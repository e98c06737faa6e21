import Imaging
import Testing

@testable import FlowRendering

@Suite struct MotionTrailsTests {
  private static let size = PixelSize(width: 400, height: 120)

  /// A square of 24 pixels that moves by 5 pixels a frame from column 20 on.
  private func flow(_ frame: Int, step: Float = 5) -> FlowField {
    let left = 20 + Int(step) * frame
    return FlowField(width: 400, height: 120) { x, y in
      (left..<left + 24).contains(x) && (48..<72).contains(y) ? (step, 0) : (0.1, 0)
    }
  }

  private func run(
    frames: Int, rate: Double = 25, step: Float = 5, confidence: Plane<Float>? = nil
  ) -> [MotionTrail] {
    var trails = MotionTrails(size: Self.size)
    var shown: [MotionTrail] = []
    for frame in 0...frames {
      shown = trails.advance(
        at: Double(frame) / rate, flow: flow(frame, step: step), confidence: confidence, camera: .identity)
    }
    return shown
  }

  @Test func pathsFollowWhatMoves() throws {
    let shown = run(frames: 12)
    let longest = try #require(shown.max { $0.points.count < $1.points.count })
    #expect(longest.points.count == 13)
    for (a, b) in zip(longest.points, longest.points.dropFirst()) { #expect(b - a == SIMD2(5, 0)) }
    // All ends lie in the square or are left behind, and nothing began elsewhere.
    for trail in shown {
      let end = try #require(trail.points.last)
      #expect((48..<72).contains(end.y) && end.x >= 20 && end.x < 20 + 5 * 12 + 24)
    }
  }

  @Test func positionsAreForgottenAfterASecond() {
    #expect(run(frames: 60).map(\.points.count).max() == 26)
    #expect(run(frames: 60, rate: 50).map(\.points.count).max() == 51)
    #expect(run(frames: 200, rate: 1000, step: 1).map(\.points.count).max() == 120)
  }

  @Test func whatIsNotTrustedLeavesNoPath() {
    #expect(run(frames: 12, confidence: Plane(size: Self.size, repeating: 0.4)).isEmpty)
    #expect(!run(frames: 12, confidence: Plane(size: Self.size, repeating: 0.6)).isEmpty)
  }

  @Test func anotherSceneHasNoPathsYet() {
    var trails = MotionTrails(size: Self.size)
    for frame in 0..<5 {
      _ = trails.advance(at: Double(frame) / 25, flow: flow(frame), confidence: nil, camera: .identity)
    }
    trails.startScene()
    #expect(trails.advance(at: 0.2, flow: flow(5), confidence: nil, camera: .identity).isEmpty)
  }

  /// A camera that pans by 3 pixels, and the square: paths lie where the scene is now.
  @Test func pathsStayOnTheSceneThatPasses() throws {
    var trails = MotionTrails(size: Self.size)
    var shown: [MotionTrail] = []
    let camera = Homography.translation(x: 3, y: 0)
    for frame in 0...10 {
      let left = 20 + 8 * frame
      let residual = FlowField(width: 400, height: 120) { x, y in
        (left..<left + 24).contains(x) && (48..<72).contains(y) ? (5, 0) : (0, 0)
      }
      shown = trails.advance(at: Double(frame) / 25, flow: residual, confidence: nil, camera: camera)
    }
    let longest = try #require(shown.max { $0.points.count < $1.points.count })
    #expect(longest.points.count == 11)
    for (a, b) in zip(longest.points, longest.points.dropFirst()) { #expect(abs(b.x - a.x - 5) < 1e-3) }
  }

  @Test func trailsAreDrawnOverTheImage() throws {
    let size = Self.size
    let renderer = try FlowRenderer(options: RenderingOptions(), size: size, parallelism: .serial)
    let image = TestImage(size: size, format: ImageFormat(colorModel: .rgb, isFullRange: true))
    let before = image.samples(1)
    try renderer.render(
      nil, confidence: nil, trails: run(frames: 12), summary: nil, range: MotionRange(minimum: 0, maximum: 5),
      caption: nil, over: image.view)
    let after = image.samples(1)
    let changed = before.indices.filter { before[$0] != after[$0] }
    #expect(changed.count > 50)
    #expect(changed.allSatisfy { (44..<76).contains($0 / size.width) && $0 % size.width < 120 })
  }
}
