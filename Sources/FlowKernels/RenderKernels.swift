import FlowKernelsBaseline
import FlowKernelsV3
import FlowKernelsV4

/// Kernels that turn flow into pixels and blend pixels onto images.
public struct RenderKernels: Sendable {
  public typealias Flowview =
    @Sendable (
      _ u: UnsafePointer<Float>, _ v: UnsafePointer<Float>, _ glyphs: UnsafePointer<Float>, _ pitch: Int, _ dy: Float,
      _ scale: Float, _ bias: Float, _ alpha: UInt32, _ output: UnsafeMutablePointer<UInt32>, _ count: Int
    ) -> Void
  public typealias Overlay =
    @Sendable (
      _ u: UnsafePointer<Float>, _ v: UnsafePointer<Float>, _ glyphs: UnsafePointer<Float>, _ pitch: Int, _ dy: Float,
      _ scale: Float, _ bias: Float, _ style: UnsafePointer<Float>, _ output: UnsafeMutablePointer<UInt32>,
      _ count: Int
    ) -> Void
  public typealias Wheel =
    @Sendable (
      _ u: UnsafePointer<Float>, _ v: UnsafePointer<Float>, _ ring: UnsafePointer<SIMD4<Float>>, _ scale: Float,
      _ alpha: UInt32, _ output: UnsafeMutablePointer<UInt32>, _ count: Int
    ) -> Void
  public typealias Ramp =
    @Sendable (
      _ u: UnsafePointer<Float>, _ v: UnsafePointer<Float>, _ ramp: UnsafePointer<UInt32>, _ scale: Float,
      _ bias: Float, _ alpha: UInt32, _ output: UnsafeMutablePointer<UInt32>, _ count: Int
    ) -> Void
  public typealias LargestSquare =
    @Sendable (_ u: UnsafePointer<Float>, _ v: UnsafePointer<Float>, _ start: Float, _ count: Int) -> Float
  public typealias Arrow =
    @Sendable (_ arrow: UnsafePointer<Float>, _ pixels: UnsafeMutablePointer<UInt32>, _ count: Int) -> Void
  public typealias Fade =
    @Sendable (_ pixels: UnsafeMutablePointer<UInt32>, _ confidence: UnsafePointer<Float>, _ count: Int) -> Void
  public typealias Blend<Sample> =
    @Sendable (
      _ layer: UnsafePointer<UInt32>, _ weights: UnsafePointer<Float>, _ samples: UnsafeMutablePointer<Sample>,
      _ count: Int
    ) -> Void
  public typealias PremultipliedSums =
    @Sendable (
      _ layer: UnsafePointer<UInt32>, _ stride: Int, _ rowCount: Int, _ shiftX: Int,
      _ sums: UnsafeMutablePointer<Float>, _ pitch: Int, _ count: Int
    ) -> Void
  public typealias BlendChroma<Sample> =
    @Sendable (
      _ sums: UnsafePointer<Float>, _ pitch: Int, _ weights: UnsafePointer<Float>, _ share: Float,
      _ samples: UnsafeMutablePointer<Sample>, _ count: Int
    ) -> Void

  public let flowviewRow: Flowview
  public let overlayRow: Overlay
  public let wheelRow: Wheel
  public let rampRow: Ramp
  public let largestSquare: LargestSquare
  public let arrowRow: Arrow
  public let fadeRow: Fade
  public let blendRow8: Blend<UInt8>
  public let blendRow16: Blend<UInt16>
  public let premultipliedSums: PremultipliedSums
  public let blendChromaRow8: BlendChroma<UInt8>
  public let blendChromaRow16: BlendChroma<UInt16>

  static func table(for level: ProcessorLevel) -> RenderKernels {
    switch level {
    case .baseline:
      RenderKernels(
        flowviewRow: FlowKernelsBaseline.renderFlowviewRow, overlayRow: FlowKernelsBaseline.renderOverlayRow,
        wheelRow: FlowKernelsBaseline.renderWheelRow, rampRow: FlowKernelsBaseline.renderRampRow,
        largestSquare: FlowKernelsBaseline.renderLargestSquare, arrowRow: FlowKernelsBaseline.renderArrowRow,
        fadeRow: FlowKernelsBaseline.renderFadeRow, blendRow8: FlowKernelsBaseline.renderBlendRow8,
        blendRow16: FlowKernelsBaseline.renderBlendRow16,
        premultipliedSums: FlowKernelsBaseline.renderPremultipliedSums,
        blendChromaRow8: FlowKernelsBaseline.renderBlendChromaRow8,
        blendChromaRow16: FlowKernelsBaseline.renderBlendChromaRow16)
    case .v3:
      RenderKernels(
        flowviewRow: FlowKernelsV3.renderFlowviewRow, overlayRow: FlowKernelsV3.renderOverlayRow,
        wheelRow: FlowKernelsV3.renderWheelRow, rampRow: FlowKernelsV3.renderRampRow,
        largestSquare: FlowKernelsV3.renderLargestSquare, arrowRow: FlowKernelsV3.renderArrowRow,
        fadeRow: FlowKernelsV3.renderFadeRow, blendRow8: FlowKernelsV3.renderBlendRow8,
        blendRow16: FlowKernelsV3.renderBlendRow16,
        premultipliedSums: FlowKernelsV3.renderPremultipliedSums,
        blendChromaRow8: FlowKernelsV3.renderBlendChromaRow8,
        blendChromaRow16: FlowKernelsV3.renderBlendChromaRow16)
    case .v4:
      RenderKernels(
        flowviewRow: FlowKernelsV4.renderFlowviewRow, overlayRow: FlowKernelsV4.renderOverlayRow,
        wheelRow: FlowKernelsV4.renderWheelRow, rampRow: FlowKernelsV4.renderRampRow,
        largestSquare: FlowKernelsV4.renderLargestSquare, arrowRow: FlowKernelsV4.renderArrowRow,
        fadeRow: FlowKernelsV4.renderFadeRow, blendRow8: FlowKernelsV4.renderBlendRow8,
        blendRow16: FlowKernelsV4.renderBlendRow16,
        premultipliedSums: FlowKernelsV4.renderPremultipliedSums,
        blendChromaRow8: FlowKernelsV4.renderBlendChromaRow8,
        blendChromaRow16: FlowKernelsV4.renderBlendChromaRow16)
    }
  }
}
