// The basis of the rendering kernels: eight pixels at a time, and the polar form of their flow vectors.
//
// Only operations that become vector instructions are used: comparison, selection by bits, the four basic operations
// and bit operations, all between vectors: `all(x)` makes one of a number. `pointwiseMin`, `clamped`, `squareRoot`,
// conversions between integers and numbers, and operators between a vector and a number are generic code that the
// compiler leaves as calls or takes apart into lanes.

/// Operations on eight lanes. A pixel of a layer is one `UInt32` with red in the low byte and opacity in the high one.
enum RenderLanes {
  typealias Floats = SIMD8<Float>
  typealias Words = SIMD8<UInt32>
  typealias Mask = SIMDMask<SIMD8<Int32>>

  static let count = 8

  @inline(__always)
  static func all(_ x: Float) -> Floats { Floats(repeating: x) }

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
  static func select(_ mask: Mask, _ a: Floats, else b: Floats) -> Floats {
    unsafeBitCast(
      select(mask, unsafeBitCast(a, to: Words.self), else: unsafeBitCast(b, to: Words.self)), to: Floats.self)
  }

  /// A mask's lanes are 0 or −1.
  @inline(__always)
  static func select(_ mask: Mask, _ a: Words, else b: Words) -> Words {
    let bits = unsafeBitCast(mask, to: Words.self)
    return b ^ ((a ^ b) & bits)
  }

  @inline(__always)
  static func atLeast(_ low: Float, _ x: Floats) -> Floats { select(x .> all(low), x, else: all(low)) }

  @inline(__always)
  static func atMost(_ high: Float, _ x: Floats) -> Floats { select(x .< all(high), x, else: all(high)) }

  /// `x` clamped to 0…1; 0 for NaN.
  @inline(__always)
  static func unit(_ x: Floats) -> Floats { atMost(1, atLeast(0, x)) }

  @inline(__always)
  static func magnitude(_ x: Floats) -> Floats {
    unsafeBitCast(unsafeBitCast(x, to: Words.self) & Words(repeating: 0x7FFF_FFFF), to: Floats.self)
  }

  /// Adding it to 0…2²² rounds to the nearest whole number (ties to even) and leaves that in the low bits.
  static let roundingBias: Float = 8_388_608

  /// The nearest whole number to each lane of 0…65535.
  @inline(__always)
  static func rounded(_ x: Floats) -> Words {
    unsafeBitCast(x + all(roundingBias), to: Words.self) & Words(repeating: 0xFFFF)
  }

  /// Channels of 0…255 and the opacity as one word a pixel.
  @inline(__always)
  static func pack(_ r: Floats, _ g: Floats, _ b: Floats, _ a: Words) -> Words {
    rounded(r) | (rounded(g) &<< Words(repeating: 8)) | (rounded(b) &<< Words(repeating: 16))
      | (a &<< Words(repeating: 24))
  }

  /// Whole numbers of 0…65535 as floating-point numbers, exact. (The conversion of SIMD types is a call.)
  @inline(__always)
  static func floats(_ x: Words) -> Floats {
    unsafeBitCast(x | Words(repeating: roundingBias.bitPattern), to: Floats.self) - all(roundingBias)
  }

  /// The bytes at `shift` of eight pixels as numbers.
  @inline(__always)
  static func channel(_ pixels: Words, _ shift: UInt32) -> Floats {
    floats((pixels &>> Words(repeating: shift)) & Words(repeating: 0xFF))
  }

  /// Returns whether a mask holds in all eight lanes.
  @inline(__always)
  static func areAll(_ mask: Mask) -> Bool {
    let pairs = unsafeBitCast(mask, to: SIMD4<UInt64>.self)
    return pairs[0] & pairs[1] & pairs[2] & pairs[3] == ~0
  }

  /// Returns whether all eight pixels are fully transparent.
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
    isKnown = (x + y) .< Lanes.all(Self.unknown)
    let isSteep = y .> x
    let long = Lanes.select(isSteep, y, else: x)
    let short = Lanes.select(isSteep, x, else: y)
    let t = short / Lanes.atLeast(1e-30, long)
    let q = t * t
    var octant = q * Lanes.all(0.019_905_602) - Lanes.all(0.081_318_297)
    octant = octant * q + Lanes.all(0.172_039_434)
    octant = octant * q - Lanes.all(0.315_417_826)
    octant = octant * q + Lanes.all(0.954_802_036)
    octant = octant * t
    let quadrant = Lanes.select(isSteep, Lanes.all(1.5) - octant, else: octant)
    let half = Lanes.select(u .< Lanes.all(0), Lanes.all(3) - quadrant, else: quadrant)
    sextants = Lanes.atMost(3, Lanes.atLeast(0, half))
    var root = q * Lanes.all(0.005_208_822) - Lanes.all(0.023_403_987)
    root = root * q + Lanes.all(0.056_326_348)
    root = root * q - Lanes.all(0.123_843_148)
    root = root * q + Lanes.all(0.499_926_984)
    length = long * (root * q + Lanes.all(1))
  }
}
