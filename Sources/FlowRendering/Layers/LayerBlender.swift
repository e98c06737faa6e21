import FlowKernels
import Imaging

/// Blends what was drawn on a layer of lines onto images, stripe by stripe. Used by one thread.
struct LayerBlender {
  /// Rows that are blended in one go; even, so that they hold whole chroma samples.
  private static let stripeHeight = 32

  private let kernels = KernelTable.current.render
  private let size: PixelSize
  private var scratch: Plane<Float>

  init(size: PixelSize) {
    self.size = size
    scratch = Plane(width: size.width + 16, height: Compositor.scratchRows)
  }

  /// Blends the rows that were drawn on.
  /// - Parameters:
  ///   - layer: The layer, of the blender's size.
  ///   - image: The image, of the same size.
  mutating func blend(_ layer: LineLayer, onto image: MutableImageView) {
    let compositor = Compositor(format: image.format, kernels: kernels)
    let rows = layer.drawnRows
    guard !rows.isEmpty else { return }
    let size = size
    scratch.withMutableView { scratch in
      layer.pixels.withView { pixels in
        var y = rows.lowerBound & ~(Plate.grid - 1)
        while y < rows.upperBound {
          let end = min(y + Self.stripeHeight, size.height)
          compositor.blend(
            pixels, rows: y..<end, onto: image, scratch: scratch.row(0),
            pitch: scratch.stride / MemoryLayout<Float>.stride)
          y = end
        }
      }
    }
  }
}
