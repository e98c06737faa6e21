import Imaging

/// The results of the rules of events for one frame.
public struct EventEvaluation: Sendable, Hashable {
  /// A zone's score against the limits at which an event begins and goes on.
  public struct Zone: Sendable, Hashable {
    /// The result that tells whether the score lets an event begin.
    public var begins: RuleResult
    /// The result that tells whether the score keeps an event going.
    public var goesOn: RuleResult
  }

  /// The frame that was judged.
  public var timestamp: FrameTimestamp
  /// The kind of the frame.
  public var state: FrameState
  /// The result that tells whether so much of the image became brighter or darker that it is listed as suppressed.
  public var lighting: RuleResult
  /// The results for the zones, in the order of ``ZoneSet/measuredNames``.
  public var zones: [Zone]
  /// The result that tells whether the pause since the motion that was going on before this frame is short enough.
  public var pause: RuleResult?
  /// The result that tells whether the event of the motion that was going on before this frame may still go on.
  public var length: RuleResult?
  /// The result that tells whether the motion that goes on with this frame has enough frames for an event.
  public var activeFrames: RuleResult?
  /// The result that tells whether the motion that goes on with this frame lasted long enough for an event.
  public var duration: RuleResult?
  /// The result that tells whether the motion that goes on with this frame got to where its flow says, or is too much
  /// for that to be asked.
  public var displacement: RuleResult?
  /// The result that tells whether one thing goes on with this frame, and not many for a moment each.
  public var persistence: RuleResult?
  /// The result that tells whether the motion that goes on with this frame is in focus, or has been seen for so long
  /// that it is no insect close to the lens.
  public var focus: RuleResult?
  /// The result that tells whether the motion that goes on with this frame does so before or after a short motion of
  /// the camera; nil where there was none.
  public var beyondJerk: RuleResult?
  /// The result that tells whether the motion that goes on with this frame is not the view of a camera that began to
  /// turn; nil where none did, too little moves, or it is an event already.
  public var beyondOnset: RuleResult?
  /// A Boolean value that tells whether so much moves since so short a time that the camera may prove to have begun to
  /// turn: until then it is no event.
  public var mayBeOnset = false
  /// The first frame of the event of the motion that goes on with this frame.
  public var start: FrameTimestamp?
  /// The last frame so far of the event of the motion that goes on with this frame.
  public var end: FrameTimestamp?
  /// The number that the event of the motion has, or would get.
  public var number: Int?

  init(_ frame: FrameStatistics, zones: [Zone], lighting: RuleResult) {
    timestamp = FrameTimestamp(frame: frame.frame, time: frame.time)
    state = frame.state
    self.lighting = lighting
    self.zones = zones
  }

  /// The results that must be satisfied for the motion that goes on with this frame to be an event; empty where none
  /// does.
  public var requirements: [RuleResult] {
    [activeFrames, duration, displacement, persistence, focus, beyondJerk, beyondOnset].compactMap(\.self)
  }

  /// A Boolean value that tells whether motion goes on with this frame that is an event already.
  public var isCertain: Bool { activeFrames != nil && !mayBeOnset && requirements.allSatisfy(\.isSatisfied) }
}
