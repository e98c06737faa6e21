import Imaging
import MotionDetection

/// The part of the events that stays in memory until the report, once they are over. All of an event is told with
/// ``Detection/Update/event(_:_:)``, whatever is kept.
public enum EventRetention: Sendable, Hashable {
  /// All of an event: 40 bytes for each box in each frame, up to 320 KB for an event.
  case everything
  /// The event without boxes other than those at its peak: some 300 bytes.
  case summaries
  /// The number of events and the time that they lasted alone stay. Of suppressed periods and crossings nothing stays.
  case figures
}

/// The number of events and their length in all.
public struct EventFigures: Sendable, Hashable {
  /// The number of events.
  public var count = 0
  /// The length of the events together, in seconds.
  public var seconds = 0.0

  /// Creates the figures of no events.
  public init() {}
}

extension Detection.Report {
  /// Keeps the part of an event that `retention` asks for, once it is over.
  mutating func keep(_ finished: FinishedEvent, _ retention: EventRetention) {
    var event = finished.event
    switch retention {
    case .everything: break
    case .summaries: event.boxes = event.boxes.filter { $0.frame == event.peak.frame }
    case .figures:
      forgotten.count += 1
      forgotten.seconds += event.duration
      return
    }
    events.append(event)
    if finished.files != EventFiles() { files[event.number] = finished.files }
  }
}
