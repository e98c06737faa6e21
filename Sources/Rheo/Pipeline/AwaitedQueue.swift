import Foundation
import Synchronization

/// Hands values from a thread to a task, with back-pressure: a full queue makes the thread wait, an empty one suspends
/// the task. One producer, one consumer.
///
/// SAFETY (unchecked Sendable): all state is guarded by `condition`.
final class AwaitedQueue<Element: Sendable>: @unchecked Sendable {
  private let capacity: Int
  private let condition = NSCondition()
  private var elements: [Element] = []
  private var end: Result<Void, any Error>?
  private var isCancelled = false
  private var consumer: CheckedContinuation<Element?, any Error>?

  init(capacity: Int) { self.capacity = capacity }

  /// Waits for room and appends an element.
  /// - Returns: False when the queue was cancelled: no one will take the element.
  func push(_ element: Element) -> Bool {
    condition.lock()
    while elements.count >= capacity, !isCancelled { condition.wait() }
    guard !isCancelled else {
      condition.unlock()
      return false
    }
    let waiting = consumer
    consumer = nil
    if waiting == nil { elements.append(element) }
    condition.unlock()
    waiting?.resume(returning: element)
    return true
  }

  /// Marks the end: after the elements that are queued `pop` throws the error, or returns nil.
  func finish(_ error: (any Error)?) {
    condition.lock()
    end = error.map { .failure($0) } ?? .success(())
    let waiting = consumer
    consumer = nil
    // An error is thrown once; then the sequence is over.
    if waiting != nil { end = .success(()) }
    condition.unlock()
    if let error { waiting?.resume(throwing: error) } else { waiting?.resume(returning: nil) }
  }

  /// Drops what is queued, stops the producer, and fails whoever waits with `CancellationError`.
  func cancel() {
    condition.lock()
    isCancelled = true
    elements = []
    let waiting = consumer
    consumer = nil
    condition.broadcast()
    condition.unlock()
    waiting?.resume(throwing: CancellationError())
  }

  /// Waits for an element and returns it; nil at the end.
  func pop() async throws -> Element? {
    try await withCheckedThrowingContinuation { continuation in
      condition.lock()
      let result: Result<Element?, any Error>?
      if isCancelled {
        result = .failure(CancellationError())
      } else if !elements.isEmpty {
        result = .success(elements.removeFirst())
        condition.broadcast()
      } else if let end {
        result = end.map { nil }
        self.end = .success(())
      } else {
        precondition(consumer == nil, "two tasks wait for observations of one iterator")
        result = nil
        consumer = continuation
      }
      condition.unlock()
      if let result { continuation.resume(with: result) }
    }
  }
}

/// An action that is done at most once, whoever asks first.
final class OneTime: Sendable {
  private let isDone = Atomic<Bool>(false)
  private let action: @Sendable () -> Void

  init(_ action: @escaping @Sendable () -> Void) { self.action = action }

  func run() {
    if !isDone.exchange(true, ordering: .acquiringAndReleasing) { action() }
  }
}
