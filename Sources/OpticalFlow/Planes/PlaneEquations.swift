// The normal equations of a homography's eight elements.

/// The equations h₀x + h₁y + h₂ − X(h₆x + h₇y) = X, and the same with h₃, h₄, h₅ and Y, over samples that go from (x,
/// y) to (X, Y).
struct PlaneEquations {
  /// The number of elements of a homography but for its scale.
  private static let unknowns = 8
  // The numbers were chosen by hand.

  /// The weight that keeps a plane parallel to the image where samples do not tell, for a sample of weight 1.
  private static let perspectiveWeight = 1e-4
  /// The minimum pivot, for a sample of weight 1.
  private static let minimumPivot = 1e-7

  /// Sums as the kernel `planeSums` forms them.
  private let sums: UnsafePointer<Float>

  init(_ sums: UnsafePointer<Float>) { self.sums = sums }

  private var weight: Double { Double(sums[5]) }

  /// Writes the eight elements; false when samples lie on a line.
  func solve(into elements: inout [Float]) -> Bool {
    withUnsafeTemporaryAllocation(of: Double.self, capacity: Self.unknowns * (Self.unknowns + 1)) { memory in
      guard let matrix = memory.baseAddress else { return false }
      let solution = matrix + Self.unknowns * Self.unknowns
      fill(matrix, solution)
      guard Self.factor(matrix, minimumPivot: Self.minimumPivot * weight) else { return false }
      Self.substitute(matrix, solution)
      for i in 0..<Self.unknowns { elements[i] = Float(solution[i]) }
      return true
    }
  }

  /// The lower half of the matrix, row by row, and the right side.
  private func fill(_ a: UnsafeMutablePointer<Double>, _ b: UnsafeMutablePointer<Double>) {
    for i in 0..<Self.unknowns * Self.unknowns { a[i] = 0 }
    func sum(_ group: Int, _ index: Int) -> Double { Double(sums[group * 6 + index]) }
    for (base, by) in [(0, 1), (3, 2)] {
      a[base * 8 + base] = sum(0, 0)
      a[(base + 1) * 8 + base] = sum(0, 1)
      a[(base + 1) * 8 + base + 1] = sum(0, 2)
      a[(base + 2) * 8 + base] = sum(0, 3)
      a[(base + 2) * 8 + base + 1] = sum(0, 4)
      a[(base + 2) * 8 + base + 2] = weight
      for (row, products) in [(6, (0, 1, 3)), (7, (1, 2, 4))] {
        a[row * 8 + base] = -sum(by, products.0)
        a[row * 8 + base + 1] = -sum(by, products.1)
        a[row * 8 + base + 2] = -sum(by, products.2)
      }
      for k in 0..<3 { b[base + k] = sum(by, 3 + k) }
    }
    a[6 * 8 + 6] = sum(3, 0) + Self.perspectiveWeight * weight
    a[7 * 8 + 6] = sum(3, 1)
    a[7 * 8 + 7] = sum(3, 2) + Self.perspectiveWeight * weight
    b[6] = -sum(3, 3)
    b[7] = -sum(3, 4)
  }

  /// Cholesky's factorization in place; false when a pivot is below `minimumPivot`.
  private static func factor(_ a: UnsafeMutablePointer<Double>, minimumPivot: Double) -> Bool {
    for i in 0..<unknowns {
      for j in 0...i {
        var sum = a[i * 8 + j]
        for k in 0..<j { sum -= a[i * 8 + k] * a[j * 8 + k] }
        if i > j {
          a[i * 8 + j] = sum / a[j * 8 + j]
        } else {
          guard sum > minimumPivot else { return false }
          a[i * 8 + i] = sum.squareRoot()
        }
      }
    }
    return true
  }

  /// Forward and back substitution.
  private static func substitute(_ a: UnsafePointer<Double>, _ b: UnsafeMutablePointer<Double>) {
    for i in 0..<unknowns {
      for k in 0..<i { b[i] -= a[i * 8 + k] * b[k] }
      b[i] /= a[i * 8 + i]
    }
    for i in (0..<unknowns).reversed() {
      for k in (i + 1)..<max(unknowns, i + 1) { b[i] -= a[k * 8 + i] * b[k] }
      b[i] /= a[i * 8 + i]
    }
  }
}
