import FlowAnalysis
import Foundation
import Imaging
import Synchronization
import TestSupport
import Testing

/// Calls of tasks find what calls that wait find, and hold up no one.
@Suite struct AsynchronousHandlerTests {
  private static let frames = (0..<4).map { number in
    let time = Double(number)
    return Texture(seed: 12).image(width: 120, height: 90) { x, y in (x - 1.2 * time, y + 0.5 * time) }
  }
  private let low = OpticalFlowRequest(computationAccuracy: .low)
  private let shift = TranslationalImageRegistrationRequest(method: .direct)

  private func expected(_ index: Int) throws -> [UInt32] {
    try ImageRequestHandler(Self.frames[index - 1]).perform(low, targeting: Self.frames[index]).flow.bits
  }

  @Test func aSequenceIsTheSame() async throws {
    let (one, several, list) = (SequenceRequestHandler(), SequenceRequestHandler(), SequenceRequestHandler())
    for (index, frame) in Self.frames.enumerated() {
      let truth = index > 0 ? try expected(index) : nil
      #expect(try await one.perform(low, on: frame)?.flow.bits == truth)
      let (flow, map) = try await several.perform(low, shift, on: frame)
      #expect(flow?.flow.bits == truth && (map != nil) == (index > 0))
      let found = try await list.perform([low, shift], on: frame)
      #expect((found[0] as? OpticalFlowObservation)?.flow.bits == truth && found.count == 2)
    }
  }

  @Test func anImageHandlerServesSeveralTasks() async throws {
    let handler = try ImageRequestHandler(Self.frames[0])
    let truths = try (1..<4).map {
      try ImageRequestHandler(Self.frames[0]).perform(OpticalFlowRequest(), targeting: Self.frames[$0]).flow.bits
    }
    try await withThrowingTaskGroup(of: (Int, [UInt32]).self) { group in
      for index in 0..<12 {
        let target = Self.frames[1 + index % 3]
        group.addTask {
          (index % 3, try await handler.perform(OpticalFlowRequest(), targeting: target).flow.bits)
        }
      }
      for try await (index, bits) in group { #expect(bits == truths[index]) }
    }
    let (flow, map) = try await handler.perform(low, shift, targeting: Self.frames[1])
    #expect(try flow.flow.bits == expected(1) && map.model > .identity)
    #expect(try await handler.perform([low], targeting: Self.frames[1]).count == 1)
  }

  @Test func errorsComeBack() async throws {
    let handler = SequenceRequestHandler()
    _ = try await handler.perform(low, on: Self.frames[0])
    await #expect {
      _ = try await handler.perform(low, on: Plane(width: 7, height: 5))
    } throws: { error in
      (error as? AnalysisError)?.code == .sizeMismatch
    }
    #expect(try await handler.perform(low, on: Self.frames[1])?.flow.bits == expected(1))
  }

  /// An image that tells when it is asked, and waits to be let go.
  private struct Gate: ImageSource {
    let isAsked = Flag()
    let mayGo = Flag()
    let image: Plane<Float>

    func luma(parallelism: Parallelism) -> Plane<Float> {
      isAsked.set()
      while !mayGo.isSet { Thread.sleep(forTimeInterval: 0.001) }
      return image
    }
  }

  private final class Flag: Sendable {
    private let value = Atomic<Bool>(false)
    var isSet: Bool { value.load(ordering: .acquiring) }
    func set() { value.store(true, ordering: .releasing) }
  }

  /// A call that waits for its turn when its task is cancelled never looks at its image.
  @Test func aCancelledCallDoesNotBegin() async throws {
    let (handler, request) = (SequenceRequestHandler(), low)
    let (first, second) = (Gate(image: Self.frames[0]), Gate(image: Self.frames[1]))
    let begun = Task { try await handler.perform(request, on: first) }
    while !first.isAsked.isSet { await Task.yield() }
    let waiting = Task { try await handler.perform(request, on: second) }
    waiting.cancel()
    begun.cancel()
    first.mayGo.set()
    second.mayGo.set()
    #expect(try await begun.value == nil, "what has begun comes to its end")
    await #expect(throws: CancellationError.self) { try await waiting.value }
    #expect(!second.isAsked.isSet)
    #expect(try await handler.perform(request, on: Self.frames[1])?.flow.bits == expected(1), "one frame was taken")
  }

  /// More calls wait at once than the cooperative pool has threads; tasks still run.
  @Test func waitingCallsHoldUpNoTask() async throws {
    let request = low
    let gates = (0..<2 * Parallelism.coreCount + 2).map { _ in Gate(image: Self.frames[0]) }
    let calls = gates.map { gate in Task { try await SequenceRequestHandler().perform(request, on: gate) == nil } }
    // Each of these needs a thread of the pool.
    for gate in gates {
      while !gate.isAsked.isSet { await Task.yield() }
    }
    for gate in gates { gate.mayGo.set() }
    for call in calls { #expect(try await call.value) }
  }
}
