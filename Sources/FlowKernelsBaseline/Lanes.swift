// The basis of all kernels: vectors of a fixed number of lanes, and loads and stores of them.
//
// The lane count is the same in every variant, wider or narrower than the registers: the compiler splits a vector
// into as many registers as it takes. Rows may be read up to 63 bytes past their end (see `Plane`), so a load
// needs no care there; a store does.

// Operators between a vector and a scalar are generic code in the standard library, which the compiler now and then
// leaves as a loop over lanes: constants are spelled out as vectors.

typealias Lanes = SIMD16<Float>
let laneCount = 16

@inline(__always)
func load(_ row: UnsafePointer<Float>, _ index: Int) -> Lanes {
  UnsafeRawPointer(row + index).loadUnaligned(as: Lanes.self)
}

@inline(__always)
func load(_ row: UnsafeMutablePointer<Float>, _ index: Int) -> Lanes { load(UnsafePointer(row), index) }

/// Writes those lanes of `value` that fall on the elements `index ..< count`.
@inline(__always)
func store(_ value: Lanes, _ row: UnsafeMutablePointer<Float>, _ index: Int, _ count: Int) {
  if index &+ laneCount <= count {
    UnsafeMutableRawPointer(row + index).storeBytes(of: value, as: Lanes.self)
  } else {
    withUnsafeBytes(of: value) { bytes in
      UnsafeMutableRawPointer(row + index).copyMemory(
        from: bytes.baseAddress.unsafelyUnwrapped, byteCount: (count &- index) &* MemoryLayout<Float>.stride)
    }
  }
}
