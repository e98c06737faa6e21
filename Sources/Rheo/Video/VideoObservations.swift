/// Observations of a video, made on a thread of their own while the one before is in use.
///
/// The reading begins with the first `next()`, is never more than a few observations ahead, and ends when the task is
/// cancelled (`next()` throws `CancellationError`) or the iterator is let go, as by `break`.
public struct VideoObservations<Element: Sendable>: AsyncSequence, Sendable {
  private let capacity: Int
  private let open: @Sendable () throws -> () throws -> Element?

  /// Makes a sequence of passes.
  /// - Parameter open: Begins a pass; what it returns gives one element after the other, on the same thread.
  init(capacity: Int, open: @escaping @Sendable () throws -> () throws -> Element?) {
    precondition(capacity >= 1, "a buffer of \(capacity) observations")
    self.capacity = capacity
    self.open = open
  }

  /// Returns an iterator with a pass of its own over the video.
  public func makeAsyncIterator() -> Iterator { Iterator(feed: Feed(capacity: capacity, open: open)) }

  /// One pass over the video, for one task.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let feed: Feed

    /// Returns the next observation; nil at the end.
    /// - Throws: `MediaError`, `AnalysisError`, `CancellationError`.
    public mutating func next() async throws -> Element? { try await feed.next() }
  }

  /// Starts the thread, and stops it when no one asks any more.
  fileprivate final class Feed: Sendable {
    private let queue: AwaitedQueue<Element>
    private let start: OneTime

    init(capacity: Int, open: @escaping @Sendable () throws -> () throws -> Element?) {
      let queue = AwaitedQueue<Element>(capacity: capacity)
      self.queue = queue
      start = OneTime {
        do {
          try WorkThread.start("observe") {
            do {
              let next = try open()
              while let element = try next() {
                guard queue.push(element) else { return }
              }
              queue.finish(nil)
            } catch {
              queue.finish(error)
            }
          }
        } catch {
          queue.finish(error)
        }
      }
    }

    deinit { queue.cancel() }

    func next() async throws -> Element? {
      try Task.checkCancellation()
      start.run()
      return try await withTaskCancellationHandler {
        try await queue.pop()
      } onCancel: {
        queue.cancel()
      }
    }
  }
}
