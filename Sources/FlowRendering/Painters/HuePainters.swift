// The styles of triangles: `flowview` on black and `overlay` over the image.

import FlowKernelTypes
import FlowKernels
import Imaging

/// Triangles in the colours of directions, as bright as the motion is long, on black.
struct FlowviewPainter: FlowPainter {
  let grid: TriangleGrid
  let ring: [UInt32]
  let alpha: UInt32
  let kernels: RenderKernels

  init(options: RenderingOptions, size: PixelSize, kernels: RenderKernels) {
    ring = options.palette.ring
    grid = TriangleGrid(cell: options.cellSide(for: size), tipAngle: options.tipAngle)
    alpha = options.alpha
    self.kernels = kernels
  }

  var ground: RGBA8 { RGBA8(0, 0, 0, UInt8(alpha)) }

  func paint(_ flow: FlowView, range: MotionRange, rows: Range<Int>, into layer: LayerView, scratch: StripeScratch) {
    grid.forEachRow(rows, flow: flow, scratch: scratch) { y, distance in
      kernels.flowviewRow(
        flow.u.row(y), flow.v.row(y), scratch.base, ring,
        GlyphDrawing(pitch: scratch.pitch, distance: distance, lengths: range.lengths, alpha: alpha),
        PixelRow(base: layer.row(y), count: flow.size.width))
    }
  }
}

/// A tint of the direction with bright triangles, over the image and only where it moves; ends where the flow is
/// unsure.
struct OverlayPainter: FlowPainter {
  let grid: TriangleGrid
  let ring: [UInt32]
  let look: OverlayLook
  let kernels: RenderKernels

  /// Share of the full opacity that a pixel outside of triangles has.
  static let tintShare: Float = 0.6
  /// The share of white that is mixed into the hue of a triangle.
  static let triangleWhite: Float = 0.4
  /// The share by which the rim of a triangle is darkened.
  static let rimDarkness: Float = 0.6
  /// Width of the rim in pixels.
  static let rimWidth: Float = 1
  /// Triangles are this much more opaque than the option says, up to fully.
  static let triangleGain: Float = 1.5
  /// Motion that stays untouched, in pixels above the minimum: noise of estimators on real video; but never more
  /// than `stillShare` of the range.
  static let stillLength: Float = 0.5
  /// The maximum share of the range that stays untouched.
  static let stillShare: Float = 0.1
  /// Share of the range at which the opacity is full, so that people can be seen beside cars.
  static let fullShare: Float = 0.35
  /// The minimum motion above that of the range at which the opacity is full, in pixels; the range itself may be
  /// shorter.
  static let fullLength: Float = 4

  init(options: RenderingOptions, size: PixelSize, kernels: RenderKernels) {
    let cell = options.cellSide(for: size)
    ring = options.palette.ring
    grid = TriangleGrid(
      cell: cell, tipAngle: options.tipAngle, diameter: Double(cell) * 0.9,
      minimumLength: max(options.minLength, 0.2))
    let opacity = Float(options.opacity) * 255
    look = OverlayLook(
      tint: opacity * Self.tintShare, glyph: min(255, opacity * Self.triangleGain), white: Self.triangleWhite,
      rim: Self.rimDarkness, rimWidth: Self.rimWidth)
    self.kernels = kernels
  }

  var ground: RGBA8 { .clear }

  /// Lengths between which the opacity grows.
  static func opacityRange(_ range: MotionRange) -> MotionRange {
    let span = range.maximum - range.minimum
    return MotionRange(
      minimum: range.minimum + min(stillLength, stillShare * span),
      maximum: range.minimum + min(span, max(fullLength, fullShare * span)))
  }

  func paint(_ flow: FlowView, range: MotionRange, rows: Range<Int>, into layer: LayerView, scratch: StripeScratch) {
    let range = Self.opacityRange(range)
    grid.forEachRow(rows, flow: flow, scratch: scratch) { y, distance in
      let glyphs = GlyphDrawing(pitch: scratch.pitch, distance: distance, lengths: range.lengths)
      kernels.overlayRow(
        flow.u.row(y), flow.v.row(y), scratch.base, ring, OverlayDrawing(glyphs: glyphs, look: look),
        PixelRow(base: layer.row(y), count: flow.size.width))
      if let confidence = flow.confidence {
        kernels.fadeRow(layer.row(y), confidence.row(y), flow.size.width)
      }
    }
  }
}

extension TriangleGrid {
  /// Calls `body` for each row with its distance up from the centre of its cells, whose table is in `scratch`.
  func forEachRow(
    _ rows: Range<Int>, flow: FlowView, scratch: StripeScratch, _ body: (_ y: Int, _ distance: Float) -> Void
  ) {
    var filled = -1
    for y in rows {
      let index = index(of: y)
      if index != filled { fill(scratch.base, pitch: scratch.pitch, flow: flow, row: index) }
      filled = index
      body(y, Float(center(index, limit: flow.size.height) - y))
    }
  }
}
