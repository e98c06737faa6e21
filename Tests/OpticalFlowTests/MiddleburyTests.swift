import FlowFormats
import Foundation
import OpticalFlow
import TestSupport
import Testing
import VideoIO

/// The eight public training pairs of the Middlebury flow benchmark.
@Suite struct MiddleburyTests {
  /// The average endpoint errors of OpenCV 5.0.0 with the same parameters. From the same grey levels the fields agree
  /// to
  /// 0.0001 pixels on average; OpenCV's own reader rounds half of the grey levels down by one, which moves these
  /// figures by up to 0.011.
  private static let expected: [(name: String, error: Double)] = [
    ("Dimetrodon", 0.937), ("Grove2", 0.583), ("Grove3", 1.333), ("Hydrangea", 0.592), ("RubberWhale", 0.361),
    ("Urban2", 1.426), ("Urban3", 2.973), ("Venus", 1.441),
  ]

  @Test(.enabled(if: TestData.has("flow/middlebury"), "needs the test data"))
  func farnebackIsAsCloseToTheTruthAsOpenCV() throws {
    let folder = try TestData.url("flow/middlebury")
    let engine = try FarnebackEngine()
    var sum = 0.0
    for pair in Self.expected {
      let files = folder.appendingPathComponent(pair.name)
      let previous = try StillImage.luma(contentsOf: files.appendingPathComponent("frame10.png").path)
      let current = try StillImage.luma(contentsOf: files.appendingPathComponent("frame11.png").path)
      let truth = try MiddleburyFlow.read(contentsOf: files.appendingPathComponent("flow10.flo").path)
      let metrics = try FlowMetrics(estimate: engine.flow(previous: previous, current: current), truth: truth)
      #expect(abs(metrics.averageEndpointError - pair.error) < 0.02, "\(pair.name)")
      sum += metrics.averageEndpointError
    }
    #expect(sum / Double(Self.expected.count) < 1.215)
  }
}
