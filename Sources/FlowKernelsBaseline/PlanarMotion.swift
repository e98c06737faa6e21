// Planar motion: which vectors of a flow a plane explains, and the flow of a plane.
//
// A plane is a row of ten numbers: the first eight elements of a homography, row by row, whose ninth is 1, and the
// point (x, y) from which its coordinates count.

import FlowKernelTypes

/// A plane at this distance from its horizon, as a share of the depth at its origin, is no longer a plane that one
/// sees.
private let minimumDepth: Float = 0.1

private struct PlaneLanes {
  let h0, h1, h2, h3, h4, h5, h6, h7, originX, originY: Lanes

  @inline(__always)
  init(_ plane: UnsafePointer<Float>) {
    h0 = Lanes(repeating: plane[0])
    h1 = Lanes(repeating: plane[1])
    h2 = Lanes(repeating: plane[2])
    h3 = Lanes(repeating: plane[3])
    h4 = Lanes(repeating: plane[4])
    h5 = Lanes(repeating: plane[5])
    h6 = Lanes(repeating: plane[6])
    h7 = Lanes(repeating: plane[7])
    originX = Lanes(repeating: plane[8])
    originY = Lanes(repeating: plane[9])
  }
}

/// Tells which samples of a flow a plane explains: those whose vector differs from the plane's by less than the
/// tolerance.
///
/// - Parameters:
///   - plane: Ten numbers.
///   - samples: The positions of the samples and their vectors.
///   - squaredTolerance: In square pixels; below 0 for samples that no plane explains.
///   - words: A bit for each sample, the lowest first, in words of 16.
///   - count: The number of samples, a multiple of 16.
public func planeInliers(
  plane: UnsafePointer<Float>, samples: VectorSamples, squaredTolerance: UnsafePointer<Float>,
  words: UnsafeMutablePointer<UInt16>, count: Int
) {
  let p = PlaneLanes(plane)
  let one = Lanes(repeating: 1)
  let nearest = Lanes(repeating: minimumDepth)
  var i = 0
  while i < count {
    let dx = load(samples.x, i) - p.originX
    let dy = load(samples.y, i) - p.originY
    let depth = one + p.h6 * dx + p.h7 * dy
    let planeX: Lanes = p.h0 * dx + p.h1 * dy + p.h2
    let planeY: Lanes = p.h3 * dx + p.h4 * dy + p.h5
    let acrossX: Lanes = planeX - (dx + load(samples.u, i)) * depth
    let acrossY: Lanes = planeY - (dy + load(samples.v, i)) * depth
    let limit = load(squaredTolerance, i) * depth * depth
    let squaredError: Lanes = acrossX * acrossX + acrossY * acrossY
    let isInlier = (squaredError .< limit) .& (depth .> nearest)
    words[i / 16] = bits(of: isInlier)
    i &+= laneCount
  }
}

@inline(__always)
private func bits(of mask: SIMDMask<SIMD16<Int32>>) -> UInt16 {
  let positions = SIMD16<Int32>(
    1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768)
  let set = SIMD16<Int32>.zero.replacing(with: positions, where: mask)
  let eight = set.lowHalf &+ set.highHalf
  let four = eight.lowHalf &+ eight.highHalf
  let two = four.lowHalf &+ four.highHalf
  return UInt16(truncatingIfNeeded: two.x &+ two.y)
}

/// Writes the flow of a plane along a row; where the plane is not seen, or moves by more than `limit` pixels, the
/// vectors stay as they are.
///
/// - Parameters:
///   - plane: Ten numbers.
///   - x, y: The position of the first vector.
///   - limit: The longest motion, in pixels.
///   - flow: The row, from that position on.
public func planeFlowRow(
  plane: UnsafePointer<Float>, x: Int, y: Int, limit: Float, _ flow: MutableFlowRow, count: Int
) {
  let p = PlaneLanes(plane)
  let one = Lanes(repeating: 1)
  let nearest = Lanes(repeating: minimumDepth)
  let farthest = Lanes(repeating: limit * limit)
  let dy = Lanes(repeating: Float(y)) - p.originY
  var dx = Lanes(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) + Lanes(repeating: Float(x)) - p.originX
  let stepX = Lanes(repeating: Float(laneCount))
  var i = 0
  while i < count {
    let depth = one + p.h6 * dx + p.h7 * dy
    let isSeen = depth .> nearest
    let inverse = one / one.replacing(with: depth, where: isSeen)
    let planeX: Lanes = p.h0 * dx + p.h1 * dy + p.h2
    let planeY: Lanes = p.h3 * dx + p.h4 * dy + p.h5
    let motionX: Lanes = planeX * inverse - dx
    let motionY: Lanes = planeY * inverse - dy
    let squaredLength: Lanes = motionX * motionX + motionY * motionY
    let isTaken = isSeen .& (squaredLength .< farthest)
    store(load(flow.u, i).replacing(with: motionX, where: isTaken), flow.u, i, count)
    store(load(flow.v, i).replacing(with: motionY, where: isTaken), flow.v, i, count)
    dx += stepX
    i &+= laneCount
  }
}

