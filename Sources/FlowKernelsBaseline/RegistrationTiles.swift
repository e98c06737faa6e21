// Sums over square tiles of an image, from which registration makes its equations.
//
// A tile is 16×16 pixels of the first image (the template). Its derivatives belong to the template, so that what does
// not depend on the second image is summed once (Baker & Matthews 2004, inverse composition).

import FlowKernelTypes

/// The side of a tile in pixels: one vector.
public let tileSide = 16
/// Floats that `measureTiles` writes for each tile.
public let tileMeasureCount = 16
/// Floats that `compareTiles` writes for each tile.
public let tileComparisonCount = 8
/// The number of floats that describe the position and the shape of a tile in the second image.
let tilePositionCount = 8
/// Floats of working memory that the kernels need.
public let tileScratchCount = 480

// Vectors throughout, from memory to memory, in small functions: mixed with scalars or with sums over lanes, the
// compiler takes the vectors apart.

/// The offsets of a tile's data in the scratch memory.
private enum TileScratch {
  /// The distance of each row to the right of whole pixels; `fractionY` is that below them.
  static let fractionX = 0
  static let fractionY = 16
  /// The offset in the second image at which each row begins (integers).
  static let origins = 32
  /// The partial sums, up to nine vectors.
  static let sums = 48
  /// The second image's pixels, 16 × 16.
  static let sampled = 192
}

/// Sums over tiles of the template: with t the grey level less that of the tile's middle, and gx, gy its derivatives
/// (central differences), Σgx², Σgx·gy, Σgy², Σgx, Σgy, Σgx·t, Σgy·t, Σt, Σt²; the other numbers stay as they are.
///
/// Each sum is made lane by lane down the rows, then over the lanes, halves first.
/// - Parameters:
///   - image: The pixel (0, 0), `stride` floats a row.
///   - origins: For each tile its upper left pixel, counted in floats from `image`.
///   - scratch: `tileScratchCount` floats.
/// - Contract: the pixels around each tile can be read.
public func measureTiles(
  _ image: UnsafePointer<Float>, stride: Int, origins: UnsafePointer<Int32>, count: Int,
  sums: UnsafeMutablePointer<Float>, scratch: UnsafeMutablePointer<Float>
) {
  var k = 0
  while k < count {
    measureLanes(image + Int(origins[k]), stride, scratch)
    let output = sums + k &* tileMeasureCount
    var index = 0
    while index < 9 {
      output[index] = total(scratch, index)
      index &+= 1
    }
    k &+= 1
  }
}

@inline(never)
private func measureLanes(_ tile: UnsafePointer<Float>, _ stride: Int, _ scratch: UnsafeMutablePointer<Float>) {
  let middle = Lanes(repeating: tile[8 &* stride &+ 8])
  let half = Lanes(repeating: 0.5)
  var (xx, xy, yy) = (Lanes.zero, Lanes.zero, Lanes.zero)
  var (sx, sy, st) = (Lanes.zero, Lanes.zero, Lanes.zero)
  var (xt, yt, tt) = (Lanes.zero, Lanes.zero, Lanes.zero)
  var r = 0
  while r < tileSide {
    let row = tile + r &* stride
    let t = load(row, 0) - middle
    let gx = (load(row, 1) - load(row, -1)) * half
    let gy = (load(row, stride) - load(row, 0 &- stride)) * half
    xx += gx * gx
    xy += gx * gy
    yy += gy * gy
    sx += gx
    sy += gy
    xt += gx * t
    yt += gy * t
    st += t
    tt += t * t
    r &+= 1
  }
  storeWhole(xx, scratch, TileScratch.sums)
  storeWhole(xy, scratch, TileScratch.sums + 16)
  storeWhole(yy, scratch, TileScratch.sums + 32)
  storeWhole(sx, scratch, TileScratch.sums + 48)
  storeWhole(sy, scratch, TileScratch.sums + 64)
  storeWhole(xt, scratch, TileScratch.sums + 80)
  storeWhole(yt, scratch, TileScratch.sums + 96)
  storeWhole(st, scratch, TileScratch.sums + 112)
  storeWhole(tt, scratch, TileScratch.sums + 128)
}

