// The styles that look colours up: the Middlebury wheel and the heat maps.

import FlowKernelTypes
import FlowKernels
import Imaging

/// The Middlebury colour wheel: pixel for pixel what flow_vis draws when the range is the frame's largest length.
struct WheelPainter: FlowPainter {
  let alpha: UInt32
  let kernels: RenderKernels

  init(options: RenderingOptions, kernels: RenderKernels) {
    alpha = options.alpha
    self.kernels = kernels
  }

  /// No motion is white.
  var ground: RGBA8 { RGBA8(255, 255, 255, UInt8(alpha)) }

  func paint(_ flow: FlowView, range: MotionRange, rows: Range<Int>, into layer: LayerView, scratch: StripeScratch) {
    let scale = 1 / (range.maximum + MiddleburyRing.epsilon)
    MiddleburyRing.table.withUnsafeBufferPointer { ring in
      for y in rows {
        kernels.wheelRow(
          flow.u.row(y), flow.v.row(y), ring.baseAddress!, scale, alpha,
          PixelRow(base: layer.row(y), count: flow.size.width))
      }
    }
  }
}

/// Dark where nothing moves, bright where motion is fast.
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

/// Over the image: dark where the flow is not known, bright where it can be trusted.
struct ConfidencePainter: FlowPainter {
  let alpha: UInt32
  let kernels: RenderKernels

  init(options: RenderingOptions, kernels: RenderKernels) {
    alpha = options.alpha
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
      }
    }
  }
}
