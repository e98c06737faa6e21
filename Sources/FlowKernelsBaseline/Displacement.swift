// The displacement between two polynomial expansions: forming the equations of a pixel, and solving their average.

/// 2²³: adding it to 0 ≤ x < 2²² leaves the whole number nearest to x in the low bits of the sum.
private let wholeNumberShift: Float = 8_388_608

/// Forms the normal equations G·d = h of one row, five numbers a pixel: G₁₁, G₁₂, G₂₂, h₁, h₂.
///
/// With A the mean of the two expansions' quadratic parts and Δb = ½·(b₁ − b₂) + A·d̃, where the second expansion is
/// sampled bilinearly at the place that the estimate d̃ so far points to, the displacement solves A·d = Δb; hence
/// G = AᵀA, h = AᵀΔb. Where d̃ points outside the picture, the second expansion counts as absent: A is that of the
/// first and b₂ is zero.
///
/// - Parameters:
///   - previous: The row `y` of the first expansion: five rows (bx, by, axx, ayy, ½·axy), `planeStride` floats apart.
///   - current: The row 0 of the second expansion, likewise.
///   - rowStride: Floats from one row of the second expansion to the next.
///   - u, v: The estimate so far.
///   - columnWeights: The weight of each column's equations; multiplied by `rowWeight`.
///   - output: Five rows, `outputStride` floats apart.
/// - Contract: `width`, `height` < 2²²; planes smaller than 2³¹ floats; the row and the sample right and below the last
///   ones may be read and are finite; inputs may be read up to 63 bytes past `width`; `output` overlaps nothing.
public func formEquations(
  previous: UnsafePointer<Float>, current: UnsafePointer<Float>, rowStride: Int, planeStride: Int,
  u: UnsafePointer<Float>, v: UnsafePointer<Float>, y: Int, width: Int, height: Int,
  columnWeights: UnsafePointer<Float>, rowWeight: Float, _ output: UnsafeMutablePointer<Float>, outputStride: Int
) {
  let right = Float(width &- 1)
  let bottom = Float(height &- 1)
  let firstColumns = Lanes(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
  let firstIndices = SIMD16<Int32>(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
  var i = 0
  while i < width {
    let du = load(u, i)
    let dv = load(v, i)
    var px = firstColumns + Float(i) + du
    var py = dv + Float(y)
    let inside = (px .>= 0) .& (px .<= right) .& (py .>= 0) .& (py .<= bottom)
    px = Lanes.zero.replacing(with: px, where: inside)
    py = Lanes.zero.replacing(with: py, where: inside)
    let x0 = floored(px)
    let y0 = floored(py)
    let fx = px - x0
    let fy = py - y0
    let columns = unsafeBitCast(x0 + wholeNumberShift, to: SIMD16<Int32>.self) &- 0x4B00_0000
    let rows = unsafeBitCast(y0 + wholeNumberShift, to: SIMD16<Int32>.self) &- 0x4B00_0000
    let indices = rows &* Int32(truncatingIfNeeded: rowStride) &+ columns
    let w11 = fx * fy
    let w10 = fy - w11
    let w01 = fx - w11
    let w00 = 1 - fx - w10

    var bx: Lanes
    var by: Lanes
    var axx: Lanes
    var ayy: Lanes
    var axy: Lanes
    // Most often the estimate is smooth enough for 16 neighbours to point to 16 neighbours: then four loads
    // replace 64. Both ways give the same bits.
    let origin = indices[0]
    if all(inside) && all(indices .== firstIndices &+ origin) {
      let base = current + Int(origin)
      bx = blend(base, rowStride, w00, w01, w10, w11)
      by = blend(base + planeStride, rowStride, w00, w01, w10, w11)
      axx = blend(base + 2 &* planeStride, rowStride, w00, w01, w10, w11)
      ayy = blend(base + 3 &* planeStride, rowStride, w00, w01, w10, w11)
      axy = blend(base + 4 &* planeStride, rowStride, w00, w01, w10, w11)
    } else {
      bx = gather(current, indices, rowStride, w00, w01, w10, w11)
      by = gather(current + planeStride, indices, rowStride, w00, w01, w10, w11)
      axx = gather(current + 2 &* planeStride, indices, rowStride, w00, w01, w10, w11)
      ayy = gather(current + 3 &* planeStride, indices, rowStride, w00, w01, w10, w11)
      axy = gather(current + 4 &* planeStride, indices, rowStride, w00, w01, w10, w11)
      bx = Lanes.zero.replacing(with: bx, where: inside)
      by = Lanes.zero.replacing(with: by, where: inside)
      axx = load(previous, i &+ 2 &* planeStride).replacing(with: axx, where: inside)
      ayy = load(previous, i &+ 3 &* planeStride).replacing(with: ayy, where: inside)
      axy = load(previous, i &+ 4 &* planeStride).replacing(with: axy, where: inside)
    }

    let weight = load(columnWeights, i) * rowWeight
    axx = (load(previous, i &+ 2 &* planeStride) + axx) * 0.5
    ayy = (load(previous, i &+ 3 &* planeStride) + ayy) * 0.5
    axy = (load(previous, i &+ 4 &* planeStride) + axy) * 0.5
    bx = (load(previous, i) - bx) * 0.5 + (axx * du + axy * dv)
    by = (load(previous, i &+ planeStride) - by) * 0.5 + (axy * du + ayy * dv)
    axx *= weight
    ayy *= weight
    axy *= weight
    bx *= weight
    by *= weight
    store(axx * axx + axy * axy, output, i, width)
    store(axy * (axx + ayy), output + outputStride, i, width)
    store(ayy * ayy + axy * axy, output + 2 &* outputStride, i, width)
    store(axx * bx + axy * by, output + 3 &* outputStride, i, width)
    store(axy * bx + ayy * by, output + 4 &* outputStride, i, width)
    i &+= laneCount
  }
}

/// Solves the averaged equations of one row: d = (Ḡ + regularised)⁻¹·h̄.
///
/// - Parameters:
///   - sums: Five rows (G₁₁, G₁₂, G₂₂, h₁, h₂), `planeStride` floats apart; `scale` turns them into averages.
///   - regularization: Added to the determinant, so that nothing is divided by zero where the picture is flat.
/// - Contract: inputs may be read up to 63 bytes past `count`; `u` and `v` overlap nothing.
public func solveEquations(
  _ sums: UnsafePointer<Float>, planeStride: Int, scale: Float, regularization: Float, u: UnsafeMutablePointer<Float>,
  v: UnsafeMutablePointer<Float>, count: Int
) {
  var i = 0
  while i < count {
    let g11 = load(sums, i) * scale
    let g12 = load(sums, i &+ planeStride) * scale
    let g22 = load(sums, i &+ 2 &* planeStride) * scale
    let h1 = load(sums, i &+ 3 &* planeStride) * scale
    let h2 = load(sums, i &+ 4 &* planeStride) * scale
    let inverse = 1 / (g11 * g22 - g12 * g12 + regularization)
    store((g22 * h1 - g12 * h2) * inverse, u, i, count)
    store((g11 * h2 - g12 * h1) * inverse, v, i, count)
    i &+= laneCount
  }
}

/// The largest whole number not above x, for 0 ≤ x < 2²².
@inline(__always)
private func floored(_ x: Lanes) -> Lanes {
  let nearest = (x + wholeNumberShift) - wholeNumberShift
  return nearest.replacing(with: nearest - 1, where: nearest .> x)
}

/// Bilinear interpolation of 16 neighbours at 16 neighbouring places.
@inline(__always)
private func blend(
  _ base: UnsafePointer<Float>, _ rowStride: Int, _ w00: Lanes, _ w01: Lanes, _ w10: Lanes, _ w11: Lanes
) -> Lanes {
  let top = load(base, 0) * w00 + load(base, 1) * w01
  return top + (load(base, rowStride) * w10 + load(base, rowStride &+ 1) * w11)
}

/// The same at 16 places anywhere.
@inline(__always)
private func gather(
  _ plane: UnsafePointer<Float>, _ indices: SIMD16<Int32>, _ rowStride: Int, _ w00: Lanes, _ w01: Lanes, _ w10: Lanes,
  _ w11: Lanes
) -> Lanes {
  let top = gather(plane, indices) * w00 + gather(plane + 1, indices) * w01
  return top + (gather(plane + rowStride, indices) * w10 + gather(plane + (rowStride &+ 1), indices) * w11)
}

@inline(__always)
private func gather(_ base: UnsafePointer<Float>, _ indices: SIMD16<Int32>) -> Lanes {
  var result = Lanes.zero
  result[0] = base[Int(indices[0])]
  result[1] = base[Int(indices[1])]
  result[2] = base[Int(indices[2])]
  result[3] = base[Int(indices[3])]
  result[4] = base[Int(indices[4])]
  result[5] = base[Int(indices[5])]
  result[6] = base[Int(indices[6])]
  result[7] = base[Int(indices[7])]
  result[8] = base[Int(indices[8])]
  result[9] = base[Int(indices[9])]
  result[10] = base[Int(indices[10])]
  result[11] = base[Int(indices[11])]
  result[12] = base[Int(indices[12])]
  result[13] = base[Int(indices[13])]
  result[14] = base[Int(indices[14])]
  result[15] = base[Int(indices[15])]
  return result
}