/// Sums over tiles of the difference r between the second image and the template: Σr·gx, Σr·gy, Σr·t, Σr, Σr²; see
/// `measureTiles` for the rest.
///
/// The pixel (i, j) of a tile lies at (i + ex, j + ey) from the pixel of the target that `tiles` names, with
/// ex = x + xx·(i − 7½) + xy·(j − 7½) and ey = y + yx·(i − 7½) + yy·(j − 7½). Whole rows are read in one piece, however
/// the tile is deformed.
///
/// Between pixels the second image is interpolated by a cubic polynomial through four pixels along each axis (Lagrange)
/// where a tile is hardly deformed: all its pixels then lie at about the same fraction, and interpolation that shifts
/// what it interpolates would shift the tile. Bilinear interpolation does so by f·(1 − f)·(1 − 2f)/6·ω², and so, at
/// that order, do the usual cubic ones; the polynomial's error is of order ω⁴. Elsewhere the fractions differ, so that
/// this averages out, and the interpolation is bilinear: a sum over neighbours, each weighted by 1 − distance where
/// that is positive.
/// - Parameters:
///   - template, target: The pixels (0, 0) of both images.
///   - tiles: Their positions are x, y, xx, xy, yx, yy, and how many neighbours on each side count along the row and
///     across: the least whole numbers not below ½ + 7½·|xx| and ½ + 7½·|yx|; 0, 0 for the cubic interpolation.
///   - scratch: `tileScratchCount` floats.
/// - Contract: the pixels around each tile of the template can be read; so can those of the second image within that
///   many neighbours (at least 2), and one more, of any position. |x + xy·(j − 7½)| and likewise y stay below 60.
public func compareTiles(
  template: StridedRow, target: StridedRow, tiles: TilePositions, sums: UnsafeMutablePointer<Float>,
  scratch: UnsafeMutablePointer<Float>
) {
  var k = 0
  while k < tiles.count {
    let position = tiles.positions + k &* tilePositionCount
    let origin = target.base + Int(tiles.targets[k])
    let isCubic = position[6] <= 0
    locateRows(position, target.stride, isCubic ? 64 : 64.5, scratch)
    if isCubic {
      sampleCubicTile(origin, target.stride, position, scratch)
    } else if position[6] <= 1 && position[7] <= 1 {
      sampleTile(origin, target.stride, position, scratch)
    } else {
      sampleDeformedTile(origin, target.stride, position, scratch)
    }
    compareLanes(template.base + Int(tiles.origins[k]), template.stride, scratch)
    let output = sums + k &* tileComparisonCount
    var index = 0
    while index < 5 {
      output[index] = total(scratch, index)
      index &+= 1
    }
    k &+= 1
  }
}

/// Finds whole pixels for the middles of a tile's rows, and what remains: with a shift of 64½ the nearest ones, with 64
/// those at the upper left.
@inline(never)
private func locateRows(
  _ position: UnsafePointer<Float>, _ stride: Int, _ shift: Float, _ scratch: UnsafeMutablePointer<Float>
) {
  let down = laneNumbers - Lanes(repeating: 7.5)
  let x = Lanes(repeating: position[0]) + Lanes(repeating: position[3]) * down
  let y = Lanes(repeating: position[1]) + Lanes(repeating: position[5]) * down
  // Counted from −64, so that they are positive.
  let wholeX = wholePart(x + Lanes(repeating: shift))
  let wholeY = wholePart(y + Lanes(repeating: shift))
  storeWhole(x - (wholeX - Lanes(repeating: 64)), scratch, TileScratch.fractionX)
  storeWhole(y - (wholeY - Lanes(repeating: 64)), scratch, TileScratch.fractionY)
  let corner = SIMD16<Int32>(repeating: Int32(truncatingIfNeeded: 64 &* (stride &+ 1)))
  let rows = integers(wholeY + laneNumbers) &* SIMD16<Int32>(repeating: Int32(truncatingIfNeeded: stride))
  let origins = (rows &+ integers(wholeX)) &- corner
  UnsafeMutableRawPointer(scratch + TileScratch.origins).storeBytes(of: origins, as: SIMD16<Int32>.self)
}

