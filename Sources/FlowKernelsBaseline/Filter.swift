// Kernels that weigh and add rows: smoothing, interpolation, window sums.

/// `output[i] = Σ weights[k] · rows[k][i]` for `count` samples, added in the order of `k`.
///
/// A vertical filter passes one pointer per row; a horizontal one passes pointers into one row, one sample apart.
/// - Contract: `taps ≥ 1`; rows may be read up to 63 bytes past `count`; `output` overlaps no row.
public func weightedSum(
  _ rows: UnsafePointer<UnsafePointer<Float>>, _ weights: UnsafePointer<Float>, taps: Int,
  _ output: UnsafeMutablePointer<Float>, count: Int
) {
  var i = 0
  while i < count {
    var sum = load(rows[0], i) * weights[0]
    var k = 1
    while k < taps {
      sum += load(rows[k], i) * weights[k]
      k &+= 1
    }
    store(sum, output, i, count)
    i &+= laneCount
  }
}

/// `output[i] = input[p] · (1 − f) + input[p + 1] · f` with `p = positions[i]`, `f = fractions[i]`.
///
/// - Contract: every `p + 1` may be read and is finite; `output` does not overlap `input`.
public func interpolateColumns(
  _ input: UnsafePointer<Float>, _ positions: UnsafePointer<Int32>, _ fractions: UnsafePointer<Float>,
  _ output: UnsafeMutablePointer<Float>, count: Int
) {
  var i = 0
  while i < count {
    let source = input + Int(positions[i])
    let fraction = fractions[i]
    output[i] = source[0] * (1 - fraction) + source[1] * fraction
    i &+= 1
  }
}

/// `sums[i] += row[i]`.
public func addRow(_ row: UnsafePointer<Float>, to sums: UnsafeMutablePointer<Float>, count: Int) {
  var i = 0
  while i < count {
    store(load(sums, i) + load(row, i), sums, i, count)
    i &+= laneCount
  }
}

/// `sums[i] += added[i] − removed[i]`: moves a column sum one row down.
public func slideRows(
  adding added: UnsafePointer<Float>, removing removed: UnsafePointer<Float>, _ sums: UnsafeMutablePointer<Float>,
  count: Int
) {
  var i = 0
  while i < count {
    store(load(sums, i) + (load(added, i) - load(removed, i)), sums, i, count)
    i &+= laneCount
  }
}

/// `output[i] = row[i] + … + row[i + window − 1]`: sums over a window along a row.
///
/// The window is put together from sums over 1, 2, 4, … neighbours, one for each bit of its width, narrowest first.
/// That takes about 2·log₂(window) additions a sample, no sample waits for its neighbour's sum, and no rounding
/// error runs along the row as in a running sum.
/// - Contract: `window ≥ 1`; `row` holds `count + window − 1` samples, and so many are overwritten in `scratch`; rows may
///   be read up to 63 bytes past their end; the three overlap nowhere.
public func windowSum(
  _ row: UnsafePointer<Float>, _ scratch: UnsafeMutablePointer<Float>, _ output: UnsafeMutablePointer<Float>,
  count: Int, window: Int
) {
  var spans = row  // spans[i]: the sum of `span` samples from i on
  var span = 1
  var offset = 0
  var available = count &+ window &- 1
  while true {
    if window & span != 0 {
      accumulate(spans + offset, output, count: count, isFirst: offset == 0)
      offset &+= span
    }
    guard offset < window else { return }
    available &-= span
    var i = 0
    while i < available {
      store(load(spans, i) + load(spans, i &+ span), scratch, i, available)
      i &+= laneCount
    }
    spans = UnsafePointer(scratch)
    span &*= 2
  }
}

/// Adds a row to `output`, or copies it there.
@inline(__always)
private func accumulate(
  _ row: UnsafePointer<Float>, _ output: UnsafeMutablePointer<Float>, count: Int, isFirst: Bool
) {
  var i = 0
  if isFirst {
    while i < count {
      store(load(row, i), output, i, count)
      i &+= laneCount
    }
  } else {
    while i < count {
      store(load(output, i) + load(row, i), output, i, count)
      i &+= laneCount
    }
  }
}
