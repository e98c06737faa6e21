// Exposures, seams and paint.

import Imaging
import Registration
import VideoIO

/// Composes a panorama out of images whose positions are known.
struct PanoramaComposition {
  private let set: ImageSet
  private let plan: PanoramaPlan
  private let layout: PanoramaLayout
  private let parallelism: Parallelism
  private let thumbnails: PanoramaThumbnails
  /// The number of pixels of the panorama per pixel of the reduced one.
  private let step: Int
  /// The factors for R, G and B of each member.
  let gains: [SIMD3<Double>]

  init(set: ImageSet, plan: PanoramaPlan, layout: PanoramaLayout, parallelism: Parallelism) {
    self.set = set
    self.plan = plan
    self.layout = layout
    self.parallelism = parallelism
    let members = layout.images.map { set.thumbnails[$0.index] }
    // The central image's pixels are the panorama's, scaled.
    let central = Double(set.thumbnails[plan.center].step) * layout.scale
    step = max(Int(central.rounded()), 1)
    thumbnails = PanoramaThumbnails(
      layout: layout.reduced(by: step), images: members.map(\.image), steps: members.map(\.step))
    gains = ExposureBalance(thumbnails).gains
  }

  func painted(_ monitor: JobMonitor) throws -> Plane<RGBA8> {
    let regions = MovedRegions(thumbnails, gains: gains, step: step)
    let seams = SeamMap(layout: layout, regions: regions, parallelism: parallelism)
    let painter = PanoramaPainter(
      layout: layout, seams: seams, regions: regions, gains: gains, parallelism: parallelism)
    var orders = [Int: Int]()
    for (order, image) in layout.images.enumerated() where painter.isSeen(order) { orders[image.index] = order }
    try set.forEachImage(orders.keys.sorted()) { index, image in
      guard let order = orders[index] else { return }
      guard image.size == set.sizes[index] else {
        throw MediaError(
          .damaged, "shows \(image.size) when it is read again, not \(set.sizes[index])", file: set.names[index])
      }
      painter.paint(image, order: order)
      if set.video == nil { try monitor.countImage() }
    }
    return painter.painted()
  }
}
