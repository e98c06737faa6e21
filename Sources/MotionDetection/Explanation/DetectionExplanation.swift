import Imaging

/// Why a detection decided as it did for one frame: what each rule came to when it was asked.
public struct DetectionExplanation: Sendable {
  /// What only the video tells, not statistics.
  public struct Survey: Sendable, Hashable {
    /// The rules for the image as a whole, in the order in which they were asked.
    public var image: [RuleResult]
    /// The rules for cells and points; nil where no pair of images was looked at: the first frame, or after a gap.
    public var motion: MotionObservation.Explanation?
    /// The same for what is too dim or too slow to be seen from frame to frame.
    public var exposures: [Exposures] = []
    /// The rules of each zone.
    public var zones: [[RuleTally]]
  }

  /// What the rules for cells and points came to between two means of several frames each.
  public struct Exposures: Sendable, Hashable {
    /// Of each mean, at least.
    public var frames: Int
    /// Seconds by which the comparison precedes the frame; what it found holds until the next one.
    public var secondsBefore: Double
    /// The rules.
    public var motion: MotionObservation.Explanation
  }

  /// What became of the frame.
  public enum Outcome: Sendable {
    /// It is part of an event that is over.
    case event(MotionEvent)
    /// It is part of an event that goes on; its number and its first frame.
    case ongoing(number: Int, start: FrameTimestamp)
    /// There was motion that made no event in the end: how it stood then.
    case dropped(start: FrameTimestamp, activeFrames: RuleResult, duration: RuleResult)
    /// No motion that reached a threshold.
    case nothing
  }

  /// What was measured in the frame.
  public var frame: FrameStatistics
  /// The names of the measured zones.
  public var zoneNames: [String]
  /// The rules of events.
  public var evaluation: EventEvaluation
  /// Nil when only statistics were at hand.
  public var survey: Survey?
  /// Found by looking on after the frame.
  public var outcome = Outcome.nothing

  package init(frame: FrameStatistics, zoneNames: [String], evaluation: EventEvaluation, survey: Survey?) {
    self.frame = frame
    self.zoneNames = zoneNames
    self.evaluation = evaluation
    self.survey = survey
  }
}
