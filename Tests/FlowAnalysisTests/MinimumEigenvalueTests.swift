import FlowAnalysis
import Imaging
import OpticalFlow
import TestSupport
import Testing

@Suite struct MinimumEigenvalueTests {
  private static let previous = Texture(seed: 5).image(width: 120, height: 90)
  private static let current = Texture(seed: 5).image(width: 120, height: 90) { x, y in (x - 1.5, y + 0.75) }

  private func observe(_ change: (inout OpticalFlowRequest) -> Void = { _ in }) throws -> OpticalFlowObservation {
    var request = OpticalFlowRequest(algorithm: .lucasKanade(.low))
    request.measuresMinimumEigenvalue = true
    change(&request)
    return try ImageRequestHandler(Self.previous).perform(request, targeting: Self.current)
  }

  private func eigenvalue(of image: Plane<Float>) throws -> Plane<Float> {
    let engine = try LucasKanadeEngine(parameters: .low)
    return engine.minimumEigenvalue(of: engine.prepare(image))
  }

  @Test func itIsThereOnRequestOnly() throws {
    #expect(try observe { $0.measuresMinimumEigenvalue = false }.minimumEigenvalue == nil)
    #expect(try observe().minimumEigenvalue != nil)
  }

  @Test func askingForItDoesNotChangeTheFlow() throws {
    let plain = try observe { $0.measuresMinimumEigenvalue = false }
    #expect(try observe().flow.bits == plain.flow.bits)
  }

  @Test(arguments: [
    OpticalFlowRequest.Algorithm.farneback(FarnebackParameters()), .dis(InverseSearchParameters(.low)),
  ])
  func otherMethodsHaveNone(algorithm: OpticalFlowRequest.Algorithm) throws {
    #expect(try observe { $0.algorithm = algorithm }.minimumEigenvalue == nil)
  }

  @Test(arguments: OpticalFlowRequest.Direction.allCases)
  func itLiesOnTheGridOfTheFlow(direction: OpticalFlowRequest.Direction) throws {
    let expected = try eigenvalue(of: direction == .backward ? Self.current : Self.previous)
    #expect(try observe { $0.direction = direction }.minimumEigenvalue?.bits == expected.bits)
  }

  @Test func aSequenceGivesThatOfEachPair() throws {
    var request = OpticalFlowRequest(algorithm: .lucasKanade(.low), direction: .both)
    request.measuresMinimumEigenvalue = true
    let handler = SequenceRequestHandler()
    let frames = [Self.previous, Self.current, Self.previous]
    for (index, frame) in frames.enumerated() {
      guard let observation = try handler.perform(request, on: frame) else { continue }
      #expect(try observation.minimumEigenvalue?.bits == eigenvalue(of: frames[index - 1]).bits)
    }
  }

  @Test func outsideTheRegionItIsUnknownAndInsideItIsTheSame() throws {
    let observation = try observe { $0.regionOfInterest = NormalizedRect(x: 0.25, y: 0.5, width: 0.5, height: 0.25) }
    let (part, whole) = (try #require(observation.minimumEigenvalue), try eigenvalue(of: Self.previous))
    for y in 0..<90 {
      for x in 0..<120 {
        if (30..<90).contains(x) && (45..<68).contains(y) {
          #expect(abs(part[x, y] - whole[x, y]) <= 1e-3 * whole[x, y])  // running sums begin elsewhere
        } else {
          #expect(part[x, y].isNaN)
        }
      }
    }
  }

  /// Waves of 40 pixels survive the reduction to half the size, where their slopes are nearly twice as steep. The
  /// window spans whole waves at both sizes, so that the matrix is the mean squared slope along each axis.
  @Test func aReducedSizeCountsPixelsOfThatSize() throws {
    let image = Plane<Float>(width: 240, height: 180) { x, y in
      128 + 60 * wave(Double(x) / 40) + 60 * wave(Double(y) / 40)
    }
    var request = OpticalFlowRequest(algorithm: .lucasKanade(LucasKanadeParameters(levels: 0, windowSize: 81)))
    request.measuresMinimumEigenvalue = true
    let handler = try ImageRequestHandler(image)
    let full = try #require(try handler.perform(request, targeting: image).minimumEigenvalue)
    request.maximumDimension = 120
    let reduced = try #require(try handler.perform(request, targeting: image).minimumEigenvalue)
    #expect(reduced.size == full.size)
    // 4, less what smoothing takes and what differences of wider pixels miss.
    let ratio = reduced[120, 90] / full[120, 90]
    #expect(ratio > 3.5 && ratio < 4)
  }
}

/// A wave of period 1 that is smooth enough: parabolas.
private func wave(_ turns: Double) -> Float {
  let part = turns - turns.rounded(.down)
  return Float(part < 0.5 ? 16 * part * (0.5 - part) : -16 * (part - 0.5) * (1 - part))
}
