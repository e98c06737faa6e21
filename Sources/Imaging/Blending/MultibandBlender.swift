// One image out of many, without visible seams.

/// A colour and a weight.
public typealias WeightedColor = SIMD4<Float>

/// Blends images band by band: coarse structures over wide zones, fine ones over narrow ones, so that neither steps nor
/// double edges show (Burt & Adelson, ACM Transactions on Graphics 2 (1983), doi:10.1145/245.247; Brown & Lowe, IJCV 74
/// (2007), doi:10.1007/s11263-006-0002-3, section 7).
///
/// Images are added one at a time; each brings its colours, beyond its borders too (where they fade to nothing), and a
/// mask of where it should be seen. Memory: 21 bytes for each pixel of the result. One owner, one task. The result
/// depends on the order of the images in the last bits only, and not on the number of threads.
public final class MultibandBlender {
  /// The size of the result in pixels.
  public let size: PixelSize
  /// Bands, 1…10.
  public let levelCount: Int
  private let parallelism: Parallelism
  /// Sums of weighted details (the last level: colours) and of weights, from fine to coarse.
  private var sums: [Plane<WeightedColor>]

  /// The grain of the positions and sizes of patches, in pixels: they are multiples of it.
  public var grain: Int { 1 << (levelCount - 1) }
  /// The minimum distance around its mask up to which a patch needs colours, in pixels: what the filters of all levels
  /// reach.
  public var margin: Int { 4 * grain }

  /// - Parameters:
  ///   - size: The size of the result.
  ///   - levelCount: Bands, 1…10; the coarsest one blends over some 2^`levelCount` pixels.
  ///   - parallelism: The number of threads to use; changes no result.
  public init(size: PixelSize, levelCount: Int = 6, parallelism: Parallelism = .serial) {
    precondition((1...10).contains(levelCount), "\(levelCount) bands")
    self.size = size
    self.levelCount = levelCount
    self.parallelism = parallelism
    let grain = 1 << (levelCount - 1)
    let padded = PixelSize(
      width: (size.width + grain - 1) / grain * grain, height: (size.height + grain - 1) / grain * grain)
    sums = (0..<levelCount).map { Plane(width: padded.width >> $0, height: padded.height >> $0) }
  }

  /// The smallest rectangle that a patch for a mask inside of `rect` should have.
  public func patch(around rect: PixelRect) -> PixelRect {
    let (grain, margin) = (grain, margin)
    let (padded, g) = (sums[0].size, grain)
    let x = max(rect.x - margin, 0) / g * g
    let y = max(rect.y - margin, 0) / g * g
    let right = min((rect.x + rect.size.width + margin + g - 1) / g * g, padded.width)
    let bottom = min((rect.y + rect.size.height + margin + g - 1) / g * g, padded.height)
    return PixelRect(x: x, y: y, width: max(right - x, 0), height: max(bottom - y, 0))
  }

  /// Adds an image.
  ///
  /// - Parameters:
  ///   - patch: Colours, and in the last channel the mask: 1 where this image should be seen, 0 elsewhere.
  ///   - x: The column of the result where its upper left pixel lies, a multiple of `grain`.
  ///   - y: The row of the result where its upper left pixel lies, a multiple of `grain`.
  public func add(_ patch: Plane<WeightedColor>, x: Int, y: Int) {
    precondition(x % grain == 0 && y % grain == 0, "a patch at (\(x), \(y)), which are no multiples of \(grain)")
    precondition(patch.width % grain == 0 && patch.height % grain == 0, "a patch of \(patch.size)")
    var fine = patch
    for level in 0..<levelCount {
      let coarse = level + 1 < levelCount ? fine.halvedColors(parallelism) : nil
      accumulate(fine, minus: coarse, level: level, x: x >> level, y: y >> level)
      if let coarse { fine = coarse }
    }
  }

  private func accumulate(
    _ fine: Plane<WeightedColor>, minus coarse: Plane<WeightedColor>?, level: Int, x: Int, y: Int
  ) {
    let parallelism = parallelism
    sums[level].withMutableView { sums in
      fine.withView { fine in
        guard let coarse else {
          parallelism.forEachStripe(rows: fine.height) { stripe in
            for row in stripe { addRow(fine.row(row), to: sums.row(y + row) + x, count: fine.width) }
          }
          return
        }
        coarse.withView { coarse in
          parallelism.forEachStripe(rows: fine.height) { stripe in
            for row in stripe {
              addRow(fine.row(row), minus: coarse, y: row, to: sums.row(y + row) + x, count: fine.width)
            }
          }
        }
      }
    }
  }

  /// The blended image; its last channel is 0 where no image was. To be called once: the sums become the image.
  public func blended() -> Plane<WeightedColor> {
    sums[levelCount - 1].normalizeColors(parallelism)
    for level in (0..<levelCount - 1).reversed() {
      let coarse = sums.removeLast()
      sums[level].normalizeColors(adding: coarse, parallelism)
    }
    return sums[0]
  }
}

