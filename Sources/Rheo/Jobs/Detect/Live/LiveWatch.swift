// The messages about live inputs while they are searched.

import Synchronization
import VideoIO

/// The progress of a live input: its frames, losses and latency.
public struct LiveStatus: Sendable, Hashable {
  /// The number of frames that arrived.
  public var received = 0
  /// The number of received frames that were not looked at, since later ones were there already.
  public var dropped = 0
  /// The number of times the connection was made again.
  public var reconnections = 0
  /// The mean time from a frame's arrival, decoded, to its result, in seconds.
  public var meanLatency = 0.0
  /// The maximum time from a frame's arrival, decoded, to its result, in seconds.
  public var maximumLatency = 0.0

  /// Creates the status of an input of which nothing has arrived yet.
  public init() {}
}

/// A message about a live input that users may want at once.
public enum LiveUpdate: Sendable, Hashable {
  /// The connection broke off or is there again.
  case connection(ConnectionUpdate)
  /// The status, told every ten seconds, of the time since the last one.
  case status(LiveStatus)
  /// Frames took too long; from now on they are analysed at a smaller size, in pixels of the longest side.
  case reduced(longestSide: Int, milliseconds: Double)
}

/// Counts frames and their latency, on two threads.
final class LiveWatch: Sendable {
  /// The time from one status to the next, in seconds.
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

  /// Counts a frame that arrived.
  func noteReceived() { count(\.received) }

  /// Counts a frame that had to go.
  func noteDropped() { count(\.dropped) }

  func note(_ update: ConnectionUpdate) {
    if case .restored = update { count(\.reconnections) }
    tell(.connection(update))
  }

  private func count(_ number: WritableKeyPath<LiveStatus, Int>) {
    state.withLock { state in
      state.whole[keyPath: number] += 1
      state.recent[keyPath: number] += 1
    }
  }

  func noteReduction(longestSide: Int, milliseconds: Double) {
    tell(.reduced(longestSide: longestSide, milliseconds: milliseconds))
  }

  /// Counts a frame whose result is known, and tells the status when it is due.
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
    maximumLatency = max(maximumLatency, latency)
  }

  /// `{"received": …, "dropped": …, "reconnections": …, "latency": {"mean": …, "longest": …}}`.
  var json: JSONText {
    .object([
      ("received", .integer(received)), ("dropped", .integer(dropped)), ("reconnections", .integer(reconnections)),
      ("latency", .object([("mean", .number(meanLatency)), ("longest", .number(maximumLatency))])),
    ])
  }
}
