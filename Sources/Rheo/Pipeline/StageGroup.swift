import Foundation
import Synchronization

/// A step of the pipeline, with a thread of its own.
public enum PipelineStage: String, Sendable, CaseIterable {
  /// Reads the input and makes frames of it.
  case decode
  /// Computes flow or registrations.
  case analyse
  /// Draws, or warps.
  case render
  /// Encodes and writes.
  case encode
}

/// Runs stages on threads, keeps the first error, and counts how long each stage worked (waiting left out).
///
/// SAFETY (unchecked Sendable): `state` has a lock; `cancellations` is written before the threads start.
final class StageGroup: @unchecked Sendable {
  private struct State {
    var firstError: (any Error)?
    var seconds: [PipelineStage: Double] = [:]
  }

  private let state = Mutex(State())
  private let group = DispatchGroup()
  private var cancellations: [@Sendable () -> Void] = []

  /// Registers a queue to be cancelled when a stage fails.
  func add<Element>(_ queue: BoundedQueue<Element>) -> BoundedQueue<Element> {
    cancellations.append { queue.cancel() }
    return queue
  }

  /// Registers a turnstile to be cancelled when a stage fails.
  func add<State>(_ turnstile: Turnstile<State>) -> Turnstile<State> {
    cancellations.append { turnstile.cancel() }
    return turnstile
  }

  /// Starts a stage on a thread of its own. If there is none to be had, that is the first error of the group.
  func start(_ stage: PipelineStage, _ body: @escaping @Sendable (StageClock) throws -> Void) {
    group.enter()
    do {
      try WorkThread.start(stage.rawValue) { [self] in
        run(stage, body)
        group.leave()
      }
    } catch {
      fail(error)
      group.leave()
    }
  }

  /// Starts a stage that makes something of each element. Its results go on in the order of the queue's elements.
  /// - Parameter makeWork: Called on each of the threads; returns the work on an element, whose result is nil when
  ///   nothing is to go on.
  func start<Input, Output>(
    _ stage: PipelineStage, threadCount: Int = 1, from input: BoundedQueue<Input>, into output: BoundedQueue<Output>,
    _ makeWork: @escaping @Sendable () throws -> (Input) throws -> Output?
  ) {
    start(stage, threadCount: threadCount, from: input, into: output) { clock in
      let work = try makeWork()
      return { element in try clock.time { try work(element) } }
    }
  }

  /// Starts such a stage whose threads keep their clocks themselves.
  /// - Parameter makeWork: Called on each of the threads with its clock; returns the work on an element.
  func start<Input, Output>(
    _ stage: PipelineStage, threadCount: Int = 1, from input: BoundedQueue<Input>, into output: BoundedQueue<Output>,
    _ makeWork: @escaping @Sendable (StageClock) throws -> (Input) throws -> Output?
  ) {
    let remaining = Mutex(threadCount)
    for _ in 0..<threadCount {
      start(stage) { clock in
        defer {
          let isLast = remaining.withLock { count in
            count -= 1
            return count == 0
          }
          if isLast { output.finish() }
        }
        let work = try makeWork(clock)
        while let (number, element) = input.popNumbered() {
          guard output.push(try work(element), as: number) else { return }
        }
      }
    }
  }

  /// Starts a stage on one thread that may keep elements back, and makes any number of results of each.
  /// - Parameter makeWork: Called on the thread; returns the work on an element, nil at the end.
  func start<Input, Output>(
    _ stage: PipelineStage, from input: BoundedQueue<Input>, expandingInto output: BoundedQueue<Output>,
    _ makeWork: @escaping @Sendable () throws -> (Input?) throws -> [Output]
  ) {
    start(stage) { clock in
      defer { output.finish() }
      let work = try makeWork()
      var isOver = false
      while !isOver {
        let element = input.pop()
        isOver = element == nil
        for result in try clock.time({ try work(element) }) {
          guard output.push(result) else { return }
        }
      }
    }
  }

  /// Runs a stage on this thread, then waits for the others.
  /// - Throws: The first error of any stage.
  func runAndWait(_ stage: PipelineStage, _ body: (StageClock) throws -> Void) throws {
    if state.withLock({ $0.firstError == nil }) {
      run(stage, body)
    } else {
      // Queues that were made after a stage had failed are not cancelled yet.
      cancel()
    }
    group.wait()
    if let error = state.withLock({ $0.firstError }) { throw error }
  }

  /// The seconds of work of each stage, on however many threads.
  var seconds: [PipelineStage: Double] { state.withLock { $0.seconds } }

  private func run(_ stage: PipelineStage, _ body: (StageClock) throws -> Void) {
    let clock = StageClock(stage)
    do {
      try body(clock)
    } catch {
      fail(error)
    }
    state.withLock { $0.seconds.merge(clock.seconds, uniquingKeysWith: +) }
  }

  private func fail(_ error: any Error) {
    state.withLock { state in
      if state.firstError == nil { state.firstError = error }
    }
    cancel()
  }

  private func cancel() {
    for cancel in cancellations { cancel() }
  }
}

/// Adds up the time that a thread spends in its work. Used by one thread.
final class StageClock {
  private let stage: PipelineStage
  private(set) var seconds: [PipelineStage: Double] = [:]

  /// Makes a clock.
  /// - Parameter stage: The stage that is worked at unless another one is named.
  init(_ stage: PipelineStage) { self.stage = stage }

  func time<Result>(_ work: () throws -> Result) rethrows -> Result { try time(as: stage, work) }

  /// Counts work that belongs to another stage.
  func time<Result>(as stage: PipelineStage, _ work: () throws -> Result) rethrows -> Result {
    let start = ContinuousClock.now
    defer { seconds[stage, default: 0] += (ContinuousClock.now - start) / .seconds(1) }
    return try work()
  }
}
