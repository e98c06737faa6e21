import Foundation
import Imaging
import Synchronization
import TestSupport
import Testing

@testable import Rheo

@Suite struct BoundedQueueTests {
  /// Runs `work` on a thread of its own; the function that is returned waits for it, and tells whether it ended.
  private func inBackground(_ work: @escaping @Sendable () -> Void) -> (_ seconds: Double) -> Bool {
    let ended = DispatchSemaphore(value: 0)
    Thread {
      work()
      ended.signal()
    }.start()
    return { ended.wait(timeout: .now() + $0) == .success }
  }

  @Test func elementsComeOutInTheirOrder() {
    let queue = BoundedQueue<Int>(capacity: 3)
    let ends = inBackground {
      for value in 0..<1000 { #expect(queue.push(value)) }
      queue.finish()
    }
    var values: [Int] = []
    while let value = queue.pop() { values.append(value) }
    #expect(values == Array(0..<1000))
    #expect(ends(10))
    #expect(queue.pop() == nil)
  }

  @Test func aFullQueueMayDropItsOldestElements() {
    let queue = BoundedQueue<[Int]>(capacity: 2) { dropped, next in next = dropped + next }
    for value in 0..<5 { #expect(queue.push([value])) }
    #expect(queue.pop() == [0, 1, 2, 3])
    #expect(queue.push([5]))
    #expect(queue.pop() == [4] && queue.pop() == [5])
    queue.cancel()
    #expect(!queue.push([6]))
  }

  @Test func aFullQueueMakesTheProducerWait() {
    let queue = BoundedQueue<Int>(capacity: 2)
    let pushed = Counter()
    let ends = inBackground {
      for value in 0..<5 where queue.push(value) { pushed.increment() }
    }
    #expect(!ends(0.1))
    #expect(pushed.value == 2)
    #expect(queue.pop() == 0)
    #expect(!ends(0.1))
    #expect(pushed.value == 3)
    for value in 1..<5 { #expect(queue.pop() == value) }
    #expect(ends(10))
  }

  @Test func cancellingWakesAProducerThatWaits() {
    let queue = BoundedQueue<Int>(capacity: 1)
    #expect(queue.push(1))
    let ends = inBackground { #expect(!queue.push(2)) }
    #expect(!ends(0.05))
    queue.cancel()
    #expect(ends(10))
    #expect(queue.pop() == nil)
  }

  @Test func cancellingWakesAConsumerThatWaits() {
    let queue = BoundedQueue<Int>(capacity: 1)
    let ends = inBackground { #expect(queue.pop() == nil) }
    #expect(!ends(0.05))
    queue.cancel()
    #expect(ends(10))
    #expect(!queue.push(1))
  }

  @Test func severalProducersTakeTurns() {
    let queue = BoundedQueue<Int>(capacity: 2)
    let ends = (0..<4).map { first in
      inBackground {
        for value in stride(from: first, to: 200, by: 4) { #expect(queue.push(value, as: value)) }
      }
    }
    for value in 0..<200 {
      let next = queue.popNumbered()
      #expect(next?.element == value && next?.number == value)
    }
    for end in ends { #expect(end(10)) }
  }

  @Test func aTurnMayPassWithoutAnElement() {
    let queue = BoundedQueue<Int>(capacity: 1)
    #expect(queue.push(0, as: 0) && queue.push(nil, as: 1))
    #expect(queue.pop() == 0)
    #expect(queue.push(2, as: 2))
    #expect(queue.pop() == 2)
  }

  @Test func cancellingWakesAProducerWhoseTurnHasNotCome() {
    let queue = BoundedQueue<Int>(capacity: 2)
    let ends = inBackground { #expect(!queue.push(1, as: 1)) }
    #expect(!ends(0.05))
    queue.cancel()
    #expect(ends(10))
  }

  @Test func finishingWakesAConsumerThatWaits() {
    let queue = BoundedQueue<Int>(capacity: 1)
    let ends = inBackground { #expect(queue.pop() == nil) }
    queue.finish()
    #expect(ends(10))
  }

  @Test func whatWasQueuedBeforeTheFinishStillComesOut() {
    let queue = BoundedQueue<Int>(capacity: 4)
    for value in 0..<3 { #expect(queue.push(value)) }
    queue.finish()
    #expect((0..<4).map { _ in queue.pop() } == [0, 1, 2, nil])
  }
}

final class Counter: Sendable {
  private let count = Atomic<Int>(0)
  func increment() { count.add(1, ordering: .relaxed) }
  var value: Int { count.load(ordering: .relaxed) }
}

@Suite struct StageGroupTests {
  private struct Failure: Error, Equatable { var number: Int }

  @Test func aFailingStageStopsTheOthers() {
    let stages = StageGroup()
    let queue = stages.add(BoundedQueue<Int>(capacity: 2))
    let other = stages.add(BoundedQueue<Int>(capacity: 2))
    stages.start(.decode) { _ in
      defer { queue.finish() }
      for value in 0... where !queue.push(value) { return }
    }
    stages.start(.analyse) { _ in
      defer { other.finish() }
      while let value = queue.pop() {
        if value == 5 { throw Failure(number: 1) }
        guard other.push(value) else { return }
      }
    }
    let error = thrown(Failure.self) {
      try stages.runAndWait(.encode) { _ in while other.pop() != nil {} }
    }
    #expect(error?.number == 1)
  }

  @Test(arguments: [1, 2, 7])
  func severalThreadsKeepTheOrder(threadCount: Int) throws {
    let stages = StageGroup()
    let input = stages.add(BoundedQueue<Int>(capacity: 3))
    let output = stages.add(BoundedQueue<Int>(capacity: 2))
    stages.start(.analyse, threadCount: threadCount, from: input, into: output) {
      { value in
        usleep(UInt32(value * 7919 % 13) * 100)
        return value * value
      }
    }
    stages.start(.decode) { _ in
      for value in 0..<100 { #expect(input.push(value)) }
      input.finish()
    }
    var values: [Int] = []
    try stages.runAndWait(.encode) { _ in while let value = output.pop() { values.append(value) } }
    #expect(values == (0..<100).map { $0 * $0 })
  }

  @Test func oneOfSeveralThreadsThatFailsStopsAll() {
    let stages = StageGroup()
    let input = stages.add(BoundedQueue<Int>(capacity: 3))
    let output = stages.add(BoundedQueue<Int>(capacity: 2))
    stages.start(.analyse, threadCount: 3, from: input, into: output) {
      { value in
        if value == 20 { throw Failure(number: value) }
        return value
      }
    }
    stages.start(.decode) { _ in
      for value in 0... where !input.push(value) { return }
    }
    #expect(throws: Failure(number: 20)) {
      try stages.runAndWait(.encode) { _ in while output.pop() != nil {} }
    }
  }

  @Test func theLastStageCanFailToo() {
    let stages = StageGroup()
    let queue = stages.add(BoundedQueue<Int>(capacity: 2))
    stages.start(.decode) { _ in
      for value in 0... where !queue.push(value) { return }
    }
    #expect(throws: Failure(number: 2)) {
      try stages.runAndWait(.encode) { _ in
        _ = queue.pop()
        throw Failure(number: 2)
      }
    }
  }

  @Test func aThreadThatCannotBeMadeIsAnError() throws {
    for made in 0..<3 {
      let remaining = Counter()
      let error = thrown(MediaError.self) {
        let refusal = SystemThread.Refusal {
          remaining.increment()
          return remaining.value > made ? EAGAIN : 0
        }
        try SystemThread.$refusal.withValue(refusal) {
          let stages = StageGroup()
          let input = stages.add(BoundedQueue<Int>(capacity: 3))
          stages.start(.decode) { _ in
            defer { input.finish() }
            for value in 0... where !input.push(value) { return }
          }
          let output = stages.add(BoundedQueue<Int>(capacity: 2))
          stages.start(.analyse, threadCount: 2, from: input, into: output) { { $0 } }
          try stages.runAndWait(.encode) { _ in while output.pop() != nil {} }
        }
      }
      #expect(error?.code == .noThread, "\(String(describing: error))")
    }
  }

  /// Does the work in a task for which no thread can be made.
  private func withoutThreads(_ work: @escaping @Sendable () async throws -> Void) -> Task<Void, any Error> {
    SystemThread.$refusal.withValue(SystemThread.Refusal { EAGAIN }) { Task(operation: work) }
  }

  @Test func aJobOrAnObservationWithoutAThreadIsAnError() async {
    let job = withoutThreads { try await WorkThread.run("job", Interruption()) { _ in } }
    await #expect(throws: MediaError.self) { try await job.value }
    let observation = withoutThreads { for try await _ in VideoObservations<Int>(capacity: 1, open: { { nil } }) {} }
    await #expect(throws: MediaError.self) { try await observation.value }
  }

  @Test func workIsTimedAndWaitingIsNot() throws {
    let stages = StageGroup()
    try stages.runAndWait(.render) { clock in
      usleep(30_000)
      clock.time { _ = usleep(20_000) }
    }
    let seconds = try #require(stages.seconds[.render])
    #expect(seconds >= 0.019)
    #expect(seconds < 10)
  }
}
