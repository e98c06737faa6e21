// Inverse search on square patches, and the dense flow that the patches make together.
//
// Kroeger et al. 2016, section 2.1; Baker & Matthews 2004 for the inverse composition: the derivatives belong to the
// first image, so that a patch's matrix is formed once.

import FlowKernelTypes

/// The side of a patch in pixels.
public let patchSide = 8

private typealias PatchRow = SIMD8<Float>

@inline(__always)
private func patchRow(_ row: UnsafeMutablePointer<Float>, _ index: Int) -> PatchRow {
  patchRow(UnsafePointer(row), index)
}

@inline(__always)
private func patchRow(_ row: UnsafePointer<Float>, _ index: Int) -> PatchRow {
  UnsafeRawPointer(row + index).loadUnaligned(as: PatchRow.self)
}

/// Finds, for one row of patches, the shifts at which the second image looks most like the first: the best of the
/// candidates, then Gauß-Newton steps as long as the difference falls. A candidate that costs no more than `work`
/// tolerates is taken at once.
///
/// Patches differ by the variance of their difference, so that a change of brightness costs nothing (mean
/// normalisation).
/// - Parameters:
///   - previous: The top row of the patches in the first image.
///   - current: The second image.
///   - candidates: Pairs of rows u, v with a shift for each patch, as many as `work` says. The first is the one to keep
///     in case of doubt.
///   - work: Its scratch memory has room for 544 floats.
/// - Contract: images have margins of 16 pixels; all patches lie in the image or overhang it by less than 8.
public func searchPatchRow(
  previous: PatchSource, current: ImageRows, patches: PatchRowLayout, candidates: UnsafePointer<UnsafePointer<Float>>,
  work: PatchWork, shifts: PatchShiftRow
) {
  let scratch = work.scratch
  let scale: Float = 1.0 / 64
  // A patch that has left the image by so much sees nothing but its margin.
  let (low, right, bottom) = (Float(-12), Float(current.width &+ 4), Float(current.height &+ 4))
  var k = 0
  while k < patches.count {
    if let known = work.knownCosts, known[k] <= work.tolerance {
      shifts.u[k] = candidates[0][k]
      shifts.v[k] = candidates[1][k]
      shifts.cost[k] = known[k]
      k &+= 1
      continue
    }
    let x = k &* patches.step
    pack(previous.image + x, current.stride, scratch + PatchScratch.patch)
    pack(previous.dx + x, previous.gradientStride, scratch + PatchScratch.dx)
    pack(previous.dy + x, previous.gradientStride, scratch + PatchScratch.dy)
    let (originX, originY) = (Float(x), Float(patches.y))

    var bestU: Float = 0
    var bestV: Float = 0
    var best = Float.infinity
    var sums = PatchSums(plain: 0, squares: 0, x: 0, y: 0)
    var c = 0
    while c < work.candidateCount {
      let cu = clamp(originX + candidates[2 &* c][k], low, right) - originX
      let cv = clamp(originY + candidates[2 &* c &+ 1][k], low, bottom) - originY
      let isNew = c == 0 || cu != bestU || cv != bestV
      if isNew {
        let compared = compare(current.base, current.stride, originX + cu, originY + cv, scratch)
        let value = compared.squares - compared.plain * compared.plain * scale
        if value < best {
          sums = compared
          best = value
          bestU = cu
          bestV = cv
        }
      }
      c = best <= work.tolerance ? work.candidateCount : c &+ 1
    }

    if work.iterations > 0 && best > 0 && best > work.tolerance {
      let matrix = PatchMatrix(scratch)
      let (startU, startV) = (bestU, bestV)
      var n = 0
      while n < work.iterations {
        let (stepU, stepV) = matrix.solve(sums)
        let nextU = clamp(originX + (bestU - stepU), low, right) - originX
        let nextV = clamp(originY + (bestV - stepV), low, bottom) - originY
        let (awayU, awayV) = (nextU - startU, nextV - startV)
        // A patch that runs farther than its side has lost its hold (Kroeger et al., section 2.1).
        guard awayU * awayU + awayV * awayV <= 64 else { break }
        sums = compare(current.base, current.stride, originX + nextU, originY + nextV, scratch)
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
    shifts.u[k] = bestU
    shifts.v[k] = bestV
    shifts.cost[k] = best
    k &+= 1
  }
}

@inline(__always)
private func clamp(_ x: Float, _ low: Float, _ high: Float) -> Float {
  let raised = x > low ? x : low
  return raised < high ? raised : high
}

/// Sums over a patch of the difference d (second image minus first): Σd, Σd², Σd·∂x, Σd·∂y.
private struct PatchSums {
  var plain: Float
  var squares: Float
  var x: Float
  var y: Float
}

/// The offsets of a patch's data in the scratch memory: squares of 8×8 samples row by row, and what leads to them.
private enum PatchScratch {
  static let patch = 0
  static let dx = 64
  static let dy = 128
  static let sampled = 192
  /// Eight rows of 16 samples, interpolated vertically, and room to read on.
  static let window = 256
  /// The four weights, 16 times each.
  static let weights = 400
  /// The partial sums, up to five vectors.
  static let sums = 464
}

// Vectors of 16 throughout, from memory to memory, in small functions: mixed with scalars or with overlapping loads of
// 8, the compiler takes the vectors apart.

/// Copies eight rows of eight samples next to each other.
@inline(__always)
private func pack(_ source: UnsafePointer<Float>, _ stride: Int, _ target: UnsafeMutablePointer<Float>) {
  var r = 0
  while r < 8 {
    UnsafeMutableRawPointer(target + 8 &* r).storeBytes(of: patchRow(source, r &* stride), as: PatchRow.self)
    r &+= 1
  }
}

@inline(__always)
private func compare(
  _ current: UnsafePointer<Float>, _ stride: Int, _ x: Float, _ y: Float, _ scratch: UnsafeMutablePointer<Float>
) -> PatchSums {
  let base = current + spreadWeights(x, y, stride, scratch + PatchScratch.weights)
  interpolateDown(base, stride, scratch + PatchScratch.weights, scratch + PatchScratch.window)
  interpolateAcross(
    scratch + PatchScratch.window, scratch + PatchScratch.weights, scratch + PatchScratch.sampled)
  compareLanes(scratch)
  return PatchSums(
    plain: total(scratch, 0), squares: total(scratch, 1), x: total(scratch, 2), y: total(scratch, 3))
}

/// Writes the weights (1 − fy, fy, 1 − fx, fx) of bilinear interpolation at (x, y), 16 times each; returns where the
/// pixel at the upper left lies.
@inline(never)
private func spreadWeights(_ x: Float, _ y: Float, _ stride: Int, _ weights: UnsafeMutablePointer<Float>) -> Int {
  // Positions are at least −12; truncation rounds positive numbers down.
  let x0 = Int(x + 16) &- 16
  let y0 = Int(y + 16) &- 16
  let fx = x - Float(x0)
  let fy = y - Float(y0)
  storeWhole(Lanes(repeating: 1 - fy), weights, 0)
  storeWhole(Lanes(repeating: fy), weights, 16)
  storeWhole(Lanes(repeating: 1 - fx), weights, 32)
  storeWhole(Lanes(repeating: fx), weights, 48)
  return y0 &* stride &+ x0
}

@inline(never)
private func interpolateDown(
  _ base: UnsafePointer<Float>, _ stride: Int, _ weights: UnsafePointer<Float>, _ window: UnsafeMutablePointer<Float>
) {
  let (w0, w1) = (load(weights, 0), load(weights, 16))
  var r = 0
  while r < 8 {
    let at = r &* stride
    storeWhole(load(base, at) * w0 + load(base, at &+ stride) * w1, window, 16 &* r)
    r &+= 1
  }
}

@inline(never)
private func interpolateAcross(
  _ window: UnsafePointer<Float>, _ weights: UnsafePointer<Float>, _ output: UnsafeMutablePointer<Float>
) {
  let (w0, w1) = (load(weights, 32), load(weights, 48))
  var r = 0
  while r < 8 {
    // Eight of the sixteen count; the next row overwrites the others, and after the last one there is room.
    storeWhole(load(window, 16 &* r) * w0 + load(window, 16 &* r &+ 1) * w1, output, 8 &* r)
    r &+= 1
  }
}

@inline(never)
private func compareLanes(_ scratch: UnsafeMutablePointer<Float>) {
  var plain = Lanes.zero
  var squares = Lanes.zero
  var sumX = Lanes.zero
  var sumY = Lanes.zero
  var i = 0
  while i < 64 {
    let difference = load(scratch + PatchScratch.sampled, i) - load(scratch + PatchScratch.patch, i)
    plain += difference
    squares += difference * difference
    sumX += difference * load(scratch + PatchScratch.dx, i)
    sumY += difference * load(scratch + PatchScratch.dy, i)
    i &+= 16
  }
  storeWhole(plain, scratch, PatchScratch.sums)
  storeWhole(squares, scratch, PatchScratch.sums + 16)
  storeWhole(sumX, scratch, PatchScratch.sums + 32)
  storeWhole(sumY, scratch, PatchScratch.sums + 48)
}

@inline(never)
private func squareLanes(_ scratch: UnsafeMutablePointer<Float>) {
  var (sx, sy, xx, xy, yy) = (Lanes.zero, Lanes.zero, Lanes.zero, Lanes.zero, Lanes.zero)
  var i = 0
  while i < 64 {
    let x = load(scratch + PatchScratch.dx, i)
    let y = load(scratch + PatchScratch.dy, i)
    sx += x
    sy += y
    xx += x * x
    xy += x * y
    yy += y * y
    i &+= 16
  }
  storeWhole(sx, scratch, PatchScratch.sums)
  storeWhole(sy, scratch, PatchScratch.sums + 16)
  storeWhole(xx, scratch, PatchScratch.sums + 32)
  storeWhole(xy, scratch, PatchScratch.sums + 48)
  storeWhole(yy, scratch, PatchScratch.sums + 64)
}

/// The sum of the 16 lanes of vector `index` of the sums, halves first.
@inline(never)
private func total(_ scratch: UnsafePointer<Float>, _ index: Int) -> Float {
  let lanes = scratch + (PatchScratch.sums &+ 16 &* index)
  let eight = patchRow(lanes, 0) + patchRow(lanes, 8)
  let four = eight.lowHalf + eight.highHalf
  let two = four.lowHalf + four.highHalf
  return two.x + two.y
}

/// The inverse of a patch's 2×2 matrix Σ∇I·∇Iᵀ about the mean, and the sums of its derivatives.
private struct PatchMatrix {
  let sumX: Float
  let sumY: Float
  let i11: Float
  let i12: Float
  let i22: Float

  @inline(__always)
  init(_ scratch: UnsafeMutablePointer<Float>) {
    squareLanes(scratch)
    sumX = total(scratch, 0)
    sumY = total(scratch, 1)
    let scale: Float = 1.0 / 64
    // One grey level per pixel and pixel, squared, added to each: steps stay small where a patch is flat.
    let m11 = total(scratch, 2) - sumX * sumX * scale + 1
    let m22 = total(scratch, 4) - sumY * sumY * scale + 1
    let m12 = total(scratch, 3) - sumX * sumY * scale
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

/// Adds, to one row of pixels, the shifts of a row of patches that cover it, weighted by how well each explains the
/// pixel: 1 / max(1, |difference|) (Kroeger et al. 2016, equation 3).
///
/// - Parameters:
///   - previous: The row of the first image.
///   - current: The second image.
///   - sums: Sums for each pixel, to be divided afterwards.
///   - scratch: Room for 128 floats.
/// - Contract: as for `searchPatchRow`; the sums have room for overhanging patches.
public func densifyRow(
  previous: UnsafePointer<Float>, current: ImageRows, patches: PatchRowLayout, shifts: FlowRow, sums: FlowSumRow,
  scratch: UnsafeMutablePointer<Float>
) {
  let one = PatchRow(repeating: 1)
  let (low, right, bottom) = (Float(-12), Float(current.width &+ 4), Float(current.height &+ 4))
  var k = 0
  while k < patches.count {
    let column = k &* patches.step
    let x = clamp(Float(column) + shifts.u[k], low, right)
    let py = clamp(Float(patches.y) + shifts.v[k], low, bottom)
    let base = current.base + spreadWeights(x, py, current.stride, scratch)
    let upper = load(base, 0) * load(scratch, 0) + load(base, current.stride) * load(scratch, 16)
    storeWhole(upper, scratch, 64)
    let value = load(scratch, 64) * load(scratch, 32) + load(scratch, 65) * load(scratch, 48)
    let difference = value.lowHalf - patchRow(previous, column)
    let magnitude = difference.replacing(with: PatchRow.zero - difference, where: difference .< PatchRow.zero)
    let weight = one / magnitude.replacing(with: one, where: magnitude .< one)
    add(weight, sums.weight + column)
    add(weight * PatchRow(repeating: shifts.u[k]), sums.u + column)
    add(weight * PatchRow(repeating: shifts.v[k]), sums.v + column)
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
