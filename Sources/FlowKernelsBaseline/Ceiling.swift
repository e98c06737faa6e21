// The best that the processor can do: the measure for all other kernels. Used by the benchmarks only.

// A vector must be one register, or the numbers on the way fill up the registers: there is one function for each width,
// and the ceiling is the fastest of them.

/// Reads all but the last few of `count` floats in vectors of 4: the ceiling of reading. The result only keeps the work
/// from being dropped: their bits, or-ed, which no processor does more slowly than it reads.
public func ceilingRead4(_ input: UnsafePointer<Float>, count: Int) -> UInt32 {
  gatherBits(input, count, SIMD4<UInt32>.zero)[0]
}

/// Reads like ``ceilingRead4``, in vectors of 8.
public func ceilingRead8(_ input: UnsafePointer<Float>, count: Int) -> UInt32 {
  gatherBits(input, count, SIMD8<UInt32>.zero)[0]
}

/// Reads like ``ceilingRead4``, in vectors of 16.
public func ceilingRead16(_ input: UnsafePointer<Float>, count: Int) -> UInt32 {
  gatherBits(input, count, SIMD16<UInt32>.zero)[0]
}

@inline(__always)
private func gatherBits<Vector: SIMD>(_ input: UnsafePointer<Float>, _ count: Int, _ zero: Vector) -> Vector
where Vector.Scalar == UInt32 {
  let width = MemoryLayout<Vector>.size
  let end = UnsafeRawPointer(input + count)
  var at = UnsafeRawPointer(input)
  var (a, b, c, d, e, f, g, h) = (zero, zero, zero, zero, zero, zero, zero, zero)
  while at + 8 &* width <= end {
    a = a | at.loadUnaligned(as: Vector.self)
    b = b | at.loadUnaligned(fromByteOffset: width, as: Vector.self)
    c = c | at.loadUnaligned(fromByteOffset: 2 &* width, as: Vector.self)
    d = d | at.loadUnaligned(fromByteOffset: 3 &* width, as: Vector.self)
    e = e | at.loadUnaligned(fromByteOffset: 4 &* width, as: Vector.self)
    f = f | at.loadUnaligned(fromByteOffset: 5 &* width, as: Vector.self)
    g = g | at.loadUnaligned(fromByteOffset: 6 &* width, as: Vector.self)
    h = h | at.loadUnaligned(fromByteOffset: 7 &* width, as: Vector.self)
    at += 8 &* width
  }
  let first: Vector = (a | b) | (c | d)
  let second: Vector = (e | f) | (g | h)
  return first | second
}

/// Overwrites `count` floats, a multiple of 128: the ceiling of writing.
public func ceilingWrite(_ output: UnsafeMutablePointer<Float>, value: Float, count: Int) {
  let lanes = Lanes(repeating: value)
  var i = 0
  while i < count {
    storeWhole(lanes, output, i)
    storeWhole(lanes, output, i &+ laneCount)
    storeWhole(lanes, output, i &+ 2 &* laneCount)
    storeWhole(lanes, output, i &+ 3 &* laneCount)
    storeWhole(lanes, output, i &+ 4 &* laneCount)
    storeWhole(lanes, output, i &+ 5 &* laneCount)
    storeWhole(lanes, output, i &+ 6 &* laneCount)
    storeWhole(lanes, output, i &+ 7 &* laneCount)
    i &+= 8 &* laneCount
  }
}

// Seven chains of multiplications beside seven of additions hide the latencies of both, and no operation waits for one
// of the other kind: chains of multiplication and addition in turn reach a tenth less. With the two constants they fill
// the sixteen registers that the lesser instruction sets have.

/// Runs the chains on vectors of 4: one round is 14 · 4 operations. With a `seed` of 1 all numbers stay as they are.
public func ceilingOperations4(_ seed: Float, rounds: Int) -> Float { runChains(SIMD4(repeating: seed), rounds)[0] }

/// Runs the chains on vectors of 8.
public func ceilingOperations8(_ seed: Float, rounds: Int) -> Float { runChains(SIMD8(repeating: seed), rounds)[0] }

/// Runs the chains on vectors of 16.
public func ceilingOperations16(_ seed: Float, rounds: Int) -> Float { runChains(SIMD16(repeating: seed), rounds)[0] }

@inline(__always)
private func runChains<Vector: SIMD>(_ factor: Vector, _ rounds: Int) -> Vector where Vector.Scalar == Float {
  let term = Vector(repeating: 1) - factor
  // Different starts keep the chains from being merged.
  var (a, b, c) = (factor, factor + term, term)
  var (d, e, f, g) = (a + a, a + b, b + b, a + c)
  var (h, i, j) = (b + c, c + c, d + a)
  var (k, l, m, n) = (d + b, d + c, e + a, e + b)
  var round = 0
  while round < rounds {
    a = a * factor
    h = h + term
    b = b * factor
    i = i + term
    c = c * factor
    j = j + term
    d = d * factor
    k = k + term
    e = e * factor
    l = l + term
    f = f * factor
    m = m + term
    g = g * factor
    n = n + term
    round &+= 1
  }
  return ((a + b) + (c + d)) + ((e + f) + (g + h)) + ((i + j) + (k + l)) + (m + n)
}
