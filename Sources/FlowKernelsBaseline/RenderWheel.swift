// Kernels that look colours up: the Middlebury wheel by direction and length, and ramps by length.

import FlowKernelTypes

/// Draws a row of the Middlebury colour wheel (Baker et al., IJCV 92, 2011, doi:10.1007/s11263-010-0390-2).
///
/// The direction picks a point on a ring of 55 colours, the length (times `scale`) fades from white at 0 to the full
/// colour at 1; beyond 1 the colour is darkened to 75 %. Unknown: black.
///
/// - Parameters:
///   - ring: 55 entries of two `SIMD4<Float>`: the colour in 0…1 and the step to the next one.
///   - alpha: Opacity, 0…255.
/// - Contract: `u` and `v` may be read up to 7 elements past the row; `output` is written exactly.
public func renderWheelRow(
  _ u: UnsafePointer<Float>, _ v: UnsafePointer<Float>, ring: UnsafePointer<SIMD4<Float>>, scale: Float,
  alpha: UInt32, _ output: PixelRow
) {
  typealias Lanes = RenderLanes
  let (output, count) = (output.base, output.count)
  let scale = Lanes.all(scale)
  let opacity = Lanes.Words(repeating: alpha &<< 24)
  var i = 0
  while i < count {
    let y = RenderLanes.load(v, i)
    let polar = RenderPolar(RenderLanes.load(u, i), y)
    // The ring runs clockwise from the right, 54 steps a turn. Its ends differ, and as with atan2(−v, −u) the sign
    // *bit* of v tells them apart.
    let turn = polar.sextants * Lanes.all(9)
    let isUp = unsafeBitCast(y, to: SIMD8<Int32>.self) .< SIMD8<Int32>(repeating: 0)
    let clockwise = Lanes.select(isUp, Lanes.all(54) - turn, else: turn)
    let position = Lanes.select(polar.isKnown, clockwise, else: Lanes.all(0))
    let biased = Lanes.atLeast(0, position - Lanes.all(0.5)) + Lanes.all(Lanes.roundingBias)
    let index = unsafeBitCast(biased, to: Lanes.Words.self) & Lanes.Words(repeating: 0x3F)
    let fraction = position - (biased - Lanes.all(Lanes.roundingBias))
    let radius = Lanes.select(polar.isKnown, polar.length * scale, else: Lanes.all(0))
    let pixels = wheelPixels(ring, index, fraction, radius)
    let known = Lanes.select(polar.isKnown, pixels, else: Lanes.Words(repeating: 0))
    Lanes.store(known | opacity, output, i, rest: count &- i)
    i &+= 8
  }
}

/// The colours of eight pixels. Not inlined: the compiler would take the vectors that lead to the lanes apart, too.
@inline(never)
private func wheelPixels(
  _ ring: UnsafePointer<SIMD4<Float>>, _ index: RenderLanes.Words, _ fraction: RenderLanes.Floats,
  _ radius: RenderLanes.Floats
) -> RenderLanes.Words {
  RenderLanes.Words(
    wheelPixel(ring, index[0], fraction[0], radius[0]), wheelPixel(ring, index[1], fraction[1], radius[1]),
    wheelPixel(ring, index[2], fraction[2], radius[2]), wheelPixel(ring, index[3], fraction[3], radius[3]),
    wheelPixel(ring, index[4], fraction[4], radius[4]), wheelPixel(ring, index[5], fraction[5], radius[5]),
    wheelPixel(ring, index[6], fraction[6], radius[6]), wheelPixel(ring, index[7], fraction[7], radius[7]))
}

