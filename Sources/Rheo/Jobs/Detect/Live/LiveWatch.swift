// What is told of live inputs while they are searched.

import Synchronization

/// How a live input gets on.
public struct LiveStatus: Sendable, Hashable {
  /// Frames that came.
  public var received = 0
  /// Of those, how many were not looked at since later ones were there already.
  public var dropped = 0
  /// How often the connection was made again.
  public var reconnections = 0
  /// Seconds from a frame's arrival, decoded, to what came of it: the mean.
  public var meanLatency = 0.0
  /// The longest.
  public var longestLatency = 0.0

  /// At the beginning.
  public init() {}
}

/// What users of live inputs may want to know at once.
public enum LiveUpdate: Sendable, Hashable {
  /// The connection broke off or is there again.
  case connection(ConnectionUpdate)
  /// Told every ten seconds, of the time since the last one.
  case status(LiveStatus)
  /// Frames took too long; from now on they are analysed at a smaller size, in pixels of the longest side.
  case reduced(longestSide: Int, milliseconds: Double)
}

/// Counts frames and their latency, on two threads.
final class LiveWatch: Sendable {
  /// Seconds from one status to the next.
  static let statusInterval = 10.0

  private struct State {
    var whole = LiveStatus()
    var recent = LiveStatus()
    var finished = 0
    var recentFinished = 0
    var lastStatus = ContinuousClock.now
  }

  private let state = Mutex(State())
  private let tell: @Sendable (LiveUpdate) -> Void

  init(tell: @escaping @Sendable (LiveUpdate) -> Void) { self.tell = tell }

  var status: LiveStatus { state.withLock { $0.whole } }

  /// A frame came; `dropped` others had to go.
  func receive(dropped: Int) {
    state.withLock { state in
      state.whole.received += 1
      state.recent.received += 1
      state.whole.dropped += dropped
      state.recent.dropped += dropped
    }
  }

  func note(_ news: ConnectionUpdate) {
    if case .restored = news {
      state.withLock { state in
        state.whole.reconnections += 1
        state.recent.reconnections += 1
      }
    }
    tell(.connection(news))
  }

  func noteReduction(longestSide: Int, milliseconds: Double) {
    tell(.reduced(longestSide: longestSide, milliseconds: milliseconds))
  }

  /// What came of a frame is known.
  func finish(arrival: ContinuousClock.Instant) {
    let now = ContinuousClock.now
    let latency = (now - arrival) / .seconds(1)
    let due = state.withLock { state -> LiveStatus? in
      state.finished += 1
      state.recentFinished += 1
      state.whole.note(latency, count: state.finished)
      state.recent.note(latency, count: state.recentFinished)
      guard (now - state.lastStatus) / .seconds(1) >= Self.statusInterval else { return nil }
      defer { (state.recent, state.recentFinished, state.lastStatus) = (LiveStatus(), 0, now) }
      return state.recent
    }
    if let due { tell(.status(due)) }
  }
}

extension LiveStatus {
  /// Adds the latency of one frame to the `count` − 1 before.
  fileprivate mutating func note(_ latency: Double, count: Int) {
    meanLatency += (latency - meanLatency) / Double(count)
    longestLatency = max(longestLatency, latency)
  }

  /// `{"received": …, "dropped": …, "reconnections": …, "latency": {"mean": …, "longest": …}}`.
  var json: JSONText {
    .object([
      ("received", .integer(received)), ("dropped", .integer(dropped)), ("reconnections", .integer(reconnections)),
      ("latency", .object([("mean", .number(meanLatency)), ("longest", .number(longestLatency))])),
    ])
  }
}
