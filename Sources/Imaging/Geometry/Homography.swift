/// A projective map of the plane: a 3×3 matrix for homogeneous pixel coordinates (origin top left, y down).
///
/// The matrix lies in nine numbers and not in an array, so that loops over thousands of samples touch no memory.
public struct Homography: Sendable, Hashable {
  /// The elements, row by row.
  @usableFromInline package var a, b, c, d, e, f, g, h, i: Double

  /// Takes nine elements, row by row.
  @inlinable
  package init(
    _ a: Double, _ b: Double, _ c: Double, _ d: Double, _ e: Double, _ f: Double, _ g: Double, _ h: Double, _ i: Double
  ) {
    (self.a, self.b, self.c) = (a, b, c)
    (self.d, self.e, self.f) = (d, e, f)
    (self.g, self.h, self.i) = (g, h, i)
  }

  /// Takes nine elements, row by row.
  public init(_ elements: [Double]) {
    precondition(elements.count == 9, "a homography has 9 elements, not \(elements.count)")
    let m = elements
    self.init(m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8])
  }

  /// Nine elements, row by row.
  public var elements: [Double] {
    get { [a, b, c, d, e, f, g, h, i] }
    set { self = Homography(newValue) }
  }

  /// The map that moves nothing.
  public static let identity = Homography(1, 0, 0, 0, 1, 0, 0, 0, 1)

  /// A shift by `x` pixels to the right and `y` pixels down.
  public static func translation(x: Double, y: Double) -> Homography { Homography(1, 0, x, 0, 1, y, 0, 0, 1) }

  /// Returns the image of the point (x, y).
  public func apply(x: Double, y: Double) -> (x: Double, y: Double) {
    let w = g * x + h * y + i
    return ((a * x + b * y + c) / w, (d * x + e * y + f) / w)
  }

  /// Returns the image of a point, with one division instead of two: the last bit may differ from that of
  /// ``apply(x:y:)``.
  @inlinable
  package func apply(_ point: SIMD2<Double>) -> SIMD2<Double> {
    let w = 1 / depth(point)
    return SIMD2((a * point.x + b * point.y + c) * w, (d * point.x + e * point.y + f) * w)
  }

  /// The third homogeneous coordinate of where a point goes: positive on this side of the horizon.
  @inlinable
  package func depth(_ point: SIMD2<Double>) -> Double { g * point.x + h * point.y + i }

  /// The map that applies `second` first, then `first`.
  public static func * (first: Homography, second: Homography) -> Homography {
    let (l, r) = (first, second)
    // The sums begin with 0, so that no element is −0.
    return Homography(
      0 + l.a * r.a + l.b * r.d + l.c * r.g, 0 + l.a * r.b + l.b * r.e + l.c * r.h,
      0 + l.a * r.c + l.b * r.f + l.c * r.i,
      0 + l.d * r.a + l.e * r.d + l.f * r.g, 0 + l.d * r.b + l.e * r.e + l.f * r.h,
      0 + l.d * r.c + l.e * r.f + l.f * r.i,
      0 + l.g * r.a + l.h * r.d + l.i * r.g, 0 + l.g * r.b + l.h * r.e + l.i * r.h,
      0 + l.g * r.c + l.h * r.f + l.i * r.i)
  }

  /// The determinant of the matrix: 0 when the map has no inverse, below 0 for an affine map that mirrors.
  public var determinant: Double { a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g) }

  /// The map backwards, up to the factor of the determinant.
  package var adjugate: Homography {
    Homography(
      e * i - f * h, c * h - b * i, b * f - c * e,
      f * g - d * i, a * i - c * g, c * d - a * f,
      d * h - e * g, b * g - a * h, a * e - b * d)
  }

  /// The map backwards, with its last element 1 where that is possible; nil when there is none.
  public var inverse: Homography? {
    let d = determinant
    guard d.isFinite, abs(d) > .leastNormalMagnitude else { return nil }
    return adjugate.divided(by: d).normalized
  }

  /// The map scaled so that its last element is 1, unless that element vanishes.
  public var normalized: Homography { abs(i) > 1e-12 ? divided(by: i) : self }

  /// Returns the same map with all elements divided by a number.
  package func divided(by s: Double) -> Homography {
    Homography(a / s, b / s, c / s, d / s, e / s, f / s, g / s, h / s, i / s)
  }

  /// Returns this map between images as one between images of which each pixel is the mean of a block of `x × y`
  /// pixels.
  package func betweenMeans(x: Int, y: Int) -> Homography {
    let (sx, sy) = (Double(x), Double(y))
    let (ox, oy) = ((sx - 1) / 2, (sy - 1) / 2)
    return Homography(1 / sx, 0, -ox / sx, 0, 1 / sy, -oy / sy, 0, 0, 1) * self
      * Homography(sx, 0, ox, 0, sy, oy, 0, 0, 1)
  }
}

extension Homography: Codable {
  private enum CodingKeys: CodingKey { case elements }

  /// Decodes nine elements, row by row, under the key `elements`.
  public init(from decoder: any Decoder) throws {
    let elements = try decoder.container(keyedBy: CodingKeys.self).decode([Double].self, forKey: .elements)
    guard elements.count == 9 else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: decoder.codingPath, debugDescription: "a homography has 9 elements, not \(elements.count)"))
    }
    self.init(elements)
  }

  /// Encodes the elements, row by row, under the key `elements`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(elements, forKey: .elements)
  }
}
