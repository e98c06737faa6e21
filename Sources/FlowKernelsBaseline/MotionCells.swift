// How well one image explains another, cell by cell.
//
// Five sums describe a cell of 4 × 4 samples of two images: Σa, Σb, Σa², Σb², Σab. They lie in five planes, one below
// the other, so that neighbouring cells are neighbouring lanes.

import FlowKernelTypes

/// Adds up the cells of four rows: columns are added from top to bottom, then the four of a cell in pairs.
///
/// - Parameter sums: The row's first cell in the first plane; the stride is that from plane to plane.
/// - Contract: rows may be read up to 15 samples past the last cell; each plane is written up to the next multiple of
///   four.
public func sumCells(
  _ a: StridedRow, _ b: StridedRow, _ sums: MutableStridedRow, count: Int
) {
  var cell = 0
  while cell < count {
    var (sumA, sumB) = (Lanes.zero, Lanes.zero)
    var (squareA, squareB, product) = (Lanes.zero, Lanes.zero, Lanes.zero)
    var y = 0
    while y < 4 {
      let p = load(a.base, y &* a.stride &+ 4 &* cell)
      let q = load(b.base, y &* b.stride &+ 4 &* cell)
      sumA += p
      sumB += q
      squareA += p * p
      squareB += q * q
      product += p * q
      y &+= 1
    }
    let (output, planeStride) = (sums.base + cell, sums.stride)
    storeFours(sumA, output)
    storeFours(sumB, output + planeStride)
    storeFours(squareA, output + 2 &* planeStride)
    storeFours(squareB, output + 3 &* planeStride)
    storeFours(product, output + 4 &* planeStride)
    cell &+= 4
  }
}

/// The sums of four lanes each.
@inline(__always)
private func storeFours(_ lanes: Lanes, _ output: UnsafeMutablePointer<Float>) {
  let pairs = lanes.evenHalf + lanes.oddHalf
  UnsafeMutableRawPointer(output).storeBytes(of: pairs.evenHalf + pairs.oddHalf, as: SIMD4<Float>.self)
}

/// Compares the square of 3 × 3 cells around each cell of a row: writes what remains of the variance of a after the
/// best gain, ½…2, and offset of b, and that variance.
///
/// - Parameters:
///   - sums: The row's first cell, its bands the five planes.
///   - counts: The number of samples of each square.
///   - minimumContrast: The variance of b below which it has no texture to fit a gain to.
/// - Contract: cells beside, above and below may be read, as may those up to the next multiple of sixteen, to which
///   outputs are written.
public func compareCells(
  _ sums: StridedBands, _ counts: UnsafePointer<Float>, minimumContrast: Float,
  _ unexplained: UnsafeMutablePointer<Float>, _ contrast: UnsafeMutablePointer<Float>, count: Int
) {
  let (rowStride, planeStride, sums) = (sums.rowStride, sums.bandStride, sums.base)
  let (zero, one, two) = (Lanes.zero, Lanes(repeating: 1), Lanes(repeating: 2))
  let half = Lanes(repeating: 0.5)
  let minimum = Lanes(repeating: minimumContrast)
  var i = 0
  while i < count {
    let n = load(counts, i)
    let meanA = squareSum(sums + i, rowStride) / n
    let meanB = squareSum(sums + (i &+ planeStride), rowStride) / n
    let varianceA = greater(squareSum(sums + (i &+ 2 &* planeStride), rowStride) / n - meanA * meanA, zero)
    let varianceB = greater(squareSum(sums + (i &+ 3 &* planeStride), rowStride) / n - meanB * meanB, zero)
    let covariance = squareSum(sums + (i &+ 4 &* planeStride), rowStride) / n - meanA * meanB
    let fitted = one.replacing(with: covariance / greater(varianceB, minimum), where: varianceB .> minimum)
    let gain = lesser(greater(fitted, half), two)
    let rest: Lanes = varianceA - two * gain * covariance + gain * gain * varianceB
    storeWhole(greater(rest, zero), unexplained, i)
    storeWhole(varianceA, contrast, i)
    i &+= laneCount
  }
}

/// The sums over 3 × 3 around sixteen neighbours.
@inline(__always)
private func squareSum(_ center: UnsafePointer<Float>, _ rowStride: Int) -> Lanes {
  threes(center) + threes(center - rowStride) + threes(center + rowStride)
}

@inline(__always)
private func threes(_ row: UnsafePointer<Float>) -> Lanes { load(row, 0) + load(row, -1) + load(row, 1) }
