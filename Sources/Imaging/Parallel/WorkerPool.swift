// The threads that share the work of one pass over an image.
//
// A pass over a small pyramid level takes some ten microseconds, as long as waking a sleeping thread does. So a worker
// that has just finished stays awake for a moment and looks out for the next pass; between images it sleeps.

import Dispatch
import Synchronization

#if canImport(Glibc)
  import Glibc
#endif

/// Threads that live as long as the process and help whoever asks, several callers at a time.
final class WorkerPool: Sendable {
  static let shared = WorkerPool()

  /// The number of times an idle worker gives way to other threads and looks again before it sleeps: some 0.3 µs each
  /// time.
  private static let looksBeforeSleep = 200
  /// The maximum number of workers: no machine gains from more. Chosen by hand.
  private static let workerLimit = 255

  private struct State {
    /// The jobs that still want helpers.
    var jobs: [Job] = []
    var workerCount = 0
    /// The maximum number of workers: those that are there once the system has refused to make another.
    var workerLimit = WorkerPool.workerLimit
    var sleeperCount = 0
  }

  private let state = Mutex(State())
  private let bell = DispatchSemaphore(value: 0)
  /// Counts the jobs that were ever offered: what an idle worker watches.
  private let offers = Atomic<Int>(0)

  /// Calls `body(0)` … `body(count - 1)` on this thread and up to `helperCount` workers; returns when all are done.
  func run(count: Int, helperCount: Int, _ body: @Sendable (Int) -> Void) {
    withoutActuallyEscaping(body) { body in
      withUnsafePointer(to: body) { body in
        let job = Job(count: count, helperCount: min(helperCount, Self.workerLimit), body: body)
        offer(job)
        job.work()
        withdraw(job)
        job.waitForHelpers()
      }
    }
  }

  private func offer(_ job: Job) {
    let (sleepers, newcomers) = state.withLock { state in
      state.jobs.append(job)
      let newcomers = max(0, min(job.helperCount, state.workerLimit) - state.workerCount)
      state.workerCount += newcomers
      let sleepers = min(job.helperCount, state.sleeperCount)
      state.sleeperCount -= sleepers
      return (sleepers, newcomers)
    }
    offers.wrappingAdd(1, ordering: .releasing)
    for _ in 0..<sleepers { bell.signal() }
    for made in 0..<newcomers where SystemThread.start("rheo worker", { self.serve() }) != 0 {
      return limitWorkers(missing: newcomers - made)
    }
  }

  /// Goes on with fewer workers, since the system makes no more: whoever has a job does what nobody helps with.
  private func limitWorkers(missing: Int) {
    state.withLock { state in
      state.workerCount -= missing
      state.workerLimit = state.workerCount
    }
  }

  /// Withdraws a job: from here on nobody joins it.
  private func withdraw(_ job: Job) {
    state.withLock { state in state.jobs.removeAll { $0 === job } }
  }

  /// Runs a worker all its life: it helps with the jobs on offer.
  private func serve() {
    while true {
      let seen = offers.load(ordering: .acquiring)
      if let job = join(sleepingOtherwise: false) {
        job.help()
      } else if !looksOut(for: seen) {
        if let job = join(sleepingOtherwise: true) { job.help() } else { bell.wait() }
      }
    }
  }

  /// Joins a job. Without any, and when asked to, the worker counts as asleep from then on.
  private func join(sleepingOtherwise: Bool) -> Job? {
    state.withLock { state in
      guard let index = state.jobs.firstIndex(where: { !$0.isExhausted }) else {
        if sleepingOtherwise { state.sleeperCount += 1 }
        return nil
      }
      let job = state.jobs[index]
      if job.admit() == job.helperCount { state.jobs.remove(at: index) }
      return job
    }
  }

  /// Returns whether a job is offered before the patience ends.
  private func looksOut(for seen: Int) -> Bool {
    for _ in 0..<Self.looksBeforeSleep {
      if offers.load(ordering: .acquiring) != seen { return true }
      sched_yield()
    }
    return false
  }
}

/// Calls of one function with rising numbers, for any number of threads to take from.
private final class Job: @unchecked Sendable {
  // SAFETY: `body` is called only between `admit` and the matching count in `left`, and for its owner before it waits
  // for the helpers; the owner's frame outlives both. Everything else is constant or atomic.
  private let body: UnsafePointer<@Sendable (Int) -> Void>
  let helperCount: Int
  private let count: Int
  private let next = Atomic<Int>(0)
  /// Helpers that were let in, and those that have left.
  private let admitted = Atomic<Int>(0)
  private let left = Atomic<Int>(0)

  init(count: Int, helperCount: Int, body: UnsafePointer<@Sendable (Int) -> Void>) {
    self.count = count
    self.helperCount = helperCount
    self.body = body
  }

  var isExhausted: Bool { next.load(ordering: .relaxed) >= count }

  /// Lets one more helper in, and says how many that makes. Only under the pool's lock.
  func admit() -> Int { admitted.wrappingAdd(1, ordering: .relaxed).newValue }

  func work() {
    while true {
      let index = next.wrappingAdd(1, ordering: .relaxed).oldValue
      guard index < count else { return }
      body.pointee(index)
    }
  }

  func help() {
    work()
    left.wrappingAdd(1, ordering: .releasing)
  }

  /// After the job was withdrawn: what helpers still have in hand is short work, for which sleeping does not pay.
  func waitForHelpers() {
    while left.load(ordering: .acquiring) < admitted.load(ordering: .relaxed) { sched_yield() }
  }
}
