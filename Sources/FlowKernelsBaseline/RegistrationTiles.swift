// Sums over square tiles of a picture, from which registration makes its equations.
//
// A tile is 16×16 pixels of the first picture (the template). Its derivatives belong to the template, so that what does
// not depend on the second picture is summed once (Baker & Matthews 2004, inverse composition).

/// The side of a tile in pixels: one vector.
public let tileSide = 16
/// Floats that `measureTiles` writes for each tile.
public let tileMeasureCount = 16
/// Floats that `compareTiles` writes for each tile.
public let tileComparisonCount = 8
/// Floats that describe where a tile lies in the second picture.
public let tilePlaceCount = 8

/// Sums over tiles of the template: with t the grey level less that of the tile's middle, and gx, gy its derivatives
/// (central differences), Σgx², Σgx·gy, Σgy², Σgx, Σgy, Σgx·t, Σgy·t, Σt, Σt²; the other places stay as they are.
///
/// Each sum is made lane by lane down the rows, then over the lanes, halves first.
/// - Parameters:
///   - image: The pixel (0, 0), `stride` floats a row.
///   - origins: For each tile its upper left pixel, counted in floats from `image`.
/// - Contract: the pixels around each tile can be read.
public func measureTiles(
  _ image: UnsafePointer<Float>, stride: Int, origins: UnsafePointer<Int32>, count: Int,
  sums: UnsafeMutablePointer<Float>
) {
  var k = 0
  while k < count {
    measureTile(image + Int(origins[k]), stride, sums + k &* tileMeasureCount)
    k &+= 1
  }
}

@inline(never)
private func measureTile(_ tile: UnsafePointer<Float>, _ stride: Int, _ sums: UnsafeMutablePointer<Float>) {
  let middle = Lanes(repeating: tile[8 &* stride &+ 8])
  var (xx, xy, yy) = (Lanes.zero, Lanes.zero, Lanes.zero)
  var (sx, sy, st) = (Lanes.zero, Lanes.zero, Lanes.zero)
  var (xt, yt, tt) = (Lanes.zero, Lanes.zero, Lanes.zero)
  var r = 0
  while r < tileSide {
    let row = tile + r &* stride
    let t = load(row, 0) - middle
    let gx = derivative(row, 1)
    let gy = derivative(row, stride)
    xx += gx * gx
    xy += gx * gy
    yy += gy * gy
    sx += gx
    sy += gy
    st += t
    xt += gx * t
    yt += gy * t
    tt += t * t
    r &+= 1
  }
  sums[0] = laneSum(xx)
  sums[1] = laneSum(xy)
  sums[2] = laneSum(yy)
  sums[3] = laneSum(sx)
  sums[4] = laneSum(sy)
  sums[5] = laneSum(xt)
  sums[6] = laneSum(yt)
  sums[7] = laneSum(st)
  sums[8] = laneSum(tt)
}

/// Sums over tiles of the difference r between the second picture and the template: Σr·gx, Σr·gy, Σr·t, Σr, Σr²; see
/// `measureTiles` for the rest.
///
/// The pixel (i, j) of a tile lies at (i + ex, j + ey) from the pixel that `targetOrigins` names, with
/// ex = x + xx·(i − 7½) + xy·(j − 7½) and ey = y + yx·(i − 7½) + yy·(j − 7½). Between pixels the second picture is
/// interpolated bilinearly: as a sum over neighbours, each weighted by 1 − distance where that is positive, so that whole
/// rows are read in one piece however the tile is deformed.
/// - Parameters:
///   - places: For each tile x, y, xx, xy, yx, yy, and how many neighbours on each side count along the row and across:
///     the least whole numbers not below ½ + 7½·|xx| and ½ + 7½·|yx|.
/// - Contract: the pixels around each tile of the template can be read; so can those of the second picture within that
///   many neighbours, and one more, of any place. |x + xy·(j − 7½)| and likewise y stay below 60.
public func compareTiles(
  template: UnsafePointer<Float>, templateStride: Int, templateOrigins: UnsafePointer<Int32>,
  target: UnsafePointer<Float>, targetStride: Int, targetOrigins: UnsafePointer<Int32>,
  places: UnsafePointer<Float>, count: Int, sums: UnsafeMutablePointer<Float>
) {
  var k = 0
  while k < count {
    let place = places + k &* tilePlaceCount
    let tile = template + Int(templateOrigins[k])
    let origin = target + Int(targetOrigins[k])
    let output = sums + k &* tileComparisonCount
    if place[6] <= 1 && place[7] <= 1 {
      compareTile(tile, templateStride, origin, targetStride, place, output)
    } else {
      compareDeformedTile(tile, templateStride, origin, targetStride, place, output)
    }
    k &+= 1
  }
}

