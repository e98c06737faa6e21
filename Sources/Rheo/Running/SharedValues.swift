// Values that go from one thread to another.

import Synchronization

/// A value that any thread may read and set.
package final class SharedValue<Value: Sendable>: Sendable {
  private let storage: Mutex<Value>

  package init(_ value: Value) { storage = Mutex(value) }

  package var value: Value {
    get { storage.withLock { $0 } }
    set { storage.withLock { $0 = newValue } }
  }

  /// Sets the value and returns the one before.
  package func exchange(_ newValue: Value) -> Value {
    storage.withLock { value in
      defer { value = newValue }
      return value
    }
  }
}

/// Carries a value that is not Sendable to the one thread that will use it from then on.
///
/// SAFETY (unchecked Sendable): the giver lets go of the value until that thread has ended.
final class Handover<Value>: @unchecked Sendable {
  private let value: Value
  init(_ value: Value) { self.value = value }
  func take() -> Value { value }
}