@inline(__always)
private func rowOrigin(_ scratch: UnsafePointer<Float>, _ r: Int) -> Int {
  Int(UnsafeRawPointer(scratch + (TileScratch.origins &+ r)).load(as: Int32.self))
}

/// Samples a tile that is hardly deformed.
@inline(never)
private func sampleCubicTile(
  _ target: UnsafePointer<Float>, _ stride: Int, _ position: UnsafePointer<Float>,
  _ scratch: UnsafeMutablePointer<Float>
) {
  let columns = laneNumbers - Lanes(repeating: 7.5)
  let slopeX = columns * Lanes(repeating: position[2])
  let slopeY = columns * Lanes(repeating: position[4])
  var r = 0
  while r < tileSide {
    let base = target + rowOrigin(scratch, r)
    let x = CubicWeights(slopeX + Lanes(repeating: scratch[TileScratch.fractionX &+ r]))
    let y = CubicWeights(slopeY + Lanes(repeating: scratch[TileScratch.fractionY &+ r]))
    let top = x.across(base - stride)
    let upper = x.across(base)
    let lower = x.across(base + stride)
    let bottom = x.across(base + 2 &* stride)
    let near: Lanes = upper * y.w1 + lower * y.w2
    let far: Lanes = top * y.w0 + bottom * y.w3
    let value = near + far
    storeWhole(value, scratch, TileScratch.sampled &+ tileSide &* r)
    r &+= 1
  }
}

/// The weights of the samples at −1, 0, 1, 2 for the value at f of the cubic polynomial through them; exactly 0, 1, 0,
/// 0 at 0.
private struct CubicWeights {
  let w0: Lanes
  let w1: Lanes
  let w2: Lanes
  let w3: Lanes

  @inline(__always)
  init(_ f: Lanes) {
    let one = Lanes(repeating: 1)
    let half = Lanes(repeating: 0.5)
    let sixth = Lanes(repeating: 1.0 / 6)
    let before = f - one
    let ahead = f + one
    let far = f - Lanes(repeating: 2)
    let inner = before * far
    let outer = ahead * f
    w0 = (Lanes.zero - f * sixth) * inner
    w1 = (ahead * half) * inner
    w2 = (Lanes.zero - far * half) * outer
    w3 = (before * sixth) * outer
  }

  @inline(__always)
  func across(_ row: UnsafePointer<Float>) -> Lanes {
    let near: Lanes = load(row, 0) * w1 + load(row, 1) * w2
    let far: Lanes = load(row, -1) * w0 + load(row, 2) * w3
    return near + far
  }
}

/// Samples a tile whose rows stay within one neighbour of the pixels below them.
@inline(never)
private func sampleTile(
  _ target: UnsafePointer<Float>, _ stride: Int, _ position: UnsafePointer<Float>,
  _ scratch: UnsafeMutablePointer<Float>
) {
  let one = Lanes(repeating: 1)
  let columns = laneNumbers - Lanes(repeating: 7.5)
  let slopeX = columns * Lanes(repeating: position[2])
  let slopeY = columns * Lanes(repeating: position[4])
  var r = 0
  while r < tileSide {
    let base = target + rowOrigin(scratch, r)
    let ex = slopeX + Lanes(repeating: scratch[TileScratch.fractionX &+ r])
    let ey = slopeY + Lanes(repeating: scratch[TileScratch.fractionY &+ r])
    let right = greater(ex, Lanes.zero)
    let left = right - ex
    let here = (one - right) - left
    let below = greater(ey, Lanes.zero)
    let above = below - ey
    let level = (one - below) - above
    let upper = across(base - stride, left, here, right)
    let same = across(base, left, here, right)
    let lower = across(base + stride, left, here, right)
    storeWhole((upper * above + same * level) + lower * below, scratch, TileScratch.sampled &+ tileSide &* r)
    r &+= 1
  }
}

