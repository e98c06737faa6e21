import Foundation

/// Lets threads through one after the other, in the order of the numbers of their work: for what a frame needs of those
/// before it where all else is done in any order.
///
/// SAFETY (unchecked Sendable): all state is guarded by `condition`.
final class Turnstile<State>: @unchecked Sendable {
  private let condition = NSCondition()
  private var state: State
  private var turn = 0
  private var isCancelled = false

  /// Makes a turnstile.
  /// - Parameter state: The state that those who pass read and change.
  init(_ state: State) { self.state = state }

  /// Waits until the numbers from 0 to the one before have passed, then calls `body`.
  /// - Returns: The result of `body`; nil when the work was cancelled.
  func pass<Result>(as number: Int, _ body: (inout State) -> Result) -> Result? {
    condition.lock()
    defer { condition.unlock() }
    while turn != number, !isCancelled { condition.wait() }
    guard !isCancelled else { return nil }
    turn += 1
    condition.broadcast()
    return body(&state)
  }

  /// Wakes everyone up; from now on nobody passes.
  func cancel() {
    condition.lock()
    isCancelled = true
    condition.broadcast()
    condition.unlock()
  }
}
