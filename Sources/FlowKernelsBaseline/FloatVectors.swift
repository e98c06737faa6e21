// Arithmetic on vectors that every variant rounds alike.

/// 2²³: adding it to 0 ≤ x < 2²² leaves the whole number nearest to x in the low bits of the sum.
private let wholeNumberShift: Float = 8_388_608

/// The largest whole number not above x, for 0 ≤ x < 2²².
@inline(__always)
func wholePart(_ x: Lanes) -> Lanes {
  let shift = Lanes(repeating: wholeNumberShift)
  let nearest = (x + shift) - shift
  return nearest.replacing(with: nearest - Lanes(repeating: 1), where: nearest .> x)
}

/// Whole numbers 0 ≤ x < 2²² as integers.
@inline(__always)
func integers(_ x: Lanes) -> SIMD16<Int32> {
  let bits = unsafeBitCast(x + Lanes(repeating: wholeNumberShift), to: SIMD16<Int32>.self)
  return bits &- SIMD16<Int32>(repeating: Int32(bitPattern: wholeNumberShift.bitPattern))
}

/// The smaller of each pair of lanes; `b` where one is not a number.
@_transparent
func lesser(_ a: Lanes, _ b: Lanes) -> Lanes { b.replacing(with: a, where: a .< b) }

/// The larger of each pair of lanes; `b` where one is not a number.
@_transparent
func greater(_ a: Lanes, _ b: Lanes) -> Lanes { b.replacing(with: a, where: a .> b) }

/// 1/√x for x > 0, normal, with a relative error below 5e-6.
///
/// Halving the exponent in the bit pattern gives two digits, and each of Newton's steps doubles them. Division and
/// square root would take ten times as long, and the processor's own estimate differs from maker to maker.
@inline(__always)
func inverseSquareRoot(_ x: Lanes) -> Lanes {
  // The constant that makes the error of the start smallest: Lomont, Fast inverse square root, 2003.
  let magic = SIMD16<UInt32>(repeating: 0x5F37_5A86)
  let bits = magic &- (unsafeBitCast(x, to: SIMD16<UInt32>.self) &>> SIMD16<UInt32>(repeating: 1))
  let half = x * Lanes(repeating: 0.5)
  let threeHalves = Lanes(repeating: 1.5)
  var y = unsafeBitCast(bits, to: Lanes.self)
  y = y * (threeHalves - half * (y * y))
  y = y * (threeHalves - half * (y * y))
  return y
}

/// 0, 1, … 15.
@inline(__always)
var laneNumbers: Lanes { Lanes(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) }

/// Puts two vectors in order, lane by lane.
@_transparent
func order(_ a: inout Lanes, _ b: inout Lanes) {
  let low = lesser(a, b)
  b = greater(a, b)
  a = low
}

@inline(__always)
func storeWhole(_ value: Lanes, _ row: UnsafeMutablePointer<Float>, _ index: Int) {
  UnsafeMutableRawPointer(row + index).storeBytes(of: value, as: Lanes.self)
}

/// The sum of the lanes, halves first.
@inline(__always)
func laneSum(_ lanes: Lanes) -> Float {
  let eight = lanes.lowHalf + lanes.highHalf
  let four = eight.lowHalf + eight.highHalf
  let two = four.lowHalf + four.highHalf
  return two.x + two.y
}
