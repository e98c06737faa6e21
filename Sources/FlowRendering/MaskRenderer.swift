// Masks: white on black.

import Imaging

/// Draws masks over the images of a stream: nothing of them stays. Owned by one task.
public final class MaskRenderer {
  /// The size of the images.
  public let size: PixelSize
  private var layer: LineLayer
  private var blender: LayerBlender

  /// - Parameter size: The size of the images.
  /// - Throws: ``RenderingError`` with code `emptyImage`.
  public init(size: PixelSize) throws {
    try size.requirePixels()
    self.size = size
    layer = LineLayer(size: size)
    blender = LayerBlender(size: size)
  }

  /// Makes an image black, and white in boxes.
  /// - Parameters:
  ///   - boxes: Whole pixels.
  ///   - image: At least of ``size``; what is larger (padding) stays as it is.
  /// - Throws: ``RenderingError`` with code `sizeMismatch`, `strideTooSmall` or `unsupportedFormat`; then nothing is
  ///   drawn.
  package func render(_ boxes: [BoundingBox], over image: MutableImageView) throws(RenderingError) {
    let image = try image.canvas(size)
    layer.fill(x: 0, y: 0, width: size.width, height: size.height, color: .black, opacity: 1)
    for box in boxes {
      layer.fill(
        x: Int(box.x), y: Int(box.y), width: Int(box.width), height: Int(box.height), color: RGBA8(255, 255, 255),
        opacity: 1)
    }
    blender.blend(layer, onto: image)
  }
}
