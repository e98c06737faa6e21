import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Rheo

/// Observations of whole videos, asynchronous and not.
@Suite struct VideoObservationTests {
  private static let clip = URL(fileURLWithPath: #filePath)  // Tests/RheoTests/VideoObservationTests.swift
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Samples/clip.mp4").path

  private static func bits(_ observation: OpticalFlowObservation) -> Int { observation.flow.bits.hashValue }

  /// What a loop by hand observes.
  private func byHand(_ request: OpticalFlowRequest, frames: Int) throws -> [OpticalFlowObservation] {
    let reader = try VideoReader(Self.clip, options: VideoReader.Options(range: MediaRange(frameCount: frames)))
    let handler = SequenceRequestHandler()
    let luma = LumaExtractor()
    var found: [OpticalFlowObservation] = []
    while let frame = try reader.nextFrame() {
      let observation = try handler.perform(request, on: luma.luma(of: frame), at: frame.presentationTime)
      if let observation { found.append(observation) }
    }
    return found
  }

  private let low = OpticalFlowRequest(computationAccuracy: .low)

  @Test func aSequenceGivesWhatALoopGives() async throws {
    let expected = try byHand(low, frames: 5)
    var found: [OpticalFlowObservation] = []
    for try await observation in Video(Self.clip).observations(of: low, in: MediaRange(frameCount: 5)) {
      found.append(observation)
    }
    #expect(found.count == 4 && found.map(Self.bits) == expected.map(Self.bits))
    #expect(found.map(\.currentTime) == expected.map(\.currentTime) && found[0].previousTime != nil)
    var synchronous: [OpticalFlowObservation] = []
    try Video(Self.clip).forEachObservation(of: low, in: MediaRange(frameCount: 5)) { synchronous.append($0) }
    #expect(synchronous.map(Self.bits) == expected.map(Self.bits))
  }

  @Test func oneDecodingFeedsSeveralRequests() async throws {
    var far = low
    far.frameSpacing = .every(2)
    let expected = try byHand(low, frames: 5)
    var frames: [Int] = []
    let video = Video(Self.clip, options: VideoReader.Options(range: MediaRange(frameCount: 5)))
    for try await found in video.observations(of: low, far, TranslationalImageRegistrationRequest(method: .direct)) {
      let (near, distant, registration) = found.observations
      let number = found.frame.number
      #expect(near.map(Self.bits) == (number > 0 ? Self.bits(expected[number - 1]) : nil))
      #expect((distant != nil) == (number > 0 && number % 2 == 0) && (registration != nil) == (number > 0))
      frames.append(number)
    }
    #expect(frames == [0, 1, 2, 3, 4])
    var count = 0
    try video.forEachObservation(of: low, far) { count += $0.observations.0 == nil ? 0 : 1 }
    #expect(count == 4)
  }

  @Test func aSequenceCanBeReadTwice() async throws {
    let sequence = Video(Self.clip).observations(of: low, in: MediaRange(frameCount: 3))
    for _ in 0..<2 {
      var count = 0
      for try await _ in sequence { count += 1 }
      #expect(count == 2)
    }
  }

  @Test func failuresAreThrown() async {
    await #expect(throws: MediaError.self) {
      for try await _ in Video("/nowhere/absent.mp4").observations(of: low) {}
    }
    var wrong = low
    wrong.revision = 5
    await #expect(throws: AnalysisError.self) {
      for try await _ in Video(Self.clip).observations(of: wrong) {}
    }
    #expect(throws: AnalysisError.self) { try Video(Self.clip).forEachObservation(of: wrong) { _ in } }
  }

  @Test func cancellationEndsTheReading() async throws {
    let request = low
    let task = Task { () -> Int in
      var count = 0
      for try await _ in Video(Self.clip).observations(of: request) {
        count += 1
        // Cancelled while it runs, it must not go on.
        withUnsafeCurrentTask { $0?.cancel() }
      }
      return count
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  /// Counts what its producer makes.
  private static func counting(_ made: Counter, capacity: Int, upTo limit: Int) -> VideoObservations<Int> {
    VideoObservations(capacity: capacity) {
      {
        let next = made.add()
        return next <= limit ? next : nil
      }
    }
  }

  private final class Counter: Sendable {
    private let value = Mutex(0)
    func add() -> Int {
      value.withLock {
        $0 += 1; return $0
      }
    }
    var count: Int { value.withLock { $0 } }
  }

  @Test func theProducerIsNeverFarAhead() async throws {
    let made = Counter()
    var last = 0
    for try await value in Self.counting(made, capacity: 2, upTo: 50) {
      // One is in use, two wait, one is being handed over.
      #expect(value == last + 1 && made.count <= value + 3)
      last = value
    }
    #expect(last == 50)
  }

  @Test func nothingIsMadeBeforeItIsAskedFor() async throws {
    let made = Counter()
    let sequence = Self.counting(made, capacity: 1, upTo: 9)
    _ = sequence.makeAsyncIterator()
    #expect(made.count == 0)
    var iterator = sequence.makeAsyncIterator()
    #expect(try await iterator.next() == 1)
  }

  @Test func anEndedSequenceStaysEnded() async throws {
    var iterator = Self.counting(Counter(), capacity: 4, upTo: 1).makeAsyncIterator()
    #expect(try await iterator.next() == 1)
    for _ in 0..<3 { #expect(try await iterator.next() == nil) }
  }
}
