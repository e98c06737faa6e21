// A lock that the thread sanitizer sees.

#if SANITIZE_THREAD
  /// Takes the place of `Synchronization.Mutex`, whose locking the sanitizer does not see (Swift 6.3), in the build of
  /// `make sanitize`.
  final class Mutex<Value>: @unchecked Sendable {
    // SAFETY: `value` is touched under `lock` alone.
    private let lock = Lock()
    private var value: Value

    init(_ value: Value) { self.value = value }

    func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
      try lock.withLock { try body(&value) }
    }
  }
#endif
