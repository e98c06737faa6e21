// Warping: the second image as it looks from where the first one's pixels are.
//
// In two steps, through memory: first the position of each pixel, then the sample there. As one loop the compiler no
// longer finds the vectors.

import FlowKernelTypes

/// The distance, in pixels, at which a position may lie outside the image's corner; positions beyond are moved there.
private let outsideMargin: Float = 3

/// Finds the positions that one row of a flow field points to.
///
/// - Parameters:
///   - flow: The row `y` of the field.
///   - image: The image in which the positions lie. Its pixels are not read.
///   - positions: The result.
/// - Contract: width and height are below 2²¹; the image has fewer than 2³⁰ floats; `flow` may be read and `positions`
///   written up to 63 bytes past the width.
public func locateRow(flow: FlowRow, y: Int, in image: ImageRows, _ positions: PositionRow) {
  let (width, height, stride) = (image.width, image.height, image.stride)
  // Positions are counted from `outsideMargin` pixels outside the corner, so that they are positive.
  let shift = Lanes(repeating: outsideMargin)
  let right = Lanes(repeating: Float(width &- 1) + outsideMargin)
  let bottom = Lanes(repeating: Float(height &- 1) + outsideMargin)
  let farRight = Lanes(repeating: Float(width &- 1) + 2 * outsideMargin)
  let farBottom = Lanes(repeating: Float(height &- 1) + 2 * outsideMargin)
  let row = Lanes(repeating: Float(y) + outsideMargin)
  let strides = SIMD16<Int32>(repeating: Int32(truncatingIfNeeded: stride))
  let corner = Int32(truncatingIfNeeded: Int(outsideMargin) &* (stride &+ 1))
  let lanes = SIMD16<Int32>(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) &+ SIMD16<Int32>(repeating: corner)
  var i = 0
  while i < width {
    var px = laneNumbers + Lanes(repeating: Float(i) + outsideMargin) + load(flow.u, i)
    var py = row + load(flow.v, i)
    let awayX = px - lesser(greater(px, shift), right)
    let awayY = py - lesser(greater(py, shift), bottom)
    let away = awayX * awayX + awayY * awayY
    storeWhole(Lanes.zero.replacing(with: Lanes(repeating: 1), where: away .<= Lanes.zero), positions.inside, i)
    px = lesser(greater(px, Lanes.zero), farRight)
    py = lesser(greater(py, Lanes.zero), farBottom)
    let x0 = wholePart(px)
    let y0 = wholePart(py)
    storeWhole(px - x0, positions.fx, i)
    storeWhole(py - y0, positions.fy, i)
    let origin = integers(y0) &* strides &+ integers(x0) &- lanes
    UnsafeMutableRawPointer(positions.origins + i).storeBytes(of: origin, as: SIMD16<Int32>.self)
    i &+= laneCount
  }
}

/// Samples an image at the positions that `locateRow` found: bicubic, Catmull and Rom's spline. At whole numbers it
/// copies the pixel exactly.
///
/// Neighbours mostly point to neighbours: 16 positions fall into a few runs with a common origin, one more for each
/// whole pixel that the flow crosses. A run takes 16 plain loads, instead of 16 for every pixel.
/// - Parameter image: Begins with the pixel (0, 0).
/// - Contract: The image has margins of at least 6 finite pixels on all sides and may be read up to 63 bytes past a
///   row's margin; `output` may be written up to 63 bytes past `count`.
public func sampleRow(
  _ image: StridedRow, positions: PositionRow, _ output: UnsafeMutablePointer<Float>, count: Int
) {
  sampleRuns(image, positions, output, count, spline)
}

/// Samples an image at the positions that `locateRow` found, bilinearly: a fifth of the operations of `sampleRow`, and
/// softer. The contract is that of `sampleRow`.
public func sampleRowBilinear(
  _ image: StridedRow, positions: PositionRow, _ output: UnsafeMutablePointer<Float>, count: Int
) {
  sampleRuns(image, positions, output, count, bilinearValue)
}

@inline(__always)
private func sampleRuns(
  _ image: StridedRow, _ positions: PositionRow, _ output: UnsafeMutablePointer<Float>, _ count: Int,
  _ value: (_ base: UnsafePointer<Float>, _ stride: Int, _ fx: Lanes, _ fy: Lanes) -> Lanes
) {
  let (origins, fx, fy) = (positions.origins, positions.fx, positions.fy)
  var i = 0
  while i < count {
    var lane = 0
    while lane < laneCount {
      let origin = origins[i &+ lane]
      let value = value(image.base + Int(origin), image.stride, load(fx, i), load(fy, i))
      // Computed for all lanes; the next run overwrites the rest.
      let earlier = load(output, i)
      storeWhole(earlier.replacing(with: value, where: laneNumbers .>= Lanes(repeating: Float(lane))), output, i)
      lane &+= 1
      while lane < laneCount && origins[i &+ lane] == origin { lane &+= 1 }
    }
    i &+= laneCount
  }
}

@inline(__always)
private func spline(_ base: UnsafePointer<Float>, _ stride: Int, _ fx: Lanes, _ fy: Lanes) -> Lanes {
  let half = Lanes(repeating: 0.5)
  let one = Lanes(repeating: 1)
  let two = Lanes(repeating: 2)
  let threeHalves = Lanes(repeating: 1.5)
  let fiveHalves = Lanes(repeating: 2.5)
  let x0 = ((one - half * fx) * fx - half) * fx
  let x1 = (threeHalves * fx - fiveHalves) * (fx * fx) + one
  let x2 = ((two - threeHalves * fx) * fx + half) * fx
  let x3 = (half * fx - half) * (fx * fx)
  let y0 = ((one - half * fy) * fy - half) * fy
  let y1 = (threeHalves * fy - fiveHalves) * (fy * fy) + one
  let y2 = ((two - threeHalves * fy) * fy + half) * fy
  let y3 = (half * fy - half) * (fy * fy)
  let top = weigh(base - stride, x0, x1, x2, x3) * y0
  let upper = weigh(base, x0, x1, x2, x3) * y1
  let lower = weigh(base + stride, x0, x1, x2, x3) * y2
  let bottom = weigh(base + 2 &* stride, x0, x1, x2, x3) * y3
  return (upper + lower) + (top + bottom)
}

@inline(__always)
private func weigh(_ base: UnsafePointer<Float>, _ x0: Lanes, _ x1: Lanes, _ x2: Lanes, _ x3: Lanes) -> Lanes {
  let near: Lanes = load(base, 0) * x1 + load(base, 1) * x2
  let far: Lanes = load(base, -1) * x0 + load(base, 2) * x3
  return near + far
}
