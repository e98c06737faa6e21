// The variational model: its data terms, its diffusivities and the linear system that they make.
//
// Rows of the system are split by the parity of the column, so that the pixels of one colour of a checkerboard are
// neighbours in memory: a band of a row is its even columns, then, `partStride` floats later, its odd ones. Bands
// follow each other 2·partStride apart. A part holds ⌈width / 2⌉ samples, then room up to a multiple of 16, which
// kernels fill with what changes nothing, then at least 32 zeros, the last 16 of which stand left of the next part.

import FlowKernelTypes

/// Derivatives along both axes of one row: (1, −8, 0, 8, −1) / 12.
///
/// - Parameter samples: The row; four more lie `stride` floats above and below.
/// - Contract: two samples left and right of the row and 63 bytes past it may be read.
public func differentiateRow(
  _ samples: UnsafePointer<Float>, stride: Int, dx: UnsafeMutablePointer<Float>, dy: UnsafeMutablePointer<Float>,
  count: Int
) {
  var i = 0
  while i < count {
    store(difference(samples, i, 1), dx, i, count)
    store(difference(samples, i, stride), dy, i, count)
    i &+= laneCount
  }
}

/// `mean = (a + b) / 2`, `difference = b − a`.
public func meanAndDifferenceRow(
  _ a: UnsafePointer<Float>, _ b: UnsafePointer<Float>, mean: UnsafeMutablePointer<Float>,
  difference: UnsafeMutablePointer<Float>, count: Int
) {
  let half = Lanes(repeating: 0.5)
  var i = 0
  while i < count {
    let (p, q) = (load(a, i), load(b, i))
    store((p + q) * half, mean, i, count)
    store(q - p, difference, i, count)
    i &+= laneCount
  }
}

@inline(__always)
private func difference(_ samples: UnsafePointer<Float>, _ i: Int, _ step: Int) -> Lanes {
  let near = load(samples, i &+ step) - load(samples, i &- step)
  let far = load(samples, i &+ 2 &* step) - load(samples, i &- 2 &* step)
  return near * Lanes(repeating: 8.0 / 12) - far * Lanes(repeating: 1.0 / 12)
}

/// Linear equations a·U + b·V + c = 0 for constant brightness and constant gradient of each pixel of a row, normalised
/// (Zimmer et al. 2011, section 3.2): nine split bands a₀ b₀ c₀ a₁ b₁ c₁ a₂ b₂ c₂. (U, V) is the whole vector, not the
/// step from the vector (u, v) at which the second image was warped.
///
/// - Parameters:
///   - derivatives: Those of the first and the warped second image.
///   - inside: 0 where the second image is not known; no equation there.
///   - noise: What the gradient is taken to be at least in the normalisation, squared.
/// - Contract: two samples around each sample of `derivatives` may be read, and all rows up to 127 bytes past the end.
public func formDataRow(
  derivatives: DerivativeRow, inside: UnsafePointer<Float>, flow: FlowRow, noise: Float, width: Int,
  _ output: SplitRow
) {
  let partStride = output.partStride
  var i = 0
  while i < width {
    let at = output.base + i / 2
    DataTerms(derivatives, inside, flow, noise, i, width).store(at, partStride)
    DataTerms(derivatives, inside, flow, noise, i &+ laneCount, width).store(at + partStride, partStride)
    splitBands(at, partStride)
    i &+= 2 &* laneCount
  }
}

/// Sorts the 32 columns of each of nine bands by parity: the first 16 lie in the even part, the next 16 in the odd one.
///
/// A step of its own, through memory: otherwise the compiler moves the sorting ahead of all the arithmetic and splits
/// that into half vectors.
@inline(never)
private func splitBands(_ output: UnsafeMutablePointer<Float>, _ partStride: Int) {
  var band = 0
  while band < 9 {
    let at = output + 2 &* band &* partStride
    storeSplit(load(at, 0), load(at, partStride), output, band, partStride)
    band &+= 1
  }
}

