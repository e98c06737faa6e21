// Kernels of the scale space: smoothing with a symmetric filter, differences, and extrema over space and scale.

/// `output[i] = w₀·rows[r][i] + Σ wₖ·(rows[r − k][i] + rows[r + k][i])` with r = `radius`, k rising.
///
/// A vertical filter passes one pointer per row; a horizontal one passes pointers into one row, one sample apart.
/// - Contract: `rows` holds 2·radius + 1 pointers and `weights` radius + 1; rows may be read up to 63 bytes past
///   `count`; `output` overlaps no row.
public func symmetricSum(
  _ rows: UnsafePointer<UnsafePointer<Float>>, _ weights: UnsafePointer<Float>, radius: Int,
  _ output: UnsafeMutablePointer<Float>, count: Int
) {
  var i = 0
  while i &+ 2 &* laneCount <= count {
    let middle = Lanes(repeating: weights[0])
    var first = load(rows[radius], i) * middle
    var second = load(rows[radius], i &+ laneCount) * middle
    var k = 1
    while k <= radius {
      let weight = Lanes(repeating: weights[k])
      let (a, b) = (rows[radius &- k], rows[radius &+ k])
      first += (load(a, i) + load(b, i)) * weight
      second += (load(a, i &+ laneCount) + load(b, i &+ laneCount)) * weight
      k &+= 1
    }
    storeWhole(first, output, i)
    storeWhole(second, output, i &+ laneCount)
    i &+= 2 &* laneCount
  }
  while i < count {
    var sum = load(rows[radius], i) * Lanes(repeating: weights[0])
    var k = 1
    while k <= radius {
      sum += (load(rows[radius &- k], i) + load(rows[radius &+ k], i)) * Lanes(repeating: weights[k])
      k &+= 1
    }
    store(sum, output, i, count)
    i &+= laneCount
  }
}

/// `output[i] = minuend[i] − subtrahend[i]`.
public func subtractRow(
  _ minuend: UnsafePointer<Float>, _ subtrahend: UnsafePointer<Float>, _ output: UnsafeMutablePointer<Float>, count: Int
) {
  var i = 0
  while i < count {
    store(load(minuend, i) - load(subtrahend, i), output, i, count)
    i &+= laneCount
  }
}

/// Finds the samples of a row that are larger than all their 26 neighbours in space and scale, or smaller than all.
///
/// - Parameters:
///   - rows: Nine rows: above, own and below, first of the finer level, then of the own one, then of the coarser one.
///   - threshold: The least absolute value that counts.
///   - columns: Receives the columns of the extrema, from left to right.
///   - first: The first column to look at, at least 1.
///   - count: The column after the last one to look at; one more can be read, and 63 bytes more.
/// - Returns: The number of extrema.
public func findExtrema(
  _ rows: UnsafePointer<UnsafePointer<Float>>, threshold: Float, _ columns: UnsafeMutablePointer<Int32>, first: Int,
  count: Int
) -> Int {
  let limit = Lanes(repeating: threshold)
  var found = 0
  var i = first
  while i < count {
    let value = load(rows[4], i)
    // Most pixels fail against the neighbours in their row.
    let (left, right) = (load(rows[4], i &- 1), load(rows[4], i &+ 1))
    var highest = greater(left, right)
    var lowest = lesser(left, right)
    if isAny((value .> greater(highest, limit)) .| (value .< lesser(lowest, Lanes.zero - limit))) {
      var k = 0
      while k < 9 {
        let row = rows[k]
        let (a, b) = (load(row, i &- 1), load(row, i &+ 1))
        highest = greater(highest, greater(a, b))
        lowest = lesser(lowest, lesser(a, b))
        if k != 4 {
          let c = load(row, i)
          highest = greater(highest, c)
          lowest = lesser(lowest, c)
        }
        k &+= 1
      }
      let mask = (value .> greater(highest, limit)) .| (value .< lesser(lowest, Lanes.zero - limit))
      if isAny(mask) { found = list(mask, at: i, count, columns, found) }
    }
    i &+= laneCount
  }
  return found
}

/// Returns whether any lane is true.
@inline(__always)
func isAny(_ mask: SIMDMask<SIMD16<Int32>>) -> Bool {
  let words = unsafeBitCast(mask, to: SIMD8<UInt64>.self)
  let four = words.lowHalf | words.highHalf
  let two = four.lowHalf | four.highHalf
  return two.x | two.y != 0
}

/// Appends the columns of the true lanes below `count`.
@inline(never)
private func list(
  _ mask: SIMDMask<SIMD16<Int32>>, at index: Int, _ count: Int, _ columns: UnsafeMutablePointer<Int32>, _ found: Int
) -> Int {
  var found = found
  withUnsafeBytes(of: mask) { bytes in
    var lane = 0
    while lane < laneCount && index &+ lane < count {
      if bytes.loadUnaligned(fromByteOffset: lane &* 4, as: Int32.self) != 0 {
        columns[found] = Int32(truncatingIfNeeded: index &+ lane)
        found &+= 1
      }
      lane &+= 1
    }
  }
  return found
}
