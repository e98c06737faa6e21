import Imaging
import MotionDetection
import VideoIO

/// Waits for a position, keeps the results of the rules for its frame, and looks on until it is clear what becomes of
/// it. Used by one thread.
struct ExplanationWatch {
  private let position: MediaRange.Position
  private let zoneNames: [String]
  private let parameters: EventParameters
  private(set) var explanation: DetectionExplanation?
  /// A Boolean value that tells whether nothing that follows would change the explanation.
  private(set) var isSettled = false
  /// The last evaluation since the position.
  private var last: EventEvaluation?
  private var framesSince = 0

  /// - Parameter position: The first frame at or after it is explained.
  init(position: MediaRange.Position, zoneNames: [String], parameters: EventParameters) {
    self.position = position
    self.zoneNames = zoneNames
    self.parameters = parameters
  }

  /// Takes the next frame.
  /// - Parameters:
  ///   - ended: The events that are over with it.
  ///   - ruleResults: The results of the rules in the video's images; nil when they were not asked for.
  mutating func note(
    _ frame: FrameStatistics, _ evaluation: EventEvaluation, ended: [MotionEvent],
    _ ruleResults: DetectionExplanation.RuleResults?
  ) {
    if explanation == nil, position.isReached(frame: frame.frame, seconds: frame.time.seconds) {
      explanation = DetectionExplanation(
        frame: frame, zoneNames: zoneNames, evaluation: evaluation, ruleResults: ruleResults)
    } else if explanation != nil, !isSettled {
      framesSince += 1
      settle(ended)
    }
    guard let timestamp = explanation?.evaluation.timestamp, !isSettled else { return }
    settle(by: evaluation, timestamp)
    last = evaluation
  }

  /// Takes the events that the end of the video ended.
  mutating func finish(_ ended: [MotionEvent]) {
    guard let timestamp = explanation?.evaluation.timestamp, !isSettled else { return }
    settle(ended)
    if !isSettled { drop(timestamp) }
  }

  /// Settles it when one of the events contains the frame.
  private mutating func settle(_ ended: [MotionEvent]) {
    guard let timestamp = explanation?.evaluation.timestamp else { return }
    if let event = ended.first(where: { timestamp.isBetween($0.start, $0.end) }) {
      explanation?.outcome = .event(event)
      isSettled = true
    }
  }

  private mutating func settle(by evaluation: EventEvaluation, _ timestamp: FrameTimestamp) {
    if last?.start != evaluation.start { drop(timestamp) }
    guard !isSettled else { return }
    if let start = evaluation.start, start.frame <= timestamp.frame {
      guard evaluation.isCertain, let end = evaluation.end, timestamp.frame <= end.frame, let number = evaluation.number
      else { return }
      explanation?.outcome = .ongoing(number: number, start: start)
      isSettled = true
    } else if framesSince > EventDetector.maximumLeadInFrames,
      evaluation.timestamp.seconds - timestamp.seconds > parameters.before + MediaRange.Position.slack
    {
      isSettled = true
    }
  }

  /// Settles it when the motion of the last evaluation contained the frame and is over without an event.
  private mutating func drop(_ timestamp: FrameTimestamp) {
    guard let last, let start = last.start, let end = last.end, timestamp.isBetween(start, end),
      !last.isCertain
    else { return }
    explanation?.outcome = .dropped(start: start, failures: last.requirements.filter { !$0.isSatisfied })
    isSettled = true
  }
}

extension FrameTimestamp {
  /// Returns whether the frame is one from `start` to `end`, whose numbers need not rise in statistics from elsewhere.
  fileprivate func isBetween(_ start: FrameTimestamp, _ end: FrameTimestamp) -> Bool {
    start.frame <= frame && frame <= end.frame
  }
}

extension MediaRange.Position {
  /// The time by which a frame's time may be rounded, in seconds.
  static let slack = 1e-6

  /// Returns whether a frame is at or after this point.
  func isReached(frame: Int, seconds: Double) -> Bool {
    switch self {
    case .frame(let number): frame >= number
    case .seconds(let time): seconds >= time - Self.slack
    }
  }
}
