// The displacement between two polynomial expansions: forming the equations of a pixel, and solving their average.

/// Forms the normal equations G·d = h of one row, five numbers a pixel: G₁₁, G₁₂, G₂₂, h₁, h₂.
///
/// With A the mean of the two expansions' quadratic parts and Δb = ½·(b₁ − b₂) + A·d̃, where the second expansion is
/// sampled bilinearly at the place that the estimate d̃ so far points to, the displacement solves A·d = Δb; hence
/// G = AᵀA, h = AᵀΔb. Where d̃ points outside the image, the second expansion counts as absent: A is that of the
/// first and b₂ is zero.
///
/// - Parameters:
///   - previous: The row `y` of the first expansion: five rows (bx, by, axx, ayy, ½·axy), `planeStride` floats apart.
///   - current: The row 0 of the second expansion, likewise.
///   - rowStride: Floats from one row of the second expansion to the next.
///   - u, v: The estimate so far.
///   - columnWeights: The weight of each column's equations; multiplied by `rowWeight`.
///   - output: Five rows, `outputStride` floats apart.
/// - Contract: `width`, `height` < 2²²; all bands together have fewer than 2³¹ floats; the sample right of the last column
///   and the row below the last one may be read and are finite; 16 samples before the first and after the last one may
///   be read; inputs may be read up to 63 bytes past `width`; `output` overlaps nothing.
public func formEquations(
  previous: UnsafePointer<Float>, current: UnsafePointer<Float>, rowStride: Int, planeStride: Int,
  u: UnsafePointer<Float>, v: UnsafePointer<Float>, y: Int, width: Int, height: Int,
  columnWeights: UnsafePointer<Float>, rowWeight: Float, _ output: UnsafeMutablePointer<Float>, outputStride: Int
) {
  let half = Lanes(repeating: 0.5)
  let rowWeights = Lanes(repeating: rowWeight)
  var i = 0
  while i < width {
    let du = load(u, i)
    let dv = load(v, i)
    var positions = DisplacedPlaces(x: i, y: y, u: du, v: dv, width: width, height: height, rowStride: rowStride)
    let (fx, fy) = (positions.fx, positions.fy)
    let w11 = fx * fy
    let w10 = fy - w11
    let w01 = fx - w11
    let w00 = Lanes(repeating: 1) - fx - w10

    // A run takes 20 plain loads, where single pixels would take 20 each.
    var bx = Lanes.zero
    var by = Lanes.zero
    var axx = load(previous, i &+ 2 &* planeStride)
    var ayy = load(previous, i &+ 3 &* planeStride)
    var axy = load(previous, i &+ 4 &* planeStride)
    while let run = positions.nextRun() {
      let base = current + run.offset
      bx.replace(with: interpolate(base, rowStride, w00, w01, w10, w11), where: run.lanes)
      by.replace(with: interpolate(base + planeStride, rowStride, w00, w01, w10, w11), where: run.lanes)
      axx.replace(with: interpolate(base + 2 &* planeStride, rowStride, w00, w01, w10, w11), where: run.lanes)
      ayy.replace(with: interpolate(base + 3 &* planeStride, rowStride, w00, w01, w10, w11), where: run.lanes)
      axy.replace(with: interpolate(base + 4 &* planeStride, rowStride, w00, w01, w10, w11), where: run.lanes)
    }

    let weight = load(columnWeights, i) * rowWeights
    axx = (load(previous, i &+ 2 &* planeStride) + axx) * half
    ayy = (load(previous, i &+ 3 &* planeStride) + ayy) * half
    axy = (load(previous, i &+ 4 &* planeStride) + axy) * half
    bx = (load(previous, i) - bx) * half + (axx * du + axy * dv)
    by = (load(previous, i &+ planeStride) - by) * half + (axy * du + ayy * dv)
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
///   - regularization: Added to the determinant, so that nothing is divided by zero where the image is flat.
/// - Contract: inputs may be read up to 63 bytes past `count`; `u` and `v` overlap nothing.
public func solveEquations(
  _ sums: UnsafePointer<Float>, planeStride: Int, scale: Float, regularization: Float, u: UnsafeMutablePointer<Float>,
  v: UnsafeMutablePointer<Float>, count: Int
) {
  let scale = Lanes(repeating: scale)
  let regularization = Lanes(repeating: regularization)
  var i = 0
  while i < count {
    let g11 = load(sums, i) * scale
    let g12 = load(sums, i &+ planeStride) * scale
    let g22 = load(sums, i &+ 2 &* planeStride) * scale
    let h1 = load(sums, i &+ 3 &* planeStride) * scale
    let h2 = load(sums, i &+ 4 &* planeStride) * scale
    let inverse = Lanes(repeating: 1) / (g11 * g22 - g12 * g12 + regularization)
    store((g22 * h1 - g12 * h2) * inverse, u, i, count)
    store((g11 * h2 - g12 * h1) * inverse, v, i, count)
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
