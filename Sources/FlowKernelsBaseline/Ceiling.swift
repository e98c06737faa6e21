// What the processor can do at best: the measure for all other kernels. Used by the benchmarks only.

/// Copies `count` floats in steps of 16: the ceiling of memory-bound kernels.
public func ceilingCopy(_ input: UnsafePointer<Float>, _ output: UnsafeMutablePointer<Float>, count: Int) {
  let source = UnsafeRawPointer(input)
  let target = UnsafeMutableRawPointer(output)
  var offset = 0
  while offset &+ 64 <= count &* 4 {
    target.storeBytes(
      of: source.loadUnaligned(fromByteOffset: offset, as: SIMD16<Float>.self), toByteOffset: offset,
      as: SIMD16<Float>.self)
    offset &+= 64
  }
}

/// Runs eight independent chains of multiplication and addition on vectors of 16: the ceiling of compute-bound
/// kernels. One round is 8 · 16 · 2 operations. The result only keeps the work from being dropped.
public func ceilingMultiplyAdd(_ seed: Float, rounds: Int) -> Float {
  let factor = SIMD16<Float>(repeating: seed)
  let term = SIMD16<Float>(repeating: 1 - seed)
  var a = SIMD16<Float>(repeating: 1)
  var b = a + term
  var c = b + term
  var d = c + term
  var e = d + term
  var f = e + term
  var g = f + term
  var h = g + term
  var round = 0
  while round < rounds {
    a = a * factor + term
    b = b * factor + term
    c = c * factor + term
    d = d * factor + term
    e = e * factor + term
    f = f * factor + term
    g = g * factor + term
    h = h * factor + term
    round &+= 1
  }
  return (a + b + c + d + e + f + g + h)[0]
}
