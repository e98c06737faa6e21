import Foundation
import Rheo

/// Work that begins in the order in which it was added, a few pieces at a time, on threads of its own: whoever adds
/// never waits.
///
/// SAFETY (unchecked Sendable): all state is guarded by `condition`.
final class ReactionQueue: @unchecked Sendable {
  /// A piece of work.
  struct Job: Sendable {
    /// The key of the job; jobs with the same key run one after the other.
    var key: String
    /// A closure that does the work, until the interruption is set.
    var work: @Sendable (Interruption) -> Void
  }

  private let name: String
  private let width: Int
  private let condition = NSCondition()
  private var waiting: [Job] = []
  private var runningKeys: Set<String> = []
  private var threadCount = 0
  private var isFinished = false
  private let stop = Interruption()

  /// The maximum number of jobs that wait.
  private static let capacity = 1000
  /// The time that stopped jobs have to come to their end, in seconds.
  private static let grace = 3.0
  /// The time between looks whether all is done, in microseconds.
  private static let tick: UInt32 = 5_000

  /// - Parameter width: The maximum number of jobs that run at once.
  init(_ name: String, width: Int) {
    self.name = name
    self.width = width
  }

  /// Adds a job; returns `false` when too much is waiting already, or there is no thread for it: then the job is
  /// not taken.
  func add(_ job: Job) -> Bool {
    condition.lock()
    defer { condition.unlock() }
    guard waiting.count < Self.capacity else { return false }
    waiting.append(job)
    if threadCount < width {
      do {
        try WorkThread.start(name) { [self] in work() }
        threadCount += 1
      } catch {
        // With fewer threads fewer jobs run at once; with none nobody would ever take this one.
        guard threadCount > 0 else {
          waiting.removeLast()
          return false
        }
      }
    }
    condition.broadcast()
    return true
  }

  /// Waits until all is done; after `seconds` what runs is stopped and what waits is dropped.
  /// - Returns: The number of jobs that were dropped.
  func finish(within seconds: Double) -> Int {
    condition.lock()
    defer { condition.unlock() }
    isFinished = true
    condition.broadcast()
    wait(seconds)
    guard !isIdle else { return 0 }
    let dropped = waiting.count
    waiting = []
    stop.set()
    wait(Self.grace)
    return dropped
  }

  /// Waits until all is done, for so many seconds at most, of a clock that nobody sets. (The condition's own limits are
  /// points of the wall clock.)
  private func wait(_ seconds: Double) {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while !isIdle, ContinuousClock.now < deadline {
      condition.unlock()
      usleep(Self.tick)
      condition.lock()
    }
  }

  private var isIdle: Bool { waiting.isEmpty && runningKeys.isEmpty }

  private func work() {
    condition.lock()
    while true {
      // Only the first: what comes later does not overtake.
      guard let job = waiting.first, !runningKeys.contains(job.key) else {
        if waiting.isEmpty, isFinished { break }
        condition.wait()
        continue
      }
      waiting.removeFirst()
      runningKeys.insert(job.key)
      condition.unlock()
      job.work(stop)
      condition.lock()
      runningKeys.remove(job.key)
      condition.broadcast()
    }
    threadCount -= 1
    condition.unlock()
  }
}