/// A tile whose rows stay within one neighbour of the pixels below them.
@inline(never)
private func compareTile(
  _ tile: UnsafePointer<Float>, _ stride: Int, _ target: UnsafePointer<Float>, _ targetStride: Int,
  _ place: UnsafePointer<Float>, _ output: UnsafeMutablePointer<Float>
) {
  let one = Lanes(repeating: 1)
  let middle = Lanes(repeating: tile[8 &* stride &+ 8])
  let columns = laneNumbers - Lanes(repeating: 7.5)
  let slopeX = columns * Lanes(repeating: place[2])
  let slopeY = columns * Lanes(repeating: place[4])
  var (rx, ry, rt) = (Lanes.zero, Lanes.zero, Lanes.zero)
  var (sr, rr) = (Lanes.zero, Lanes.zero)
  var r = 0
  while r < tileSide {
    let down = Float(r) - 7.5
    let (wholeX, restX) = nearest(place[0] + place[3] * down)
    let (wholeY, restY) = nearest(place[1] + place[5] * down)
    let base = target + ((r &+ wholeY) &* targetStride &+ wholeX)
    let ex = slopeX + Lanes(repeating: restX)
    let ey = slopeY + Lanes(repeating: restY)
    let right = greater(ex, Lanes.zero)
    let left = greater(Lanes.zero - ex, Lanes.zero)
    let here = (one - right) - left
    let below = greater(ey, Lanes.zero)
    let above = greater(Lanes.zero - ey, Lanes.zero)
    let level = (one - below) - above
    let upper = across(base - targetStride, left, here, right)
    let same = across(base, left, here, right)
    let lower = across(base + targetStride, left, here, right)
    let value = (upper * above + same * level) + lower * below
    let row = tile + r &* stride
    let pixel = load(row, 0)
    let difference = value - pixel
    rx += difference * derivative(row, 1)
    ry += difference * derivative(row, stride)
    rt += difference * (pixel - middle)
    sr += difference
    rr += difference * difference
    r &+= 1
  }
  output[0] = laneSum(rx)
  output[1] = laneSum(ry)
  output[2] = laneSum(rt)
  output[3] = laneSum(sr)
  output[4] = laneSum(rr)
}

/// Any tile.
@inline(never)
private func compareDeformedTile(
  _ tile: UnsafePointer<Float>, _ stride: Int, _ target: UnsafePointer<Float>, _ targetStride: Int,
  _ place: UnsafePointer<Float>, _ output: UnsafeMutablePointer<Float>
) {
  let middle = Lanes(repeating: tile[8 &* stride &+ 8])
  let columns = laneNumbers - Lanes(repeating: 7.5)
  let slopeX = columns * Lanes(repeating: place[2])
  let slopeY = columns * Lanes(repeating: place[4])
  let (reachX, reachY) = (Int(place[6]), Int(place[7]))
  var (rx, ry, rt) = (Lanes.zero, Lanes.zero, Lanes.zero)
  var (sr, rr) = (Lanes.zero, Lanes.zero)
  var r = 0
  while r < tileSide {
    let down = Float(r) - 7.5
    let (wholeX, restX) = nearest(place[0] + place[3] * down)
    let (wholeY, restY) = nearest(place[1] + place[5] * down)
    let base = target + ((r &+ wholeY) &* targetStride &+ wholeX)
    let ex = slopeX + Lanes(repeating: restX)
    let ey = slopeY + Lanes(repeating: restY)
    var value = Lanes.zero
    var ky = 0 &- reachY
    while ky <= reachY {
      let line = base + ky &* targetStride
      var sum = Lanes.zero
      var kx = 0 &- reachX
      while kx <= reachX {
        sum += load(line, kx) * nearness(ex - Lanes(repeating: Float(kx)))
        kx &+= 1
      }
      value += sum * nearness(ey - Lanes(repeating: Float(ky)))
      ky &+= 1
    }
    let row = tile + r &* stride
    let pixel = load(row, 0)
    let difference = value - pixel
    rx += difference * derivative(row, 1)
    ry += difference * derivative(row, stride)
    rt += difference * (pixel - middle)
    sr += difference
    rr += difference * difference
    r &+= 1
  }
  output[0] = laneSum(rx)
  output[1] = laneSum(ry)
  output[2] = laneSum(rt)
  output[3] = laneSum(sr)
  output[4] = laneSum(rr)
}

/// The central difference of the samples `step` apart.
@inline(__always)
private func derivative(_ row: UnsafePointer<Float>, _ step: Int) -> Lanes {
  (load(row, step) - load(row, 0 &- step)) * Lanes(repeating: 0.5)
}

@inline(__always)
private func across(_ row: UnsafePointer<Float>, _ left: Lanes, _ here: Lanes, _ right: Lanes) -> Lanes {
  (load(row, -1) * left + load(row, 0) * here) + load(row, 1) * right
}

/// 1 − |x| where that is positive, else 0.
@inline(__always)
private func nearness(_ x: Lanes) -> Lanes {
  greater(Lanes(repeating: 1) - greater(x, Lanes.zero - x), Lanes.zero)
}

/// The whole number nearest to −64 < x < 64, and what remains.
@inline(__always)
private func nearest(_ x: Float) -> (Int, Float) {
  let whole = Int(x + 64.5) &- 64
  return (whole, x - Float(whole))
}

/// The sum of the lanes, halves first.
@inline(__always)
private func laneSum(_ lanes: Lanes) -> Float {
  let eight = lanes.lowHalf + lanes.highHalf
  let four = eight.lowHalf + eight.highHalf
  let two = four.lowHalf + four.highHalf
  return two.x + two.y
}
