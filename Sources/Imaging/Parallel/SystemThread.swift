// Threads that the system may refuse to make.

#if canImport(Glibc)
  import Glibc
#else
  import Foundation
#endif

/// Threads of the system. Foundation's own do not tell when one cannot be made.
package enum SystemThread {
  /// The size of the stack, in bytes: that of a program's first thread.
  private static let stackSize = 8 << 20

  /// A stand-in for the system's answer, for tests.
  package struct Refusal: Sendable {
    /// Returns what `start` is to return; 0 to go on.
    let answer: @Sendable () -> Int32

    /// Takes the answer.
    package init(_ answer: @escaping @Sendable () -> Int32) { self.answer = answer }
  }

  /// The stand-in of this task; nil: the system itself. (A structure: a task's local value that is a function by itself
  /// crashes where a test sets it, in Swift 6.3.)
  @TaskLocal package static var refusal: Refusal?

  /// Does the work on a thread of its own.
  /// - Parameter name: The name of the thread in debuggers, of which the system keeps 15 characters.
  /// - Returns: 0, or the system's error number: then the work is dropped.
  package static func start(_ name: String, _ work: @escaping @Sendable () -> Void) -> Int32 {
    if let refused = refusal?.answer(), refused != 0 { return refused }
    let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
    defer { attributes.deallocate() }
    let failure = pthread_attr_init(attributes)
    guard failure == 0 else { return failure }
    defer { pthread_attr_destroy(attributes) }
    pthread_attr_setdetachstate(attributes, Int32(PTHREAD_CREATE_DETACHED))
    pthread_attr_setstacksize(attributes, stackSize)
    let start = Unmanaged.passRetained(ThreadStart(name: name, work: work))
    var thread = pthread_t()
    let status = pthread_create(
      &thread, attributes,
      { start in
        guard let start else { return nil }
        Unmanaged<ThreadStart>.fromOpaque(start).takeRetainedValue().run()
        return nil
      }, start.toOpaque())
    if status != 0 { start.release() }
    return status
  }
}

/// The work of a thread that begins.
private final class ThreadStart: Sendable {
  private let name: String
  private let work: @Sendable () -> Void

  init(name: String, work: @escaping @Sendable () -> Void) {
    self.name = name
    self.work = work
  }

  func run() {
    setName(name)
    work()
  }

  /// Names the thread that calls it, where the system's files can do that.
  private func setName(_ name: String) {
    let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
    guard file >= 0 else { return }
    _ = name.withCString { write(file, $0, strlen($0)) }
    close(file)
  }
}
