/// A projective map of the plane: a 3×3 matrix for homogeneous pixel coordinates (origin top left, y down).
public struct Homography: Sendable, Hashable, Codable {
  /// Nine elements, row by row.
  public var elements: [Double]

  /// Takes nine elements, row by row.
  public init(_ elements: [Double]) {
    precondition(elements.count == 9, "a homography has 9 elements, not \(elements.count)")
    self.elements = elements
  }

  /// The map that moves nothing.
  public static let identity = Homography([1, 0, 0, 0, 1, 0, 0, 0, 1])

  /// A shift by `x` pixels to the right and `y` pixels down.
  public static func translation(x: Double, y: Double) -> Homography { Homography([1, 0, x, 0, 1, y, 0, 0, 1]) }

  /// Where the point (x, y) goes.
  public func apply(x: Double, y: Double) -> (x: Double, y: Double) {
    let e = elements
    let w = e[6] * x + e[7] * y + e[8]
    return ((e[0] * x + e[1] * y + e[2]) / w, (e[3] * x + e[4] * y + e[5]) / w)
  }

  /// The map that applies `second` first, then `first`.
  public static func * (first: Homography, second: Homography) -> Homography {
    var product = [Double](repeating: 0, count: 9)
    for row in 0..<3 {
      for column in 0..<3 {
        for k in 0..<3 { product[row * 3 + column] += first.elements[row * 3 + k] * second.elements[k * 3 + column] }
      }
    }
    return Homography(product)
  }

  /// The determinant of the matrix: 0 when the map has no inverse, below 0 for an affine map that mirrors.
  public var determinant: Double {
    let e = elements
    return e[0] * (e[4] * e[8] - e[5] * e[7]) - e[1] * (e[3] * e[8] - e[5] * e[6])
      + e[2] * (e[3] * e[7] - e[4] * e[6])
  }

  /// The map backwards, with its last element 1 where that is possible; nil when there is none.
  public var inverse: Homography? {
    let e = elements
    let d = determinant
    guard d.isFinite, abs(d) > .leastNormalMagnitude else { return nil }
    let adjugate = [
      e[4] * e[8] - e[5] * e[7], e[2] * e[7] - e[1] * e[8], e[1] * e[5] - e[2] * e[4],
      e[5] * e[6] - e[3] * e[8], e[0] * e[8] - e[2] * e[6], e[2] * e[3] - e[0] * e[5],
      e[3] * e[7] - e[4] * e[6], e[1] * e[6] - e[0] * e[7], e[0] * e[4] - e[1] * e[3],
    ]
    return Homography(adjugate.map { $0 / d }).normalized
  }

  /// The same map with its last element 1, unless that element vanishes.
  public var normalized: Homography {
    guard abs(elements[8]) > 1e-12 else { return self }
    return Homography(elements.map { $0 / elements[8] })
  }
}
