// Asynchronous calls, away from the threads that Swift's tasks share.

import Dispatch
import Synchronization

/// Runs the work of a handler's asynchronous calls on a thread apart, one call after the other.
///
/// The threads of Swift's cooperative pool are as few as the processor's cores and must never wait; a pair takes longer
/// than they may be held up.
final class HandlerQueue: Sendable {
  private let queue = DispatchQueue(label: "rheo perform")

  /// - Throws: The errors of `body`; `CancellationError` when the task is cancelled before `body` begins.
  func run<Result>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    let cancellation = Cancellation()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (caller: CheckedContinuation<Outcome<Result>, any Error>) in
        queue.async {
          caller.resume(
            with: Swift.Result {
              if cancellation.isSet { throw CancellationError() }
              return Outcome(value: try body())
            })
        }
      }
    } onCancel: {
      cancellation.set()
    }.value
  }
}

/// Tells the queue that no one waits for a call any more.
private final class Cancellation: Sendable {
  private let flag = Atomic<Bool>(false)
  var isSet: Bool { flag.load(ordering: .relaxed) }
  func set() { flag.store(true, ordering: .relaxed) }
}

/// Carries observations from the queue to their task.
///
/// SAFETY (unchecked Sendable): the value is an observation, or a tuple or array of them. All observations are
/// Sendable; of a tuple of any length the language cannot say so.
private struct Outcome<Value>: @unchecked Sendable {
  let value: Value
}
