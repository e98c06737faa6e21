import FlowFormats
import Imaging
import TestSupport
import Testing

@Suite struct FlowMetricsTests {
  private static func field(_ vectors: [(Float, Float)]) -> FlowField {
    FlowField(width: vectors.count, height: 1) { x, _ in (u: vectors[x].0, v: vectors[x].1) }
  }

  @Test func aPerfectEstimateHasNoError() throws {
    let field = Self.field([(1, 2), (0, 0), (-70, 3.5)])
    let metrics = try FlowMetrics(estimate: field, truth: field)
    #expect(metrics.averageEndpointError == 0 && metrics.averageAngularError == 0)
    #expect(metrics.outlierRatios == [0, 0, 0, 0, 0] && metrics.outlierRatio == 0)
    #expect(metrics.coverage == 1 && metrics.pixelCount == 3)
  }

  @Test func figuresOfAHandMadeExample() throws {
    let truth = Self.field([(0, 0), (0, 0), (100, 0), (10, 0)])
    let estimate = Self.field([(1, 0), (0, 0.6), (104, 0), (10, 4)])
    let metrics = try FlowMetrics(estimate: estimate, truth: truth)
    #expect(abs(metrics.averageEndpointError - 9.6 / 4) < 1e-6)
    #expect(metrics.outlierRatios == [1, 0.5, 0.5, 0.5, 0])
    #expect(metrics.outlierRatio(beyond: 3) == 0.5 && metrics.outlierRatio(beyond: 4) == nil)
    #expect(metrics.outlierRatio == 0.25)  // 4 of 100 pixels is within 5 %, 4 of 10 is not
    #expect(metrics.endpointErrorPercentile(0.5) == 1)
    #expect(metrics.endpointErrorPercentile(1) == 4)
  }

  @Test func theAngularErrorIsInDegrees() throws {
    let metrics = try FlowMetrics(estimate: Self.field([(1, 0)]), truth: Self.field([(0, 0)]))
    #expect(abs(metrics.averageAngularError - 45) < 1e-9)
  }

  /// Errors 0, 5, 2, none (no estimate) and 0 pixels at true speeds of 5, 50, 20, 10 and 40 pixels.
  @Test func spreadPercentilesAndSpeedClasses() throws {
    let truth = Self.field([(3, 4), (30, 40), (0, 20), (6, 8), (24, 32)])
    let estimate = Self.field([(3, 4), (33, 44), (0, 22), (.nan, .nan), (24, 32)])
    let metrics = try FlowMetrics(estimate: estimate, truth: truth)
    #expect(metrics.endpointErrors.mean == 1.75)
    #expect(abs(metrics.endpointErrors.standardDeviation - 2.046_338) < 1e-6)  // √((2·1.75² + 3.25² + 0.25²) / 4)
    #expect([0.5, 0.75, 0.95].map { metrics.endpointErrors.percentile($0) } == [0, 2, 5])
    #expect(metrics.outlierRatios == [0.6, 0.6, 0.4, 0.4, 0.2])
    #expect(metrics.outlierRatio == 0.4 && metrics.outlierRatioOfEstimates == 0.25)
    #expect(metrics.speedClasses.map(\.name) == ["s0-10", "s10-40", "s40+"])
    #expect(metrics.speedClasses.map(\.pixelCount) == [1, 3, 1])
    #expect(metrics.speedClasses.map(\.averageEndpointError) == [0, 1, 5])
  }

  /// (1, 0, 1) against (0, 0, 1) is 45°; (√3, 0, 1) against it is 60°.
  @Test func angularErrorsHaveTheSameFigures() throws {
    let estimate = Self.field([(1, 0), (0, 0), (Float(3).squareRoot(), 0), (.nan, .nan)])
    let metrics = try FlowMetrics(estimate: estimate, truth: Self.field([(0, 0), (0, 0), (0, 0), (0, 0)]))
    #expect(abs(metrics.angularErrors.mean - 35) < 1e-5)
    #expect(abs(metrics.angularErrors.standardDeviation - 25.495_098) < 1e-5)  // √((10² + 35² + 25²) / 3)
    #expect(metrics.angularErrors.share(beyond: 5) == 0.75)
    #expect(abs((metrics.angularErrors.percentile(0.5) ?? 0) - 45) < 1e-9)
  }

  @Test func unknownTruthAndMaskedPixelsDoNotCount() throws {
    let truth = Self.field([(1, 0), (.nan, .nan), (5, 5)])
    let estimate = Self.field([(2, 0), (9, 9), (50, 50)])
    let mask = Plane<UInt8>(width: 3, height: 1) { x, _ in x == 2 ? 0 : 255 }
    let metrics = try FlowMetrics(estimate: estimate, truth: truth, mask: mask)
    #expect(metrics.pixelCount == 1 && metrics.averageEndpointError == 1)
  }

  @Test func unknownEstimatesAreOutliersWithoutAnAverage() throws {
    let truth = Self.field([(1, 0), (1, 0)])
    let metrics = try FlowMetrics(estimate: Self.field([(.nan, .nan), (1, 0.25)]), truth: truth)
    #expect(metrics.coverage == 0.5 && metrics.averageEndpointError == 0.25)
    #expect(metrics.outlierRatios == [0.5, 0.5, 0.5, 0.5, 0.5] && metrics.outlierRatio == 0.5)
  }

  @Test func nothingToCompareIsNotZeroError() throws {
    let unknown = Self.field([(.nan, .nan)])
    let metrics = try FlowMetrics(estimate: unknown, truth: unknown)
    #expect(metrics.pixelCount == 0 && metrics.averageEndpointError.isNaN)
    #expect(metrics.endpointErrorPercentile(0.5) == nil)
  }

  @Test func sizesMustAgree() {
    let error = thrown(FlowFormatError.self) {
      try FlowMetrics(estimate: Self.field([(0, 0)]), truth: Self.field([(0, 0), (0, 0)]))
    }
    #expect(error?.code == .sizeMismatch)
    #expect(throws: FlowFormatError.self) {
      try FlowMetrics(
        estimate: Self.field([(0, 0)]), truth: Self.field([(0, 0)]), mask: Plane<UInt8>(width: 2, height: 1))
    }
  }
}
