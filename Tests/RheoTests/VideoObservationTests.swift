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

  /// Returns what a loop by hand observes.
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
    var numbers: [Int] = []
    for try await motion in Video(Self.clip).observations(of: low, in: MediaRange(frameCount: 5)) {
      found.append(motion.observation)
      numbers.append(motion.frame.number)
      #expect(motion.flow.bits == motion.observation.flow.bits)
      #expect(motion.currentTime == motion.frame.presentationTime)
    }
    #expect(numbers == [1, 2, 3, 4] && found.map(Self.bits) == expected.map(Self.bits))
    #expect(found.map(\.currentTime) == expected.map(\.currentTime) && found[0].previousTime != nil)
    var synchronous: [OpticalFlowObservation] = []
    try Video(Self.clip).forEachObservation(of: low, in: MediaRange(frameCount: 5)) {
      synchronous.append($0.observation)
    }
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

  @Test func requestsMayBeKnownAtRunTimeOnly() async throws {
    let expected = try byHand(low, frames: 4)
    let video = Video(Self.clip, options: VideoReader.Options(range: MediaRange(frameCount: 4)))
    let requests: [any AnalysisRequest] = [low, TranslationalImageRegistrationRequest(method: .direct)]
    var found: [OpticalFlowObservation?] = []
    for try await frame in video.observations(of: requests) {
      found.append(frame.observations[0] as? OpticalFlowObservation)
      #expect((frame.observations[1] is ImageAlignmentObservation) == (frame.frame.number > 0))
    }
    #expect(found[0] == nil && found.dropFirst().map { $0.map(Self.bits) } == expected.map(Self.bits))
    var count = 0
    try video.forEachObservation(of: requests) { count += $0.observations.count }
    #expect(count == 8)
  }

  /// The clip has 25 frames a second.
  @Test func eachRequestHasItsOwnCadence() async throws {
    var (everyFifth, everyFifthSecond) = (low, low)
    everyFifth.frameSpacing = .every(5)
    everyFifthSecond.frameSpacing = .every(seconds: 0.2)
    let info = try Video(Self.clip).info()
    #expect(info.frameRate == Rational(25, 1))
    let video = Video(Self.clip, options: VideoReader.Options(range: MediaRange(frameCount: 13)))
    for try await frame in video.observations(of: low, everyFifth, everyFifthSecond) {
      let (near, byFrames, byTime) = frame.observations
      #expect((near != nil) == (frame.frame.number > 0))
      #expect((byTime != nil) == (frame.frame.number > 0 && frame.frame.number % 5 == 0))
      #expect(byTime.map(Self.bits) == byFrames.map(Self.bits))
    }
  }

  @Test func aVideoTellsWhatItsFramesAreLike() throws {
    let reader = try VideoReader(Self.clip)
    var count = 0
    while try reader.nextFrame() != nil { count += 1 }
    let (info, format) = (try Video(Self.clip).info(), try reader.videoFormat())
    #expect(info.size == format.size && info.frameRate == format.frameRate && info.estimatedFrameCount == count)
    let seconds = try #require(info.duration)
    #expect(abs(seconds - Double(count) / 25) < 0.05)
    let half = Video(Self.clip, options: VideoReader.Options(filter: "scale=iw/2:ih/2"))
    #expect(try half.info().size.width == info.size.width / 2)
    #expect(throws: MediaError.self) { try Video("/nowhere/absent.mp4").info() }
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
