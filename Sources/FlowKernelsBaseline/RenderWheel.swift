// Kernels that look colours up: the Middlebury wheel by direction and length, and ramps by length.

/// One row of the Middlebury colour wheel (Baker et al., IJCV 92, 2011, doi:10.1007/s11263-010-0390-2).
///
/// The direction picks a place on a ring of 55 colours, the length (times `scale`) fades from white at 0 to the full
/// colour at 1; beyond 1 the colour is darkened to 75 %. Unknown: black.
///
/// - Parameters:
///   - ring: 55 entries of two `SIMD4<Float>`: the colour in 0…1 and the step to the next one.
///   - alpha: Opacity, 0…255.
/// - Contract: `u` and `v` may be read up to 7 elements past `count`; `output` is written exactly.
public func renderWheelRow(
  _ u: UnsafePointer<Float>, _ v: UnsafePointer<Float>, ring: UnsafePointer<SIMD4<Float>>, scale: Float,
  alpha: UInt32, _ output: UnsafeMutablePointer<UInt32>, count: Int
) {
  var i = 0
  while i < count {
    let y = RenderLanes.load(v, i)
    let polar = RenderPolar(RenderLanes.load(u, i), y)
    // The ring runs clockwise from the right, 54 steps a turn. Its ends differ, and as with atan2(−v, −u) the sign
    // *bit* of v tells them apart.
    let turn = polar.sextants * 9
    let isUp = (unsafeBitCast(y, to: RenderLanes.Words.self) &>> 31) .== 1
    let place = RenderLanes.select(polar.isKnown, RenderLanes.select(isUp, 54 - turn, else: turn), else: .zero)
    let biased = RenderLanes.atLeast(0, place - 0.5) + RenderLanes.roundingBias
    let index = unsafeBitCast(biased, to: RenderLanes.Words.self) & 0x3F
    let fraction = place - (biased - RenderLanes.roundingBias)
    let radius = RenderLanes.select(polar.isKnown, polar.length * scale, else: .zero)
    var pixels = RenderLanes.Words()
    for lane in 0..<8 {
      let entry = ring + 2 &* Int(truncatingIfNeeded: index[lane])
      pixels[lane] = wheelPixel(entry[0] + entry[1] * fraction[lane], radius[lane])
    }
    pixels = RenderLanes.select(polar.isKnown, pixels, else: .zero) | .init(repeating: alpha &<< 24)
    RenderLanes.store(pixels, output, i, rest: count &- i)
    i &+= 8
  }
}

/// Colour of one pixel. The margin on 1 keeps the rounding of the longest vector from darkening it; that on ½
/// makes rounding to the nearest a floor that forgives errors below 0.001 levels.
@inline(__always)
private func wheelPixel(_ full: SIMD4<Float>, _ radius: Float) -> UInt32 {
  let color = radius <= 1.000_01 ? 1 - (1 - full) * radius : full * 0.75
  let level = color * 255 - 0.499
  let bits = unsafeBitCast(
    SIMD4<Float>.zero.replacing(with: level, where: level .> 0) + RenderLanes.roundingBias, to: SIMD4<UInt32>.self)
  return (bits[0] & 0xFF) | ((bits[1] & 0xFF) &<< 8) | ((bits[2] & 0xFF) &<< 16)
}

/// One row of a colour ramp: `ramp[round(255 · clamp(length · scale + bias))]` with opacity `alpha`; unknown: black.
///
/// - Parameter ramp: 256 pixels whose opacity is 0.
/// - Contract: as of `renderWheelRow`.
public func renderRampRow(
  _ u: UnsafePointer<Float>, _ v: UnsafePointer<Float>, ramp: UnsafePointer<UInt32>, scale: Float, bias: Float,
  alpha: UInt32, _ output: UnsafeMutablePointer<UInt32>, count: Int
) {
  var i = 0
  while i < count {
    let polar = RenderPolar(RenderLanes.load(u, i), RenderLanes.load(v, i))
    let index = RenderLanes.rounded(RenderLanes.unit(polar.length * scale + bias) * 255)
    var pixels = RenderLanes.Words()
    for lane in 0..<8 { pixels[lane] = ramp[Int(truncatingIfNeeded: index[lane])] }
    pixels = RenderLanes.select(polar.isKnown, pixels, else: .zero) | .init(repeating: alpha &<< 24)
    RenderLanes.store(pixels, output, i, rest: count &- i)
    i &+= 8
  }
}

/// The largest u² + v² of the known vectors of a row, at least `start`.
///
/// - Contract: reads up to 7 elements past `count`.
public func renderLargestSquare(
  _ u: UnsafePointer<Float>, _ v: UnsafePointer<Float>, start: Float, count: Int
) -> Float {
  var largest = RenderLanes.Floats(repeating: start)
  var i = 0
  while i < count {
    let x = RenderLanes.load(u, i)
    let y = RenderLanes.load(v, i)
    let square = x * x + y * y
    let isInside = SIMD8<Int32>(0, 1, 2, 3, 4, 5, 6, 7) .< Int32(truncatingIfNeeded: min(count &- i, 8))
    let isKnown = (RenderLanes.magnitude(x) + RenderLanes.magnitude(y)) .< RenderPolar.unknown
    largest = RenderLanes.select(isInside .& isKnown .& (square .> largest), square, else: largest)
    i &+= 8
  }
  var result = start
  for lane in 0..<8 where largest[lane] > result { result = largest[lane] }
  return result
}
