import Imaging

/// The explanation of why a detection decided as it did for one frame: what each rule came to when it was asked.
public struct DetectionExplanation: Sendable {
  /// The results that only the video tells, not statistics.
  public struct RuleResults: Sendable, Hashable {
    /// The rules for the image as a whole, in the order in which they were asked.
    public var image: [RuleResult]
    /// The rules for cells and points; nil where no pair of images was looked at: the first frame, or after a gap.
    public var motion: MotionObservation.Explanation?
    /// The rules for cells and points, asked of what is too dim or too slow to be seen from frame to frame.
    public var temporalAverages: [TemporalAverageResults] = []
    /// The rules of each zone.
    public var zones: [[RuleTally]]
  }

  /// The results of the rules for cells and points between two means of several frames each.
  public struct TemporalAverageResults: Sendable, Hashable {
    /// The minimum number of frames in each mean.
    public var frames: Int
    /// The number of seconds by which the comparison precedes the frame; what it found holds until the next one.
    public var secondsBefore: Double
    /// The rules for cells and points.
    public var motion: MotionObservation.Explanation
  }

  /// The outcome for the frame.
  public enum Outcome: Sendable {
    /// The frame is part of an event that is over.
    case event(MotionEvent)
    /// The frame is part of an event that goes on; its number and its first frame.
    case ongoing(number: Int, start: FrameTimestamp)
    /// There was motion that made no event in the end, and the rules that it did not satisfy then.
    case dropped(start: FrameTimestamp, failures: [RuleResult])
    /// The frame has no motion that reached a threshold.
    case nothing
  }

  /// The statistics that were measured in the frame.
  public var frame: FrameStatistics
  /// The names of the measured zones.
  public var zoneNames: [String]
  /// The results of the rules of events.
  public var evaluation: EventEvaluation
  /// The results that only the video tells; nil when only statistics were at hand.
  public var ruleResults: RuleResults?
  /// The outcome for the frame, found by looking on after it.
  public var outcome = Outcome.nothing

  package init(frame: FrameStatistics, zoneNames: [String], evaluation: EventEvaluation, ruleResults: RuleResults?) {
    self.frame = frame
    self.zoneNames = zoneNames
    self.evaluation = evaluation
    self.ruleResults = ruleResults
  }
}
