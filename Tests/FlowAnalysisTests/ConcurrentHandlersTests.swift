import FlowAnalysis
import Imaging
import TestSupport
import Testing

/// Several handlers work at the same time, and share the threads of the process.
@Suite struct ConcurrentHandlersTests {
  private static let frames = (0..<5).map { number in
    let time = Double(number)
    return Texture(seed: 9).image(width: 150, height: 110) { x, y in (x - 1.6 * time, y + 0.9 * time) }
  }
  private static let taskCount = 4

  private struct Found: Sendable, Equatable {
    var flow: [[UInt32]] = []
    var maps: [Homography] = []
    var heat: [[UInt32]] = []
  }

  private static func found(along frames: [Plane<Float>], threads: Int) throws -> Found {
    let handler = SequenceRequestHandler(parallelism: Parallelism(threadCount: threads))
    var found = Found()
    for frame in frames {
      let observations = try handler.perform(
        OpticalFlowRequest(direction: .both), HomographicImageRegistrationRequest(method: .direct),
        GenerateMotionSaliencyRequest(), on: frame)
      guard case (let flow?, let map?, let saliency?) = observations else { continue }
      found.flow.append(flow.flow.bits)
      found.maps.append(map.warpTransform)
      found.heat.append(saliency.heatMap.bits)
    }
    return found
  }

  @Test(arguments: [1, 2, 5]) func handlersAtTheSameTimeFindWhatOneFinds(threads: Int) async throws {
    let expected = try Self.found(along: Self.frames, threads: 1)
    #expect(expected.flow.count == 4)
    try await withThrowingTaskGroup(of: Found.self) { group in
      for _ in 0..<Self.taskCount {
        group.addTask { try Self.found(along: Self.frames, threads: threads) }
      }
      for try await found in group { #expect(found == expected) }
    }
  }

  @Test func imageHandlersShareAImage() async throws {
    let (previous, current) = (Self.frames[0], Self.frames[2])
    let expected = try await ImageRequestHandler(previous).perform(OpticalFlowRequest(), targeting: current).flow.bits
    try await withThrowingTaskGroup(of: [UInt32].self) { group in
      for _ in 0..<Self.taskCount {
        group.addTask {
          let handler = try ImageRequestHandler(previous, parallelism: Parallelism(threadCount: 3))
          return try await handler.perform(OpticalFlowRequest(), targeting: current).flow.bits
        }
      }
      for try await found in group { #expect(found == expected) }
    }
  }
}
