// The painting of images onto the panorama.

import Imaging

/// Paints images one at a time through a layout, each where a seam map says, and blends them. One owner, one task.
package final class PanoramaPainter {
  /// The geometry that it paints through.
  package let layout: PanoramaLayout
  private let seams: SeamMap
  private let regions: MovedRegions
  private let bounds: [PixelRect?]
  private let gains: [ExposureGain]
  private let blender: MultibandBlender
  private let parallelism: Parallelism

  /// The number of bands: the coarsest one evens out over some 32 pixels what the gains leave, such as vignetting. One
  /// more band lets the colour of what moved on one side of a seam shine through on the other one.
  private static let levelCount = 5

  /// - Parameters:
  ///   - layout: The geometry of the panorama.
  ///   - seams: The image that each pixel is taken from.
  ///   - regions: The regions that moved, which `seams` takes into account.
  ///   - gains: The gains of each image of the layout.
  ///   - parallelism: The number of threads to use; changes no result.
  package init(
    layout: PanoramaLayout, seams: SeamMap, regions: MovedRegions, gains: [SIMD3<Double>],
    parallelism: Parallelism = .serial
  ) {
    self.layout = layout
    self.seams = seams
    self.regions = regions
    self.gains = gains.map { ExposureGain($0) }
    self.parallelism = parallelism
    bounds = seams.bounds(count: layout.images.count)
    blender = MultibandBlender(size: layout.size, levelCount: Self.levelCount, parallelism: parallelism)
  }

  /// Returns whether anything of the image at this position in the layout is seen.
  package func isSeen(_ order: Int) -> Bool { bounds[order] != nil }

  /// Paints an image.
  package func paint(_ image: Plane<RGBA8>, order: Int) {
    guard let bounds = bounds[order], !image.size.isEmpty else { return }
    // A panorama that is much smaller than its images shows means of their pixels, not every n-th one.
    let step = max(Int((1 / layout.scale).rounded(.down)), 1)
    let reduced = image.averaged(by: step, parallelism: parallelism)
    let rect = blender.patch(around: bounds)
    var patch = Plane<WeightedColor>(size: rect.size)
    reduced.withSampler { sampler in
      patch.withMutableView { target in
        parallelism.forEachStripe(rows: rect.size.height) { [layout, seams, regions, gains] stripe in
          for row in stripe {
            paintRow(
              RowTask(
                layout: layout, seams: seams, regions: regions, order: order, gain: gains[order], step: Double(step)),
              sampler,
              // Below and right of the panorama, its last row and column again.
              y: min(rect.y + row, layout.size.height - 1), isInside: rect.y + row < layout.size.height,
              columns: rect.columns, into: target.row(row))
          }
        }
      }
    }
    blender.add(patch, x: rect.x, y: rect.y)
  }

  /// The panorama: opaque where images are, clear elsewhere.
  package func painted() -> Plane<RGBA8> {
    let colors = blender.blended()
    let labels = seams.labels
    return colors.withView { colors in
      labels.withView { labels in
        Plane(
          size: layout.size,
          filledBy: { target in
            parallelism.forEachStripe(rows: labels.height) { stripe in
              for y in stripe {
                let (from, to, label) = (colors.row(y), target.row(y), labels.row(y))
                for x in 0..<labels.width {
                  let color = WeightedColor(from[x].x, from[x].y, from[x].z, 255)
                  to[x] = label[x] == SeamMap.none ? .clear : RGBA8(channels: color)
                }
              }
            }
          })
      }
    }
  }
}

private struct RowTask: Sendable {
  var layout: PanoramaLayout
  var seams: SeamMap
  var regions: MovedRegions
  var order: Int
  var gain: ExposureGain
  var step: Double
}

private func paintRow(
  _ task: RowTask, _ sampler: ImageSampler<RGBA8>, y: Int, isInside: Bool, columns: Range<Int>,
  into row: UnsafeMutablePointer<WeightedColor>
) {
  let width = task.layout.size.width
  let visible = columns.lowerBound..<min(columns.upperBound, width)
  task.seams.labels.withView { labels in
    let label = labels.row(y)
    task.layout.forEachPosition(of: task.layout.images[task.order], row: y, columns: visible) { x, position in
      // Far beyond the borders every point shows the same pixel; huge numbers must not reach the sampler.
      let near = position.clamped(lowerBound: SIMD2(repeating: -1e6), upperBound: SIMD2(repeating: 1e6))
      let sample = sampler.bicubic((near + 0.5) / task.step - 0.5)
      let color = task.gain.applied(to: SIMD3(sample.x, sample.y, sample.z))
      row[x - columns.lowerBound] = WeightedColor(color, isInside && Int(label[x]) == task.order ? 1 : 0)
    }
  }
  replaceMoved(task, y: y, columns: visible, in: row)
  for x in visible.upperBound..<max(columns.upperBound, visible.upperBound) {
    var color = row[visible.upperBound - 1 - columns.lowerBound]
    color.w = 0
    row[x - columns.lowerBound] = color
  }
}

/// Replaces the colours where something moved and another image is seen by those of that one: else they would shine
/// through in the coarse bands.
private func replaceMoved(
  _ task: RowTask, y: Int, columns: Range<Int>, in row: UnsafeMutablePointer<WeightedColor>
) {
  let step = task.regions.step
  task.regions.choices.withView { choices in
    task.regions.colors.withView { colors in
      let (choice, color) = (choices.row(y / step), colors.row(y / step))
      for x in columns where choice[x / step] != SeamMap.none && Int(choice[x / step]) != task.order {
        if row[x - columns.lowerBound].w == 0 { row[x - columns.lowerBound] = color[x / step] }
      }
    }
  }
}
