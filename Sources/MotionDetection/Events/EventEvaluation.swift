import Imaging

/// What the rules of events came to for one frame.
public struct EventEvaluation: Sendable, Hashable {
  /// A zone's score against the limits at which an event begins and goes on.
  public struct Zone: Sendable, Hashable {
    /// Whether the score lets an event begin.
    public var begins: RuleResult
    /// Whether it keeps one going.
    public var goesOn: RuleResult
  }

  /// The frame.
  public var timestamp: FrameTimestamp
  /// What kind of frame it is.
  public var state: FrameState
  /// Whether so much of the image became brighter or darker that it is listed as suppressed.
  public var lighting: RuleResult
  /// In the order of ``ZoneSet/measuredNames``.
  public var zones: [Zone]
  /// Of the motion that was going on before this frame: whether the pause since is short enough.
  public var pause: RuleResult?
  /// And whether its event may still go on.
  public var length: RuleResult?
  /// Of the motion that goes on with this frame: whether it is an event yet.
  public var activeFrames: RuleResult?
  /// And whether it lasted long enough for one.
  public var duration: RuleResult?
  /// The frame that the event of that motion begins with.
  public var start: FrameTimestamp?
  /// The last frame that belongs to it so far.
  public var end: FrameTimestamp?
  /// The number that the event has, or would get.
  public var number: Int?

  init(_ frame: FrameStatistics, zones: [Zone], lighting: RuleResult) {
    timestamp = FrameTimestamp(frame: frame.frame, time: frame.time)
    state = frame.state
    self.lighting = lighting
    self.zones = zones
  }

  /// Whether motion goes on with this frame that is an event already.
  public var isCertain: Bool { activeFrames?.isSatisfied == true && duration?.isSatisfied == true }
}
