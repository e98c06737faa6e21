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

  /// Calls `body` for each pixel that at least one image shows, row by row, with the images that show it, in their
  /// order.
  /// - Parameter columns: Returns the columns of a row that are wanted; nil: all of them.
  func forEachPixel(
    in columns: ((_ y: Int) -> Range<Int>)? = nil,
    _ body: (_ x: Int, _ y: Int, _ views: UnsafeBufferPointer<View>) -> Void
  ) {
    let width = layout.size.width
    var counts = [Int](repeating: 0, count: width)
    var views: [View] = []
    for y in 0..<layout.size.height {
      let range = columns?(y) ?? 0..<width
      let orders = layout.images.indices.filter {
        let bounds = layout.images[$0].bounds
        return bounds.rows.contains(y) && bounds.columns.overlaps(range)
      }
      guard !orders.isEmpty else { continue }
      // A place in each column for each image that may be seen there.
      let stride = orders.count
      if views.count < stride * width {
        views = Array(repeating: View(order: 0, color: .zero, centrality: 0), count: stride * width)
      }
      for x in range { counts[x] = 0 }
      views.withUnsafeMutableBufferPointer { views in
        for order in orders { appendRow(y, order, range, to: views, stride, &counts) }
        for x in range where counts[x] > 0 {
          body(x, y, UnsafeBufferPointer(rebasing: views[x * stride..<x * stride + counts[x]]))
        }
      }
    }
  }

  private func appendRow(
    _ y: Int, _ order: Int, _ range: Range<Int>, to views: UnsafeMutableBufferPointer<View>, _ stride: Int,
    _ counts: inout [Int]
  ) {
    let (image, step) = (layout.images[order], Double(steps[order]))
    images[order].withSampler { sampler in
      layout.forEachPosition(of: image, row: y, columns: image.bounds.columns.clamped(to: range)) { x, position in
        guard image.contains(position) else { return }
        let color = sampler.bilinear((position + 0.5) / step - 0.5)
        views[x * stride + counts[x]] = View(
          order: order, color: SIMD3(color.x, color.y, color.z), centrality: Float(image.centrality(position)))
        counts[x] += 1
      }
    }
  }
}
