// Every pixel of a reduced panorama with the pictures that show it.

import Imaging

/// Reduced pictures of a panorama, in the order of its layout.
public struct PanoramaThumbnails: Sendable {
  /// The geometry of the reduced panorama.
  public let layout: PanoramaLayout
  /// Reduced by whole factors.
  public let pictures: [Plane<RGBA8>]
  /// Pixels of the pictures per pixel of the reduced ones.
  public let steps: [Int]

  /// - Parameters:
  ///   - layout: Of the reduced panorama.
  ///   - pictures: One for each of `layout.pictures`.
  ///   - steps: By which whole factor each of `pictures` is reduced.
  public init(layout: PanoramaLayout, pictures: [Plane<RGBA8>], steps: [Int]) {
    precondition(layout.pictures.count == pictures.count && pictures.count == steps.count)
    self.layout = layout
    self.pictures = pictures
    self.steps = steps
  }

  /// What one picture shows at a pixel.
  struct View {
    /// Its position in the layout.
    var order: Int
    var color: SIMD3<Float>
    var centrality: Float
  }

  /// Calls `body` for each pixel, row by row, with the pictures that show it, in their order.
  func forEachPixel(_ body: (_ x: Int, _ y: Int, _ views: [View]) -> Void) {
    var columns = [[View]](repeating: [], count: layout.size.width)
    for y in 0..<layout.size.height {
      for x in columns.indices { columns[x].removeAll(keepingCapacity: true) }
      for (order, picture) in layout.pictures.enumerated() where picture.bounds.rows.contains(y) {
        appendRow(y, order, picture, to: &columns)
      }
      for x in columns.indices { body(x, y, columns[x]) }
    }
  }

  private func appendRow(_ y: Int, _ order: Int, _ picture: PlacedPicture, to columns: inout [[View]]) {
    let step = Double(steps[order])
    pictures[order].withSampler { sampler in
      layout.forEachPlace(of: picture, row: y, columns: picture.bounds.columns) { x, place in
        guard picture.contains(place) else { return }
        let color = sampler.bilinear((place + 0.5) / step - 0.5)
        columns[x].append(
          View(
            order: order, color: SIMD3(color.x, color.y, color.z), centrality: Float(picture.centrality(place))))
      }
    }
  }
}
