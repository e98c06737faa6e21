// The image that each pixel of a panorama is taken from.

import Imaging

/// The image that is seen at each pixel: the one in whose middle the pixel lies most, but where something moved between
/// images, one of them is taken as a whole, so that no seam cuts through it.
package struct SeamMap: Sendable {
  /// The label of a pixel that no image shows.
  package static let none = UInt16.max
  /// The image of each pixel, as a position in the layout's images.
  package let labels: Plane<UInt16>

  /// - Parameters:
  ///   - layout: The layout of the panorama, with fewer than 65535 images.
  ///   - regions: The regions that moved.
  ///   - parallelism: The number of threads to use; changes no result.
  package init(layout: PanoramaLayout, regions: MovedRegions, parallelism: Parallelism = .serial) {
    precondition(layout.images.count < Int(Self.none), "\(layout.images.count) images")
    let (width, step) = (layout.size.width, regions.step)
    labels = regions.choices.withView { choices in
      Plane(
        size: layout.size,
        filledBy: { target in
          parallelism.forEachStripe(rows: layout.size.height) { stripe in
            withUnsafeTemporaryAllocation(of: Double.self, capacity: width) { best in
              for y in stripe {
                best.update(repeating: 0)
                let row = target.row(y)
                row.update(repeating: Self.none, count: width)
                let chosen = choices.row(y / step)
                for (order, image) in layout.images.enumerated() where image.bounds.rows.contains(y) {
                  layout.forEachPosition(of: image, row: y, columns: image.bounds.columns) { x, position in
                    guard image.contains(position) else { return }
                    // Centralities are 1 at most: a choice goes before them.
                    let weight = image.centrality(position) + (Int(chosen[x / step]) == order ? 2 : 0)
                    if weight > best[x] {
                      best[x] = weight
                      row[x] = UInt16(order)
                    }
                  }
                }
              }
            }
          }
        })
    }
  }

  /// The smallest rectangles that hold the pixels of each image; nil for those that are not seen.
  package func bounds(count: Int) -> [PixelRect?] {
    var edges = [(left: Int, top: Int, right: Int, bottom: Int)](repeating: (.max, .max, -1, -1), count: count)
    labels.withView { labels in
      for y in 0..<labels.height {
        let row = labels.row(y)
        for x in 0..<labels.width where row[x] != Self.none {
          let order = Int(row[x])
          let old = edges[order]
          edges[order] = (min(old.left, x), min(old.top, y), max(old.right, x), y)
        }
      }
    }
    return edges.map { edge in
      edge.right < 0
        ? nil
        : PixelRect(x: edge.left, y: edge.top, width: edge.right - edge.left + 1, height: edge.bottom - edge.top + 1)
    }
  }
}

