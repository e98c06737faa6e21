import Rheo
import Synchronization

/// Shows how far the work on several inputs is, in one line.
final class ParallelProgress: Sendable {
  private struct State {
    let line: ProgressLine
    var shown: InputsProgress
    var last: [Int: JobProgress] = [:]
  }

  private let state: Mutex<State>
  private let start = ContinuousClock.now

  init(_ common: CommonOptions, count: Int) {
    state = Mutex(State(line: ProgressLine(common), shown: InputsProgress(count: count)))
  }

  /// Shows the progress of one input.
  func show(_ index: Int, _ progress: JobProgress) {
    update { state in
      state.shown.frames += progress.frames - (state.last[index]?.frames ?? 0)
      state.last[index] = progress
    }
  }

  /// Counts an input that is done.
  func end(_ index: Int) {
    update { state in
      state.shown.done += 1
      state.last[index] = nil
    }
  }

  private func update(_ change: (inout State) -> Void) {
    state.withLock { state in
      change(&state)
      state.shown.elapsed = (ContinuousClock.now - start) / .seconds(1)
      state.shown.running = state.last.values.reduce(0) { $0 + ($1.share ?? 0) }
      state.line.show(state.shown)
    }
  }

  /// Ends the display.
  func finish() { state.withLock { $0.line.finish($0.shown) } }
}

/// The progress of several inputs together.
struct InputsProgress: ShownProgress {
  let count: Int
  var done = 0
  /// The sum of the shares of the inputs that are being worked on.
  var running = 0.0
  var frames = 0
  var elapsed = 0.0

  init(count: Int) { self.count = count }

  var share: Double? { count > 0 ? min(1, (Double(done) + running) / Double(count)) : nil }
  var framesPerSecond: Double { elapsed > 0 ? Double(frames) / elapsed : 0 }
  /// The time that remains if the inputs are of one kind, in seconds; nil before there is progress.
  var remaining: Double? { share.flatMap { $0 > 0 ? elapsed * (1 - $0) / $0 : nil } }
  var head: String { "\(done)/\(count) files  " }
  var fields: [String] { ["\"files\": \(count)", "\"done\": \(done)"] }
  var reached: Double? { nil }
}
