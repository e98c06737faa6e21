import Foundation
import Rheo
import Synchronization

/// Works on several inputs at once, each on a thread of its own and a share of the others.
struct ParallelInputs {
  /// The number of inputs that are worked on at once.
  let jobs: Int
  /// The threads that each of them may use.
  let parallelism: Parallelism

  /// - Parameters:
  ///   - count: The number of inputs.
  ///   - jobs: The number of inputs at once, as asked for; 0: one for each thread.
  ///   - threads: The threads for all inputs together.
  init(count: Int, jobs: Int, threads: Parallelism) {
    self.jobs = max(1, min(count, jobs > 0 ? jobs : threads.threadCount))
    parallelism = Parallelism(threadCount: max(1, threads.threadCount / self.jobs))
  }

  /// Calls `body(0)` … `body(count - 1)`, begun in this order.
  func forEach(count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let next = Counter()
    let group = DispatchGroup()
    @Sendable func work() {
      while true {
        let index = next.take()
        guard index < count else { return }
        body(index)
      }
    }
    for _ in 1..<max(jobs, 1) {
      group.enter()
      do {
        try WorkThread.start("input") {
          work()
          group.leave()
        }
      } catch {
        // Fewer inputs at once: this thread works on all that no other one takes.
        group.leave()
        break
      }
    }
    work()
    group.wait()
  }

  private final class Counter: Sendable {
    private let value = Atomic<Int>(0)
    func take() -> Int { value.wrappingAdd(1, ordering: .relaxed).oldValue }
  }
}

/// A store for the result of each input.
final class SharedResults<Result: Sendable>: Sendable {
  private let results: Mutex<[Result?]>

  init(count: Int) { results = Mutex(Array(repeating: nil, count: count)) }

  func set(_ index: Int, _ result: Result) { results.withLock { $0[index] = result } }

  /// The results in the order of the inputs, without those that have none.
  var values: [Result] { results.withLock { $0.compactMap(\.self) } }
}