/// Regions of a reduced panorama in which images differ because something moved, and the image to take there.
package struct MovedRegions: Sendable {
  /// The position of an image in the layout; `SeamMap.none` where geometry decides.
  package private(set) var choices: Plane<UInt16>
  /// The colours that the chosen images show there, with their gains: what the others should have shown.
  package private(set) var colors: Plane<WeightedColor>
  /// The number of pixels of the panorama per pixel, along an axis.
  package let step: Int

  // The numbers were chosen by hand.

  /// The difference of levels, after exposures are balanced, beyond which images show different things.
  private static let difference: Float = 28
  /// The distance around a region that belongs to it, in pixels: shadows, blurred edges.
  private static let border = 2
  /// The minimum area of a region, in pixels: smaller ones are edges that are off by a pixel.
  private static let minimumArea = 12
  /// The maximum area of a region, in parts of the largest image: larger ones are no single object that moved.
  private static let maximumShare = 0.3
  /// The minimum share of a region that an image must show to be taken for it.
  private static let fullShare = 0.995

  /// - Parameters:
  ///   - thumbnails: The thumbnails of all images.
  ///   - gains: The gains of all images.
  ///   - step: Pixels of the panorama per pixel of the reduced one.
  package init(_ thumbnails: PanoramaThumbnails, gains: [SIMD3<Double>], step: Int) {
    let size = thumbnails.layout.size
    self.step = step
    choices = Plane(size: size, repeating: SeamMap.none)
    colors = Plane(size: size)
    let gains = gains.map { ExposureGain($0) }
    var differs = Plane<UInt8>(size: size)
    differs.withMutableView { differs in
      thumbnails.forEachPixel { x, y, views in
        guard views.count > 1, let best = views.max(by: { $0.centrality < $1.centrality }) else { return }
        let color = gains[best.order].applied(to: best.color)
        let isMoved = views.contains { distance(gains[$0.order].applied(to: $0.color), color) > Self.difference }
        differs.row(y)[x] = isMoved ? 1 : 0
      }
    }
    var regions = RegionMap(differs, border: Self.border, minimumArea: Self.minimumArea)
    let largest = thumbnails.layout.images.map(\.bounds.size.area).max() ?? 0
    regions.keep { Double($0) <= Self.maximumShare * Double(largest) }
    guard regions.count > 0 else { return }
    let winners = Self.winners(thumbnails, gains, regions)
    choices.withMutableView { choices in
      colors.withMutableView { colors in
        thumbnails.forEachPixel(in: regions.columns) { x, y, views in
          guard let region = regions[x, y], let winner = winners[region],
            let view = views.first(where: { $0.order == winner })
          else { return }
          choices.row(y)[x] = UInt16(winner)
          colors.row(y)[x] = WeightedColor(gains[winner].applied(to: view.color), 0)
        }
      }
    }
  }

  private struct Claim {
    var area = 0
    var centrality: Float = 0
    /// The distance of its colours from the middle ones of all views.
    var strangeness: Float = 0
  }

  /// Returns, for each region, the image that shows it whole and is least strange: where three or more images show a
  /// region, what most of them show is the background. Of two images, the one in whose middle it lies more.
  private static func winners(
    _ thumbnails: PanoramaThumbnails, _ gains: [ExposureGain], _ regions: RegionMap
  ) -> [Int: Int] {
    var claims = [[Int: Claim]](repeating: [:], count: regions.count)
    thumbnails.forEachPixel(in: regions.columns) { x, y, views in
      guard let region = regions[x, y] else { return }
      let colors = views.map { gains[$0.order].applied(to: $0.color) }
      let middle = views.count > 2 ? median(colors) : nil
      for (view, color) in zip(views, colors) {
        var claim = claims[region][view.order] ?? Claim()
        claim.area += 1
        claim.centrality += view.centrality
        claim.strangeness += middle.map { distance(color, $0) } ?? 0
        claims[region][view.order] = claim
      }
    }
    var winners: [Int: Int] = [:]
    for (region, claims) in claims.enumerated() {
      let area = Double(regions.areas[region])
      let whole = claims.filter { Double($0.value.area) >= fullShare * area }.sorted { $0.key < $1.key }
      winners[region] = whole.min { score($0.value) < score($1.value) }?.key
    }
    return winners
  }

  /// Returns the score of a claim, the lower the better: a view whose colours lie 10 levels nearer to the middle ones
  /// goes before one that is central.
  private static func score(_ claim: Claim) -> Float {
    (claim.strangeness / 10 - claim.centrality) / Float(max(claim.area, 1))
  }

  private static func median(_ colors: [SIMD3<Float>]) -> SIMD3<Float> {
    func middle(_ values: [Float]) -> Float {
      var values = values
      let upper = values.nthElement(values.count / 2)
      return (values.nthElement((values.count - 1) / 2) + upper) / 2
    }
    return SIMD3(middle(colors.map(\.x)), middle(colors.map(\.y)), middle(colors.map(\.z)))
  }
}

/// Returns the largest difference of a channel.
private func distance(_ a: SIMD3<Float>, _ b: SIMD3<Float>) -> Float {
  let difference = a - b
  return max(abs(difference.x), max(abs(difference.y), abs(difference.z)))
}
