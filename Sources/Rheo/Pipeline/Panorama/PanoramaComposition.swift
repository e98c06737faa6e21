// Exposures, seams and paint.

/// Composes a panorama out of pictures whose places are known.
struct PanoramaComposition {
  private let set: PictureSet
  private let plan: PanoramaPlan
  private let layout: PanoramaLayout
  private let parallelism: Parallelism
  private let thumbnails: PanoramaThumbnails
  /// Pixels of the panorama per pixel of the reduced one.
  private let step: Int
  /// Of each member.
  let gains: [SIMD3<Double>]

  init(set: PictureSet, plan: PanoramaPlan, layout: PanoramaLayout, parallelism: Parallelism) {
    self.set = set
    self.plan = plan
    self.layout = layout
    self.parallelism = parallelism
    let members = layout.pictures.map { set.thumbnails[$0.index] }
    // The central picture's pixels are the panorama's, scaled.
    let central = Double(set.thumbnails[plan.center].step) * layout.scale
    step = max(Int(central.rounded()), 1)
    thumbnails = PanoramaThumbnails(
      layout: layout.reduced(by: step), pictures: members.map(\.picture), steps: members.map(\.step))
    gains = ExposureBalance(thumbnails).gains
  }

  func painted(_ progress: ProgressMeter) throws -> Plane<RGBA8> {
    let regions = MovedRegions(thumbnails, gains: gains, step: step)
    let seams = SeamMap(layout: layout, regions: regions, parallelism: parallelism)
    let painter = PanoramaPainter(
      layout: layout, seams: seams, regions: regions, gains: gains, parallelism: parallelism)
    var orders = [Int: Int]()
    for (order, picture) in layout.pictures.enumerated() where painter.isSeen(order) { orders[picture.index] = order }
    try set.forEachPicture(orders.keys.sorted()) { index, picture in
      guard let order = orders[index] else { return }
      guard picture.size == set.sizes[index] else {
        throw MediaError(
          .damaged, "shows \(picture.size) when it is read again, not \(set.sizes[index])", file: set.names[index])
      }
      painter.paint(picture, order: order)
      if set.video == nil { progress.countPicture() }
    }
    return painter.painted()
  }
}
