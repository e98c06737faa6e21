/// What the rules of events came to for one frame.
public struct EventJudgement: Sendable, Hashable {
  /// A zone's score against the limits at which an event begins and goes on.
  public struct Zone: Sendable, Hashable {
    /// Whether the score lets an event begin.
    public var begins: Verdict
    /// Whether it keeps one going.
    public var goesOn: Verdict
  }

  /// The frame.
  public var place: FramePlace
  /// What kind of frame it is.
  public var state: FrameState
  /// Whether so much of the picture became brighter or darker that it is listed as suppressed.
  public var lighting: Verdict
  /// In the order of ``ZoneSet/measuredNames``.
  public var zones: [Zone]
  /// Of the motion that was going on before this frame: whether the pause since is short enough.
  public var pause: Verdict?
  /// And whether its event may still go on.
  public var length: Verdict?
  /// Of the motion that goes on with this frame: whether it is an event yet.
  public var activeFrames: Verdict?
  /// And whether it lasted long enough for one.
  public var duration: Verdict?
  /// The frame that the event of that motion begins with.
  public var start: FramePlace?
  /// The last frame that belongs to it so far.
  public var end: FramePlace?
  /// The number that the event has, or would get.
  public var number: Int?

  init(_ frame: FrameStatistics, zones: [Zone], lighting: Verdict) {
    place = FramePlace(frame: frame.frame, time: frame.time)
    state = frame.state
    self.lighting = lighting
    self.zones = zones
  }

  /// Whether motion goes on with this frame that is an event already.
  public var isCertain: Bool { activeFrames?.holds == true && duration?.holds == true }
}
