// The median of 3×3 samples.

/// The median of the nine samples around each sample of a row.
///
/// Once each column of the 3×3 square is sorted, the median of all is that of the largest of the lowest, the median of
/// the middle ones and the smallest of the highest.
/// - Parameter rows: Three rows, from above to below, each pointing to its first sample.
/// - Contract: one sample left and right of each row and 63 bytes past them may be read; no NaN.
public func medianRow3x3(
  _ rows: UnsafePointer<UnsafePointer<Float>>, _ output: UnsafeMutablePointer<Float>, count: Int
) {
  let (above, middle, below) = (rows[0], rows[1], rows[2])
  var i = 0
  while i < count {
    let left = sorted(load(above, i &- 1), load(middle, i &- 1), load(below, i &- 1))
    let center = sorted(load(above, i), load(middle, i), load(below, i))
    let right = sorted(load(above, i &+ 1), load(middle, i &+ 1), load(below, i &+ 1))
    let low = greater(greater(left.low, center.low), right.low)
    let mid = sorted(left.mid, center.mid, right.mid).mid
    let high = lesser(lesser(left.high, center.high), right.high)
    store(sorted(low, mid, high).mid, output, i, count)
    i &+= laneCount
  }
}

@inline(__always)
private func sorted(_ a: Lanes, _ b: Lanes, _ c: Lanes) -> (low: Lanes, mid: Lanes, high: Lanes) {
  let (low, high) = (lesser(a, b), greater(a, b))
  let rest = lesser(high, c)
  return (lesser(low, rest), greater(low, rest), greater(high, c))
}
