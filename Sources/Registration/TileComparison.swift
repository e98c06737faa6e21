// What the second picture shows where a map puts the tiles of the first.

import FlowKernels
import Imaging

/// How a tile lies in the target under the present map. Displacements are in pixels of the level, in the template's frame.
struct TileMatch {
  /// Whether the whole tile falls into the target.
  var isVisible = false
  /// Whether the last step was so short that more would change nothing to speak of.
  var isSettled = false
  /// From where the map puts the tile's content to where the content is.
  var dx = 0.0
  var dy = 0.0
  /// What no displacement, contrast or brightness explains: squared grey levels per pixel.
  var energy = 0.0
  /// Correlation of the grey levels, −1…1.
  var correlation = 0.0

  /// A tile measures displacements up to this far; beyond, all that is known is the direction.
  static let reach = 3.0
  /// Pixels.
  fileprivate static let shortStep = 0.02
}

/// Compares the tiles of a template with a target picture.
struct TileComparison {
  let target: RegistrationPicture
  let template: RegistrationPicture
  let parallelism: Parallelism

  /// - Parameters:
  ///   - map: Takes pixels of the template to pixels of the target, both at full size.
  ///   - noise: Of the pixels, as known so far.
  ///   - leastShare: See `Tile.denoised`.
  ///   - start: Displacements known so far: each tile is looked for there, unless it is settled.
  func matches(
    of set: TileSet, under map: Homography, noise: PixelNoise, leastShare: Double = PixelNoise.leastShare,
    startingFrom start: [TileMatch]? = nil
  ) -> [TileMatch] {
    var matches = start ?? [TileMatch](repeating: TileMatch(), count: set.tiles.count)
    let (from, to) = (template.levels[set.level], target.levels[set.level])
    let placing = TilePlacing(map: map, level: set.level, target: to.size)
    let count = matches.count
    from.withView { from in
      to.withView { to in
        matches.withUnsafeMutableBufferPointer { matches in
          let shared = SharedBuffer(matches)
          parallelism.adapted(to: template.size).forEach(count: (count + TileSet.part - 1) / TileSet.part) { part in
            let range = part * TileSet.part..<min(count, (part + 1) * TileSet.part)
            compare(set.tiles, range, GridView(from), GridView(to), placing, noise, leastShare, into: shared)
          }
        }
      }
    }
    return matches
  }

  private func compare(
    _ tiles: [Tile], _ range: Range<Int>, _ from: GridView, _ to: GridView, _ placing: TilePlacing,
    _ noise: PixelNoise, _ leastShare: Double, into matches: SharedBuffer<TileMatch>
  ) {
    var visible: [Int] = []
    var (origins, targets, places): ([Int32], [Int32], [Float]) = ([], [], [])
    for index in range {
      let tile = tiles[index]
      let start = matches[index]
      if start.isSettled { continue }
      guard let place = placing.place(of: tile, displacedBy: (start.dx, start.dy)) else {
        matches[index].isVisible = false
        continue
      }
      visible.append(index)
      origins.append(Int32(truncatingIfNeeded: tile.y * from.stride + tile.x))
      targets.append(Int32(truncatingIfNeeded: place.y * to.stride + place.x))
      place.append(to: &places)
    }
    guard !visible.isEmpty else { return }
    var sums = [Float](repeating: 0, count: visible.count * RegistrationKernels.comparisonCount)
    var scratch = [Float](repeating: 0, count: RegistrationKernels.scratchCount)
    KernelTable.current.registration.compareTiles(
      from.base, from.stride, origins, to.base, to.stride, targets, places, visible.count, &sums, &scratch)
    for (offset, index) in visible.enumerated() {
      let first = offset * RegistrationKernels.comparisonCount
      var match = tiles[index].match(sums[first..<first + 5], noise: noise, leastShare: leastShare)
      match.isSettled = match.dx * match.dx + match.dy * match.dy < TileMatch.shortStep * TileMatch.shortStep
      match.dx += matches[index].dx
      match.dy += matches[index].dy
      matches[index] = match
    }
  }
}

