import FlowFormats
import Foundation
import OpticalFlow
import TestSupport
import Testing
import VideoIO

/// Lucas-Kanade on the eight public training pairs of the Middlebury flow benchmark. OpenCV's PyrLK at every pixel,
/// 21×21 and 3 levels, has a mean endpoint error of 1.24.
@Suite struct LucasKanadeMiddleburyTests {
  @Test(
    .enabled(if: TestData.has("flow/middlebury"), "needs the test data"),
    arguments: [
      (LucasKanadeParameters.low, 0.39), (.medium, 0.36), (.high, 0.315), (.veryHigh, 0.31),
    ])
  func theMeanErrorOfEachLevel(parameters: LucasKanadeParameters, limit: Double) throws {
    let folder = try TestData.url("flow/middlebury")
    let engine = try LucasKanadeEngine(parameters: parameters)
    let names = ["Dimetrodon", "Grove2", "Grove3", "Hydrangea", "RubberWhale", "Urban2", "Urban3", "Venus"]
    let errors = try names.map { name in
      let files = folder.appendingPathComponent(name)
      let previous = try StillImage.luma(contentsOf: files.appendingPathComponent("frame10.png").path)
      let current = try StillImage.luma(contentsOf: files.appendingPathComponent("frame11.png").path)
      let truth = try MiddleburyFlow.read(contentsOf: files.appendingPathComponent("flow10.flo").path)
      return try FlowMetrics(estimate: engine.flow(previous: previous, current: current), truth: truth)
        .averageEndpointError
    }
    #expect(errors.reduce(0, +) / Double(errors.count) < limit, "\(errors)")
  }
}
