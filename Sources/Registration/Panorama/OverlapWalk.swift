// Every pixel of a reduced panorama with the images that show it.

import Imaging

/// Reduced images of a panorama, in the order of its layout.
package struct PanoramaThumbnails: Sendable {
  /// The geometry of the reduced panorama.
  package let layout: PanoramaLayout
  /// The images, reduced by whole factors.
  package let images: [Plane<RGBA8>]
  /// The number of pixels of each image per pixel of the reduced one, along an axis.
  package let steps: [Int]

  /// - Parameters:
  ///   - layout: The layout of the reduced panorama.
  ///   - images: One for each of `layout.images`.
  ///   - steps: The whole factor by which each of `images` is reduced.
  package init(layout: PanoramaLayout, images: [Plane<RGBA8>], steps: [Int]) {
    precondition(layout.images.count == images.count && images.count == steps.count)
    self.layout = layout
    self.images = images
    self.steps = steps
  }

  /// The content of one image at a pixel.
  struct View {
    /// The position of the image in the layout.
    var order: Int
    var color: SIMD3<Float>
    var centrality: Float
  }

  /// Calls `body` for each pixel, row by row, with the images that show it, in their order.
  func forEachPixel(_ body: (_ x: Int, _ y: Int, _ views: [View]) -> Void) {
    var columns = [[View]](repeating: [], count: layout.size.width)
    for y in 0..<layout.size.height {
      for x in columns.indices { columns[x].removeAll(keepingCapacity: true) }
      for (order, image) in layout.images.enumerated() where image.bounds.rows.contains(y) {
        appendRow(y, order, image, to: &columns)
      }
      for x in columns.indices { body(x, y, columns[x]) }
    }
  }

  private func appendRow(_ y: Int, _ order: Int, _ image: PlacedImage, to columns: inout [[View]]) {
    let step = Double(steps[order])
    images[order].withSampler { sampler in
      layout.forEachPosition(of: image, row: y, columns: image.bounds.columns) { x, position in
        guard image.contains(position) else { return }
        let color = sampler.bilinear((position + 0.5) / step - 0.5)
        columns[x].append(
          View(
            order: order, color: SIMD3(color.x, color.y, color.z), centrality: Float(image.centrality(position))))
      }
    }
  }
}