private struct DataTerms {
  var a0: Lanes, b0: Lanes, c0: Lanes
  var a1: Lanes, b1: Lanes, c1: Lanes
  var a2: Lanes, b2: Lanes, c2: Lanes

  @inline(__always)
  init(
    _ derivatives: DerivativeRow, _ inside: UnsafePointer<Float>, _ flow: FlowRow, _ noise: Float, _ i: Int,
    _ width: Int
  ) {
    let (dx, dy, change, stride) = (derivatives.dx, derivatives.dy, derivatives.difference, derivatives.stride)
    let isColumn = laneNumbers .< Lanes(repeating: Float(width &- i))
    let known = Lanes.zero.replacing(with: load(inside, i), where: isColumn)
    let (du, dv) = (load(flow.u, i), load(flow.v, i))
    let noise = Lanes(repeating: noise)
    let (ix, iy, iz) = (load(dx, i), load(dy, i), load(change, i))
    let ixx = difference(dx, i, 1)
    let ixy = difference(dy, i, 1)
    let iyy = difference(dy, i, stride)
    let ixz = difference(change, i, 1)
    let iyz = difference(change, i, stride)
    let s0 = known * inverseSquareRoot(ix * ix + iy * iy + noise)
    let s1 = known * inverseSquareRoot(ixx * ixx + ixy * ixy + noise)
    let s2 = known * inverseSquareRoot(ixy * ixy + iyy * iyy + noise)
    a0 = ix * s0
    b0 = iy * s0
    c0 = (iz - (ix * du + iy * dv)) * s0
    a1 = ixx * s1
    b1 = ixy * s1
    c1 = (ixz - (ixx * du + ixy * dv)) * s1
    a2 = ixy * s2
    b2 = iyy * s2
    c2 = (iyz - (ixy * du + iyy * dv)) * s2
    let zero = Lanes.zero
    a0 = zero.replacing(with: a0, where: isColumn)
    b0 = zero.replacing(with: b0, where: isColumn)
    c0 = zero.replacing(with: c0, where: isColumn)
    a1 = zero.replacing(with: a1, where: isColumn)
    b1 = zero.replacing(with: b1, where: isColumn)
    c1 = zero.replacing(with: c1, where: isColumn)
    a2 = zero.replacing(with: a2, where: isColumn)
    b2 = zero.replacing(with: b2, where: isColumn)
    c2 = zero.replacing(with: c2, where: isColumn)
  }

  /// Puts the nine terms into bands, one part of two of each.
  @inline(__always)
  func store(_ output: UnsafeMutablePointer<Float>, _ partStride: Int) {
    let band = 2 &* partStride
    storeWhole(a0, output, 0)
    storeWhole(b0, output, band)
    storeWhole(c0, output, 2 &* band)
    storeWhole(a1, output, 3 &* band)
    storeWhole(b1, output, 4 &* band)
    storeWhole(c1, output, 5 &* band)
    storeWhole(a2, output, 6 &* band)
    storeWhole(b2, output, 7 &* band)
    storeWhole(c2, output, 8 &* band)
  }
}

/// Forms the weights of smoothness between each pixel and its right and lower neighbour, as the image tells: two split
/// bands, 1 in flat regions, less across the image's edges, 0 beyond the border.
///
/// - Parameters:
///   - samples: A row of the first image.
///   - steepness: By how much a difference of one grey level, squared, lowers the weight: 1 / (1 + steepness·d²).
///   - floor: The smallest weight, above 0.
public func formEdgeRow(
  _ samples: StridedRow, steepness: Float, floor: Float, isLastRow: Bool, width: Int, _ output: SplitRow
) {
  var i = 0
  while i < width {
    let (r0, d0) = edges(samples, steepness, floor, isLastRow, i, width)
    let (r1, d1) = edges(samples, steepness, floor, isLastRow, i &+ laneCount, width)
    storeSplit(r0, r1, output.base + i / 2, 0, output.partStride)
    storeSplit(d0, d1, output.base + i / 2, 1, output.partStride)
    i &+= 2 &* laneCount
  }
}

