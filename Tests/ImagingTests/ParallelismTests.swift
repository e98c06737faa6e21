import Foundation
import Synchronization
import Testing

@testable import Imaging

@Suite struct ParallelismTests {
  @Test(arguments: [1, 2, 3, 7, 20], [0, 1, 2, 5, 1000])
  func everyIndexIsTakenOnce(threadCount: Int, count: Int) {
    let calls = Mutex([Int](repeating: 0, count: count))
    Parallelism(threadCount: threadCount).forEach(count: count) { index in calls.withLock { $0[index] += 1 } }
    #expect(calls.withLock { $0.allSatisfy { $0 == 1 } })
  }

  @Test func stripesCoverAllRowsAndNoneTwice() {
    for rows in [0, 1, 2, 3, 4, 5, 31, 32, 33, 127, 128, 129, 1080] {
      let covered = Mutex([Int](repeating: 0, count: rows))
      Parallelism(threadCount: 2).forEachStripe(rows: rows) { stripe in
        #expect(!stripe.isEmpty && stripe.count <= Parallelism.defaultStripeHeight)
        covered.withLock { for y in stripe { $0[y] += 1 } }
      }
      #expect(covered.withLock { $0.allSatisfy { $0 == 1 } }, "\(rows) rows")
    }
  }

  /// Several callers at a time, each with passes inside passes: all end, and each sees all of its own results.
  @Test func callersShareTheWorkers() async {
    await withTaskGroup(of: Int.self) { group in
      for caller in 0..<6 {
        group.addTask {
          let sum = Atomic<Int>(0)
          for _ in 0..<200 {
            Parallelism(threadCount: 3).forEach(count: 5) { outer in
              Parallelism(threadCount: 2).forEach(count: 3) { inner in
                sum.wrappingAdd(caller + outer * 3 + inner, ordering: .relaxed)
              }
            }
          }
          return sum.load(ordering: .relaxed) - 200 * 15 * caller
        }
      }
      for await sum in group { #expect(sum == 200 * (0..<15).reduce(0, +)) }
    }
  }

  /// The system makes two threads, one, or none.
  @Test(arguments: 0...2) func workThatNobodyHelpsWithIsDoneAllTheSame(threadCount: Int) {
    let pool = WorkerPool()
    let asked = Atomic<Int>(0)
    let calls = Mutex([Int](repeating: 0, count: 7))
    let refusal = SystemThread.Refusal {
      asked.wrappingAdd(1, ordering: .relaxed).newValue > threadCount ? EAGAIN : 0
    }
    SystemThread.$refusal.withValue(refusal) {
      for _ in 0..<50 { pool.run(count: 7, helperCount: 3) { index in calls.withLock { $0[index] += 1 } } }
    }
    #expect(calls.withLock { $0.allSatisfy { $0 == 50 } })
    // Once refused, it is not asked again.
    #expect(asked.load(ordering: .relaxed) == threadCount + 1)
  }

  /// Workers fall asleep between passes and wake for the next.
  @Test func passesFarApartAreHelpedToo() {
    let threads = Mutex(Set<Int>())
    for _ in 0..<20 {
      usleep(5000)
      Parallelism(threadCount: 2).forEach(count: 2) { _ in
        usleep(5000)
        threads.withLock { _ = $0.insert(Int(bitPattern: ObjectIdentifier(Thread.current))) }
      }
    }
    #expect(threads.withLock { $0.count } > 1)
  }
}
