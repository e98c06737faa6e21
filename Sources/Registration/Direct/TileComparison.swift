// The tiles of the first image, compared with the second one where a map puts them.

import FlowKernelTypes
import FlowKernels
import Imaging

/// The position of a tile in the target under the present map. Displacements are in pixels of the level, in the
/// template's frame.
struct TileMatch {
  /// A Boolean value that tells whether the whole tile falls into the target.
  var isVisible = false
  /// A Boolean value that tells whether the last step was so short that more would change nothing to speak of.
  var isSettled = false
  /// The displacement to the right from the position at which the map puts the tile's content to that of the content.
  var dx = 0.0
  var dy = 0.0
  /// The energy that no displacement, contrast or brightness explains: squared grey levels per pixel.
  var energy = 0.0
  /// The correlation of the grey levels, −1…1.
  var correlation = 0.0

  /// The maximum displacement that a tile measures, in pixels; beyond, all that is known is the direction. Chosen by
  /// hand.
  static let maximumDisplacement = 3.0
  /// The length of a step that settles a tile, in pixels; chosen by hand.
  fileprivate static let shortStep = 0.02
}

/// Sums over a tile of the difference r between the target and the template; see `compareTiles`.
struct TileDifference {
  /// Σr·gx and Σr·gy.
  let x: Double
  let y: Double
  /// Σr·t, t counted from the tile's middle pixel.
  let t: Double
  let sum: Double
  /// Σr².
  let square: Double

  fileprivate init(_ sums: ArraySlice<Float>) {
    let first = sums.startIndex
    (x, y) = (Double(sums[first]), Double(sums[first + 1]))
    (t, sum, square) = (Double(sums[first + 2]), Double(sums[first + 3]), Double(sums[first + 4]))
  }
}

/// Compares the tiles of a template with a target image.
struct TileComparison {
  let target: RegistrationImage
  let template: RegistrationImage
  let parallelism: Parallelism

  /// Returns a comparison of both images at full size, smoothed to a Gaussian of `sigma` pixels.
  func smoothed(to sigma: Double) -> TileComparison {
    TileComparison(
      target: target.smoothed(to: sigma, parallelism: parallelism),
      template: template.smoothed(to: sigma, parallelism: parallelism), parallelism: parallelism)
  }

  /// - Parameters:
  ///   - map: Takes pixels of the template to pixels of the target, both at full size.
  ///   - noise: The noise of the pixels, as known so far.
  ///   - minimumTextureShare: See `Tile.denoised`.
  ///   - start: Displacements known so far: each tile is looked for there, unless it is settled.
  func matches(
    of set: TileSet, under map: Homography, noise: PixelNoise,
    minimumTextureShare: Double = PixelNoise.minimumTextureShare,
    startingFrom start: [TileMatch]? = nil
  ) -> [TileMatch] {
    var matches = start ?? [TileMatch](repeating: TileMatch(), count: set.tiles.count)
    compare(set, under: map, into: &matches) { match in
      match.isSettled ? nil : (match.dx, match.dy)
    } taking: { tile, match, difference in
      guard let difference else {
        match.isVisible = false
        return
      }
      let start = (match.dx, match.dy)
      match = tile.match(difference, noise: noise, minimumTextureShare: minimumTextureShare)
      match.isSettled = match.dx * match.dx + match.dy * match.dy < TileMatch.shortStep * TileMatch.shortStep
      match.dx += start.0
      match.dy += start.1
    }
    return matches
  }

  /// Returns the sums themselves; nil for tiles that do not lie in the target.
  func differences(of set: TileSet, under map: Homography) -> [TileDifference?] {
    var differences = [TileDifference?](repeating: nil, count: set.tiles.count)
    compare(set, under: map, into: &differences) { _ in
      (0, 0)
    } taking: {
      $1 = $2
    }
    return differences
  }

