import Synchronization

/// A request to stop early. Set it from anywhere, also from a signal's handler queue.
public final class Interruption: Sendable {
  private let flag = Atomic<Bool>(false)
  private let cancellation = Atomic<Bool>(false)
  /// The interruption that sets this one too.
  private let followed: Interruption?

  /// Makes a request that is not set.
  public init() { followed = nil }

  /// Makes a request that is also set as soon as `other` is.
  init(following other: Interruption) { followed = other }

  /// Asks for the end; this cannot be taken back.
  public func set() { flag.store(true, ordering: .relaxed) }

  /// A Boolean value that tells whether the end has been asked for.
  public var isSet: Bool { flag.load(ordering: .relaxed) || followed?.isSet == true }

  /// Asks for the end because nobody wants the result any more.
  func cancel() {
    cancellation.store(true, ordering: .relaxed)
    set()
  }

  /// Throws `CancellationError` when nobody wants the result any more: also when the task that this thread works for
  /// was cancelled.
  func checkCancellation() throws {
    if cancellation.load(ordering: .relaxed) || Task.isCancelled { throw CancellationError() }
  }
}
