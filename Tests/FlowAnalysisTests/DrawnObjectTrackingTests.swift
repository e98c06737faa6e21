import FlowAnalysis
import Imaging
import TestSupport
import Testing

/// A textured disc that goes its way before a textured ground, and behind a wall.
@Suite struct DrawnObjectTrackingTests {
  private struct Stage {
    var size = PixelSize(width: 320, height: 240)
    var radius = 16.0
    /// Columns that hide the disc.
    var wall: Range<Int> = 0..<0
    var center: (Double) -> SIMD2<Double>

    private let ground = Texture(seed: 31)
    private let disc = Texture(seed: 32)
    private let front = Texture(seed: 33)

    init(wall: Range<Int> = 0..<0, center: @escaping (Double) -> SIMD2<Double>) {
      self.wall = wall
      self.center = center
    }

    func image(_ t: Int) -> Plane<Float> {
      let center = center(Double(t))
      return Plane(width: size.width, height: size.height) { x, y in
        if wall.contains(x) { return front.value(Double(x), Double(y)) }
        let (dx, dy) = (Double(x) - center.x, Double(y) - center.y)
        let inside = Float(max(0, min(1, radius + 0.5 - (dx * dx + dy * dy).squareRoot())))
        let below = ground.value(Double(x), Double(y))
        return inside > 0 ? below + inside * (disc.value(dx + 500, dy + 500) - below) : below
      }
    }

    func box(_ t: Int) -> BoundingBox {
      BoundingBox(center: center(Double(t)), width: 2 * radius + 1, height: 2 * radius + 1)
    }
  }

  private func track(
    _ stage: Stage, frames: Int, parameters: MotionTracker.Parameters = .init()
  ) throws -> MotionTrack {
    var tracker = MotionTracker(size: stage.size, parameters: parameters)
    let handler = SequenceRequestHandler()
    let request = OpticalFlowRequest(computationAccuracy: .medium, direction: .both)
    for t in 0..<frames {
      let timestamp = FrameTimestamp(frame: t, time: MediaTime(value: Int64(t), timeBase: Rational(1, 25)))
      let image = stage.image(t)
      if let seen = try handler.perform(request, on: image) {
        try tracker.advance(
          by: PairMotion(forward: seen.flow, backward: seen.backwardFlow), to: timestamp, image: image)
      } else {
        tracker.image = image
        try tracker.add(box: stage.box(0), at: timestamp)
      }
    }
    return try #require(tracker.tracks.first)
  }

  /// 0.2 pixels per frame per frame at 25 frames per second.
  @Test func gravityIsReadFromAThrow() throws {
    let gravity = 0.2 * 25 * 25
    var stage = Stage { t in SIMD2(40 + 3 * t, 190 - 4.2 * t + 0.1 * t * t) }
    stage.radius = 22
    let track = try track(stage, frames: 40)
    #expect(track.loss == nil && track.positions.count == 40)
    let parabola = try #require(track.parabola)
    #expect(abs(parabola.acceleration.y / gravity - 1) < 0.05, "\(parabola.acceleration)")
    #expect(abs(parabola.acceleration.x) < 0.05 * gravity)
    #expect(abs(parabola.velocity.x / (3 * 25) - 1) < 0.05)
    // y = 190 − 4.2·(x − 40)/3 + 0.1·((x − 40)/3)²
    let equation = try #require(parabola.equationCoefficients)
    #expect(abs(equation.x / (0.1 / 9) - 1) < 0.05)
    for (t, position) in track.positions.enumerated() {
      #expect(stage.box(t).intersectionOverUnion(position.box) > 0.7, "frame \(t)")
    }
  }

  @Test func whatGoesBehindAWallIsLost() throws {
    let stage = Stage(wall: 180..<320) { t in SIMD2(60 + 4 * t, 120) }
    var parameters = MotionTracker.Parameters()
    parameters.boxPatience = 0.4
    let track = try track(stage, frames: 60, parameters: parameters)
    #expect(track.loss == .notFound)
    // Its middle passes the wall's edge in frame 30, all of it in frame 34.
    let end = try #require(track.positions.last)
    #expect((27...36).contains(end.frame), "\(end)")
    #expect(stage.box(end.frame).intersectionOverUnion(end.box) > 0.5)
  }

  @Test func whatIsHiddenForAMomentIsFoundAgain() throws {
    let stage = Stage(wall: 150..<162) { t in SIMD2(60 + 4 * t, 120) }
    let track = try track(stage, frames: 40)
    #expect(track.loss == nil)
    // All of it is past the post in frame 30.
    let end = try #require(track.positions.last)
    #expect(end.frame == 39 && end.confidence > 0.3)
    #expect(stage.box(39).intersectionOverUnion(end.box) > 0.6, "\(end) for \(stage.box(39))")
  }

  @Test func whatLeavesTheImageIsLost() throws {
    let stage = Stage { t in SIMD2(200 + 5 * t, 120) }
    let track = try track(stage, frames: 40)
    #expect(track.loss == .leftImage)
    #expect((22...28).contains(try #require(track.positions.last?.frame)))
  }
}
