import FlowAnalysis
import Imaging
import TestSupport
import Testing

/// Tests that what stands out by its motion is followed, without a detector.
@Suite struct SaliencyTrackingTests {
  private static let size = PixelSize(width: 240, height: 180)
  private static let side = 40.0

  /// A square that goes 4 px right and 2 px down a frame before a ground that the camera moves 1 px left.
  private static func frame(_ t: Int) -> Plane<Float> {
    let (ground, figure) = (Texture(seed: 11), Texture(seed: 23))
    let corner = corner(t)
    return Plane(width: size.width, height: size.height) { x, y in
      let (dx, dy) = (Double(x) - corner.x, Double(y) - corner.y)
      if dx >= 0, dy >= 0, dx < side, dy < side { return figure.value(dx, dy) }
      return ground.value(Double(x + t), Double(y))
    }
  }

  private static func corner(_ t: Int) -> SIMD2<Double> { SIMD2(40 + 4 * Double(t), 50 + 2 * Double(t)) }

  @Test func theBoxesGoStraightIntoATracker() throws {
    var tracker = MotionTracker(size: Self.size)
    let handler = SequenceRequestHandler()
    var last = FrameTimestamp(frame: 0, time: MediaTime(value: 0, timeBase: Rational(1, 25)))
    for t in 0..<14 {
      let timestamp = FrameTimestamp(frame: t, time: MediaTime(value: Int64(t), timeBase: Rational(1, 25)))
      let image = Self.frame(t)
      let found = try handler.perform(
        GenerateMotionSaliencyRequest(), OpticalFlowRequest(direction: .both), on: image, at: timestamp.time)
      if case (let saliency?, let motion?) = found {
        try tracker.associate(saliency, at: last)
        try tracker.advance(
          by: PairMotion(forward: motion.flow, backward: motion.backwardFlow), to: timestamp, image: image)
      } else {
        tracker.image = image
      }
      last = timestamp
    }
    #expect(tracker.tracks.count == 1)
    let position = try #require(tracker.activeTracks.first?.positions.last)
    let truth = BoundingBox(x: Self.corner(13).x, y: Self.corner(13).y, width: Self.side, height: Self.side)
    #expect(position.frame == 13 && position.box.intersectionOverUnion(truth) > 0.6, "\(position.box)")
  }

  @Test func boxesLieInPixels() throws {
    let found = try ImageRequestHandler(Self.frame(0)).perform(
      GenerateMotionSaliencyRequest(), targeting: Self.frame(1))
    let (box, object) = (try #require(found.boundingBoxes.first), try #require(found.salientObjects.first))
    #expect(box == BoundingBox(object.boundingBox, in: Self.size) && found.boundingBoxes.count == 1)
    let truth = BoundingBox(x: 40, y: 50, width: Self.side, height: Self.side)
    #expect(box.intersectionOverUnion(truth) > 0.5, "\(box)")
  }

  @Test func anotherSizeIsRefused() throws {
    let found = try ImageRequestHandler(Self.frame(0)).perform(
      GenerateMotionSaliencyRequest(), targeting: Self.frame(1))
    var tracker = MotionTracker(size: PixelSize(width: 241, height: 180))
    let timestamp = FrameTimestamp(frame: 0, time: MediaTime(value: 0, timeBase: Rational(1, 25)))
    let error = thrown(AnalysisError.self) { try tracker.associate(found, at: timestamp) }
    #expect(error?.code == .sizeMismatch && tracker.tracks.isEmpty)
  }
}
