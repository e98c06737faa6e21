// Elementary functions that give the same bits everywhere. C libraries choose other code for other processors,
// and their sines differ in the last bit.

import Foundation

/// sin(x), rounded to multiples of 2⁻⁴⁰: coarse enough to hide the differences between C libraries.
func stableSine(_ x: Double) -> Double { (sin(x) * 0x1p40).rounded() * 0x1p-40 }

/// cos(x), rounded likewise.
func stableCosine(_ x: Double) -> Double { (cos(x) * 0x1p40).rounded() * 0x1p-40 }

let radiansPerDegree = Double.pi / 180

/// A wave like a sine of period 1 made of parabolas (within 0.06 of the sine, continuously differentiable).
@inline(__always)
func softWave(_ x: Float) -> Float {
  // Not `rounded(.down)`: on baseline x86-64 that is a call.
  let rest = x - Float(Int32(x))
  let f = rest < 0 ? rest + 1 : rest
  let g = f < 0.5 ? f : f - 0.5
  let bump = 16 * g * (0.5 - g)
  return f < 0.5 ? bump : -bump
}

/// 0 up to `low`, 1 from `high`, smooth between.
@inline(__always)
func smoothStep(_ low: Float, _ high: Float, _ x: Float) -> Float {
  let t = max(0, min(1, (x - low) / (high - low)))
  return t * t * (3 - 2 * t)
}

/// The angle of (x, y) in turns, -0.5…0.5, within 0.0008 turns.
@inline(__always)
func turns(_ x: Float, _ y: Float) -> Float {
  let (ax, ay) = (abs(x), abs(y))
  let ratio = min(ax, ay) / max(max(ax, ay), 1e-6)
  // atan(r)/2π ≈ r (1/8 + 0.0435 (1 - r)): Rajan et al., IEEE Signal Processing Magazine 23(3), 2006.
  var turn = ratio * (0.125 + 0.0435 * (1 - ratio))
  if ay > ax { turn = 0.25 - turn }
  if x < 0 { turn = 0.5 - turn }
  return y < 0 ? -turn : turn
}
