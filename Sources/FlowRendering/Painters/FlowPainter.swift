// A style is one type that paints rows of a layer. A new style is one such type and one line in `painter(for:)`.

import FlowKernels
import Imaging

/// Memory of one stripe: rows of numbers that a painter and the compositor may overwrite.
struct StripeScratch {
  let base: UnsafeMutablePointer<Float>
  /// Numbers in a row.
  let pitch: Int

  static let rowCount = max(TriangleGrid.tableRows, Compositor.scratchRows)
}

/// A stripe of the layer, with the part that shows the flow.
struct LayerView: Sendable {
  let plane: MutablePlaneView<RGBA8>
  /// The row of the image that the first row of `plane` belongs to.
  let firstRow: Int
  /// Columns to the left of the flow.
  let firstColumn: Int

  /// The row that belongs to the image's row `y`, as words, from the flow's first column on.
  func row(_ y: Int) -> UnsafeMutablePointer<UInt32> {
    UnsafeMutableRawPointer(plane.row(y - firstRow) + firstColumn).assumingMemoryBound(to: UInt32.self)
  }
}

/// Paints a style's layer from flow.
protocol FlowPainter: Sendable {
  /// The colour that is seen where there is no flow: in the last frame of a stream.
  var ground: RGBA8 { get }

  /// Looks at the whole field, before stripes are painted.
  mutating func prepare(_ flow: FlowView, range: MotionRange)

  /// Writes every pixel of `rows`, from this field only. May run for several ranges at once.
  func paint(_ flow: FlowView, range: MotionRange, rows: Range<Int>, into layer: LayerView, scratch: StripeScratch)
}

extension FlowPainter {
  mutating func prepare(_ flow: FlowView, range: MotionRange) {}
}

/// The painter of a style.
func painter(for options: RenderingOptions, size: PixelSize, kernels: RenderKernels) -> any FlowPainter {
  switch options.style {
  case .overlay: OverlayPainter(options: options, size: size, kernels: kernels)
  case .flowview: FlowviewPainter(options: options, size: size, kernels: kernels)
  case .wheel, .sideBySide: WheelPainter(options: options, kernels: kernels)
  case .arrows: ArrowPainter(options: options, size: size, kernels: kernels)
  case .magnitude: MagnitudePainter(options: options, kernels: kernels)
  case .confidence, .saliency: ConfidencePainter(options: options, kernels: kernels)
  case .occlusion: OcclusionPainter(options: options)
  case .contours: ClearPainter()
  }
}

extension RenderingOptions {
  /// The opacity as a byte.
  var alpha: UInt32 { UInt32((opacity * 255).rounded()) }
}
