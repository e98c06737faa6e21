#if canImport(Glibc)
  import Glibc
#else
  import Foundation
#endif

/// A lock without a value of its own, for objects that guard several properties by one.
///
/// It is the system's, which the thread sanitizer sees; those of `Synchronization` it does not (Swift 6.3).
package final class Lock: @unchecked Sendable {
  // SAFETY: the memory is the system's business from `init` to `deinit`.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>

  /// Makes a lock that nobody holds.
  package init() {
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Waits until nobody holds the lock, and takes it.
  package func lock() { pthread_mutex_lock(mutex) }

  /// Gives the lock back; only by the thread that holds it.
  package func unlock() { pthread_mutex_unlock(mutex) }

  /// Runs `body` while this thread holds the lock.
  package func withLock<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    lock()
    defer { unlock() }
    return try body()
  }
}
