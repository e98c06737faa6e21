import FlowKernelTypes
import FlowKernelsBaseline
import FlowKernelsV3
import FlowKernelsV4

/// Kernels that turn flow into pixels and blend pixels onto images.
public struct RenderKernels: Sendable {
  public internal(set) var flowviewRow = FlowKernelsBaseline.renderFlowviewRow
  public internal(set) var overlayRow = FlowKernelsBaseline.renderOverlayRow
  public internal(set) var wheelRow = FlowKernelsBaseline.renderWheelRow
  public internal(set) var rampRow = FlowKernelsBaseline.renderRampRow
  public internal(set) var largestSquare = FlowKernelsBaseline.renderLargestSquare
  public internal(set) var arrowRow = FlowKernelsBaseline.renderArrowRow
  public internal(set) var fadeRow = FlowKernelsBaseline.renderFadeRow
  public internal(set) var blendRow8 = FlowKernelsBaseline.renderBlendRow8
  public internal(set) var blendRow16 = FlowKernelsBaseline.renderBlendRow16
  public internal(set) var premultipliedSums = FlowKernelsBaseline.renderPremultipliedSums
  public internal(set) var blendChromaRow8 = FlowKernelsBaseline.renderBlendChromaRow8
  public internal(set) var blendChromaRow16 = FlowKernelsBaseline.renderBlendChromaRow16

  static func table(for level: ProcessorLevel) -> RenderKernels {
    switch level {
    case .baseline: RenderKernels()
    case .v3:
      RenderKernels(
        flowviewRow: FlowKernelsV3.renderFlowviewRow, overlayRow: FlowKernelsV3.renderOverlayRow,
        wheelRow: FlowKernelsV3.renderWheelRow, rampRow: FlowKernelsV3.renderRampRow,
        largestSquare: FlowKernelsV3.renderLargestSquare, arrowRow: FlowKernelsV3.renderArrowRow,
        fadeRow: FlowKernelsV3.renderFadeRow, blendRow8: FlowKernelsV3.renderBlendRow8,
        blendRow16: FlowKernelsV3.renderBlendRow16, premultipliedSums: FlowKernelsV3.renderPremultipliedSums,
        blendChromaRow8: FlowKernelsV3.renderBlendChromaRow8, blendChromaRow16: FlowKernelsV3.renderBlendChromaRow16)
    case .v4:
      RenderKernels(
        flowviewRow: FlowKernelsV4.renderFlowviewRow, overlayRow: FlowKernelsV4.renderOverlayRow,
        wheelRow: FlowKernelsV4.renderWheelRow, rampRow: FlowKernelsV4.renderRampRow,
        largestSquare: FlowKernelsV4.renderLargestSquare, arrowRow: FlowKernelsV4.renderArrowRow,
        fadeRow: FlowKernelsV4.renderFadeRow, blendRow8: FlowKernelsV4.renderBlendRow8,
        blendRow16: FlowKernelsV4.renderBlendRow16, premultipliedSums: FlowKernelsV4.renderPremultipliedSums,
        blendChromaRow8: FlowKernelsV4.renderBlendChromaRow8, blendChromaRow16: FlowKernelsV4.renderBlendChromaRow16)
    }
  }
}
