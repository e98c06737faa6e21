import Foundation
import Synchronization

/// A step of the pipeline, with a thread of its own.
public enum PipelineStage: String, Sendable, CaseIterable {
  /// Reads the input and makes frames of it.
  case decode
  /// Computes flow or registrations.
  case analyse
  /// Draws, or warps.
  case render
  /// Encodes and writes.
  case encode
}

/// Runs stages on threads, keeps the first error, and counts how long each stage worked (waiting left out).
///
/// SAFETY (unchecked Sendable): `state` has a lock; `cancellations` is written before the threads start.
final class StageGroup: @unchecked Sendable {
  private struct State {
    var firstError: (any Error)?
    var seconds: [PipelineStage: Double] = [:]
  }

  private let state = Mutex(State())
  private let group = DispatchGroup()
  private var cancellations: [@Sendable () -> Void] = []

  /// Registers a queue to be cancelled when a stage fails.
  func add<Element>(_ queue: BoundedQueue<Element>) -> BoundedQueue<Element> {
    cancellations.append { queue.cancel() }
    return queue
  }

  /// Starts a stage on a thread of its own.
  func start(_ stage: PipelineStage, _ body: @escaping @Sendable (StageClock) throws -> Void) {
    group.enter()
    let thread = Thread { [self] in
      run(stage, body)
      group.leave()
    }
    thread.name = "rheo \(stage.rawValue)"
    thread.stackSize = 8 << 20
    thread.start()
  }

  /// Runs a stage on this thread, then waits for the others. Throws the first error of any of them.
  func runAndWait(_ stage: PipelineStage, _ body: (StageClock) throws -> Void) throws {
    run(stage, body)
    group.wait()
    if let error = state.withLock({ $0.firstError }) { throw error }
  }

  /// Seconds of work of each stage.
  var seconds: [PipelineStage: Double] { state.withLock { $0.seconds } }

  private func run(_ stage: PipelineStage, _ body: (StageClock) throws -> Void) {
    let clock = StageClock()
    do {
      try body(clock)
    } catch {
      state.withLock { state in
        if state.firstError == nil { state.firstError = error }
      }
      for cancel in cancellations { cancel() }
    }
    state.withLock { $0.seconds[stage] = clock.seconds }
  }
}

/// Adds up the time that a stage spends in its work. Used by one thread.
final class StageClock {
  private(set) var seconds = 0.0

  func time<Result>(_ work: () throws -> Result) rethrows -> Result {
    let start = ContinuousClock.now
    defer { seconds += (ContinuousClock.now - start) / .seconds(1) }
    return try work()
  }
}
