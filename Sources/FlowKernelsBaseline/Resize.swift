// Resizing of a row as a product with a band matrix.

/// `output[16·j + lane] = Σ weights[16·(j·taps + k) + lane] · input[origins[j] + k]`: the terms of even k, in order,
/// plus those of odd k.
///
/// Sixteen neighbouring samples of the output lean on few neighbouring samples of the input. Each of these is spread
/// over a vector and weighted for all sixteen at once: no sample is fetched by index, and most of the weights being 0
/// costs less than that would.
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

/// `output[j] = Σ weights[k] · input[2j + k]` for eight weights: every other sample of a filtered row.
///
/// - Contract: `input` may be read up to 2·count + 40 samples far.
public func halveRow(
  _ input: UnsafePointer<Float>, _ weights: UnsafePointer<Float>, _ output: UnsafeMutablePointer<Float>, count: Int
) {
  var i = 0
  while i < count {
    let source = input + 2 &* i
    let (a, b) = pairs(source, 0)
    var even = a * Lanes(repeating: weights[0])
    var odd = b * Lanes(repeating: weights[1])
    let (c, d) = pairs(source, 2)
    even += c * Lanes(repeating: weights[2])
    odd += d * Lanes(repeating: weights[3])
    let (e, f) = pairs(source, 4)
    even += e * Lanes(repeating: weights[4])
    odd += f * Lanes(repeating: weights[5])
    let (g, h) = pairs(source, 6)
    even += g * Lanes(repeating: weights[6])
    odd += h * Lanes(repeating: weights[7])
    store(even + odd, output, i, count)
    i &+= laneCount
  }
}

/// `output[j] = ⅛·(input[2j − 1] + input[2j + 2]) + ⅜·(input[2j] + input[2j + 1])`: every pair of samples becomes one,
/// smoothed by a binomial filter about the middle of the pair.
///
/// - Contract: `input` may be read from −1 up to 2·count + 40 samples far.
public func pairRow(_ input: UnsafePointer<Float>, _ output: UnsafeMutablePointer<Float>, count: Int) {
  let outer = Lanes(repeating: 0.125)
  let inner = Lanes(repeating: 0.375)
  var i = 0
  while i < count {
    let (a, b) = pairs(input + 2 &* i, -1)
    let (c, d) = pairs(input + 2 &* i, 1)
    store((a + d) * outer + (b + c) * inner, output, i, count)
    i &+= laneCount
  }
}

/// 32 samples as 16 of even and 16 of odd index.
@inline(__always)
private func pairs(_ source: UnsafePointer<Float>, _ offset: Int) -> (Lanes, Lanes) {
  let first = load(source, offset)
  let second = load(source, offset &+ laneCount)
  return (
    Lanes(lowHalf: first.evenHalf, highHalf: second.evenHalf), Lanes(lowHalf: first.oddHalf, highHalf: second.oddHalf)
  )
}

/// `output[i] = Σ weights[k] · rows[k][i]`, added in the order of k: `weightedSum` for rows that are long, two vectors
/// at a time.
///
/// - Contract: `taps ≥ 1`; rows may be read and `output` written up to 31 samples past `count`.
public func combineRows(
  _ rows: UnsafePointer<UnsafePointer<Float>>, _ weights: UnsafePointer<Float>, taps: Int,
  _ output: UnsafeMutablePointer<Float>, count: Int
) {
  var i = 0
  while i < count {
    var first = load(rows[0], i) * Lanes(repeating: weights[0])
    var second = load(rows[0], i &+ laneCount) * Lanes(repeating: weights[0])
    var k = 1
    while k < taps {
      let weight = Lanes(repeating: weights[k])
      first += load(rows[k], i) * weight
      second += load(rows[k], i &+ laneCount) * weight
      k &+= 1
    }
    storeWhole(first, output, i)
    storeWhole(second, output, i &+ laneCount)
    i &+= 2 &* laneCount
  }
}

/// `output[i] = Σ weights[k] · rows[k][i]` for samples of 8 bits, added in the order of k.
///
/// - Contract: `taps ≥ 1`; reads and writes exactly `count` elements; `output` overlaps none of the rows.
public func combineRows8(
  _ rows: UnsafePointer<UnsafePointer<UInt8>>, _ weights: UnsafePointer<Float>, taps: Int,
  _ output: UnsafeMutablePointer<Float>, count: Int
) {
  let first = rows[0]
  let weight = weights[0]
  var i = 0
  while i < count {
    output[i] = Float(first[i]) * weight
    i &+= 1
  }
  var k = 1
  while k &+ 1 < taps {
    addTwo(rows[k], weights[k], rows[k &+ 1], weights[k &+ 1], output, count)
    k &+= 2
  }
  if k < taps { addOne(rows[k], weights[k], output, count) }
}

