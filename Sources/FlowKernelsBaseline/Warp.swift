// Warping: the second picture as it looks from where the first one's pixels are.

/// Samples a picture at the places that one row of a flow field points to: bicubic, Catmull and Rom's spline.
///
/// A whole-numbered vector copies the pixel exactly. Places outside are held near the picture.
/// - Parameters:
///   - image: The pixel (0, 0).
///   - stride: Floats from one row to the next.
///   - inside: 1 where the place lies in the picture, borders included, else 0.
/// - Contract: `width`, `height` < 2²¹; the picture has margins of at least 6 finite pixels on all sides and fewer than
///   2³¹ floats, and may be read up to 63 bytes past a row's margin; `u` and `v` may be read up to 63 bytes past
///   `width`.
public func warpRow(
  _ image: UnsafePointer<Float>, stride: Int, u: UnsafePointer<Float>, v: UnsafePointer<Float>, y: Int, width: Int,
  height: Int, _ output: UnsafeMutablePointer<Float>, inside: UnsafeMutablePointer<Float>
) {
  let margin: Float = 4  // makes places positive; two more are the spline's reach
  let shift = Lanes(repeating: margin)
  let right = Lanes(repeating: Float(width &- 1) + margin)
  let bottom = Lanes(repeating: Float(height &- 1) + margin)
  let nearest = Lanes(repeating: 1)
  let farRight = Lanes(repeating: Float(width) + margin + 2)
  let farBottom = Lanes(repeating: Float(height) + margin + 2)
  let row = Lanes(repeating: Float(y) + margin)
  let strides = SIMD16<Int32>(repeating: Int32(truncatingIfNeeded: stride))
  let lanes = SIMD16<Int32>(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
  let corner = image - (4 &* stride &+ 4)
  var i = 0
  while i < width {
    var px = laneNumbers + Lanes(repeating: Float(i) + margin) + load(u, i)
    var py = row + load(v, i)
    let awayX = px - lesser(greater(px, shift), right)
    let awayY = py - lesser(greater(py, shift), bottom)
    let away = awayX * awayX + awayY * awayY
    store(Lanes.zero.replacing(with: Lanes(repeating: 1), where: away .<= Lanes.zero), inside, i, width)
    px = lesser(greater(px, nearest), farRight)
    py = lesser(greater(py, nearest), farBottom)
    let x0 = wholePart(px)
    let y0 = wholePart(py)
    let horizontal = SplineWeights(px - x0)
    let vertical = SplineWeights(py - y0)
    // Neighbours mostly point to neighbours: the 16 places fall into a few runs with a common origin. Each run is
    // computed for all lanes from its first one on; the next overwrites the rest.
    let origins = integers(y0) &* strides &+ integers(x0) &- lanes
    var value = Lanes.zero
    var lane = 0
    while lane < laneCount {
      let first = origins[lane]
      let base = corner + Int(first)
      var sum = horizontal.apply(base - stride) * vertical.w0
      sum += horizontal.apply(base) * vertical.w1
      sum += horizontal.apply(base + stride) * vertical.w2
      sum += horizontal.apply(base + 2 &* stride) * vertical.w3
      value.replace(with: sum, where: laneNumbers .>= Lanes(repeating: Float(lane)))
      lane &+= 1
      while lane < laneCount && origins[lane] == first { lane &+= 1 }
    }
    store(value, output, i, width)
    i &+= laneCount
  }
}

/// The weights of four neighbours at −1, 0, 1, 2 for places between 0 and 1.
private struct SplineWeights {
  let w0: Lanes
  let w1: Lanes
  let w2: Lanes
  let w3: Lanes

  @inline(__always)
  init(_ f: Lanes) {
    let half = Lanes(repeating: 0.5)
    let one = Lanes(repeating: 1)
    let square = f * f
    w0 = ((one - half * f) * f - half) * f
    w1 = (Lanes(repeating: 1.5) * f - Lanes(repeating: 2.5)) * square + one
    w2 = ((Lanes(repeating: 2) - Lanes(repeating: 1.5) * f) * f + half) * f
    w3 = (half * f - half) * square
  }

  @inline(__always)
  func apply(_ base: UnsafePointer<Float>) -> Lanes {
    let inner = load(base, 0) * w1 + load(base, 1) * w2
    return inner + (load(base, -1) * w0 + load(base, 2) * w3)
  }
}
