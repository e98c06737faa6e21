import FlowAnalysis
import Imaging
import SceneSynthesis
import Testing

@Suite struct MotionContoursTests {
  /// A square of motion (3, 4) px in a still image.
  private func field(unknown: (Int, Int) -> Bool = { _, _ in false }) -> FlowField {
    FlowField(width: 40, height: 30) { x, y in
      if unknown(x, y) { return (.nan, .nan) }
      return (10..<20).contains(x) && (5..<21).contains(y) ? (3, 4) : (0, 0)
    }
  }

  @Test func theOutlineLiesWhereTheSpeedPassesTheThreshold() {
    // From 5 px to 0 within a pixel: 4 px are passed a fifth of a pixel from the last moving centre.
    let box = field().motionContours(threshold: 4).topLevelContours.map(\.boundingBox)
    #expect(box.count == 1)
    #expect(abs(box[0].x - (10 - 0.2 + 0.5)) < 1e-6 && abs(box[0].width - 9.4) < 1e-6)
    #expect(abs(box[0].y - (5 - 0.2 + 0.5)) < 1e-6 && abs(box[0].height - 15.4) < 1e-6)
    #expect(field().motionContours(threshold: 5).contourCount == 0)
  }

  @Test func unknownVectorsDoNotMove() {
    let hole = field { x, y in x == 14 && y == 9 }.motionContours(threshold: 1)
    #expect(hole.contourCount == 2 && hole.contours[1].isHole)
    #expect(field { _, _ in true }.motionContours(threshold: 0).contourCount == 0)
    #expect(field { x, _ in x >= 10 }.motionContours(threshold: 1).contourCount == 0)
  }

  @Test func masksHoldTheMovingPixels() {
    let mask = field { x, y in x == 14 && y == 9 }.motionMask(threshold: 1)
    let found = ContourHierarchy(mask: mask)
    #expect(found.topLevelContours.map(\.regionArea) == [159])
    #expect(
      FlowField(width: 8, height: 6) { _, _ in (1, 0) }.motionMask(threshold: 0.5)
        == Plane(size: PixelSize(width: 8, height: 6), repeating: 255))
  }

  @Test func threadsDoNotChangeContours() throws {
    let scene = try Scene(SceneParameters(name: .objects, size: PixelSize(width: 320, height: 180), frameCount: 3))
    let flow = scene.flow(from: 0)
    let expected = flow.motionContours(threshold: 0.5, parallelism: .serial)
    #expect(expected.contourCount > 4)
    for threads in [2, 3, 7] {
      #expect(flow.motionContours(threshold: 0.5, parallelism: Parallelism(threadCount: threads)) == expected)
    }
  }

  /// Every object of a scene is found with its holes once the camera's motion is taken out.
  @Test func objectsBeforeAMovingBackgroundAreOutlined() throws {
    let scene = try Scene(SceneParameters(name: .objectsPan, size: PixelSize(width: 640, height: 360), frameCount: 2))
    var flow = scene.flow(from: 0)
    #expect(flow.motionContours(threshold: 0.4, minimumArea: 100).topLevelContours.count == 1)
    flow.subtract(motionOf: scene.homography(0))
    let found = flow.motionContours(threshold: 0.4, minimumArea: 100)
    let boxes = scene.events().compactMap { event in event.boxes.first { $0.frame == 0 } }
    #expect(boxes.count == 5)
    for box in boxes {
      let truth = BoundingBox(x: Double(box.x), y: Double(box.y), width: Double(box.width), height: Double(box.height))
      #expect(found.topLevelContours.contains { truth.intersection($0.boundingBox).area > 0.9 * truth.area })
    }
  }
}