private func addOne(
  _ row: UnsafePointer<UInt8>, _ weight: Float, _ output: UnsafeMutablePointer<Float>, _ count: Int
) {
  var i = 0
  while i < count {
    output[i] += Float(row[i]) * weight
    i &+= 1
  }
}

private func addTwo(
  _ first: UnsafePointer<UInt8>, _ firstWeight: Float, _ second: UnsafePointer<UInt8>, _ secondWeight: Float,
  _ output: UnsafeMutablePointer<Float>, _ count: Int
) {
  var i = 0
  while i < count {
    output[i] = output[i] + Float(first[i]) * firstWeight + Float(second[i]) * secondWeight
    i &+= 1
  }
}

/// Sixteen rows as columns: `output[16·x + row] = input[row·stride + x]`.
///
/// - Contract: each row may be read, and `output` written, up to the next multiple of 16 samples; `scratch` takes 512.
public func transposeRows(
  _ input: UnsafePointer<Float>, stride: Int, _ output: UnsafeMutablePointer<Float>, count: Int,
  _ scratch: UnsafeMutablePointer<Float>
) {
  let (first, second) = (scratch, scratch + 256)
  var x = 0
  while x < count {
    let tile = output + 16 &* x
    interleaveHalves(input + x, stride, first, laneCount)
    interleaveHalves(first, laneCount, second, laneCount)
    interleaveHalves(second, laneCount, first, laneCount)
    interleaveHalves(first, laneCount, tile, laneCount)
    x &+= laneCount
  }
}

/// The other way round: `output[row·stride + x] = input[16·x + row]`.
///
/// - Contract: `input` may be read, and each row written, up to the next multiple of 16 samples; `scratch` takes 512.
public func transposeColumns(
  _ input: UnsafePointer<Float>, _ output: UnsafeMutablePointer<Float>, stride: Int, count: Int,
  _ scratch: UnsafeMutablePointer<Float>
) {
  let (first, second) = (scratch, scratch + 256)
  var x = 0
  while x < count {
    interleaveHalves(input + 16 &* x, laneCount, first, laneCount)
    interleaveHalves(first, laneCount, second, laneCount)
    interleaveHalves(second, laneCount, first, laneCount)
    interleaveHalves(first, laneCount, output + x, stride)
    x &+= laneCount
  }
}

/// The first eight of sixteen rows of sixteen, and the other eight, are dealt like two halves of a pack of cards. Four
/// times that, and rows have become columns.
@inline(__always)
private func interleaveHalves(
  _ input: UnsafePointer<Float>, _ inputStride: Int, _ output: UnsafeMutablePointer<Float>, _ outputStride: Int
) {
  var row = 0
  while row < 8 {
    let a = load(input, row &* inputStride)
    let b = load(input, (row &+ 8) &* inputStride)
    var (low, high) = (Lanes.zero, Lanes.zero)
    (low.evenHalf, low.oddHalf) = (a.lowHalf, b.lowHalf)
    (high.evenHalf, high.oddHalf) = (a.highHalf, b.highHalf)
    storeWhole(low, output, 2 &* row &* outputStride)
    storeWhole(high, output, (2 &* row &+ 1) &* outputStride)
    row &+= 1
  }
}

/// `output[16·x + row] = Σ weights[x·taps + k] · input[16·(firsts[x] + k) + row]`, the terms of even k, in order, plus
/// those of odd k: columns of sixteen samples, each made of some that lie side by side.
///
/// - Contract: `taps ≥ 1`; `input` holds the columns that are asked for, all finite.
public func combineColumns(
  _ input: UnsafePointer<Float>, _ firsts: UnsafePointer<Int32>, _ weights: UnsafePointer<Float>, taps: Int,
  _ output: UnsafeMutablePointer<Float>, count: Int
) {
  var x = 0
  while x < count {
    let source = input + 16 &* Int(firsts[x])
    let own = weights + x &* taps
    var even = load(source, 0) * Lanes(repeating: own[0])
    var odd = Lanes.zero
    var k = 1
    while k &+ 1 < taps {
      odd += load(source, k &* laneCount) * Lanes(repeating: own[k])
      even += load(source, (k &+ 1) &* laneCount) * Lanes(repeating: own[k &+ 1])
      k &+= 2
    }
    if k < taps { odd += load(source, k &* laneCount) * Lanes(repeating: own[k]) }
    storeWhole(even + odd, output, 16 &* x)
    x &+= 1
  }
}
