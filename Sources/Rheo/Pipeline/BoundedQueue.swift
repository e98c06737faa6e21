import Foundation

/// Hands values from one thread to another, with back-pressure: a full queue makes the producer wait.
///
/// SAFETY (unchecked Sendable): all state is guarded by `condition`.
final class BoundedQueue<Element: Sendable>: @unchecked Sendable {
  private let capacity: Int
  private let inherit: (@Sendable (Element, inout Element) -> Void)?
  private let condition = NSCondition()
  private var elements: [Element] = []
  /// The numbers of elements that were taken, and that were appended in turn.
  private var (takenCount, turn) = (0, 0)
  private var isFinished = false
  private var isCancelled = false

  /// Makes an empty queue.
  /// - Parameter inherit: Called when the queue is full: nil lets the producer wait. Else the oldest element is
  ///   dropped, and this saves what the one behind it needs of it.
  init(capacity: Int, droppingOldest inherit: (@Sendable (Element, inout Element) -> Void)? = nil) {
    self.capacity = capacity
    self.inherit = inherit
  }

  /// Waits for room, or makes it, and appends an element.
  /// - Returns: False when the queue was cancelled: no one will take the element.
  func push(_ element: Element) -> Bool {
    condition.lock()
    defer { condition.unlock() }
    while inherit == nil, elements.count >= capacity, !isCancelled { condition.wait() }
    guard !isCancelled else { return false }
    elements.append(element)
    if let inherit, elements.count > capacity {
      let oldest = elements.removeFirst()
      inherit(oldest, &elements[0])
    }
    condition.broadcast()
    return true
  }

  /// Waits for its turn and for room, and appends an element: for several producers, which number their elements from
  /// 0.
  /// - Parameter element: The element; nil only lets the next number have its turn.
  /// - Returns: False when the queue was cancelled: no one will take the element.
  func push(_ element: Element?, as number: Int) -> Bool {
    condition.lock()
    defer { condition.unlock() }
    while turn != number || (element != nil && elements.count >= capacity), !isCancelled { condition.wait() }
    guard !isCancelled else { return false }
    if let element { elements.append(element) }
    turn += 1
    condition.broadcast()
    return true
  }

  /// Waits for an element and returns it; nil when the queue is finished and empty, or cancelled.
  func pop() -> Element? { popNumbered()?.element }

  /// Waits for an element and returns it with its number, counted from 0 in the order in which elements are taken; nil
  /// when the queue is finished and empty, or cancelled.
  func popNumbered() -> (number: Int, element: Element)? {
    condition.lock()
    defer { condition.unlock() }
    while elements.isEmpty, !isFinished, !isCancelled { condition.wait() }
    guard !isCancelled, !elements.isEmpty else { return nil }
    defer {
      takenCount += 1
      condition.broadcast()
    }
    return (takenCount, elements.removeFirst())
  }

  /// Marks the end: no more elements will come.
  func finish() {
    condition.lock()
    isFinished = true
    condition.broadcast()
    condition.unlock()
  }

  /// Drops what is queued and wakes everyone up.
  func cancel() {
    condition.lock()
    isCancelled = true
    elements = []
    condition.broadcast()
    condition.unlock()
  }
}
