// Drawing flow, and blending it onto images.

import FlowKernelTypes
import FlowKernels

extension KernelCase {
  static func rendering(_ kernels: RenderKernels, count: Int) -> [KernelCase] {
    drawing(kernels, count: count) + blending(kernels, count: count)
  }

  private static func drawing(_ kernels: RenderKernels, count: Int) -> [KernelCase] {
    let (u, v, glyphs) = (Row(count), Row(count), Rows(6, of: count))
    let pixels = Numbers(count + 16) { _ in UInt32(0x8040_2010) }
    let drawing = GlyphDrawing(pitch: glyphs.stride, distance: 1, lengths: LengthScale(scale: 0.2, bias: 0))
    let overlay = OverlayDrawing(
      glyphs: drawing, look: OverlayLook(tint: 120, glyph: 240, white: 0.5, rim: 0.5, rimWidth: 1))
    let row = PixelRow(base: pixels.start, count: count)
    let faded = Numbers(count + 16) { _ in UInt32(0x8040_2010) }
    let ring = Numbers(110) { SIMD4<Float>(repeating: Float($0 % 2)) }
    let directions = Numbers(DirectionRing.count + 1) { UInt32($0) }
    let ramp = Numbers(256) { UInt32($0) }
    let arrow = Numbers(14) { [Float(-20), -5, 0.1, 0.05, 4, 10, 20, 0.8, 0.6, 1, 255, 255, 255, 1][$0] }
    return [
      // 31 operations find length and direction.
      KernelCase("flowviewRow", pixels: count, rowsRead: 8, rowsWritten: 1, operations: 66) {
        withExtendedLifetime(pixels) {
          kernels.flowviewRow(u.start, v.start, glyphs[0], directions.start, drawing, row)
        }
      },
      KernelCase("overlayRow", pixels: count, rowsRead: 8, rowsWritten: 1, operations: 96) {
        withExtendedLifetime(pixels) {
          kernels.overlayRow(u.start, v.start, glyphs[0], directions.start, overlay, row)
        }
      },
      KernelCase("wheelRow", pixels: count, rowsRead: 2, rowsWritten: 1, operations: 67) {
        withExtendedLifetime(pixels) { kernels.wheelRow(u.start, v.start, ring.start, 0.2, 255, row) }
      },
      KernelCase("rampRow", pixels: count, rowsRead: 2, rowsWritten: 1, operations: 37) {
        withExtendedLifetime(pixels) { kernels.rampRow(u.start, v.start, ramp.start, drawing.lengths, 255, row) }
      },
      KernelCase("largestSquare", pixels: count, rowsRead: 2, rowsWritten: 0, operations: 6) {
        precondition(kernels.largestSquare(u.start, v.start, 0, count) > 0)
      },
      KernelCase("arrowRow", pixels: count, rowsRead: 1, rowsWritten: 1, operations: 57) {
        kernels.arrowRow(arrow.start, pixels.start, count)
      },
      KernelCase("fadeRow", pixels: count, rowsRead: 2, rowsWritten: 1, operations: 4) {
        kernels.fadeRow(faded.start, u.start, count)
      },
    ]
  }

  private static func blending(_ kernels: RenderKernels, count: Int) -> [KernelCase] {
    let layer = Numbers(2 * (count + 16)) { _ in UInt32(0x8040_2010) }
    let weights = Numbers(5) { [Float(0.25), 0.5, 0.1, 16, 255][$0] }
    let samples8 = Numbers(count + 16) { UInt8(truncatingIfNeeded: $0) }
    let samples16 = Numbers(count + 16) { UInt16(truncatingIfNeeded: $0) }
    let sums = Rows(4, of: count)
    return [
      KernelCase("blendRow8", pixels: count, bytesRead: 5, bytesWritten: 1, operations: 18) {
        kernels.blendRow8(layer.start, weights.start, samples8.start, count)
      },
      KernelCase("blendRow16", pixels: count, bytesRead: 6, bytesWritten: 2, operations: 18) {
        kernels.blendRow16(layer.start, weights.start, samples16.start, count)
      },
      // Blocks of 2×2.
      KernelCase("premultipliedSums", pixels: 2 * count, bytesRead: 4, bytesWritten: 4, operations: 12) {
        kernels.premultipliedSums(
          layer.start, 4 * (count + 16), ChromaBlock(shiftX: 1, rowCount: 2), sums[0], sums.stride, count)
      },
      KernelCase("blendChromaRow8", pixels: count, bytesRead: 17, bytesWritten: 1, operations: 14) {
        kernels.blendChromaRow8(sums[0], sums.stride, weights.start, 1e-3, samples8.start, count)
      },
    ]
  }
}
