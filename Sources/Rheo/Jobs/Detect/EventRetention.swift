/// What of the events that are over stays in memory until the report. All of an event is told with
/// ``Detection/News/event(_:_:)``, whatever is kept.
public enum EventRetention: Sendable, Hashable {
  /// All of it: 40 bytes for each thing in each frame, up to 320 KB for an event.
  case everything
  /// The event without boxes other than those at its peak: some 300 bytes.
  case summaries
  /// Only how many there were and how long they lasted. Of suppressed periods and crossings nothing stays.
  case figures
}

/// How many events there were, and how long.
public struct EventFigures: Sendable, Hashable {
  /// How many.
  public var count = 0
  /// How long they last together.
  public var seconds = 0.0

  /// None.
  public init() {}
}

extension Detection.Report {
  /// Keeps what is to be kept of an event that is over.
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
