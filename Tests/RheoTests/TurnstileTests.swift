import Foundation
import Testing

@testable import Rheo

@Suite struct TurnstileTests {
  private struct Failure: Error {}

  /// Passes the numbers from 0 through a turnstile on several threads, which each sleep a little before.
  private func numbersInPassing(threadCount: Int, failingAt failure: Int? = nil) throws -> [Int] {
    let stages = StageGroup()
    let input = stages.add(BoundedQueue<Int>(capacity: 2))
    let output = stages.add(BoundedQueue<[Int]?>(capacity: 2))
    let passed = stages.add(Turnstile<[Int]>([]))
    stages.start(.decode) { _ in
      defer { input.finish() }
      for number in 0..<60 { guard input.push(number) else { return } }
    }
    stages.start(.analyse, threadCount: threadCount, from: input, into: output) {
      { number in
        usleep(UInt32(number * 7919 % 11) * 100)
        if number == failure { throw Failure() }
        return passed.pass(as: number) { numbers in
          numbers.append(number)
          return numbers
        }
      }
    }
    var last: [Int] = []
    try stages.runAndWait(.encode) { _ in while let next = output.pop() { last = next ?? last } }
    return last
  }

  @Test(arguments: [1, 2, 5])
  func numbersPassInTheirOrder(threadCount: Int) throws {
    #expect(try numbersInPassing(threadCount: threadCount) == Array(0..<60))
  }

  /// Nobody waits forever for a number that never comes.
  @Test(arguments: [1, 2, 5])
  func aFailureWakesThoseWhoWait(threadCount: Int) {
    #expect(throws: Failure.self) { try numbersInPassing(threadCount: threadCount, failingAt: 20) }
  }
}
