// What warping an image by a projective map needs besides `locateRow` and `sampleRow`: the displacements of the
// pixels of a row, and samples of whole numbers again.

/// Finds the displacement of each pixel of one row by a projective map, as a quadratic over a line:
/// u = ((c₀x + c₁)x + c₂) / (c₅x + c₆), v = (c₃x + c₄) / (c₅x + c₆).
///
/// The displacement, not the position: so a small motion keeps its digits far from the origin.
/// - Parameter c: Seven numbers, of one row (see `ImageWarper`).
/// - Contract: `u` and `v` may be written up to 63 bytes past `count`.
public func projectRow(
  _ c: UnsafePointer<Float>, _ u: UnsafeMutablePointer<Float>, _ v: UnsafeMutablePointer<Float>, count: Int
) {
  let c0 = Lanes(repeating: c[0])
  let c1 = Lanes(repeating: c[1])
  let c2 = Lanes(repeating: c[2])
  let c3 = Lanes(repeating: c[3])
  let c4 = Lanes(repeating: c[4])
  let c5 = Lanes(repeating: c[5])
  let c6 = Lanes(repeating: c[6])
  var i = 0
  while i < count {
    let x = laneNumbers + Lanes(repeating: Float(i))
    let depth = c5 * x + c6
    storeWhole(((c0 * x + c1) * x + c2) / depth, u, i)
    storeWhole((c3 * x + c4) / depth, v, i)
    i &+= laneCount
  }
}

/// `output[i]` = `values[i]`, limited to 0…`largest` and rounded; `fill` where `inside[i]` is 0.
///
/// - Contract: `values` and `inside` may be read up to 63 bytes past `count`; exactly `count` samples are written;
///   `fill` and `largest` are whole numbers of 0…255.
public func narrowRow8(
  _ values: UnsafePointer<Float>, inside: UnsafePointer<Float>, fill: Float, largest: Float,
  _ output: UnsafeMutablePointer<UInt8>, count: Int
) {
  var i = 0
  while i &+ RenderLanes.count <= count {
    let words = narrowed(values, inside, i, fill, largest)
    UnsafeMutableRawPointer(output + i).storeBytes(of: SIMD8(truncatingIfNeeded: words), as: SIMD8<UInt8>.self)
    i &+= RenderLanes.count
  }
  if i < count { storeLast(narrowed(values, inside, i, fill, largest), output + i, rest: count &- i) }
}

/// Does what ``narrowRow8`` does, for samples in 16-bit words; `fill` and `largest` are whole numbers of 0…65535.
public func narrowRow16(
  _ values: UnsafePointer<Float>, inside: UnsafePointer<Float>, fill: Float, largest: Float,
  _ output: UnsafeMutablePointer<UInt16>, count: Int
) {
  var i = 0
  while i &+ RenderLanes.count <= count {
    let words = narrowed(values, inside, i, fill, largest)
    UnsafeMutableRawPointer(output + i).storeBytes(of: SIMD8(truncatingIfNeeded: words), as: SIMD8<UInt16>.self)
    i &+= RenderLanes.count
  }
  if i < count { storeLast(narrowed(values, inside, i, fill, largest), output + i, rest: count &- i) }
}

@inline(__always)
private func narrowed(
  _ values: UnsafePointer<Float>, _ inside: UnsafePointer<Float>, _ i: Int, _ fill: Float, _ largest: Float
) -> RenderLanes.Words {
  let isInside = RenderLanes.load(inside, i) .> RenderLanes.all(0)
  let value = RenderLanes.select(isInside, RenderLanes.load(values, i), else: RenderLanes.all(fill))
  return RenderLanes.rounded(RenderLanes.atMost(largest, RenderLanes.atLeast(0, value)))
}

// Not inlined: their loops over lanes would make the compiler take the vectors of the main loops apart.

@inline(never)
private func storeLast(_ value: RenderLanes.Words, _ output: UnsafeMutablePointer<UInt8>, rest: Int) {
  for lane in 0..<rest { output[lane] = UInt8(truncatingIfNeeded: value[lane]) }
}

@inline(never)
private func storeLast(_ value: RenderLanes.Words, _ output: UnsafeMutablePointer<UInt16>, rest: Int) {
  for lane in 0..<rest { output[lane] = UInt16(truncatingIfNeeded: value[lane]) }
}
