import FlowAnalysis
import Imaging
import TestSupport
import Testing

/// Pairs in steps of time, whatever the frame rate.
@Suite struct TimeSpacingTests {
  private static let frames = (0..<12).map { number in
    let time = Double(number)
    return Texture(seed: 14).image(width: 96, height: 72) { x, y in (x - 0.8 * time, y + 0.4 * time) }
  }

  private static func request(_ spacing: FrameSpacing) -> OpticalFlowRequest {
    var request = OpticalFlowRequest(computationAccuracy: .low)
    request.frameSpacing = spacing
    return request
  }

  private static func pair(_ first: Int, _ second: Int) throws -> [UInt32] {
    try ImageRequestHandler(frames[first]).perform(request(.everyFrame), targeting: frames[second]).flow.bits
  }

  private static func time(_ milliseconds: Int64) -> MediaTime {
    MediaTime(value: milliseconds, timeBase: Rational(1, 1000))
  }

  /// The pairs of frames whose flow is found, with the first frame told by the observation's time.
  private func pairs(_ spacing: FrameSpacing, at times: [Int64]) throws -> [[Int]] {
    let handler = SequenceRequestHandler()
    var found: [[Int]] = []
    for (index, time) in times.enumerated() {
      guard let flow = try handler.perform(Self.request(spacing), on: Self.frames[index], at: Self.time(time))
      else { continue }
      let first = try #require(times.firstIndex { Self.time($0) == flow.previousTime })
      #expect(try flow.flow.bits == Self.pair(first, index))
      found.append([first, index])
    }
    return found
  }

  @Test func evenFramesArePairedInSteps() throws {
    let times = (0..<12).map { Int64(40 * $0 + 5000) }
    #expect(try pairs(.every(seconds: 0.12), at: times) == [[0, 3], [3, 6], [6, 9]])
    // Steps that are no multiple of a frame's duration do not drift.
    #expect(try pairs(.every(seconds: 0.1), at: times) == [[0, 3], [3, 5], [5, 8], [8, 10]])
    #expect(try pairs(.every(seconds: 0.01), at: times) == (1..<12).map { [$0 - 1, $0] })
  }

  @Test func unevenFramesArePairedByTheirTimes() throws {
    let times: [Int64] = [0, 400, 990, 1010, 1900, 3500, 3600, 4000]
    #expect(try pairs(.every(seconds: 1), at: times) == [[0, 3], [3, 5], [5, 7]])
  }

  /// Distance and interval count what the seconds leave.
  @Test func spacingsCombine() throws {
    let times = (0..<12).map { Int64(100 * $0) }
    #expect(try pairs(FrameSpacing(distance: 2, seconds: 0.2), at: times) == [[0, 4], [2, 6], [4, 8], [6, 10]])
    #expect(try pairs(FrameSpacing(interval: 2, seconds: 0.2), at: times) == [[0, 2], [4, 6], [8, 10]])
  }

  @Test func spacingsInFramesAndInTimeShareAPass() throws {
    let handler = SequenceRequestHandler()
    for index in 0..<9 {
      let found = try handler.perform(
        Self.request(.everyFrame), Self.request(.every(seconds: 0.3)), Self.request(.every(seconds: 0.4)),
        on: Self.frames[index], at: Self.time(Int64(100 * index)))
      #expect(try found.0?.flow.bits == (index > 0 ? Self.pair(index - 1, index) : nil))
      #expect(try found.1?.flow.bits == (index > 0 && index % 3 == 0 ? Self.pair(index - 3, index) : nil))
      #expect(try found.2?.flow.bits == (index > 0 && index % 4 == 0 ? Self.pair(index - 4, index) : nil))
    }
  }

  @Test func aResetBeginsAnew() throws {
    let (handler, request) = (SequenceRequestHandler(), Self.request(.every(seconds: 0.2)))
    for index in 0..<2 { _ = try handler.perform(request, on: Self.frames[index], at: Self.time(Int64(100 * index))) }
    handler.reset()
    #expect(try handler.perform(request, on: Self.frames[2], at: Self.time(200)) == nil)
    #expect(try handler.perform(request, on: Self.frames[3], at: Self.time(300)) == nil)
    #expect(try handler.perform(request, on: Self.frames[4], at: Self.time(400))?.flow.bits == Self.pair(2, 4))
  }

  @Test func framesWithoutTimesAreRefused() throws {
    let handler = SequenceRequestHandler()
    let error = thrown(AnalysisError.self) {
      try handler.perform(Self.request(.every(seconds: 0.5)), on: Self.frames[0])
    }
    #expect(error?.code == .invalidParameters && error?.message.contains("0.5 s") == true)
  }
}