extension Plane where Scalar == WeightedColor {
  /// Every second pixel of every second row, smoothed by 1, 4, 6, 4, 1 sixteenths; borders replicated.
  fileprivate func halvedColors(_ parallelism: Parallelism) -> Plane<WeightedColor> {
    let half = PixelSize(width: width / 2, height: height / 2)
    return withView { source in
      Plane(
        size: half,
        filledBy: { target in
          parallelism.forEachStripe(rows: half.height) { stripe in
            withUnsafeTemporaryAllocation(of: WeightedColor.self, capacity: source.width) { line in
              for y in stripe {
                smoothColumns(source, around: 2 * y, into: line)
                halve(line, into: target.row(y), count: half.width)
              }
            }
          }
        })
    }
  }

  /// Sums over weights, and the coarser level on top.
  fileprivate mutating func normalizeColors(adding coarse: Plane<WeightedColor>? = nil, _ parallelism: Parallelism) {
    withMutableView { target in
      parallelism.forEachStripe(rows: target.height) { stripe in
        for y in stripe { normalizeRow(target.row(y), count: target.width) }
      }
      coarse?.withView { coarse in
        parallelism.forEachStripe(rows: target.height) { stripe in
          for y in stripe { expandRow(coarse, y: y, onto: target.row(y), count: target.width) }
        }
      }
    }
  }
}

private func addRow(
  _ colors: UnsafePointer<WeightedColor>, to sums: UnsafeMutablePointer<WeightedColor>, count: Int
) {
  for x in 0..<count {
    let color = colors[x]
    sums[x] += WeightedColor(color.x, color.y, color.z, 1) * color.w
  }
}

private func addRow(
  _ colors: UnsafePointer<WeightedColor>, minus coarse: PlaneView<WeightedColor>, y: Int,
  to sums: UnsafeMutablePointer<WeightedColor>, count: Int
) {
  for x in 0..<count where colors[x].w > 0 {
    let color = colors[x]
    let detail = color - expanded(coarse, x, y)
    sums[x] += WeightedColor(detail.x, detail.y, detail.z, 1) * color.w
  }
}

private func normalizeRow(_ row: UnsafeMutablePointer<WeightedColor>, count: Int) {
  for x in 0..<count {
    let sum = row[x]
    let color = sum.w > 0 ? sum / sum.w : WeightedColor.zero
    row[x] = WeightedColor(color.x, color.y, color.z, sum.w)
  }
}

/// Adds the coarser level's colours.
private func expandRow(
  _ coarse: PlaneView<WeightedColor>, y: Int, onto row: UnsafeMutablePointer<WeightedColor>, count: Int
) {
  for x in 0..<count {
    let color = expanded(coarse, x, y)
    row[x] += WeightedColor(color.x, color.y, color.z, 0)
  }
}

private func smoothColumns(
  _ source: PlaneView<WeightedColor>, around y: Int, into line: UnsafeMutableBufferPointer<WeightedColor>
) {
  let rows = (
    source.clampedRow(y - 2), source.clampedRow(y - 1), source.row(y), source.clampedRow(y + 1),
    source.clampedRow(y + 2)
  )
  for x in 0..<source.width {
    let outer = rows.0[x] + rows.4[x]
    let inner = rows.1[x] + rows.3[x]
    line[x] = outer * 0.0625 + inner * 0.25 + rows.2[x] * 0.375
  }
}

private func halve(
  _ line: UnsafeMutableBufferPointer<WeightedColor>, into row: UnsafeMutablePointer<WeightedColor>, count: Int
) {
  let last = line.count - 1
  for x in 0..<count {
    let middle = 2 * x
    let outer = line[max(middle - 2, 0)] + line[min(middle + 2, last)]
    let inner = line[max(middle - 1, 0)] + line[min(middle + 1, last)]
    row[x] = outer * 0.0625 + inner * 0.25 + line[middle] * 0.375
  }
}

/// Returns what a coarser level says about the pixel (x, y): that level's pixels stand at even positions; between them,
/// their mean weighted by the same filter (⅛, ¾, ⅛ or ½, ½).
@inline(__always)
private func expanded(_ coarse: PlaneView<WeightedColor>, _ x: Int, _ y: Int) -> WeightedColor {
  let line = y >> 1
  if y & 1 == 1 {
    return (expanded(coarse.row(line), coarse.width, x) + expanded(coarse.clampedRow(line + 1), coarse.width, x)) * 0.5
  }
  let outer =
    expanded(coarse.clampedRow(line - 1), coarse.width, x) + expanded(coarse.clampedRow(line + 1), coarse.width, x)
  return outer * 0.125 + expanded(coarse.row(line), coarse.width, x) * 0.75
}

@inline(__always)
private func expanded(_ row: UnsafePointer<WeightedColor>, _ count: Int, _ x: Int) -> WeightedColor {
  let column = x >> 1
  let next = row[min(column + 1, count - 1)]
  if x & 1 == 1 { return (row[column] + next) * 0.5 }
  return (row[max(column - 1, 0)] + next) * 0.125 + row[column] * 0.75
}