  /// Compares tiles and hands the sums to `take`, with nil for a tile that does not lie in the target.
  /// - Parameter start: A closure that returns the offset of a tile's content from where the map puts it; nil: the tile
  ///   is left as it is.
  private func compare<Element>(
    _ set: TileSet, under map: Homography, into elements: inout [Element],
    startingFrom start: @Sendable (Element) -> (x: Double, y: Double)?,
    taking take: @Sendable (Tile, inout Element, TileDifference?) -> Void
  ) {
    let (from, to) = (template.levels[set.level], target.levels[set.level])
    let placing = TilePlacing(map: map, level: set.level, target: to.size)
    let (tiles, count) = (set.tiles, elements.count)
    from.withView { from in
      to.withView { to in
        elements.withUnsafeMutableBufferPointer { elements in
          let shared = SharedBuffer(elements)
          let (from, to) = (GridView(from), GridView(to))
          parallelism.adapted(to: template.size).forEach(count: (count + TileSet.part - 1) / TileSet.part) { part in
            let range = part * TileSet.part..<min(count, (part + 1) * TileSet.part)
            var batch = TileBatch()
            for index in range {
              guard let start = start(shared[index]) else { continue }
              guard let position = placing.position(of: tiles[index], displacedBy: start) else {
                take(tiles[index], &shared[index], nil)
                continue
              }
              batch.append(index, tiles[index], position, from.stride, to.stride)
            }
            batch.forEachDifference(from, to) { index, difference in
              take(tiles[index], &shared[index], difference)
            }
          }
        }
      }
    }
  }
}

/// Tiles that are compared together.
private struct TileBatch {
  private var indices: [Int] = []
  private var origins: [Int32] = []
  private var targets: [Int32] = []
  private var positions: [Float] = []

  mutating func append(_ index: Int, _ tile: Tile, _ position: TilePosition, _ fromStride: Int, _ toStride: Int) {
    indices.append(index)
    origins.append(Int32(truncatingIfNeeded: tile.y * fromStride + tile.x))
    targets.append(Int32(truncatingIfNeeded: position.y * toStride + position.x))
    position.append(to: &positions)
  }

  func forEachDifference(_ from: GridView, _ to: GridView, _ take: (Int, TileDifference) -> Void) {
    guard !indices.isEmpty else { return }
    var sums = [Float](repeating: 0, count: indices.count * RegistrationKernels.comparisonCount)
    var scratch = [Float](repeating: 0, count: RegistrationKernels.scratchCount)
    origins.withUnsafeBufferPointer { origins in
      targets.withUnsafeBufferPointer { targets in
        positions.withUnsafeBufferPointer { positions in
          let tiles = TilePositions(
            origins: origins.baseAddress!, targets: targets.baseAddress!, positions: positions.baseAddress!,
            count: indices.count)
          KernelTable.current.registration.compareTiles(
            StridedRow(from, 0), StridedRow(to, 0), tiles, &sums, &scratch)
        }
      }
    }
    for (offset, index) in indices.enumerated() {
      let first = offset * RegistrationKernels.comparisonCount
      take(index, TileDifference(sums[first..<first + 5]))
    }
  }
}

extension Tile {
  /// Solves r ≈ ∇t·d + γ·t + β for one tile.
  fileprivate func match(_ r: TileDifference, noise: PixelNoise, minimumTextureShare: Double) -> TileMatch {
    let rt = r.t - meanT * r.sum
    let rr = r.square - r.sum * r.sum / Self.pixelCount
    let contrast = contrast(without: noise)
    // The template's noise is a part of t and, with the other sign, of r.
    let change = (rt + (tt - contrast)) / max(contrast, Self.minimumContrast)
    let bx = r.x - meanX * r.sum - xt * change
    let by = r.y - meanY * r.sum - yt * change
    let gain = min(max(1 + change, 0.5), 2)
    let step = displacement(bx, by, noise: noise, minimumTextureShare: minimumTextureShare)
    let length = (step.x * step.x + step.y * step.y).squareRoot() / gain
    let limit = (length > TileMatch.maximumDisplacement ? TileMatch.maximumDisplacement / length : 1) / gain
    let unexplained = max(rr - rt * rt / max(tt, Self.minimumContrast), 0)
    let variance = tt + 2 * rt + rr
    return TileMatch(
      isVisible: true, dx: step.x * limit, dy: step.y * limit,
      energy: max(unexplained - (bx * step.x + by * step.y), 0) / Self.pixelCount,
      correlation: variance > Self.minimumContrast
        ? min(max((tt + rt) / (max(tt, Self.minimumContrast) * variance).squareRoot(), -1), 1) : 0)
  }

