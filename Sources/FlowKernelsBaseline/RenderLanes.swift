// What the rendering kernels share: eight pixels at a time, and the polar form of their flow vectors.
//
// Only operations that become vector instructions are used: comparison, selection, the four basic operations and
// bit operations. `pointwiseMin`, `clamped` and `squareRoot` of SIMD types are library calls per lane.

/// Operations on eight lanes. A pixel of a layer is one `UInt32` with red in the low byte and opacity in the high one.
enum RenderLanes {
  typealias Floats = SIMD8<Float>
  typealias Words = SIMD8<UInt32>
  typealias Mask = SIMDMask<SIMD8<Int32>>

  static let count = 8

  @inline(__always)
  static func load(_ pointer: UnsafePointer<Float>, _ index: Int) -> Floats {
    UnsafeRawPointer(pointer + index).loadUnaligned(as: Floats.self)
  }

  @inline(__always)
  static func load(_ pointer: UnsafePointer<UInt32>, _ index: Int) -> Words {
    UnsafeRawPointer(pointer + index).loadUnaligned(as: Words.self)
  }

  @inline(__always)
  static func store(_ value: Floats, _ pointer: UnsafeMutablePointer<Float>, _ index: Int) {
    UnsafeMutableRawPointer(pointer + index).storeBytes(of: value, as: Floats.self)
  }

  /// Stores the first `rest` lanes, all eight when there is room for them.
  @inline(__always)
  static func store(_ value: Words, _ pointer: UnsafeMutablePointer<UInt32>, _ index: Int, rest: Int) {
    if rest >= count {
      UnsafeMutableRawPointer(pointer + index).storeBytes(of: value, as: Words.self)
    } else {
      for lane in 0..<rest { pointer[index &+ lane] = value[lane] }
    }
  }

  @inline(__always)
  static func select(_ mask: Mask, _ a: Floats, else b: Floats) -> Floats { b.replacing(with: a, where: mask) }

  @inline(__always)
  static func select(_ mask: Mask, _ a: Words, else b: Words) -> Words { b.replacing(with: a, where: mask) }

  @inline(__always)
  static func atLeast(_ low: Float, _ x: Floats) -> Floats { select(x .> low, x, else: Floats(repeating: low)) }

  @inline(__always)
  static func atMost(_ high: Float, _ x: Floats) -> Floats { select(x .< high, x, else: Floats(repeating: high)) }

  /// `x` clamped to 0…1; 0 for NaN.
  @inline(__always)
  static func unit(_ x: Floats) -> Floats { atMost(1, atLeast(0, x)) }

  @inline(__always)
  static func magnitude(_ x: Floats) -> Floats {
    unsafeBitCast(unsafeBitCast(x, to: Words.self) & 0x7FFF_FFFF, to: Floats.self)
  }

  /// Adding it to 0…2²² rounds to the nearest whole number (ties to even) and leaves that in the low bits.
  static let roundingBias: Float = 8_388_608

  /// The nearest whole number to each lane of 0…65535.
  @inline(__always)
  static func rounded(_ x: Floats) -> Words { unsafeBitCast(x + roundingBias, to: Words.self) & 0xFFFF }

  /// Channels of 0…255 and the opacity as one word a pixel.
  @inline(__always)
  static func pack(_ r: Floats, _ g: Floats, _ b: Floats, _ a: Words) -> Words {
    rounded(r) | (rounded(g) &<< 8) | (rounded(b) &<< 16) | (a &<< 24)
  }

  /// The bytes at `shift` of eight pixels as numbers.
  @inline(__always)
  static func channel(_ pixels: Words, _ shift: UInt32) -> Floats {
    Floats(SIMD8<Int32>(truncatingIfNeeded: (pixels &>> Words(repeating: shift)) & 0xFF))
  }

  /// Whether all eight pixels are fully transparent.
  @inline(__always)
  static func isClear(_ pixels: Words) -> Bool {
    let pairs = unsafeBitCast(pixels, to: SIMD4<UInt64>.self)
    return (pairs[0] | pairs[1] | pairs[2] | pairs[3]) & 0xFF00_0000_FF00_0000 == 0
  }
}

/// Flow vectors as length and direction.
struct RenderPolar {
  /// Components of at least this size mean "unknown", as in Middlebury's files. (So do NaN and infinity.)
  static let unknown: Float = 1e9

  var length: RenderLanes.Floats
  /// The size of the angle in units of 60°, 0…3: 0 points right, 3 left. Its sign is that of `v`.
  var sextants: RenderLanes.Floats
  var isKnown: RenderLanes.Mask

  /// Both parts come from t = min/max of the two sizes: the angle in the first octant is an odd polynomial of t
  /// (|error| ≤ 1.1e-5 sextants, 0.003 colour levels), the length is max · √(1 + t²) with a polynomial in t²
  /// (relative error ≤ 1.5e-6). Minimax fits by iteratively reweighted least squares on 2001 Chebyshev nodes.
  @inline(__always)
  init(_ u: RenderLanes.Floats, _ v: RenderLanes.Floats) {
    typealias Lanes = RenderLanes
    let x = Lanes.magnitude(u)
    let y = Lanes.magnitude(v)
    isKnown = (x + y) .< Self.unknown
    let isSteep = y .> x
    let long = Lanes.select(isSteep, y, else: x)
    let short = Lanes.select(isSteep, x, else: y)
    let t = short / Lanes.atLeast(1e-30, long)
    let q = t * t
    var octant = q * 0.019_905_602 - 0.081_318_297
    octant = octant * q + 0.172_039_434
    octant = octant * q - 0.315_417_826
    octant = octant * q + 0.954_802_036
    octant = octant * t
    let quadrant = Lanes.select(isSteep, 1.5 - octant, else: octant)
    sextants = Lanes.unit(Lanes.select(u .< 0, 3 - quadrant, else: quadrant) * (1 / 3)) * 3
    var root = q * 0.005_208_822 - 0.023_403_987
    root = root * q + 0.056_326_348
    root = root * q - 0.123_843_148
    root = root * q + 0.499_926_984
    length = long * (root * q + 1)
  }
}
