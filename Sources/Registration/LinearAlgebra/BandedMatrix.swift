// Linear equations along a chain, where each unknown meets only those near it.

/// A symmetric positive definite matrix whose entries lie near the diagonal, and its factor L (L·Lᵀ, Cholesky).
///
/// Solving takes O(count · bandwidth²) operations; memory is that of the band.
struct BandedMatrix {
  /// The number of unknowns.
  let count: Int
  /// The number of diagonals below the main one.
  let bandwidth: Int
  /// The entries of the band, row by row: for each those from `bandwidth` columns before the diagonal up to it.
  private var band: [Double]

  /// A matrix of zeros.
  init(count: Int, bandwidth: Int) {
    self.count = count
    self.bandwidth = bandwidth
    band = [Double](repeating: 0, count: count * (bandwidth + 1))
  }

  /// Sets all entries to zero but for the diagonal.
  mutating func reset(diagonal: [Double]) {
    for index in band.indices { band[index] = 0 }
    for (row, value) in diagonal.enumerated() { band[row * (bandwidth + 1) + bandwidth] = value }
  }

  /// Adds `value` to the entry of a row and a column at most `bandwidth` before it.
  @inline(__always)
  mutating func add(_ value: Double, row: Int, column: Int) {
    band[row * (bandwidth + 1) + bandwidth + column - row] += value
  }

  /// Replaces the matrix by its factor.
  mutating func factorize() {
    let (count, bandwidth) = (count, bandwidth)
    let width = bandwidth + 1
    band.withUnsafeMutableBufferPointer { band in
      for i in 0..<count {
        // Columns of row i lie at `row + column`.
        let row = i * width + bandwidth - i
        let first = max(0, i - bandwidth)
        for j in first..<i {
          let other = j * width + bandwidth - j
          var sum = band[row + j]
          for k in max(first, j - bandwidth)..<j { sum -= band[row + k] * band[other + k] }
          band[row + j] = sum / band[other + j]
        }
        var sum = band[row + i]
        for k in first..<i { sum -= band[row + k] * band[row + k] }
        // Rounding alone makes it less than a tiny number: that direction is left alone.
        band[row + i] = sum > 1e-300 ? sum.squareRoot() : 1e150
      }
    }
  }

  /// The unknowns for a right side, after ``factorize()``.
  func solve(_ right: [Double]) -> [Double] {
    var x = right
    let (count, bandwidth) = (count, bandwidth)
    let width = bandwidth + 1
    band.withUnsafeBufferPointer { band in
      x.withUnsafeMutableBufferPointer { x in
        for i in 0..<count {
          let row = i * width + bandwidth - i
          var sum = x[i]
          for k in max(0, i - bandwidth)..<i { sum -= band[row + k] * x[k] }
          x[i] = sum / band[row + i]
        }
        for i in (0..<count).reversed() {
          let row = i * width + bandwidth - i
          let value = x[i] / band[row + i]
          x[i] = value
          for k in max(0, i - bandwidth)..<i { x[k] -= band[row + k] * value }
        }
      }
    }
    return x
  }
}
