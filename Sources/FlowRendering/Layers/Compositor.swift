// Blending of a layer onto an image in its own planar format.

import FlowKernelTypes
import FlowKernels
import Imaging

/// Blends layers with straight opacity onto images of one format.
///
/// Where the layer is transparent, samples stay as they are, bit for bit. A chroma sample takes the mean of the
/// layer's colours under it, each weighted by its opacity.
struct Compositor: Sendable {
  let format: ImageFormat
  private let kernels: RenderKernels
  /// The weights of R, G and B (0…255), the value of black, and the largest sample, for each plane.
  private let weights: [[Float]]

  init(format: ImageFormat, kernels: RenderKernels) {
    precondition((0...2).contains(format.chromaShiftX) && (0...2).contains(format.chromaShiftY), "\(format)")
    self.format = format
    self.kernels = kernels
    weights = (0..<format.planeCount).map { Self.weights(plane: $0, of: format) }
  }

  /// ITU-T H.273, equations 20 to 43.
  private static func weights(plane: Int, of format: ImageFormat) -> [Float] {
    let step = Double(1 << (format.bitDepth - 8))
    let largest = Double((1 << format.bitDepth) - 1)
    let lumaScale = (format.isFullRange ? largest : 219 * step) / 255
    let lumaOffset = format.isFullRange ? 0 : 16 * step
    let chromaScale = (format.isFullRange ? largest : 224 * step) / 255
    let (kr, kb) = (format.matrix.kr, format.matrix.kb)
    let kg = 1 - kr - kb
    let row: [Double]
    switch (format.colorModel, plane) {
    case (.rgb, _):
      row = (0..<3).map { $0 == plane ? lumaScale : 0 } + [lumaOffset]
    case (.gray, _), (.yuv, 0):
      row = [kr, kg, kb].map { $0 * lumaScale } + [lumaOffset]
    case (.yuv, 1):
      row = [-kr, -kg, 1 - kb].map { $0 * chromaScale / (2 * (1 - kb)) } + [128 * step]
    case (.yuv, _):
      row = [1 - kr, -kg, -kb].map { $0 * chromaScale / (2 * (1 - kr)) } + [128 * step]
    }
    return row.map(Float.init) + [Float(largest)]
  }

  /// Numbers of scratch memory that `blend` needs for each column: see `blend`.
  static let scratchRows = 4

  /// Blends `rows` of `layer` onto the same rows of `image`.
  ///
  /// - Parameters:
  ///   - layer: The layer, of `image`'s size; transparent past the end of its rows.
  ///   - firstColumn: Columns before it are left alone. On a whole chroma sample.
  ///   - rows: Start on a whole chroma sample.
  ///   - scratch: ``scratchRows`` rows of `pitch` numbers; `pitch` is at least the width rounded up to 8, plus 8.
  func blend(
    _ layer: PlaneView<RGBA8>, firstColumn: Int = 0, rows: Range<Int>, onto image: MutableImageView,
    scratch: UnsafeMutablePointer<Float>, pitch: Int
  ) {
    precondition(layer.size == image.size && format == image.format)
    let count = layer.width - firstColumn
    guard count > 0 else { return }
    for y in rows {
      let pixels = words(layer, y) + firstColumn
      blendRow(pixels, image, plane: 0, y, firstColumn, count)
      if format.colorModel == .rgb {
        blendRow(pixels, image, plane: 1, y, firstColumn, count)
        blendRow(pixels, image, plane: 2, y, firstColumn, count)
      }
    }
    guard format.colorModel == .yuv else { return }
    var y = rows.lowerBound
    while y < rows.upperBound {
      blendChroma(layer, image, y, firstColumn, count, scratch, pitch)
      y += 1 << format.chromaShiftY
    }
  }

  private func blendRow(
    _ pixels: UnsafePointer<UInt32>, _ image: MutableImageView, plane: Int, _ y: Int, _ x: Int, _ count: Int
  ) {
    weights[plane].withUnsafeBufferPointer { weights in
      if format.bytesPerSample == 1 {
        kernels.blendRow8(pixels, weights.baseAddress!, image.plane(plane, as: UInt8.self).row(y) + x, count)
      } else {
        kernels.blendRow16(pixels, weights.baseAddress!, image.plane(plane, as: UInt16.self).row(y) + x, count)
      }
    }
  }

  /// Both chroma planes of the block row that starts at the row `y`. Blocks cut off by the image's right or lower
  /// border have fewer pixels, and their means are over those.
  private func blendChroma(
    _ layer: PlaneView<RGBA8>, _ image: MutableImageView, _ y: Int, _ x: Int, _ count: Int,
    _ sums: UnsafeMutablePointer<Float>, _ pitch: Int
  ) {
    let (shiftX, shiftY) = (format.chromaShiftX, format.chromaShiftY)
    let rowCount = min(1 << shiftY, layer.height - y)
    kernels.premultipliedSums(
      words(layer, y) + x, layer.stride, ChromaBlock(shiftX: shiftX, rowCount: rowCount), sums, pitch, count)
    let blockWidth = 1 << shiftX
    let blockCount = (count + blockWidth - 1) / blockWidth
    if count % blockWidth != 0 {
      let gain = Float(blockWidth) / Float(count % blockWidth)
      for row in 0..<4 { sums[row * pitch + blockCount - 1] *= gain }
    }
    let share = 1 / Float(255 * rowCount * blockWidth)
    for plane in 1...2 {
      weights[plane].withUnsafeBufferPointer { weights in
        if format.bytesPerSample == 1 {
          let samples = image.plane(plane, as: UInt8.self).row(y >> shiftY) + (x >> shiftX)
          kernels.blendChromaRow8(sums, pitch, weights.baseAddress!, share, samples, blockCount)
        } else {
          let samples = image.plane(plane, as: UInt16.self).row(y >> shiftY) + (x >> shiftX)
          kernels.blendChromaRow16(sums, pitch, weights.baseAddress!, share, samples, blockCount)
        }
      }
    }
  }

  private func words(_ layer: PlaneView<RGBA8>, _ y: Int) -> UnsafePointer<UInt32> {
    UnsafeRawPointer(layer.row(y)).assumingMemoryBound(to: UInt32.self)
  }
}
