// Where displaced pixels lie: what the kernels share that read a second image along a flow field.

import FlowKernelTypes

/// The positions in the second image to which 16 neighbouring pixels of a row are displaced.
struct DisplacedPositions {
  /// The offset of the sample at or above and left of each position; `Int32.max` for positions outside the image.
  private(set) var origins: SIMD16<Int32>
  /// A mask of the positions that lie inside the image.
  let inside: SIMDMask<SIMD16<Int32>>
  /// The distance of each position to the right of that sample, 0…1, 0 outside; `fy` is that below it.
  let fx: Lanes
  let fy: Lanes

  // `@inline(__always)` leaves a call, with so many users.
  @_transparent
  init(x i: Int, y: Int, u: Lanes, v: Lanes, in image: ImageRows) {
    let firstColumns = Lanes(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
    let laneNumbers = SIMD16<Int32>(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
    var px = firstColumns + Lanes(repeating: Float(i)) + u
    var py = Lanes(repeating: Float(y)) + v
    inside =
      (px .>= Lanes.zero) .& (px .<= Lanes(repeating: Float(image.width &- 1)))
      .& (py .>= Lanes.zero) .& (py .<= Lanes(repeating: Float(image.height &- 1)))
    px = Lanes.zero.replacing(with: px, where: inside)
    py = Lanes.zero.replacing(with: py, where: inside)
    let x0 = wholePart(px)
    let y0 = wholePart(py)
    fx = px - x0
    fy = py - y0
    let rowStrides = SIMD16<Int32>(repeating: Int32(truncatingIfNeeded: image.stride))
    let nowhere = SIMD16<Int32>(repeating: Int32.max)
    origins = nowhere.replacing(with: integers(y0) &* rowStrides &+ integers(x0) &- laneNumbers, where: inside)
  }

  /// Neighbours mostly point to neighbours: the 16 positions fall into a few runs with a common origin, one more for
  /// each whole pixel that the displacement crosses. A run takes as many plain loads as a single pixel would.
  ///
  /// Returns the offset of the next run's first sample, as if all lanes were in it, and those that are; nil at the end.
  @inline(__always)
  mutating func nextRun() -> (offset: Int, lanes: SIMDMask<SIMD16<Int32>>)? {
    let origin = minimumLane(origins)
    guard origin != Int32.max else { return nil }
    let lanes = origins .== SIMD16<Int32>(repeating: origin)
    origins.replace(with: SIMD16<Int32>(repeating: Int32.max), where: lanes)
    return (Int(origin), lanes)
  }
}

/// The smallest lane. `pointwiseMin` is generic code, which the compiler may leave as a loop over lanes.
@inline(__always)
private func minimumLane(_ values: SIMD16<Int32>) -> Int32 {
  let (low, high) = (values.lowHalf, values.highHalf)
  let eight = high.replacing(with: low, where: low .< high)
  let four = eight.highHalf.replacing(with: eight.lowHalf, where: eight.lowHalf .< eight.highHalf)
  return min(min(four.x, four.y), min(four.z, four.w))
}
