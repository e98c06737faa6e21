// Kernels that look at one keypoint: a turned and scaled patch, its main directions, its descriptor.
//
// A patch is 18×18 samples, so that central differences exist at 16×16 of them: a row of those is one vector.

import FlowKernelTypes

/// Samples on a side of a patch.
public let featurePatchSide = 18
/// Samples of a patch, rounded up to whole vectors.
public let featurePatchCapacity = 336
/// Floats that `samplePatch` needs to work in.
public let featureScratchCapacity = 96

/// Samples a patch bilinearly: sample (u, v) lies at (x, y) + u·(ux, uy) + v·(vx, vy), held inside the image.
///
/// - Parameters:
///   - frame: x, y, ux, uy, vx, vy.
///   - grid: u of all samples, row by row, then v; `featurePatchCapacity` each.
///   - scratch: `featureScratchCapacity` floats.
///   - output: `featurePatchCapacity` samples.
/// - Contract: the image has at least 2×2 pixels and fewer than 2³¹ floats.
public func samplePatch(
  _ image: ImageRows, _ frame: UnsafePointer<Float>, _ grid: UnsafePointer<Float>,
  _ scratch: UnsafeMutablePointer<Float>, _ output: UnsafeMutablePointer<Float>
) {
  let positions = UnsafeMutableRawPointer(scratch + 4 &* laneCount).assumingMemoryBound(to: Int32.self)
  let stride = image.stride
  let (right, bottom) = (Float(image.width &- 1), Float(image.height &- 1))
  var i = 0
  while i < featurePatchCapacity {
    let (u, v) = (load(grid, i), load(grid, featurePatchCapacity &+ i))
    let x = sampledCoordinate(frame[0], frame[2], frame[4], u, v, right)
    let y = sampledCoordinate(frame[1], frame[3], frame[5], u, v, bottom)
    let wholeX = lesser(wholePart(x), Lanes(repeating: right - 1))
    let wholeY = lesser(wholePart(y), Lanes(repeating: bottom - 1))
    let offsets = integers(wholeY) &* SIMD16<Int32>(repeating: Int32(truncatingIfNeeded: stride)) &+ integers(wholeX)
    UnsafeMutableRawPointer(positions).storeBytes(of: offsets, as: SIMD16<Int32>.self)
    var lane = 0
    while lane < laneCount {
      let source = image.base + Int(positions[lane])
      scratch[lane] = source[0]
      scratch[lane &+ laneCount] = source[1]
      scratch[lane &+ 2 &* laneCount] = source[stride]
      scratch[lane &+ 3 &* laneCount] = source[stride &+ 1]
      lane &+= 1
    }
    let (fractionX, fractionY) = (x - wholeX, y - wholeY)
    let (a, b) = (load(scratch, 0), load(scratch, laneCount))
    let (c, d) = (load(scratch, 2 &* laneCount), load(scratch, 3 &* laneCount))
    let top = a + fractionX * (b - a)
    let low = c + fractionX * (d - c)
    storeWhole(top + fractionY * (low - top), output, i)
    i &+= laneCount
  }
}

@inline(__always)
private func sampledCoordinate(
  _ origin: Float, _ alongU: Float, _ alongV: Float, _ u: Lanes, _ v: Lanes, _ limit: Float
) -> Lanes {
  let position = Lanes(repeating: origin) + u * Lanes(repeating: alongU) + v * Lanes(repeating: alongV)
  return lesser(greater(position, Lanes.zero), Lanes(repeating: limit))
}

/// The direction of (dx, dy) in units of 45°, 0 ≤ a ≤ 8, within 2e-5.
@inline(__always)
private func octants(_ dx: Lanes, _ dy: Lanes) -> Lanes {
  let zero = Lanes.zero
  let (width, height) = (greater(dx, zero - dx), greater(dy, zero - dy))
  let (small, large) = (lesser(width, height), greater(width, height))
  let t = small / greater(large, Lanes(repeating: 1e-20))
  let s = t * t
  // Abramowitz and Stegun, 4.4.49, times 4/π.
  var p = Lanes(repeating: 0.026528) * s - Lanes(repeating: 0.108395)
  p = p * s + Lanes(repeating: 0.229363)
  p = p * s - Lanes(repeating: 0.42055)
  p = p * s + Lanes(repeating: 1.273069)
  var angle = p * t
  angle = angle.replacing(with: Lanes(repeating: 2) - angle, where: height .> width)
  angle = angle.replacing(with: Lanes(repeating: 4) - angle, where: dx .< zero)
  return angle.replacing(with: Lanes(repeating: 8) - angle, where: dy .< zero)
}

