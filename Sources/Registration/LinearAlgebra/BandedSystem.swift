// Least squares along a path, where each observation ties three neighbours together.

/// A symmetric positive definite matrix with two diagonals beside the main one, and several right sides.
struct BandedSystem {
  let count: Int
  let sides: Int
  private var diagonal: [Double]
  private var first: [Double]
  private var second: [Double]
  /// The right-hand sides: `sides` numbers for each unknown.
  private var right: [Double]

  init(count: Int, sides: Int) {
    self.count = count
    self.sides = sides
    diagonal = [Double](repeating: 0, count: count)
    first = diagonal
    second = diagonal
    right = [Double](repeating: 0, count: count * sides)
  }

  /// Adds `weight`·(Σ coefficient·unknown − target)² for up to three unknowns in a row that begin at `start`; unknowns
  /// below 0 count as zero.
  mutating func add(weight: Double, start: Int, coefficients: [Double], targets: [Double]) {
    for (i, a) in coefficients.enumerated() where start + i >= 0 {
      let row = start + i
      diagonal[row] += weight * a * a
      if i + 1 < coefficients.count { first[row] += weight * a * coefficients[i + 1] }
      if i + 2 < coefficients.count { second[row] += weight * a * coefficients[i + 2] }
      for side in 0..<sides { right[row * sides + side] += weight * a * targets[side] }
    }
  }

  /// The unknowns, `sides` numbers each: by L·D·Lᵀ.
  func solved() -> [Double] {
    var (d, l1, l2) = (diagonal, first, second)
    var x = right
    for i in 0..<count {
      if i >= 2 { d[i] -= l2[i - 2] * l2[i - 2] * d[i - 2] }
      if i >= 1 {
        d[i] -= l1[i - 1] * l1[i - 1] * d[i - 1]
        l1[i] -= l2[i - 1] * d[i - 1] * l1[i - 1]
      }
      l1[i] /= d[i]
      l2[i] /= d[i]
      for side in 0..<sides {
        if i >= 1 { x[i * sides + side] -= l1[i - 1] * x[(i - 1) * sides + side] }
        if i >= 2 { x[i * sides + side] -= l2[i - 2] * x[(i - 2) * sides + side] }
      }
    }
    for i in (0..<count).reversed() {
      for side in 0..<sides {
        var value = x[i * sides + side] / d[i]
        if i + 1 < count { value -= l1[i] * x[(i + 1) * sides + side] }
        if i + 2 < count { value -= l2[i] * x[(i + 2) * sides + side] }
        x[i * sides + side] = value
      }
    }
    return x
  }
}
