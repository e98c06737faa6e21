import Foundation
import Imaging
import MotionDetection
import Testing

/// Tests that all that is found can be stored and sent.
@Suite struct CodableTests {
  private func expectRoundTrip<Value: Codable & Equatable>(_ value: Value) throws {
    #expect(try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value)) == value)
  }

  @Test func eventsAndStatisticsSurviveJSON() throws {
    let time = MediaTime(value: 7, timeBase: Rational(1, 25))
    let frame = FrameTimestamp(frame: 7, time: time)
    try expectRoundTrip(frame)
    let box = MotionBox(x: 3, y: 4, width: 20, height: 10)
    try expectRoundTrip(
      FrameStatistics(
        frame: 7, time: time, state: .cameraMoving, lightShare: 0.25,
        zones: [ZoneMotion(score: 0.5, moving: 0.75, age: 3, u: 2, v: -1, boxes: [box])]))
    try expectRoundTrip(
      MotionEvent(
        number: 2, start: frame, end: frame, peak: frame, peakScore: 1.5, zones: ["gate"], boxes: [], u: 2, v: -0.5))
    try expectRoundTrip(SuppressedPeriod(start: frame, end: frame, reason: .lighting))
    try expectRoundTrip(RuleResult(.recentMotion, 0.5, limit: 0.25))
    try expectRoundTrip(BoundingBox(x: 1.5, y: 2, width: 3, height: 4))
    try expectRoundTrip(Homography.translation(x: 3, y: -2))
  }
}
