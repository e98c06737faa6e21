// A lock that the thread sanitizer sees.

#if SANITIZE_THREAD
  import Glibc

  /// Takes the place of `Synchronization.Mutex`, whose locking the sanitizer does not see (Swift 6.3), in the build of
  /// `make sanitize`.
  final class Mutex<Value>: @unchecked Sendable {
    // SAFETY: `value` is touched under `lock` alone.
    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    private var value: Value

    init(_ value: Value) {
      self.value = value
      lock = .allocate(capacity: 1)
      lock.initialize(to: pthread_mutex_t())
      pthread_mutex_init(lock, nil)
    }

    deinit {
      pthread_mutex_destroy(lock)
      lock.deallocate()
    }

    func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
      pthread_mutex_lock(lock)
      defer { pthread_mutex_unlock(lock) }
      return try body(&value)
    }
  }
#endif