@inline(__always)
private func edges(
  _ samples: StridedRow, _ steepness: Float, _ floor: Float, _ isLastRow: Bool, _ i: Int, _ width: Int
) -> (right: Lanes, down: Lanes) {
  let (one, zero) = (Lanes(repeating: 1), Lanes.zero)
  let (steepness, floor) = (Lanes(repeating: steepness), Lanes(repeating: floor))
  let here = load(samples.base, i)
  let right = load(samples.base, i &+ 1) - here
  let down = load(samples.base, i &+ samples.stride) - here
  let rightWeight = greater(one / (one + right * right * steepness), floor)
  let downWeight = greater(one / (one + down * down * steepness), floor)
  let hasRight = laneNumbers .< Lanes(repeating: Float(width &- 1 &- i))
  let isColumn = laneNumbers .< Lanes(repeating: Float(width &- i))
  return (
    zero.replacing(with: rightWeight, where: hasRight),
    isLastRow ? zero : zero.replacing(with: downWeight, where: isColumn)
  )
}

/// Two rows side by side, split.
public func splitRows(
  u: UnsafePointer<Float>, v: UnsafePointer<Float>, width: Int, _ output: UnsafeMutablePointer<Float>, partStride: Int
) {
  var i = 0
  while i < width {
    let first = laneNumbers .< Lanes(repeating: Float(width &- i))
    let second = laneNumbers .< Lanes(repeating: Float(width &- i &- laneCount))
    let zero = Lanes.zero
    storeSplit(
      zero.replacing(with: load(u, i), where: first), zero.replacing(with: load(u, i &+ laneCount), where: second),
      output + i / 2, 0, partStride)
    storeSplit(
      zero.replacing(with: load(v, i), where: first), zero.replacing(with: load(v, i &+ laneCount), where: second),
      output + i / 2, 1, partStride)
    i &+= 2 &* laneCount
  }
}

/// The reverse of `splitRows`.
public func joinRows(
  _ input: UnsafePointer<Float>, partStride: Int, u: UnsafeMutablePointer<Float>, v: UnsafeMutablePointer<Float>,
  width: Int
) {
  var i = 0
  while i < width {
    let at = input + i / 2
    joinParts(at, partStride, u, i, width)
    joinParts(at + 2 &* partStride, partStride, v, i, width)
    i &+= 2 &* laneCount
  }
}

@inline(__always)
private func joinParts(
  _ at: UnsafePointer<Float>, _ partStride: Int, _ output: UnsafeMutablePointer<Float>, _ i: Int, _ width: Int
) {
  let (even, odd) = (load(at, 0), load(at, partStride))
  var low = Lanes.zero
  low.evenHalf = even.lowHalf
  low.oddHalf = odd.lowHalf
  var high = Lanes.zero
  high.evenHalf = even.highHalf
  high.oddHalf = odd.highHalf
  store(low, output, i, width)
  if i &+ laneCount < width { store(high, output, i &+ laneCount, width) }
}

@inline(__always)
private func storeSplit(
  _ first: Lanes, _ second: Lanes, _ output: UnsafeMutablePointer<Float>, _ band: Int, _ partStride: Int
) {
  let at = output + 2 &* band &* partStride
  let even = Lanes(lowHalf: first.evenHalf, highHalf: second.evenHalf)
  let odd = Lanes(lowHalf: first.oddHalf, highHalf: second.oddHalf)
  UnsafeMutableRawPointer(at).storeBytes(of: even, as: Lanes.self)
  UnsafeMutableRawPointer(at + partStride).storeBytes(of: odd, as: Lanes.self)
}
