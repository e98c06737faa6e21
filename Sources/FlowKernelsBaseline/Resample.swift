// Kernels that change the sampling of a row.
//
// Every function of this folder compiles three times, for three instruction sets, and must give the same
// bits each time: fixed lane counts, a fixed order of additions, no fused multiply-add.

/// `output[i] = Float(input[i]) · scale` for `count` samples of 8 bits.
///
/// - Contract: `input` and `output` do not overlap; reads and writes exactly `count` elements.
public func convertRow8(
  _ input: UnsafePointer<UInt8>, _ output: UnsafeMutablePointer<Float>, count: Int, scale: Float
) {
  var i = 0
  while i < count {
    output[i] = Float(input[i]) * scale
    i &+= 1
  }
}

/// Does what ``convertRow8`` does, for samples of 9…16 bits in 16-bit words.
public func convertRow16(
  _ input: UnsafePointer<UInt16>, _ output: UnsafeMutablePointer<Float>, count: Int, scale: Float
) {
  var i = 0
  while i < count {
    output[i] = Float(input[i]) * scale
    i &+= 1
  }
}
