// Small systems of linear equations.

/// A symmetric matrix and a right side, to which weighted observations are added.
struct SmallSystem {
  let count: Int
  /// Row by row; only the lower triangle counts.
  private(set) var matrix: [Double]
  private(set) var right: [Double]

  init(count: Int) {
    self.count = count
    matrix = [Double](repeating: 0, count: count * count)
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

  /// Adds Jᵀ·G·J and Jᵀ·b, weighted: the equations G·x = b in four unknowns x that are J times those of the system.
  /// - Parameters:
  ///   - columns: Of J.
  ///   - gram: The rows of G, symmetric.
  ///   - b: The right side.
  mutating func add(
    _ columns: [SIMD4<Double>], _ gram: (SIMD4<Double>, SIMD4<Double>, SIMD4<Double>, SIMD4<Double>),
    _ b: SIMD4<Double>, weight: Double
  ) {
    for i in 0..<count {
      let c: SIMD4<Double> = weight * columns[i]
      var product: SIMD4<Double> = c[0] * gram.0
      product += c[1] * gram.1
      product += c[2] * gram.2
      product += c[3] * gram.3
      for j in 0...i { matrix[i * count + j] += (product * columns[j]).sum() }
      right[i] += (c * b).sum()
    }
  }

  /// xᵀ·matrix·x.
  func form(_ x: [Double]) -> Double {
    var sum = 0.0
    for i in 0..<count {
      for j in 0..<i { sum += 2 * x[i] * x[j] * matrix[i * count + j] }
      sum += x[i] * x[i] * matrix[i * count + i]
    }
    return sum
  }

  /// The factor L of the matrix = L·Lᵀ (Cholesky); nil when the matrix, scaled to a diagonal of ones, is nearly singular.
  func factor() -> TriangularFactor? {
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
    return TriangularFactor(count: count, l: l)
  }
}

/// A lower triangular matrix L that stands for L·Lᵀ.
struct TriangularFactor {
  let count: Int
  fileprivate let l: [Double]

  /// L⁻¹·b.
  func forward(_ b: [Double]) -> [Double] {
    var x = b
    for i in 0..<count {
      for k in 0..<i { x[i] -= l[i * count + k] * x[k] }
      x[i] /= l[i * count + i]
    }
    return x
  }

  /// (L·Lᵀ)⁻¹·b.
  func solve(_ b: [Double]) -> [Double] {
    var x = forward(b)
    for i in (0..<count).reversed() {
      for k in i + 1..<max(count, i + 1) { x[i] -= l[k * count + i] * x[k] }
      x[i] /= l[i * count + i]
    }
    return x
  }

  /// rowᵀ·(L·Lᵀ)⁻¹·row: the variance of what a row of coefficients predicts.
  func variance(_ row: [Double]) -> Double { forward(row).reduce(0) { $0 + $1 * $1 } }
}