/// Colour of one pixel. The margin on 1 keeps the rounding of the longest vector from darkening it; that on ½
/// makes rounding to the nearest a floor that forgives errors below 0.001 levels.
@inline(__always)
private func wheelPixel(
  _ ring: UnsafePointer<SIMD4<Float>>, _ index: UInt32, _ fraction: Float, _ radius: Float
) -> UInt32 {
  typealias Lanes = SIMD4<Float>
  let entry = ring + 2 &* Int(truncatingIfNeeded: index)
  let full = entry[0] + entry[1] * Lanes(repeating: fraction)
  let one = Lanes(repeating: 1)
  let faded = one - (one - full) * Lanes(repeating: radius)
  let color = radius <= 1.000_01 ? faded : full * Lanes(repeating: 0.75)
  let level = color * Lanes(repeating: 255) - Lanes(repeating: 0.499)
  let mask = unsafeBitCast(level .> Lanes(repeating: 0), to: SIMD4<UInt32>.self)
  let positive = unsafeBitCast(unsafeBitCast(level, to: SIMD4<UInt32>.self) & mask, to: Lanes.self)
  let bytes = SIMD4<UInt8>(
    truncatingIfNeeded: unsafeBitCast(positive + Lanes(repeating: RenderLanes.roundingBias), to: SIMD4<UInt32>.self))
  return unsafeBitCast(bytes, to: UInt32.self) & 0xFF_FFFF
}

/// Draws a row of a colour ramp: `ramp[round(255 · strength)]` with opacity `alpha`; unknown: black.
///
/// - Parameter ramp: 256 pixels whose opacity is 0.
/// - Contract: as of `renderWheelRow`.
public func renderRampRow(
  _ u: UnsafePointer<Float>, _ v: UnsafePointer<Float>, ramp: UnsafePointer<UInt32>, lengths: LengthScale,
  alpha: UInt32, _ output: PixelRow
) {
  typealias Lanes = RenderLanes
  let (output, count) = (output.base, output.count)
  let (scale, bias) = (Lanes.all(lengths.scale), Lanes.all(lengths.bias))
  let opacity = Lanes.Words(repeating: alpha &<< 24)
  var i = 0
  while i < count {
    let polar = RenderPolar(RenderLanes.load(u, i), RenderLanes.load(v, i))
    let index = Lanes.rounded(Lanes.unit(polar.length * scale + bias) * Lanes.all(255))
    let pixels = Lanes.Words(
      ramp[Int(truncatingIfNeeded: index[0])], ramp[Int(truncatingIfNeeded: index[1])],
      ramp[Int(truncatingIfNeeded: index[2])], ramp[Int(truncatingIfNeeded: index[3])],
      ramp[Int(truncatingIfNeeded: index[4])], ramp[Int(truncatingIfNeeded: index[5])],
      ramp[Int(truncatingIfNeeded: index[6])], ramp[Int(truncatingIfNeeded: index[7])])
    let known = Lanes.select(polar.isKnown, pixels, else: Lanes.Words(repeating: 0))
    Lanes.store(known | opacity, output, i, rest: count &- i)
    i &+= 8
  }
}

/// The largest u² + v² of the known vectors of a row, at least `start`.
///
/// - Contract: reads up to 7 elements past `count`.
public func renderLargestSquare(
  _ u: UnsafePointer<Float>, _ v: UnsafePointer<Float>, start: Float, count: Int
) -> Float {
  typealias Lanes = RenderLanes
  var largest = Lanes.all(start)
  let columns = SIMD8<Int32>(0, 1, 2, 3, 4, 5, 6, 7)
  var i = 0
  while i < count {
    let x = Lanes.load(u, i)
    let y = Lanes.load(v, i)
    let isInside = columns .< SIMD8<Int32>(repeating: Int32(truncatingIfNeeded: count &- i))
    let isKnown = (Lanes.magnitude(x) + Lanes.magnitude(y)) .< Lanes.all(RenderPolar.unknown)
    let square = Lanes.select(isKnown, x * x + y * y, else: Lanes.all(0))
    let inside = Lanes.select(isInside, square, else: Lanes.all(0))
    largest = Lanes.select(inside .> largest, inside, else: largest)
    i &+= 8
  }
  var result = start
  for lane in 0..<8 where largest[lane] > result { result = largest[lane] }
  return result
}