extension Tile {
  /// Solves r ≈ ∇t·d + γ·t + β for one tile.
  fileprivate func match(_ sums: ArraySlice<Float>, noise: PixelNoise, leastShare: Double) -> TileMatch {
    let first = sums.startIndex
    let sum = Double(sums[first + 3])
    let rt = Double(sums[first + 2]) - meanT * sum
    let rr = Double(sums[first + 4]) - sum * sum / Self.pixelCount
    let contrast = contrast(without: noise)
    // The template's noise is a part of t and, with the other sign, of r.
    let change = (rt + (tt - contrast)) / max(contrast, Self.leastContrast)
    let bx = Double(sums[first]) - meanX * sum - xt * change
    let by = Double(sums[first + 1]) - meanY * sum - yt * change
    let gain = min(max(1 + change, 0.5), 2)
    let step = displacement(bx, by, noise: noise, leastShare: leastShare)
    let length = (step.x * step.x + step.y * step.y).squareRoot() / gain
    let limit = (length > TileMatch.reach ? TileMatch.reach / length : 1) / gain
    let unexplained = max(rr - rt * rt / max(tt, Self.leastContrast), 0)
    let variance = tt + 2 * rt + rr
    return TileMatch(
      isVisible: true, dx: step.x * limit, dy: step.y * limit,
      energy: max(unexplained - (bx * step.x + by * step.y), 0) / Self.pixelCount,
      correlation: variance > Self.leastContrast
        ? min(max((tt + rt) / (max(tt, Self.leastContrast) * variance).squareRoot(), -1), 1) : 0)
  }

  private func displacement(_ bx: Double, _ by: Double, noise: PixelNoise, leastShare: Double) -> (
    x: Double, y: Double
  ) {
    let matrix = denoised(noise, leastShare: leastShare).matrix
    let determinant = matrix.determinant
    guard determinant > 1e-9 else { return (0, 0) }
    return ((matrix.yy * bx - matrix.xy * by) / determinant, (matrix.xx * by - matrix.xy * bx) / determinant)
  }
}

/// Where a map puts a tile, to first order about its middle.
private struct TilePlace {
  var x: Int
  var y: Int
  var rest: (x: Double, y: Double)
  var slope: (xx: Double, xy: Double, yx: Double, yy: Double)
  var reach: (x: Double, y: Double)

  func append(to places: inout [Float]) {
    places.append(Float(rest.x))
    places.append(Float(rest.y))
    places.append(Float(slope.xx))
    places.append(Float(slope.xy))
    places.append(Float(slope.yx))
    places.append(Float(slope.yy))
    places.append(Float(reach.x))
    places.append(Float(reach.y))
  }
}

private struct TilePlacing {
  /// From pixels of the level to pixels of the level.
  private let e: [Double]
  private let width: Int
  private let height: Int

  init(map: Homography, level: Int, target: PixelSize) {
    e = map.onLevel(level).elements
    width = target.width
    height = target.height
  }

  /// Up to here the ends of a row lie so near to the fraction of its middle that one polynomial serves all of it.
  private static let cubicSlope = 0.03

  /// nil where the tile, with what the kernel reads around it, does not lie inside the target, or is deformed too much.
  func place(of tile: Tile, displacedBy d: (x: Double, y: Double)) -> TilePlace? {
    // The content that the map puts at the place of x + d is found at the place of x.
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
    let reach =
      isCubic
      ? (x: 0.0, y: 0.0)
      : (
        x: (0.501 + Tile.half * abs(slope.xx)).rounded(.up), y: (0.501 + Tile.half * abs(slope.yx)).rounded(.up)
      )
    // What the kernel reads: a row in one piece, moved by whole pixels, and its neighbours.
    let spanX = Tile.half * (1 + abs(slope.xy)) + (isCubic ? 2 : 0.5 + reach.x)
    let spanY = Tile.half * (1 + max(slope.yy, 0)) + (isCubic ? 2 : 0.5 + reach.y)
    guard px - spanX >= 0, py - spanY >= 0, px + spanX <= Double(width - 1), py + spanY <= Double(height - 1) else {
      return nil
    }
    return TilePlace(
      x: Int(x0), y: Int(y0), rest: (px - Tile.half - x0, py - Tile.half - y0), slope: slope, reach: reach)
  }
}

extension Homography {
  /// The same map between the pixels of a level of both pictures.
  func onLevel(_ level: Int) -> Homography {
    guard level > 0 else { return self }
    let scale = Double(1 << level)
    let shift = (scale - 1) / 2
    let up = Homography([scale, 0, shift, 0, scale, shift, 0, 0, 1])
    let down = Homography([1 / scale, 0, -shift / scale, 0, 1 / scale, -shift / scale, 0, 0, 1])
    return down * self * up
  }
}
