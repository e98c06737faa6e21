import Foundation

/// A value that another thread is about to make, for those that need it.
///
/// SAFETY (unchecked Sendable): all state is guarded by `condition`.
final class PendingValue<Value: Sendable>: @unchecked Sendable {
  private let condition = NSCondition()
  private var settled: Value?
  private var isSettled = false

  /// Waits for the value; nil when it was not made, or has been taken away.
  func value() -> Value? { wait(thenTake: false) }

  /// Waits for the value and takes it away; nil when it was not made.
  func take() -> Value? { wait(thenTake: true) }

  private func wait(thenTake isTaken: Bool) -> Value? {
    condition.lock()
    defer { condition.unlock() }
    while !isSettled { condition.wait() }
    defer { if isTaken { settled = nil } }
    return settled
  }

  /// Sets the value and tells those who wait; only the first call counts.
  func settle(_ value: Value?) {
    condition.lock()
    defer { condition.unlock() }
    guard !isSettled else { return }
    settled = value
    isSettled = true
    condition.broadcast()
  }
}