  private func displacement(_ bx: Double, _ by: Double, noise: PixelNoise, minimumTextureShare: Double) -> (
    x: Double, y: Double
  ) {
    let matrix = denoised(noise, minimumTextureShare: minimumTextureShare).matrix
    let determinant = matrix.determinant
    guard determinant > 1e-9 else { return (0, 0) }
    return ((matrix.yy * bx - matrix.xy * by) / determinant, (matrix.xx * by - matrix.xy * bx) / determinant)
  }
}

/// The position and the shape at which a map puts a tile, to first order about its middle.
private struct TilePosition {
  var x: Int
  var y: Int
  /// The part of the position beyond whole pixels.
  var fraction: (x: Double, y: Double)
  var slope: (xx: Double, xy: Double, yx: Double, yy: Double)
  /// The number of neighbours on each side that count, along a row and across; 0, 0 for the cubic interpolation.
  var neighborCounts: (x: Double, y: Double)

  func append(to positions: inout [Float]) {
    positions.append(Float(fraction.x))
    positions.append(Float(fraction.y))
    positions.append(Float(slope.xx))
    positions.append(Float(slope.xy))
    positions.append(Float(slope.yx))
    positions.append(Float(slope.yy))
    positions.append(Float(neighborCounts.x))
    positions.append(Float(neighborCounts.y))
  }
}

private struct TilePlacing {
  /// The elements of the map from pixels of the level to pixels of the level.
  private let e: [Double]
  private let width: Int
  private let height: Int

  init(map: Homography, level: Int, target: PixelSize) {
    e = (level > 0 ? map.betweenMeans(x: 1 << level, y: 1 << level) : map).elements
    width = target.width
    height = target.height
  }

  /// The maximum slope at which the ends of a row lie so near to the fraction of its middle that one polynomial serves
  /// all of it; chosen by hand.
  private static let cubicSlope = 0.03

  /// Returns the position of a tile; nil where the tile, with what the kernel reads around it, does not lie inside the
  /// target, or is deformed too much.
  func position(of tile: Tile, displacedBy d: (x: Double, y: Double)) -> TilePosition? {
    // The content that the map puts at the image of x + d is found at that of x.
    let (x, y) = (Double(tile.x) + Tile.half - d.x, Double(tile.y) + Tile.half - d.y)
    let w = e[6] * x + e[7] * y + e[8]
    guard w > 1e-6 else { return nil }
    let px = (e[0] * x + e[1] * y + e[2]) / w
    let py = (e[3] * x + e[4] * y + e[5]) / w
    guard abs(px) < 1e6, abs(py) < 1e6 else { return nil }
    // The derivatives of the map, less those of the identity.
    let slope = (
      xx: (e[0] - e[6] * px) / w - 1, xy: (e[1] - e[7] * px) / w, yx: (e[3] - e[6] * py) / w,
      yy: (e[4] - e[7] * py) / w - 1
    )
    // Beyond, a tile is no longer comparable pixel by pixel; and this bounds how far the kernel looks.
    let limit = 3.0
    guard max(abs(slope.xx), abs(slope.xy), abs(slope.yx), abs(slope.yy)) < limit else { return nil }
    let x0 = (px - Tile.half).rounded()
    let y0 = (py - Tile.half).rounded()
    let isCubic = max(abs(slope.xx), abs(slope.yx)) <= Self.cubicSlope
    let neighborCounts =
      isCubic
      ? (x: 0.0, y: 0.0)
      : (
        x: (0.501 + Tile.half * abs(slope.xx)).rounded(.up), y: (0.501 + Tile.half * abs(slope.yx)).rounded(.up)
      )
    // What the kernel reads: a row in one piece, moved by whole pixels, and its neighbours.
    let spanX = Tile.half * (1 + abs(slope.xy)) + (isCubic ? 2 : 0.5 + neighborCounts.x)
    let spanY = Tile.half * (1 + max(slope.yy, 0)) + (isCubic ? 2 : 0.5 + neighborCounts.y)
    guard px - spanX >= 0, py - spanY >= 0, px + spanX <= Double(width - 1), py + spanY <= Double(height - 1) else {
      return nil
    }
    return TilePosition(
      x: Int(x0), y: Int(y0), fraction: (px - Tile.half - x0, py - Tile.half - y0), slope: slope,
      neighborCounts: neighborCounts)
  }
}