@inline(__always)
private func across(_ row: UnsafePointer<Float>, _ left: Lanes, _ here: Lanes, _ right: Lanes) -> Lanes {
  (load(row, -1) * left + load(row, 0) * here) + load(row, 1) * right
}

/// Samples any tile.
@inline(never)
private func sampleDeformedTile(
  _ target: UnsafePointer<Float>, _ stride: Int, _ position: UnsafePointer<Float>,
  _ scratch: UnsafeMutablePointer<Float>
) {
  let columns = laneNumbers - Lanes(repeating: 7.5)
  let slopeX = columns * Lanes(repeating: position[2])
  let slopeY = columns * Lanes(repeating: position[4])
  let (reachX, reachY) = (Int(position[6]), Int(position[7]))
  var r = 0
  while r < tileSide {
    let base = target + rowOrigin(scratch, r)
    let ex = slopeX + Lanes(repeating: scratch[TileScratch.fractionX &+ r])
    let ey = slopeY + Lanes(repeating: scratch[TileScratch.fractionY &+ r])
    var value = Lanes.zero
    var ky = 0 &- reachY
    while ky <= reachY {
      let line = base + ky &* stride
      var sum = Lanes.zero
      var kx = 0 &- reachX
      while kx <= reachX {
        sum += load(line, kx) * nearness(ex - Lanes(repeating: Float(kx)))
        kx &+= 1
      }
      value += sum * nearness(ey - Lanes(repeating: Float(ky)))
      ky &+= 1
    }
    storeWhole(value, scratch, TileScratch.sampled &+ tileSide &* r)
    r &+= 1
  }
}

/// 1 − |x| where that is positive, else 0.
@inline(__always)
private func nearness(_ x: Lanes) -> Lanes {
  greater(Lanes(repeating: 1) - greater(x, Lanes.zero - x), Lanes.zero)
}

@inline(never)
private func compareLanes(_ tile: UnsafePointer<Float>, _ stride: Int, _ scratch: UnsafeMutablePointer<Float>) {
  let middle = Lanes(repeating: tile[8 &* stride &+ 8])
  let half = Lanes(repeating: 0.5)
  var (rx, ry, rt) = (Lanes.zero, Lanes.zero, Lanes.zero)
  var (sr, rr) = (Lanes.zero, Lanes.zero)
  var r = 0
  while r < tileSide {
    let row = tile + r &* stride
    let pixel = load(row, 0)
    let difference = load(scratch, TileScratch.sampled &+ tileSide &* r) - pixel
    let gx = (load(row, 1) - load(row, -1)) * half
    let gy = (load(row, stride) - load(row, 0 &- stride)) * half
    rx += difference * gx
    ry += difference * gy
    rt += difference * (pixel - middle)
    sr += difference
    rr += difference * difference
    r &+= 1
  }
  storeWhole(rx, scratch, TileScratch.sums)
  storeWhole(ry, scratch, TileScratch.sums + 16)
  storeWhole(rt, scratch, TileScratch.sums + 32)
  storeWhole(sr, scratch, TileScratch.sums + 48)
  storeWhole(rr, scratch, TileScratch.sums + 64)
}

/// The sum of the lanes of vector `index` of the sums, halves first.
@inline(never)
private func total(_ scratch: UnsafePointer<Float>, _ index: Int) -> Float {
  let lanes = load(scratch, TileScratch.sums &+ laneCount &* index)
  let eight = lanes.lowHalf + lanes.highHalf
  let four = eight.lowHalf + eight.highHalf
  let two = four.lowHalf + four.highHalf
  return two.x + two.y
}
