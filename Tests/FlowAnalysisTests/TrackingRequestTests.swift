import FlowAnalysis
import Imaging
import TestSupport
import Testing

/// Requests that remember the frames before.
@Suite struct TrackingRequestTests {
  private let size = PixelSize(width: 320, height: 240)

  /// A textured disc before a textured ground.
  private func image(_ center: SIMD2<Double>, radius: Double = 20) -> Plane<Float> {
    let (ground, disc) = (Texture(seed: 31), Texture(seed: 32))
    return Plane(width: size.width, height: size.height) { x, y in
      let (dx, dy) = (Double(x) - center.x, Double(y) - center.y)
      let inside = Float(max(0, min(1, radius + 0.5 - (dx * dx + dy * dy).squareRoot())))
      let below = ground.value(Double(x), Double(y))
      return inside > 0 ? below + inside * (disc.value(dx + 500, dy + 500) - below) : below
    }
  }

  private func time(_ t: Int) -> MediaTime { MediaTime(value: Int64(t), timeBase: Rational(1, 25)) }

  private func box(_ center: SIMD2<Double>) -> BoundingBox { BoundingBox(center: center, width: 41, height: 41) }

  @Test func anObjectIsFollowedUntilItLeaves() throws {
    let center = { (t: Int) in SIMD2(60 + 6 * Double(t), 120) }
    let request = try TrackObjectRequest(boundingBox: box(center(0)))
    var seen = 0
    for t in 0..<60 {
      guard let object = try request.perform(on: image(center(t)), at: time(t)) else { break }
      #expect(object.time == time(t))
      if t < 40 { #expect(object.boundingBox.intersectionOverUnion(box(center(t))) > 0.6, "frame \(t)") }
      seen += 1
    }
    // Its middle passes the border in frame 43.
    #expect((40..<52).contains(seen) && request.loss != nil, "\(seen)")
    #expect(try request.perform(on: image(center(60))) == nil)
    let empty = BoundingBox(x: 0, y: 0, width: 0, height: 5)
    #expect(throws: AnalysisError.self) { try TrackObjectRequest(boundingBox: empty) }
  }

  @Test func anotherSizeIsRefusedAndChangesNothing() throws {
    let request = try TrackObjectRequest(boundingBox: box([100, 120]))
    _ = try request.perform(on: image([100, 120]))
    #expect(throws: AnalysisError.self) { try request.perform(on: Plane<Float>(width: 100, height: 100)) }
    let object = try #require(try request.perform(on: image([103, 121])))
    #expect(object.boundingBox.intersectionOverUnion(box([103, 121])) > 0.85 && object.time.seconds == 1)
  }

  /// 0.25 pixels per frame per frame at 25 frames per second.
  @Test func aThrowIsATrajectory() throws {
    let center = { (t: Int) in SIMD2(40 + 6 * Double(t), 190 - 6.5 * Double(t) + 0.125 * Double(t * t)) }
    var bounds = ParabolicTrajectory.Parameters()
    bounds.trajectoryLength = 12
    let request = try DetectTrajectoriesRequest(parameters: bounds)
    bounds.maximumSize = 15
    let narrow = try DetectTrajectoriesRequest(parameters: bounds)
    var first: Int?
    var last: [TrajectoryObservation] = []
    for t in 0..<40 {
      last = try request.perform(on: image(center(t)), at: time(t))
      if first == nil, !last.isEmpty { first = t }
      #expect(try narrow.perform(on: image(center(t)), at: time(t)).isEmpty)
    }
    #expect(try #require(first) >= 12 && first! < 25)
    let throwing = try #require(last.max { $0.detectedPoints.count < $1.detectedPoints.count })
    let gravity = 0.25 * 25 * 25
    #expect(abs(throwing.trajectory.acceleration.y / gravity - 1) < 0.15, "\(throwing.trajectory)")
    #expect(abs(throwing.trajectory.velocity.x / 150 - 1) < 0.1)
    #expect(throwing.end == time(39) && throwing.projectedPoints.count == throwing.detectedPoints.count)
    #expect(throwing.confidence > 0.5)
    #expect(throws: AnalysisError.self) { try request.perform(on: image(center(40))) }
  }
}
