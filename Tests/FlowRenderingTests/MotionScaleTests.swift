import FlowKernels
import Imaging
import Testing

@testable import FlowRendering

@Suite struct MotionScaleTests {
  private let kernels = KernelTable.current.render

  @Test func theSummaryIsThatOfTheMovingPixels() throws {
    // A tenth moves, evenly from 1 to 11 pixels.
    let flow = FlowField(width: 400, height: 300) { x, _ in x < 40 ? (0, 1 + Float(x) / 4) : (0.1, 0) }
    let summary = MotionSummary(flow)
    let (mean, highLength) = (try #require(summary.mean), try #require(summary.highLength))
    #expect(abs(mean - 0.68) < 0.1)
    #expect(abs(highLength - 9.9) < 0.5)
  }

  @Test func unknownAndStillFieldsHaveNoHighLength() {
    let unknown = MotionSummary(FlowField(width: 40, height: 30) { _, _ in (.nan, .nan) })
    #expect(unknown.mean == nil && unknown.highLength == nil)
    let still = MotionSummary(FlowField(width: 40, height: 30) { _, _ in (0.3, 0.3) })
    #expect(still.highLength == nil)
    #expect(abs((still.mean ?? 0) - 0.424) < 0.001)
  }

  @Test func theStreamScaleFollowsRisesFasterThanFalls() {
    var scale = MotionScale(options: RenderingOptions())
    #expect(next(&scale, moving: 10) == 10)
    // A pan begins: within three frames nearly all colours are there.
    let risen = (0..<3).map { _ in next(&scale, moving: 100) }
    #expect(risen[0] < 70 && risen[2] > 90, "\(risen)")
    for _ in 0..<200 { _ = next(&scale, moving: 20) }
    #expect(abs(next(&scale, moving: 20) - 20) < 0.1)
    let fallen = next(&scale, moving: 10)
    #expect(fallen > 19 && fallen < 20)
    // A still frame says nothing.
    #expect(next(&scale, moving: 0) == fallen)
  }

  @Test func anotherSceneBeginsWithItsOwnScale() {
    var scale = MotionScale(options: RenderingOptions())
    #expect(next(&scale, moving: 80) == 80)
    scale.startScene()
    #expect(next(&scale, moving: 4) == 4)
  }

  /// All that moves alike, as in a pan, does not have the colour of the fastest.
  @Test func theHeatMapHasColoursForWhatIsFasterThanMost() {
    var scale = MotionScale(options: RenderingOptions(style: .magnitude))
    #expect(next(&scale, moving: 30) == 40)
    var options = RenderingOptions(style: .magnitude)
    options.maxLength = .fixed(30)
    scale = MotionScale(options: options)
    #expect(next(&scale, moving: 30) == 30)
  }

  @Test func noiseIsNotBlownUp() {
    var scale = MotionScale(options: RenderingOptions())
    #expect(next(&scale, moving: 0) == Float(MotionScale.minimumLength))
    #expect(next(&scale, moving: 0.8) == Float(MotionScale.minimumLength))
  }

  @Test func framesScaleByThemselves() {
    var options = RenderingOptions(style: .wheel)
    options.normalization = .frame
    var scale = MotionScale(options: options)
    #expect(next(&scale, moving: 20) == 20)
    #expect(next(&scale, moving: 3) == 3)
    options.normalization = .fixed
    scale = MotionScale(options: options)
    #expect(next(&scale, moving: 3) == Float(RenderingOptions.defaultMaximumLength))
    options.maxLength = .fixed(7)
    options.normalization = .stream
    scale = MotionScale(options: options)
    #expect(next(&scale, moving: 3) == 7)
  }

  /// The maximum for a field that moves by `length` everywhere; bins are 4 % wide, so lengths are rounded to 5 %.
  private func next(_ scale: inout MotionScale, moving length: Float) -> Float {
    let flow = FlowField(width: 64, height: 64) { _, _ in (length, 0) }
    var summary = scale.summary(of: flow, kernels: kernels)
    if let high = summary.highLength {
      #expect(abs(high / Double(length) - 1) < 0.07)
      summary.highLength = Double(length)
    }
    return scale.next(summary).maximum
  }
}
