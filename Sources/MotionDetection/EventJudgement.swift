/// What the rules of events came to for one frame.
public struct EventJudgement: Sendable, Hashable {
  /// A zone's score against the limits at which an event begins and goes on.
  public struct Zone: Sendable, Hashable {
    public var begins: Verdict
    public var goesOn: Verdict
  }

  public var place: FramePlace
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
  public var duration: Verdict?
  /// The number that the event of that motion has or would get, and the frame that it begins with.
  public var start: FramePlace?
  /// The last frame that belongs to it so far.
  public var end: FramePlace?
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
