import Foundation
import MotionDetection

extension MotionEvent {
  /// The length of the mean motion, in pixels per frame.
  var speed: Double { (u * u + v * v).squareRoot() }

  /// The direction of the mean motion in degrees; 0 is to the right, 90 down.
  var directionDegrees: Double { atan2(v, u) * 180 / .pi }

  /// The direction of the mean motion in words; nil when it has none to speak of: what moves to and fro, or all around.
  package var directionName: String? { speed > 0.05 ? Self.words(directionDegrees) : nil }

  /// Returns the words for a direction in degrees, in eight steps.
  static func words(_ degrees: Double) -> String {
    let names = ["right", "down right", "down", "down left", "left", "up left", "up", "up right"]
    let turn = (Int((degrees / 45).rounded()) % 8 + 8) % 8
    return names[turn]
  }
}
