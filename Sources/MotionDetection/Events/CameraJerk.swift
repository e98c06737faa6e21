/// The last motion of a camera that stood before it. In a quick pan or a knock images are blurred and little is known
/// of the way, and what seems to travel with it and no longer is the view; so is what travels before it is known that
/// a camera begins to turn. Used by one thread. The constants were chosen on two of three seeds of drawn scenes.
struct CameraJerk: Sendable {
  /// The time of the first and of the last frame of the camera's motion, in seconds.
  private var motion: (start: Double, end: Double)?
  /// The time since when the camera stood before that motion, and the time of the last frame in which it moved, or of
  /// the first frame, in seconds.
  private var (stoodSince, lastMotion): (Double?, Double?)

  /// The minimum time for which the camera stands before a jerk, in seconds.
  private static let standTime = 1.0
  /// The maximum time of a jerk, in seconds; one that lasts longer is a pan in which things may be seen to move.
  private static let maximumTime = 1.5
  /// The maximum time between two frames of one motion of the camera, in seconds.
  private static let pause = 0.5
  /// The minimum time for which what travels must do so before or after a jerk, in seconds.
  private static let minimumTimeBeyond = 0.5
  /// The moving part of the image from which on the camera may have begun to turn, in percent: it is known to move only
  /// when most of the texture does. Where pans begin it is 4.4 to 18 on the drawn scenes.
  private static let onsetArea = 4.0
  /// The time in which a camera that begins to turn is known to move, in seconds, and for how long what travels must do
  /// so after that: motion is held for half of it.
  private static let (onsetTime, minimumTimeAfterOnset) = (1.2, 0.4)

  /// Takes the state of the next frame.
  mutating func note(_ state: FrameState, seconds: Double) {
    if state == .cut || state == .gap { self = CameraJerk() }
    guard state == .cameraMoving else {
      lastMotion = lastMotion ?? seconds
      return
    }
    if let motion, seconds - motion.end <= Self.pause {
      self.motion = (motion.start, seconds)
    } else {
      (motion, stoodSince) = ((seconds, seconds), lastMotion)
    }
    lastMotion = seconds
  }

  /// Returns whether the camera still moves, so that it may prove to be more than a jerk.
  func goesOn(at seconds: Double) -> Bool { motion.map { seconds - $0.end <= Self.pause } ?? false }

  /// Returns the result of the rule that what travels does so before or after the jerk as well; nil where there is none
  /// close to it.
  /// - Parameters:
  ///   - start: The time at which something began to travel, in seconds.
  ///   - end: The time at which it was last seen to, in seconds.
  func ruleResult(from start: Double, to end: Double) -> RuleResult? {
    guard let motion, let stoodSince, motion.start - stoodSince >= Self.standTime,
      motion.end - motion.start <= Self.maximumTime, motion.start <= end + Self.pause,
      start <= motion.end + Self.pause
    else { return nil }
    return RuleResult(.beyondJerk, max(0, motion.start - start, end - motion.end), limit: Self.minimumTimeBeyond)
  }

  /// Returns the result of the rule that what travels is not the view of a camera that began to turn, and does so after
  /// that was known; nil where none did, or too little moves.
  /// - Parameters:
  ///   - start: The time at which something began to travel, in seconds.
  ///   - end: The time at which it was last seen to, in seconds.
  ///   - area: The maximum moving part of the image, in percent.
  func onsetResult(from start: Double, to end: Double, area: Double) -> RuleResult? {
    guard area >= Self.onsetArea, let motion, let stoodSince, motion.start - stoodSince >= Self.standTime,
      start <= motion.start, motion.start <= end + Self.pause
    else { return nil }
    return RuleResult(.beyondOnset, end - motion.start, limit: Self.minimumTimeAfterOnset)
  }

  /// Returns whether so much travels for so short a time that the camera may prove to have begun to turn.
  static func mayBeOnset(from start: Double, to end: Double, area: Double) -> Bool {
    area >= onsetArea && end - start < onsetTime
  }
}
