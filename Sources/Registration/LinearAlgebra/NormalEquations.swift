// Small systems of linear equations.

/// A symmetric matrix and a right side, to which weighted observations are added.
package struct NormalEquations {
  /// The number of unknowns.
  package let count: Int
  /// The matrix, row by row; only the lower triangle counts.
  private(set) var matrix: [Double]
  private(set) var right: [Double]

  init(count: Int) {
    self.count = count
    matrix = [Double](repeating: 0, count: count * count)
    right = [Double](repeating: 0, count: count)
  }

  /// Equations whose matrix is known, row by row; only its lower triangle counts. The right side is 0.
  package init(count: Int, matrix: [Double]) {
    precondition(matrix.count == count * count, "\(matrix.count) numbers for \(count) unknowns")
    self.count = count
    self.matrix = matrix
    right = [Double](repeating: 0, count: count)
  }

  /// Adds JᵀPJ and JᵀPd for two rows `a`, `b` of J, a symmetric 2×2 matrix P and an observation d.
  mutating func add(
    _ a: UnsafeMutableBufferPointer<Double>, _ b: UnsafeMutableBufferPointer<Double>,
    _ p: (xx: Double, xy: Double, yy: Double), _ d: (x: Double, y: Double)
  ) {
    let count = count
    let (qx, qy) = (p.xx * d.x + p.xy * d.y, p.xy * d.x + p.yy * d.y)
    matrix.withUnsafeMutableBufferPointer { matrix in
      right.withUnsafeMutableBufferPointer { right in
        for i in 0..<count {
          let x = p.xx * a[i] + p.xy * b[i]
          let y = p.xy * a[i] + p.yy * b[i]
          for j in 0...i { matrix[i * count + j] += x * a[j] + y * b[j] }
          right[i] += a[i] * qx + b[i] * qy
        }
      }
    }
  }

  /// Adds weighted equations G·(x, y, γ, β) = b, where x and y are rows of the first unknowns, and γ and β the last
  /// two.
  /// - Parameters:
  ///   - gram: The rows of G, symmetric.
  ///   - b: The right side.
  mutating func add(
    _ x: UnsafeMutableBufferPointer<Double>, _ y: UnsafeMutableBufferPointer<Double>,
    _ gram: (SIMD4<Double>, SIMD4<Double>, SIMD4<Double>, SIMD4<Double>), _ b: SIMD4<Double>, weight: Double
  ) {
    let (count, first) = (count, count - 2)
    let (onX, onY, onContrast, onBrightness) = (
      weight * gram.0, weight * gram.1, weight * gram.2, weight * gram.3
    )
    let b = weight * b
    matrix.withUnsafeMutableBufferPointer { matrix in
      right.withUnsafeMutableBufferPointer { right in
        for i in 0..<first {
          let px = onX[0] * x[i] + onX[1] * y[i]
          let py = onY[0] * x[i] + onY[1] * y[i]
          for j in 0...i { matrix[i * count + j] += px * x[j] + py * y[j] }
          matrix[first * count + i] += onContrast[0] * x[i] + onContrast[1] * y[i]
          matrix[(first + 1) * count + i] += onBrightness[0] * x[i] + onBrightness[1] * y[i]
          right[i] += b[0] * x[i] + b[1] * y[i]
        }
        matrix[first * count + first] += onContrast[2]
        matrix[(first + 1) * count + first] += onBrightness[2]
        matrix[(first + 1) * count + first + 1] += onBrightness[3]
        right[first] += b[2]
        right[first + 1] += b[3]
      }
    }
  }

  /// Returns xᵀ·matrix·x.
  func form(_ x: [Double]) -> Double {
    var sum = 0.0
    for i in 0..<count {
      for j in 0..<i { sum += 2 * x[i] * x[j] * matrix[i * count + j] }
      sum += x[i] * x[i] * matrix[i * count + i]
    }
    return sum
  }

  /// Returns the factor L of the matrix = L·Lᵀ (Cholesky); nil when the matrix, scaled to a diagonal of ones, is nearly
  /// singular.
  package func factor() -> CholeskyFactor? {
    var l = matrix
    for i in 0..<count {
      let diagonal = matrix[i * count + i]
      guard diagonal > 0, diagonal.isFinite else { return nil }
      for j in 0...i {
        var sum = matrix[i * count + j]
        for k in 0..<j { sum -= l[i * count + k] * l[j * count + k] }
        if i == j {
          guard sum > diagonal * 1e-10 else { return nil }
          l[i * count + i] = sum.squareRoot()
        } else {
          l[i * count + j] = sum / l[j * count + j]
        }
      }
    }
    return CholeskyFactor(count: count, l: l)
  }
}

/// A lower triangular matrix L that stands for L·Lᵀ.
package struct CholeskyFactor {
  let count: Int
  fileprivate let l: [Double]

  /// Returns L⁻¹·b.
  func forward(_ b: [Double]) -> [Double] {
    var x = b
    for i in 0..<count {
      for k in 0..<i { x[i] -= l[i * count + k] * x[k] }
      x[i] /= l[i * count + i]
    }
    return x
  }

  /// Returns (L·Lᵀ)⁻¹·b.
  package func solve(_ b: [Double]) -> [Double] {
    var x = forward(b)
    for i in (0..<count).reversed() {
      for k in i + 1..<max(count, i + 1) { x[i] -= l[k * count + i] * x[k] }
      x[i] /= l[i * count + i]
    }
    return x
  }

  /// Returns rowᵀ·(L·Lᵀ)⁻¹·row: the variance of what a row of coefficients predicts.
  func variance(_ row: [Double]) -> Double { forward(row).reduce(0) { $0 + $1 * $1 } }
}