/// A histogram of gradient directions, each counted with its length and its pixel's weight, and shared between the two
/// nearest bins.
///
/// - Parameters:
///   - weights: Of the 16×16 inner samples.
///   - scratch: `featureScratchCapacity` floats.
///   - histogram: `bins` sums; bin k stands for the direction 360°·k / bins.
public func directionHistogram(
  _ patch: UnsafePointer<Float>, _ weights: UnsafePointer<Float>, _ scratch: UnsafeMutablePointer<Float>,
  _ histogram: UnsafeMutablePointer<Float>, bins: Int
) {
  histogram.update(repeating: 0, count: bins)
  let binsPerOctant = Lanes(repeating: Float(bins) / 8)
  var row = 0
  while row < 16 {
    let (dx, dy) = patchGradient(patch, row)
    let length = gradientLength(dx, dy) * load(weights, row &* laneCount)
    storeWhole(length, scratch, 0)
    storeWhole(octants(dx, dy) * binsPerOctant, scratch, laneCount)
    var lane = 0
    while lane < laneCount {
      let position = scratch[lane &+ laneCount]
      let bin = Int(position)
      let upper = scratch[lane] * (position - Float(bin))
      let lower = bin >= bins ? bin &- bins : bin
      histogram[lower] += scratch[lane] - upper
      histogram[lower &+ 1 == bins ? 0 : lower &+ 1] += upper
      lane &+= 1
    }
    row &+= 1
  }
}

@inline(__always)
private func patchGradient(_ patch: UnsafePointer<Float>, _ row: Int) -> (dx: Lanes, dy: Lanes) {
  let centre = patch + ((row &+ 1) &* featurePatchSide &+ 1)
  return (
    load(centre, 1) - load(centre, -1), load(centre, featurePatchSide) - load(centre, 0 &- featurePatchSide)
  )
}

@inline(__always)
private func gradientLength(_ dx: Lanes, _ dy: Lanes) -> Lanes {
  let square = dx * dx + dy * dy + Lanes(repeating: 1e-12)
  return square * inverseSquareRoot(square)
}

/// A grid of 4×4 histograms of eight directions over a patch: 128 sums, ordered by row, column, direction.
///
/// Each gradient is shared between the nearest two rows, columns and directions of the grid, in proportion. The loop
/// turns that round: for each direction it weighs a whole row of gradients at once, adds rows up, and sums over columns
/// in the end, so that nothing is scattered.
/// - Parameters:
///   - weights: Of the 16×16 inner samples.
///   - shares: For each of four rows (or columns) of the grid, the part that it gets of sample 0 … 15.
///   - scratch: 512 floats.
public func describePatch(
  _ patch: UnsafePointer<Float>, _ weights: UnsafePointer<Float>, _ shares: UnsafePointer<Float>,
  _ scratch: UnsafeMutablePointer<Float>, _ output: UnsafeMutablePointer<Float>
) {
  scratch.update(repeating: 0, count: 32 &* laneCount)
  let one = Lanes(repeating: 1)
  let zero = Lanes.zero
  var row = 0
  while row < 16 {
    let (dx, dy) = patchGradient(patch, row)
    let length = gradientLength(dx, dy) * load(weights, row &* laneCount)
    let angle = octants(dx, dy)
    var direction = 0
    while direction < 8 {
      let distance = angle - Lanes(repeating: Float(direction))
      var part = greater(one - greater(distance, zero - distance), zero)
      if direction == 0 { part += greater(angle - Lanes(repeating: 7), zero) }
      let counted = part * length
      var band = 0
      while band < 4 {
        let share = shares[band &* 16 &+ row]
        if share > 0 {
          let position = (band &* 8 &+ direction) &* laneCount
          storeWhole(load(scratch, position) + counted * Lanes(repeating: share), scratch, position)
        }
        band &+= 1
      }
      direction &+= 1
    }
    row &+= 1
  }
  sumColumns(scratch, shares, output)
}

@inline(__always)
private func sumColumns(
  _ sums: UnsafePointer<Float>, _ shares: UnsafePointer<Float>, _ output: UnsafeMutablePointer<Float>
) {
  var band = 0
  while band < 4 {
    var direction = 0
    while direction < 8 {
      let row = load(sums, (band &* 8 &+ direction) &* laneCount)
      var column = 0
      while column < 4 {
        output[(band &* 4 &+ column) &* 8 &+ direction] = laneSum(row * load(shares, column &* 16))
        column &+= 1
      }
      direction &+= 1
    }
    band &+= 1
  }
}
