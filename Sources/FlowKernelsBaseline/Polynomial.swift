// Polynomial expansion: the quadratic f(x, y) ≈ c + bx·x + by·y + axx·x² + ayy·y² + axy·x·y that fits the surroundings
// of each pixel best under Gaussian weights.
//
// The weights g(x)·g(y) and the basis are separable and even or odd, so the normal equations fall apart and the fit is
// three one-dimensional filters, applied down the columns and then along the rows. With g normalised,
// s₂ = Σ g·x², s₄ = Σ g·x⁴:
//
//   mean       g(x)                            moment of order 0
//   slope      g(x)·x / s₂                     coefficient of x
//   curvature  g(x)·(x² − s₂) / (s₄ − s₂²)     coefficient of x², freed of the constant and of y²
//
// Mean and curvature are even, slope is odd: each needs one product per pair of taps. `weights` holds the three
// filters for x = 0 … n, one after the other.

import FlowKernelTypes

/// Applies the three filters down the columns.
///
/// - Parameter rows: `2·radius + 1` rows around the current one, `rows[radius]`.
/// - Contract: rows may be read up to 63 bytes past `count`; the outputs overlap nothing.
public func expandColumns(
  _ rows: UnsafePointer<UnsafePointer<Float>>, _ weights: UnsafePointer<Float>, radius: Int, _ moments: MomentRows,
  count: Int
) {
  let slopes = weights + radius + 1
  let curvatures = slopes + radius + 1
  var i = 0
  while i < count {
    let center = load(rows[radius], i)
    var means = center * weights[0]
    var slopeSum = Lanes.zero
    var curvatureSum = center * curvatures[0]
    var k = 1
    while k <= radius {
      let above = load(rows[radius &- k], i)
      let below = load(rows[radius &+ k], i)
      let sum = above + below
      means += sum * weights[k]
      slopeSum += (below - above) * slopes[k]
      curvatureSum += sum * curvatures[k]
      k &+= 1
    }
    store(means, moments.mean, i, count)
    store(slopeSum, moments.slope, i, count)
    store(curvatureSum, moments.curvature, i, count)
    i &+= laneCount
  }
}

/// Applies the filters along the rows to what `expandColumns` gave, and writes the coefficients.
///
/// - Parameters:
///   - moments: Start `radius` samples left of the first pixel and end `radius` samples right of the last.
///   - output: Five rows: bx, by, axx, ayy, ½·axy.
/// - Contract: inputs may be read up to 63 bytes past their end; the outputs overlap nothing.
public func expandRow(
  moments: MomentRows, _ weights: UnsafePointer<Float>, radius: Int, _ output: MutableStridedRow, count: Int
) {
  let (mean, slope, curvature) = (moments.mean, moments.slope, moments.curvature)
  let slopes = weights + radius + 1
  let curvatures = slopes + radius + 1
  var i = 0
  while i < count {
    let middle = i &+ radius
    let center = load(mean, middle)
    var bx = Lanes.zero
    var by = load(slope, middle) * weights[0]
    var axx = center * curvatures[0]
    var ayy = load(curvature, middle) * weights[0]
    var axy = Lanes.zero
    var k = 1
    while k <= radius {
      let left = load(mean, middle &- k)
      let right = load(mean, middle &+ k)
      bx += (right - left) * slopes[k]
      axx += (right + left) * curvatures[k]
      let slopeLeft = load(slope, middle &- k)
      let slopeRight = load(slope, middle &+ k)
      by += (slopeRight + slopeLeft) * weights[k]
      axy += (slopeRight - slopeLeft) * slopes[k]
      ayy += (load(curvature, middle &+ k) + load(curvature, middle &- k)) * weights[k]
      k &+= 1
    }
    store(bx, output.base, i, count)
    store(by, output.base + output.stride, i, count)
    store(axx, output.base + 2 &* output.stride, i, count)
    store(ayy, output.base + 3 &* output.stride, i, count)
    store(axy * 0.5, output.base + 4 &* output.stride, i, count)
    i &+= laneCount
  }
}
