// The image and its gradient where displaced pixels lie: what the Lucas-Kanade kernels share.

/// The image between four pixels, interpolated bilinearly.
@inline(__always)
func bilinearValue(_ base: UnsafePointer<Float>, _ rowStride: Int, _ fx: Lanes, _ fy: Lanes) -> Lanes {
  let gx = Lanes(repeating: 1) - fx
  let gy = Lanes(repeating: 1) - fy
  let top = load(base, 0) * gx + load(base, 1) * fx
  let bottom = load(base, rowStride) * gx + load(base, rowStride &+ 1) * fx
  return top * gy + bottom * fy
}

/// The image and its gradient at a position between pixels.
struct ImageSample {
  var value = Lanes.zero
  var gx = Lanes.zero
  var gy = Lanes.zero

  @inline(__always)
  mutating func replace(with other: ImageSample, where lanes: SIMDMask<SIMD16<Int32>>) {
    value.replace(with: other.value, where: lanes)
    gx.replace(with: other.gx, where: lanes)
    gy.replace(with: other.gy, where: lanes)
  }

  @inline(__always)
  init() {}

  /// The image interpolated bilinearly, and half the difference of such values a pixel before and behind.
  @inline(__always)
  init(bilinear base: UnsafePointer<Float>, _ rowStride: Int, _ fx: Lanes, _ fy: Lanes) {
    let half = Lanes(repeating: 0.5)
    let ex = Lanes(repeating: 1) - fx
    let ey = Lanes(repeating: 1) - fy
    let above = base - rowStride
    let below = base + rowStride
    let underneath = below + rowStride
    let row0 = (load(base, -1), load(base, 0), load(base, 1), load(base, 2))
    let row1 = (load(below, -1), load(below, 0), load(below, 1), load(below, 2))
    let valueAbove = load(above, 0) * ex + load(above, 1) * fx
    let value0 = row0.1 * ex + row0.2 * fx
    let value1 = row1.1 * ex + row1.2 * fx
    let valueUnderneath = load(underneath, 0) * ex + load(underneath, 1) * fx
    let slope0 = (row0.2 - row0.0) * ex + (row0.3 - row0.1) * fx
    let slope1 = (row1.2 - row1.0) * ex + (row1.3 - row1.1) * fx
    value = value0 * ey + value1 * fy
    gx = (slope0 * ey + slope1 * fy) * half
    let slopeY: Lanes = (value1 - valueAbove) * ey + (valueUnderneath - value0) * fy
    gy = slopeY * half
  }

  /// The image interpolated with Catmull and Rom's cubic (Keys 1981, a = −½), and the gradient as Scharr's filter
  /// finds it at the four pixels around, interpolated bilinearly: a gradient that is smoothed across its direction
  /// leads from further away to the right position than that of the interpolated surface.
  @inline(__always)
  init(bicubic base: UnsafePointer<Float>, _ rowStride: Int, _ fx: Lanes, _ fy: Lanes) {
    let ex = Lanes(repeating: 1) - fx
    let ey = Lanes(repeating: 1) - fy
    let wx = CubicWeights(fx)
    let wy = CubicWeights(fy)
    let row0 = ScharrRow(base - rowStride, ex, fx, wx)
    let row1 = ScharrRow(base, ex, fx, wx)
    let row2 = ScharrRow(base + rowStride, ex, fx, wx)
    let row3 = ScharrRow(base + 2 &* rowStride, ex, fx, wx)
    let upper: Lanes = row0.value * wy.a + row1.value * wy.b
    let lower: Lanes = row2.value * wy.c + row3.value * wy.d
    value = upper + lower
    let slope = row1.slope * ey + row2.slope * fy
    let slopeBeside = (row0.slope + row2.slope) * ey + (row1.slope + row3.slope) * fy
    gx = slope * scharrMiddle + slopeBeside * scharrSide
    gy = (row2.mean - row0.mean) * ey + (row3.mean - row1.mean) * fy
  }
}

/// Scharr's smoothing across the gradient: ¹⁰⁄₁₆ and ³⁄₁₆, times the ½ of the difference of two pixels.
@inline(__always) private var scharrMiddle: Lanes { Lanes(repeating: 0.3125) }
@inline(__always) private var scharrSide: Lanes { Lanes(repeating: 0.09375) }

/// The sums over four pixels of a row that Scharr's filter and the cubic need.
private struct ScharrRow {
  let value: Lanes
  /// Difference of the neighbours, interpolated.
  let slope: Lanes
  /// A half of the smoothed value, interpolated.
  let mean: Lanes

  @inline(__always)
  init(_ row: UnsafePointer<Float>, _ ex: Lanes, _ fx: Lanes, _ weights: CubicWeights) {
    let (p, q, r, s) = (load(row, -1), load(row, 0), load(row, 1), load(row, 2))
    let left: Lanes = p * weights.a + q * weights.b
    let right: Lanes = r * weights.c + s * weights.d
    value = left + right
    slope = (r - p) * ex + (s - q) * fx
    let middle = q * ex + r * fx
    let beside = (p + r) * ex + (q + s) * fx
    mean = middle * scharrMiddle + beside * scharrSide
  }
}

/// The gradient of the image at its pixels by Scharr's filter.
@inline(__always)
func scharrGradient(_ row: UnsafePointer<Float>, _ rowStride: Int, _ i: Int) -> (x: Lanes, y: Lanes) {
  let above = row - rowStride
  let below = row + rowStride
  let (a, b, c) = (load(above, i &- 1), load(above, i), load(above, i &+ 1))
  let (d, e) = (load(row, i &- 1), load(row, i &+ 1))
  let (f, g, h) = (load(below, i &- 1), load(below, i), load(below, i &+ 1))
  let besideX: Lanes = (c - a) + (h - f)
  let besideY: Lanes = (f - a) + (h - c)
  let x: Lanes = (e - d) * scharrMiddle + besideX * scharrSide
  let y: Lanes = (g - b) * scharrMiddle + besideY * scharrSide
  return (x, y)
}

/// The gradient of the image at its pixels: half the difference of the neighbours.
@inline(__always)
func centralGradient(_ row: UnsafePointer<Float>, _ rowStride: Int, _ i: Int) -> (x: Lanes, y: Lanes) {
  let half = Lanes(repeating: 0.5)
  return (
    (load(row, i &+ 1) - load(row, i &- 1)) * half,
    (load(row, i &+ rowStride) - load(row, i &- rowStride)) * half
  )
}

/// The weights of four samples in a row, at −1, 0, 1 and 2, for the cubic through the middle two.
private struct CubicWeights {
  let a: Lanes
  let b: Lanes
  let c: Lanes
  let d: Lanes

  /// The weights at t, 0 ≤ t < 1, past the sample 0; exactly 0, 1, 0, 0 at t = 0.
  @inline(__always)
  init(_ t: Lanes) {
    let half = Lanes(repeating: 0.5)
    let one = Lanes(repeating: 1)
    let two = Lanes(repeating: 2)
    let three = Lanes(repeating: 3)
    a = (t * (t * (two - t) - one)) * half
    b = (t * (t * (three * t - Lanes(repeating: 5))) + two) * half
    c = (t * (t * (Lanes(repeating: 4) - three * t) + one)) * half
    d = (t * (t * (t - one))) * half
  }
}
