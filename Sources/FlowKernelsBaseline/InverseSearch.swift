// Inverse search on square patches, and the dense flow that the patches make together.
//
// Kroeger et al. 2016, section 2.1; Baker & Matthews 2004 for the inverse composition: the derivatives belong to the
// first picture, so that a patch's matrix is formed once.

/// The side of a patch in pixels.
public let patchSide = 8

private typealias PatchRow = SIMD8<Float>

@inline(__always)
private func patchRow(_ row: UnsafePointer<Float>, _ index: Int) -> PatchRow {
  UnsafeRawPointer(row + index).loadUnaligned(as: PatchRow.self)
}

/// The sum of all lanes, halves first.
@inline(__always)
private func total(_ values: PatchRow) -> Float {
  let four = values.lowHalf + values.highHalf
  let two = four.lowHalf + four.highHalf
  return two.x + two.y
}

/// Finds, for one row of patches, the shifts at which the second picture looks most like the first: the best of the
/// candidates, then Gauß-Newton steps as long as the difference falls.
///
/// Patches differ by the variance of their difference, so that a change of brightness costs nothing (mean normalisation).
/// - Parameters:
///   - previous, current: Row `y` of the first picture's and row 0 of the second one's pixels, `stride` floats a row.
///   - dx, dy: Row `y` of the derivatives of the first picture, `gradientStride` floats a row.
///   - y: The top row of the patches. Patch k has its left column at k·`step`.
///   - candidates: `candidateCount` pairs of rows u, v with a shift for each patch. The first is the one to keep in case
///     of doubt.
///   - iterations: The most steps.
///   - u, v, cost: The result, for each patch. The cost is the sum of squared differences about their mean.
/// - Contract: pictures have margins of 16 pixels; all patches lie in the picture or overhang it by less than 8.
public func searchPatchRow(
  previous: UnsafePointer<Float>, dx: UnsafePointer<Float>, dy: UnsafePointer<Float>, current: UnsafePointer<Float>,
  stride: Int, gradientStride: Int, y: Int, width: Int, height: Int, step: Int,
  candidates: UnsafePointer<UnsafePointer<Float>>,
  candidateCount: Int, iterations: Int, u: UnsafeMutablePointer<Float>, v: UnsafeMutablePointer<Float>,
  cost: UnsafeMutablePointer<Float>, count: Int
) {
  let scale: Float = 1.0 / 64
  // A patch that has left the picture by so much sees nothing but its margin.
  let (low, right, bottom) = (Float(-12), Float(width &+ 4), Float(height &+ 4))
  var k = 0
  while k < count {
    let x = k &* step
    let patch = previous + x
    let (gx, gy) = (dx + x, dy + x)
    let (originX, originY) = (Float(x), Float(y))

    var bestU: Float = 0
    var bestV: Float = 0
    var best = Float.infinity
    var c = 0
    while c < candidateCount {
      let cu = clamp(originX + candidates[2 &* c][k], low, right) - originX
      let cv = clamp(originY + candidates[2 &* c &+ 1][k], low, bottom) - originY
      let isNew = c == 0 || cu != bestU || cv != bestV
      if isNew {
        let sums = compare(patch, gx, gy, current, stride, gradientStride, originX + cu, originY + cv)
        let value = sums.squares - sums.plain * sums.plain * scale
        if value < best {
          best = value
          bestU = cu
          bestV = cv
        }
      }
      c &+= 1
    }

    if iterations > 0 && best > 0 {
      let matrix = PatchMatrix(gx, gy, gradientStride)
      let (startU, startV) = (bestU, bestV)
      var sums = compare(patch, gx, gy, current, stride, gradientStride, originX + bestU, originY + bestV)
      var n = 0
      while n < iterations {
        let (stepU, stepV) = matrix.solve(sums)
        let nextU = clamp(originX + (bestU - stepU), low, right) - originX
        let nextV = clamp(originY + (bestV - stepV), low, bottom) - originY
        let (awayU, awayV) = (nextU - startU, nextV - startV)
        // A patch that runs farther than its side has lost its hold (Kroeger et al., section 2.1).
        guard awayU * awayU + awayV * awayV <= 64 else { break }
        sums = compare(patch, gx, gy, current, stride, gradientStride, originX + nextU, originY + nextV)
        let value = sums.squares - sums.plain * sums.plain * scale
        guard value < best else { break }
        best = value
        bestU = nextU
        bestV = nextV
        // Steps below a twentieth of a pixel move the dense flow by less than its other errors.
        guard stepU * stepU + stepV * stepV > 0.0025 else { break }
        n &+= 1
      }
    }
    u[k] = bestU
    v[k] = bestV
    cost[k] = best
    k &+= 1
  }
}

@inline(__always)
private func clamp(_ x: Float, _ low: Float, _ high: Float) -> Float {
  let raised = x > low ? x : low
  return raised < high ? raised : high
}

/// Sums over a patch of the difference d (second picture minus first): Σd, Σd², Σd·∂x, Σd·∂y.
private struct PatchSums {
  var plain: Float
  var squares: Float
  var x: Float
  var y: Float
}

