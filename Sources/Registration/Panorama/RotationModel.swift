// The focal length, from how images that were taken from one point lie on each other.

import Imaging

/// The camera that images from one point share, as far as their maps tell.
///
/// The map between two views of a camera that turned is K·R·K⁻¹, with K = diag(f, f, 1) about the middles of the
/// images. So K⁻¹·H·K is a rotation for the right f, and its product with its transpose the identity up to a factor. f
/// is where the links come nearest to that. (The closed forms of Szeliski & Shum 1997 use two of these five equations
/// at a time, and fail for turns about a single axis.)
package struct RotationModel: Sendable, Hashable {
  /// The focal length in pixels.
  package let focalLength: Double
  /// The deviation of the links from rotations at `focalLength`: 0 (exactly) … 1; see `error`.
  package let deviation: Double

  /// The focal lengths that are tried, in longer sides: fields of view of 127° and 3.6°.
  private static let range = (minimum: 0.25, maximum: 16.0)
  /// The ratio of one candidate to the next: eight per octave. Chosen by hand.
  private static let ratio = 1.0905077326652577
  /// The maximum error of a link: that of one that fits no rotation; chosen by hand.
  private static let maximumError = 0.05

  /// - Returns: Nil when the maps leave the focal length open (a shift, a plane that the camera passes).
  package init?(links: [ImageLink], sizes: [PixelSize]) {
    let centered = links.map { link in
      (
        map: link.map.centered(reference: sizes[link.reference], floating: sizes[link.floating]),
        weight: link.confidence
      )
    }
    let side = sizes.map { Double(max($0.width, $0.height)) }.max() ?? 0
    guard side > 0, !centered.isEmpty else { return nil }
    let total = centered.map(\.weight).reduce(0, +)
    func error(_ f: Double) -> Double {
      centered.map { $0.weight * min(Self.error($0.map, f), Self.maximumError) }.reduce(0, +) / max(total, 1e-9)
    }
    var best = (f: 0.0, error: Double.infinity)
    var f = Self.range.minimum * side
    while f < Self.range.maximum * side {
      let value = error(f)
      if value < best.error { best = (f, value) }
      f *= Self.ratio
    }
    guard best.f > Self.range.minimum * side, best.f * Self.ratio < Self.range.maximum * side else { return nil }
    // Between the neighbours of the best candidate, by thirds.
    var (low, high) = (best.f / Self.ratio, best.f * Self.ratio)
    for _ in 0..<40 {
      let (a, b) = (low + (high - low) / 3, high - (high - low) / 3)
      if error(a) <= error(b) { high = b } else { low = a }
    }
    focalLength = (low + high) / 2
    deviation = error(focalLength)
  }

  /// 1 − (tr N)² / (3 tr N²) for N = M·Mᵀ, M = K⁻¹·H·K: 0 when M is a rotation times a factor.
  private static func error(_ h: Homography, _ f: Double) -> Double {
    let e = h.elements
    let rows = [
      SIMD3(e[0], e[1], e[2] / f), SIMD3(e[3], e[4], e[5] / f), SIMD3(e[6] * f, e[7] * f, e[8]),
    ]
    var (trace, squares) = (0.0, 0.0)
    for i in 0..<3 {
      for k in 0..<3 {
        let product = (rows[i] * rows[k]).sum()
        squares += product * product
        if i == k { trace += product }
      }
    }
    return squares > 0 ? 1 - trace * trace / (3 * squares) : 1
  }
}

extension Homography {
  /// Returns the same map between coordinates about the middles of the images.
  fileprivate func centered(reference: PixelSize, floating: PixelSize) -> Homography {
    .translation(x: -Double(reference.width - 1) / 2, y: -Double(reference.height - 1) / 2) * self
      * .translation(x: Double(floating.width - 1) / 2, y: Double(floating.height - 1) / 2)
  }
}
