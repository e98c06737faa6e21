// The displacement between two polynomial expansions: forming the equations of a pixel, and solving their average.

import FlowKernelTypes

/// Forms the normal equations G·d = h of one row, five numbers a pixel: G₁₁, G₁₂, G₂₂, h₁, h₂.
///
/// With A the mean of the two expansions' quadratic parts and Δb = ½·(b₁ − b₂) + A·d̃, where the second expansion is
/// sampled bilinearly at the position that the estimate d̃ so far points to, the displacement solves A·d = Δb; hence
/// G = AᵀA, h = AᵀΔb. Where d̃ points outside the image, the second expansion counts as absent: A is that of the
/// first and b₂ is zero.
///
/// - Parameters:
///   - previous: A row of the first expansion.
///   - current: The first band of the second expansion; the others lie as far apart as those of the first.
///   - flow: The estimate so far.
///   - output: Five rows.
/// - Contract: width and height are below 2²²; all bands together have fewer than 2³¹ floats; the sample right of the
///   last column and the row below the last one may be read and are finite; 16 samples before the first and after the
///   last one may be read; inputs may be read up to 63 bytes past the width; `output` overlaps nothing.
public func formEquations(
  previous: ExpansionRow, current: ImageRows, flow: FlowRow, weights: EquationWeights, _ output: MutableStridedRow
) {
  let (row, bandStride, width, rowStride) = (previous.base, previous.bandStride, current.width, current.stride)
  let half = Lanes(repeating: 0.5)
  let rowWeights = Lanes(repeating: weights.row)
  var i = 0
  while i < width {
    let du = load(flow.u, i)
    let dv = load(flow.v, i)
    var positions = DisplacedPositions(x: i, y: previous.y, u: du, v: dv, in: current)
    let (fx, fy) = (positions.fx, positions.fy)
    let w11 = fx * fy
    let w10 = fy - w11
    let w01 = fx - w11
    let w00 = Lanes(repeating: 1) - fx - w10

    // A run takes 20 plain loads, where single pixels would take 20 each.
    var bx = Lanes.zero
    var by = Lanes.zero
    var axx = load(row, i &+ 2 &* bandStride)
    var ayy = load(row, i &+ 3 &* bandStride)
    var axy = load(row, i &+ 4 &* bandStride)
    while let run = positions.nextRun() {
      let base = current.base + run.offset
      bx.replace(with: interpolate(base, rowStride, w00, w01, w10, w11), where: run.lanes)
      by.replace(with: interpolate(base + bandStride, rowStride, w00, w01, w10, w11), where: run.lanes)
      axx.replace(with: interpolate(base + 2 &* bandStride, rowStride, w00, w01, w10, w11), where: run.lanes)
      ayy.replace(with: interpolate(base + 3 &* bandStride, rowStride, w00, w01, w10, w11), where: run.lanes)
      axy.replace(with: interpolate(base + 4 &* bandStride, rowStride, w00, w01, w10, w11), where: run.lanes)
    }

    let weight = load(weights.columns, i) * rowWeights
    axx = (load(row, i &+ 2 &* bandStride) + axx) * half
    ayy = (load(row, i &+ 3 &* bandStride) + ayy) * half
    axy = (load(row, i &+ 4 &* bandStride) + axy) * half
    let shiftX: Lanes = axx * du + axy * dv
    let shiftY: Lanes = axy * du + ayy * dv
    bx = (load(row, i) - bx) * half + shiftX
    by = (load(row, i &+ bandStride) - by) * half + shiftY
    axx *= weight
    ayy *= weight
    axy *= weight
    bx *= weight
    by *= weight
    store(axx * axx + axy * axy, output.base, i, width)
    store(axy * (axx + ayy), output.base + output.stride, i, width)
    store(ayy * ayy + axy * axy, output.base + 2 &* output.stride, i, width)
    store(axx * bx + axy * by, output.base + 3 &* output.stride, i, width)
    store(axy * bx + ayy * by, output.base + 4 &* output.stride, i, width)
    i &+= laneCount
  }
}

/// Solves the averaged equations of one row: d = (Ḡ + regularised)⁻¹·h̄.
///
/// - Parameters:
///   - sums: Five rows (G₁₁, G₁₂, G₂₂, h₁, h₂); `scale` turns them into averages.
///   - regularization: Added to the determinant, so that nothing is divided by zero where the image is flat.
/// - Contract: inputs may be read up to 63 bytes past `count`; `output` overlaps nothing.
public func solveEquations(
  _ sums: StridedRow, scale: Float, regularization: Float, _ output: MutableFlowRow, count: Int
) {
  let (sums, bandStride) = (sums.base, sums.stride)
  let scale = Lanes(repeating: scale)
  let regularization = Lanes(repeating: regularization)
  var i = 0
  while i < count {
    let g11 = load(sums, i) * scale
    let g12 = load(sums, i &+ bandStride) * scale
    let g22 = load(sums, i &+ 2 &* bandStride) * scale
    let h1 = load(sums, i &+ 3 &* bandStride) * scale
    let h2 = load(sums, i &+ 4 &* bandStride) * scale
    let determinant: Lanes = g11 * g22 - g12 * g12
    let inverse = Lanes(repeating: 1) / (determinant + regularization)
    store((g22 * h1 - g12 * h2) * inverse, output.u, i, count)
    store((g11 * h2 - g12 * h1) * inverse, output.v, i, count)
    i &+= laneCount
  }
}

/// Bilinear interpolation between the 16 samples from `base` on, their right neighbours and those below.
@inline(__always)
private func interpolate(
  _ base: UnsafePointer<Float>, _ rowStride: Int, _ w00: Lanes, _ w01: Lanes, _ w10: Lanes, _ w11: Lanes
) -> Lanes {
  let top = load(base, 0) * w00 + load(base, 1) * w01
  return top + (load(base, rowStride) * w10 + load(base, rowStride &+ 1) * w11)
}