@inline(__always)
private func compare(
  _ patch: UnsafePointer<Float>, _ gx: UnsafePointer<Float>, _ gy: UnsafePointer<Float>,
  _ current: UnsafePointer<Float>, _ stride: Int, _ gradientStride: Int, _ x: Float, _ y: Float
) -> PatchSums {
  // Places are at least −12; truncation rounds positive numbers down.
  let x0 = Int(x + 16) &- 16
  let y0 = Int(y + 16) &- 16
  let fx = x - Float(x0)
  let fy = y - Float(y0)
  let w00 = PatchRow(repeating: (1 - fx) * (1 - fy))
  let w01 = PatchRow(repeating: fx * (1 - fy))
  let w10 = PatchRow(repeating: (1 - fx) * fy)
  let w11 = PatchRow(repeating: fx * fy)
  let base = current + (y0 &* stride &+ x0)
  var plain = PatchRow.zero
  var squares = PatchRow.zero
  var sumX = PatchRow.zero
  var sumY = PatchRow.zero
  var a = patchRow(base, 0)
  var b = patchRow(base, 1)
  var r = 0
  while r < 8 {
    let below = (r &+ 1) &* stride
    let c = patchRow(base, below)
    let d = patchRow(base, below &+ 1)
    let at = r &* stride
    let difference = (a * w00 + b * w01) + (c * w10 + d * w11) - patchRow(patch, at)
    plain += difference
    squares += difference * difference
    sumX += difference * patchRow(gx, r &* gradientStride)
    sumY += difference * patchRow(gy, r &* gradientStride)
    a = c
    b = d
    r &+= 1
  }
  return PatchSums(plain: total(plain), squares: total(squares), x: total(sumX), y: total(sumY))
}

/// The inverse of a patch's 2×2 matrix Σ∇I·∇Iᵀ about the mean, and the sums of its derivatives.
private struct PatchMatrix {
  let sumX: Float
  let sumY: Float
  let i11: Float
  let i12: Float
  let i22: Float

  @inline(__always)
  init(_ gx: UnsafePointer<Float>, _ gy: UnsafePointer<Float>, _ stride: Int) {
    var (sx, sy, xx, xy, yy) = (PatchRow.zero, PatchRow.zero, PatchRow.zero, PatchRow.zero, PatchRow.zero)
    var r = 0
    while r < 8 {
      let x = patchRow(gx, r &* stride)
      let y = patchRow(gy, r &* stride)
      sx += x
      sy += y
      xx += x * x
      xy += x * y
      yy += y * y
      r &+= 1
    }
    sumX = total(sx)
    sumY = total(sy)
    let scale: Float = 1.0 / 64
    // One grey level per pixel and pixel, squared, added to each: steps stay small where a patch is flat.
    let m11 = total(xx) - sumX * sumX * scale + 1
    let m22 = total(yy) - sumY * sumY * scale + 1
    let m12 = total(xy) - sumX * sumY * scale
    let determinant = m11 * m22 - m12 * m12
    let inverse = 1 / (determinant > 1e-3 ? determinant : 1e-3)
    i11 = m22 * inverse
    i12 = -m12 * inverse
    i22 = m11 * inverse
  }

  @inline(__always)
  func solve(_ sums: PatchSums) -> (Float, Float) {
    let scale: Float = 1.0 / 64
    let bx = sums.x - sums.plain * sumX * scale
    let by = sums.y - sums.plain * sumY * scale
    return (i11 * bx + i12 * by, i12 * bx + i22 * by)
  }
}

/// Adds, to one row of pixels, the shifts of a row of patches that cover it, weighted by how well each explains the pixel:
/// 1 / max(1, |difference|) (Kroeger et al. 2016, equation 3).
///
/// - Parameters:
///   - previous: The row `y` of the first picture.
///   - current: Row 0 of the second picture.
///   - u, v: The shifts of the patches.
///   - sumU, sumV, sumWeight: Sums for each pixel, to be divided afterwards.
/// - Contract: as for `searchPatchRow`; the sums have room for overhanging patches.
public func densifyRow(
  previous: UnsafePointer<Float>, current: UnsafePointer<Float>, stride: Int, y: Int, width: Int, height: Int,
  step: Int, u: UnsafePointer<Float>, v: UnsafePointer<Float>, count: Int, sumU: UnsafeMutablePointer<Float>,
  sumV: UnsafeMutablePointer<Float>, sumWeight: UnsafeMutablePointer<Float>
) {
  let one = PatchRow(repeating: 1)
  let (low, right, bottom) = (Float(-12), Float(width &+ 4), Float(height &+ 4))
  var k = 0
  while k < count {
    let column = k &* step
    let x = clamp(Float(column) + u[k], low, right)
    let py = clamp(Float(y) + v[k], low, bottom)
    let x0 = Int(x + 16) &- 16
    let y0 = Int(py + 16) &- 16
    let fx = x - Float(x0)
    let fy = py - Float(y0)
    let base = current + (y0 &* stride &+ x0)
    let top =
      patchRow(base, 0) * PatchRow(repeating: (1 - fx) * (1 - fy))
      + patchRow(base, 1) * PatchRow(repeating: fx * (1 - fy))
    let low =
      patchRow(base, stride) * PatchRow(repeating: (1 - fx) * fy)
      + patchRow(base, stride &+ 1) * PatchRow(repeating: fx * fy)
    let difference = top + low - patchRow(previous, column)
    let magnitude = difference.replacing(with: PatchRow.zero - difference, where: difference .< PatchRow.zero)
    let weight = one / magnitude.replacing(with: one, where: magnitude .< one)
    add(weight, sumWeight + column)
    add(weight * PatchRow(repeating: u[k]), sumU + column)
    add(weight * PatchRow(repeating: v[k]), sumV + column)
    k &+= 1
  }
}

@inline(__always)
private func add(_ value: PatchRow, _ row: UnsafeMutablePointer<Float>) {
  UnsafeMutableRawPointer(row).storeBytes(of: patchRow(row, 0) + value, as: PatchRow.self)
}

/// `values[i] = sums[i] / weights[i]`.
public func divideRow(
  _ sums: UnsafePointer<Float>, by weights: UnsafePointer<Float>, _ values: UnsafeMutablePointer<Float>, count: Int
) {
  var i = 0
  while i < count {
    store(load(sums, i) / load(weights, i), values, i, count)
    i &+= laneCount
  }
}
