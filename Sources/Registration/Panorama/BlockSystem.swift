// Least squares over blocks of unknowns, of which each observation concerns one or two.

/// A symmetric positive definite matrix of `count` unknowns and a right side.
struct BlockSystem {
  let count: Int
  /// The matrix, row by row; only the lower triangle counts.
  private var matrix: [Double]
  private var right: [Double]

  init(count: Int) {
    self.count = count
    matrix = [Double](repeating: 0, count: count * count)
    right = [Double](repeating: 0, count: count)
  }

  /// Adds `weight`·(Σ coefficient·unknown − target)² for unknowns with the given numbers, each of which occurs once.
  mutating func add(weight: Double, _ unknowns: [Int], _ coefficients: [Double], target: Double) {
    for (i, row) in unknowns.enumerated() {
      let scaled = weight * coefficients[i]
      for (k, column) in unknowns.enumerated() where column <= row {
        matrix[row * count + column] += scaled * coefficients[k]
      }
      right[row] += scaled * target
    }
  }

  /// Returns the unknowns, by L·Lᵀ; those that nothing determines are 0.
  ///
  /// - Parameter damping: The amount that is added to the diagonal, in parts of it.
  func solved(damping: Double = 0) -> [Double] {
    var l = matrix
    var x = right
    let count = count
    l.withUnsafeMutableBufferPointer { l in
      for i in 0..<count {
        let diagonal = l[i * count + i] * (1 + damping)
        for j in 0..<i {
          var sum = l[i * count + j]
          for k in 0..<j { sum -= l[i * count + k] * l[j * count + k] }
          l[i * count + j] = l[j * count + j] > 0 ? sum / l[j * count + j] : 0
        }
        var pivot = diagonal
        for k in 0..<i { pivot -= l[i * count + k] * l[i * count + k] }
        l[i * count + i] = pivot > diagonal * 1e-12 ? pivot.squareRoot() : 0
      }
      for i in 0..<count {
        for k in 0..<i { x[i] -= l[i * count + k] * x[k] }
        x[i] = l[i * count + i] > 0 ? x[i] / l[i * count + i] : 0
      }
      for i in (0..<count).reversed() {
        for k in i + 1..<max(count, i + 1) { x[i] -= l[k * count + i] * x[k] }
        x[i] = l[i * count + i] > 0 ? x[i] / l[i * count + i] : 0
      }
    }
    return x
  }
}
