// The styles that look colours up: the Middlebury wheel and the heat maps.

import FlowKernelTypes
import FlowKernels
import Imaging

/// The Middlebury colour wheel: pixel for pixel what flow_vis draws when the range is the frame's largest length. A
/// palette other than `hue` replaces its ring.
struct WheelPainter: FlowPainter {
  let alpha: UInt32
  let kernels: RenderKernels
  private let table: [SIMD4<Float>]

  init(options: RenderingOptions, kernels: RenderKernels) {
    alpha = options.alpha
    table = MiddleburyRing.table(of: options.palette)
    self.kernels = kernels
  }

  /// The colour of no motion: white.
  var ground: RGBA8 { RGBA8(255, 255, 255, UInt8(alpha)) }

  func paint(_ flow: FlowView, range: MotionRange, rows: Range<Int>, into layer: LayerView, scratch: StripeScratch) {
    let scale = 1 / (range.maximum + MiddleburyRing.epsilon)
    table.withUnsafeBufferPointer { ring in
      for y in rows {
        kernels.wheelRow(
          flow.u.row(y), flow.v.row(y), ring.baseAddress!, scale, alpha,
          PixelRow(base: layer.row(y), count: flow.size.width))
      }
    }
  }
}

/// Paints a heat map: dark where nothing moves, bright where motion is fast.
struct MagnitudePainter: FlowPainter {
  let alpha: UInt32
  let kernels: RenderKernels

  init(options: RenderingOptions, kernels: RenderKernels) {
    alpha = options.alpha
    self.kernels = kernels
  }

  var ground: RGBA8 { RGBA8(0, 0, 0, UInt8(alpha)) }

  func paint(_ flow: FlowView, range: MotionRange, rows: Range<Int>, into layer: LayerView, scratch: StripeScratch) {
    HeatMap.words.withUnsafeBufferPointer { ramp in
      for y in rows {
        kernels.rampRow(
          flow.u.row(y), flow.v.row(y), ramp.baseAddress!, range.lengths, alpha,
          PixelRow(base: layer.row(y), count: flow.size.width))
      }
    }
  }
}

/// Over the image: dark where the flow is not known, bright where it can be trusted. With the style `saliency` what
/// stands out glows, and the rest of the image shows.
struct ConfidencePainter: FlowPainter {
  let alpha: UInt32
  let fades: Bool
  let kernels: RenderKernels

  init(options: RenderingOptions, kernels: RenderKernels) {
    alpha = options.alpha
    fades = options.style == .saliency
    self.kernels = kernels
  }

  var ground: RGBA8 { .clear }

  func paint(_ flow: FlowView, range: MotionRange, rows: Range<Int>, into layer: LayerView, scratch: StripeScratch) {
    guard let confidence = flow.confidence else { return }
    // The length of (c, 0) is c.
    let zeros = scratch.base
    zeros.update(repeating: 0, count: scratch.pitch)
    HeatMap.words.withUnsafeBufferPointer { ramp in
      for y in rows {
        kernels.rampRow(
          confidence.row(y), zeros, ramp.baseAddress!, LengthScale(scale: 1, bias: 0), alpha,
          PixelRow(base: layer.row(y), count: flow.size.width))
        if fades { kernels.fadeRow(layer.row(y), confidence.row(y), flow.size.width) }
      }
    }
  }
}

/// Over the image: one colour where a pixel is hidden in the next frame, or leaves the image.
struct OcclusionPainter: FlowPainter {
  let alpha: UInt32

  /// A pixel is hidden up to this confidence: the limit at which the flow back contradicts a vector.
  static let limit: Float = 0.5
  /// Orange of Okabe & Ito's palette, which everybody tells from the other colours of an image ("Color Universal
  /// Design", 2008).
  static let color = RGBA8(230, 159, 0)

  init(options: RenderingOptions) { alpha = options.alpha }

  var ground: RGBA8 { .clear }

  func paint(_ flow: FlowView, range: MotionRange, rows: Range<Int>, into layer: LayerView, scratch: StripeScratch) {
    guard let confidence = flow.confidence else { return }
    let word = UInt32(Self.color.r) | UInt32(Self.color.g) << 8 | UInt32(Self.color.b) << 16 | alpha << 24
    for y in rows {
      let (values, pixels) = (confidence.row(y), layer.row(y))
      for x in 0..<flow.size.width { pixels[x] = values[x] > Self.limit ? 0 : word }
    }
  }
}

/// Leaves the image as it is: for styles of lines alone.
struct ClearPainter: FlowPainter {
  var ground: RGBA8 { .clear }

  func paint(_ flow: FlowView, range: MotionRange, rows: Range<Int>, into layer: LayerView, scratch: StripeScratch) {
    for y in rows { layer.row(y).update(repeating: 0, count: flow.size.width) }
  }
}
