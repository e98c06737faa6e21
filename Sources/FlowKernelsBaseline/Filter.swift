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
/// The window is put together from sums over `span` ≈ √window neighbours and the few single samples that are left. That
/// takes about 2·√window additions a sample, but no sample waits for its neighbour's sum, and no rounding error runs
/// along the row, as in a running sum. For windows of 15 it takes three quarters of the time of doubling the span again
/// and again, which adds less but stores more.
/// - Contract: `window ≥ 1`; `row` holds `count + window − 1` samples, and so many are overwritten in `scratch`; rows
///   may be read up to 63 bytes past their end; the three overlap nowhere.
public func windowSum(
  _ row: UnsafePointer<Float>, _ scratch: UnsafeMutablePointer<Float>, _ output: UnsafeMutablePointer<Float>,
  count: Int, window: Int
) {
  var span = 1
  while span &* span < window { span &+= 1 }
  let spanCount = count &+ window &- span
  var i = 0
  while i < spanCount {
    var sum = load(row, i)
    var k = 1
    while k < span {
      sum += load(row, i &+ k)
      k &+= 1
    }
    store(sum, scratch, i, spanCount)
    i &+= laneCount
  }
  i = 0
  while i < count {
    var sum = load(scratch, i)
    var k = span
    while k &+ span <= window {
      sum += load(scratch, i &+ k)
      k &+= span
    }
    while k < window {
      sum += load(row, i &+ k)
      k &+= 1
    }
    store(sum, output, i, count)
    i &+= laneCount
  }
}
