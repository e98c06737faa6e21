// Resizing of a row as a product with a band matrix.

/// `output[16·j + lane] = Σ weights[16·(j·taps + k) + lane] · input[origins[j] + k]`: the terms of even k, in order,
/// plus those of odd k.
///
/// Sixteen neighbouring samples of the output lean on few neighbouring samples of the input. Each of these is spread over
/// a vector and weighted for all sixteen at once: no sample is fetched by index, and most of the weights being 0 costs
/// less than that would.
/// - Contract: `origins[j] … + taps` lie inside the input, which is finite there.
public func resizeRow(
  _ input: UnsafePointer<Float>, _ origins: UnsafePointer<Int32>, _ weights: UnsafePointer<Float>, taps: Int,
  _ output: UnsafeMutablePointer<Float>, count: Int
) {
  var i = 0
  var block = 0
  while i < count {
    let source = input + Int(origins[block])
    let matrix = weights + block &* taps &* laneCount
    var even = Lanes.zero
    var odd = Lanes.zero
    var k = 0
    while k &+ 1 < taps {
      even += Lanes(repeating: source[k]) * load(matrix, k &* laneCount)
      odd += Lanes(repeating: source[k &+ 1]) * load(matrix, (k &+ 1) &* laneCount)
      k &+= 2
    }
    if k < taps { even += Lanes(repeating: source[k]) * load(matrix, k &* laneCount) }
    store(even + odd, output, i, count)
    i &+= laneCount
    block &+= 1
  }
}
