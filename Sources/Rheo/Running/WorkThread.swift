import Foundation

/// Threads for work that takes long or waits: those of tasks are too few for it.
package enum WorkThread {
  /// The size of the stack, in bytes: that of a program's first thread.
  private static let stackSize = 8 << 20

  /// Does the work on a thread of its own.
  /// - Parameter name: The name of the thread in debuggers.
  package static func start(_ name: String, _ work: @escaping @Sendable () -> Void) {
    let thread = Thread(block: work)
    thread.name = "rheo \(name)"
    thread.stackSize = stackSize
    thread.start()
  }

  /// Does work on a thread of its own, and ends it when the task is cancelled.
  /// - Parameter work: Called with an interruption that is set as the given one is, and cancelled as the task is.
  static func run<Result: Sendable>(
    _ name: String, _ interruption: Interruption, _ work: @escaping @Sendable (Interruption) throws -> Result
  ) async throws -> Result {
    try Task.checkCancellation()
    let own = Interruption(following: interruption)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        start(name) {
          do {
            continuation.resume(returning: try work(own))
          } catch {
            // A read that the cancellation ended looks like one that failed.
            let isCancelled = (try? own.checkCancellation()) == nil
            continuation.resume(throwing: isCancelled ? CancellationError() : error)
          }
        }
      }
    } onCancel: {
      own.cancel()
    }
  }
}