/// The number of sums that `planeSums` forms.
public let planeSumCount = 23

/// Adds up the normal equations of a plane's eight elements over samples that go from (x, y) to (X, Y), each with
/// Cauchy's weight for its residual under the plane at hand.
///
/// - Parameters:
///   - elements: The eight elements at hand, for coordinates as those of the samples; nil where all weigh the same.
///   - sharpness: One over the squared residual at which a sample has half its weight; below 0 for what only fills a
///     vector.
///   - sums: Σw·(xx, xy, yy, x, y, 1), then with X: Σw·X·(xx, xy, yy, x, y, 1), with Y likewise, and
///     Σw·(X² + Y²)·(xx, xy, yy, x, y).
///   - scratch: Room for 16 times as many floats.
///   - count: The number of samples, a multiple of 16.
public func planeSums(
  elements: UnsafePointer<Float>?, samples: PlaneSamples, sharpness: UnsafePointer<Float>,
  sums: UnsafeMutablePointer<Float>, scratch: UnsafeMutablePointer<Float>, count: Int
) {
  var k = 0
  while k < planeSumCount {
    storeWhole(Lanes.zero, scratch, laneCount &* k)
    k &+= 1
  }
  var i = 0
  while i < count {
    let (px, py) = (load(samples.x, i), load(samples.y, i))
    let (qx, qy) = (load(samples.targetX, i), load(samples.targetY, i))
    let weight =
      elements.map { cauchyWeight($0, px, py, qx, qy, load(sharpness, i)) } ?? plainWeight(load(sharpness, i))
    addProducts(weight, px, py, scratch)
    addProducts(weight * qx, px, py, scratch + 6 &* laneCount)
    addProducts(weight * qy, px, py, scratch + 12 &* laneCount)
    addSquares(weight * (qx * qx + qy * qy), px, py, scratch + 18 &* laneCount)
    i &+= laneCount
  }
  k = 0
  while k < planeSumCount {
    sums[k] = total(load(scratch, laneCount &* k))
    k &+= 1
  }
}

@inline(__always)
private func plainWeight(_ sharpness: Lanes) -> Lanes {
  Lanes.zero.replacing(with: Lanes(repeating: 1), where: sharpness .> Lanes.zero)
}

/// 1 / (1 + r²·sharpness) for the residual r, without dividing by the depth; 0 beyond the horizon.
@inline(__always)
private func cauchyWeight(
  _ h: UnsafePointer<Float>, _ x: Lanes, _ y: Lanes, _ targetX: Lanes, _ targetY: Lanes, _ sharpness: Lanes
) -> Lanes {
  let depth =
    Lanes(repeating: 1) + Lanes(repeating: h[6]) * x + Lanes(repeating: h[7]) * y
  let planeX: Lanes = Lanes(repeating: h[0]) * x + Lanes(repeating: h[1]) * y + Lanes(repeating: h[2])
  let planeY: Lanes = Lanes(repeating: h[3]) * x + Lanes(repeating: h[4]) * y + Lanes(repeating: h[5])
  let acrossX: Lanes = planeX - targetX * depth
  let acrossY: Lanes = planeY - targetY * depth
  let square = depth * depth
  let squaredError: Lanes = acrossX * acrossX + acrossY * acrossY
  let weight = square / (square + squaredError * sharpness)
  let counts = (sharpness .> Lanes.zero) .& (depth .> Lanes(repeating: minimumDepth))
  return Lanes.zero.replacing(with: weight, where: counts)
}

/// Adds w·(xx, xy, yy, x, y, 1) to six vectors.
@inline(__always)
private func addProducts(_ weight: Lanes, _ x: Lanes, _ y: Lanes, _ sums: UnsafeMutablePointer<Float>) {
  addSquares(weight, x, y, sums)
  storeWhole(load(sums, 5 &* laneCount) + weight, sums, 5 &* laneCount)
}

/// Adds w·(xx, xy, yy, x, y) to five vectors.
@inline(__always)
private func addSquares(_ weight: Lanes, _ x: Lanes, _ y: Lanes, _ sums: UnsafeMutablePointer<Float>) {
  let (wx, wy) = (weight * x, weight * y)
  storeWhole(load(sums, 0) + wx * x, sums, 0)
  storeWhole(load(sums, laneCount) + wx * y, sums, laneCount)
  storeWhole(load(sums, 2 &* laneCount) + wy * y, sums, 2 &* laneCount)
  storeWhole(load(sums, 3 &* laneCount) + wx, sums, 3 &* laneCount)
  storeWhole(load(sums, 4 &* laneCount) + wy, sums, 4 &* laneCount)
}

@inline(__always)
private func total(_ lanes: Lanes) -> Float {
  let eight = lanes.lowHalf + lanes.highHalf
  let four = eight.lowHalf + eight.highHalf
  let two = four.lowHalf + four.highHalf
  return two.x + two.y
}
