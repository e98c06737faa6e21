import Foundation

/// A value that another thread is about to make, for the one thread that needs it.
///
/// SAFETY (unchecked Sendable): all state is guarded by `condition`.
final class PendingValue<Value: Sendable>: @unchecked Sendable {
  private let condition = NSCondition()
  private var value: Value?
  private var isSettled = false

  /// Waits for the value and takes it away; nil when it was not made.
  func take() -> Value? {
    condition.lock()
    defer { condition.unlock() }
    while !isSettled { condition.wait() }
    defer { value = nil }
    return value
  }

  /// Sets the value and tells those who wait; only the first call counts.
  func settle(_ value: Value?) {
    condition.lock()
    defer { condition.unlock() }
    guard !isSettled else { return }
    self.value = value
    isSettled = true
    condition.broadcast()
  }
}
