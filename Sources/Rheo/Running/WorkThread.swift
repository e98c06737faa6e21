import Foundation
import Imaging
import VideoIO

/// Threads for work that takes long or waits: those of tasks are too few for it.
package enum WorkThread {
  /// Does the work on a thread of its own.
  /// - Parameter name: The name of the thread in debuggers.
  /// - Throws: ``MediaError`` `noThread`; then the work is not done.
  package static func start(_ name: String, _ work: @escaping @Sendable () -> Void) throws {
    let status = SystemThread.start("rheo \(name)", work)
    guard status == 0 else {
      throw MediaError(.noThread, "the system makes no further thread: \(String(cString: strerror(status)))")
    }
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
        do {
          try start(name) {
            do {
              continuation.resume(returning: try work(own))
            } catch {
              // A read that the cancellation ended looks like one that failed.
              let isCancelled = (try? own.checkCancellation()) == nil
              continuation.resume(throwing: isCancelled ? CancellationError() : error)
            }
          }
        } catch {
          continuation.resume(throwing: error)
        }
      }
    } onCancel: {
      own.cancel()
    }
  }
}
