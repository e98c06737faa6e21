// From keypoints in pixels to normalised matches, and back.

import Imaging

/// Normalised coordinates of two images: 0 in the middle of each, and one unit for both: half the longer diagonal.
struct MatchFrame: Sendable {
  let reference: PixelSize
  let floating: PixelSize
  /// The size of a pixel in normalised coordinates.
  let unit: Double

  /// The scale at which the variance of a keypoint's position is twice that of the finest ones, in pixels: it grows
  /// with the square of the scale. Chosen by hand.
  private static let scaleOfDoubleVariance: Float = 4
  /// The distance in both images, in pixels, within which two matches show the same point; chosen by hand.
  private static let duplicateDistance = 2.0

  init(reference: PixelSize, floating: PixelSize) {
    self.reference = reference
    self.floating = floating
    func square(_ size: PixelSize) -> Double { Double(size.width * size.width + size.height * size.height) }
    unit = 2 / max(square(reference), square(floating), 1).squareRoot()
  }

  private func middle(of size: PixelSize) -> SIMD2<Double> {
    SIMD2(Double(size.width - 1) / 2, Double(size.height - 1) / 2)
  }

  /// The corners of the floating image.
  var floatingCorners: [SIMD2<Double>] {
    let m = middle(of: floating) * unit
    return [SIMD2(-m.x, -m.y), SIMD2(m.x, -m.y), SIMD2(m.x, m.y), SIMD2(-m.x, m.y)]
  }

  /// The area of the reference image.
  var referenceArea: Double { Double(reference.area) * unit * unit }

  /// Returns whether the reference image shows a normalised point.
  func isInReference(_ position: SIMD2<Double>) -> Bool {
    let m = middle(of: reference) * unit
    return abs(position.x) <= m.x && abs(position.y) <= m.y
  }

  /// Returns a normalised point of the reference in its pixels.
  func referencePixel(_ position: SIMD2<Double>) -> SIMD2<Double> { position / unit + middle(of: reference) }

  /// - Parameters:
  ///   - referenceView: The map that warped the reference image before its keypoint was described.
  ///   - floatingView: The map that warped the floating image before its keypoint was described.
  func match(
    _ r: Keypoint, _ f: Keypoint, referenceView: Matrix2x2 = .identity, floatingView: Matrix2x2 = .identity
  ) -> PointMatch {
    let zoom = Double(r.scale / f.scale)
    let cosine = Double(r.cosine * f.cosine + r.sine * f.sine)
    let sine = Double(r.sine * f.cosine - r.cosine * f.sine)
    return PointMatch(
      reference: (SIMD2(Double(r.x), Double(r.y)) - middle(of: reference)) * unit,
      floating: (SIMD2(Double(f.x), Double(f.y)) - middle(of: floating)) * unit,
      referenceVariance: Self.variance(r.scale), floatingVariance: Self.variance(f.scale),
      frame: referenceView.inverse * .similarity(SIMD2(cosine, sine) * zoom) * floatingView)
  }

  private static func variance(_ scale: Float) -> Double {
    let ratio = Double(scale / scaleOfDoubleVariance)
    return 1 + ratio * ratio
  }

  /// Returns the matches without those that repeat a surer one: a keypoint with two directions, or found at two scales.
  func unique(_ matches: [PointMatch]) -> [PointMatch] {
    let limit = Self.duplicateDistance * unit * Self.duplicateDistance * unit
    var kept: [PointMatch] = []
    for match in matches {
      let isRepeated = kept.contains { other in
        let (p, q) = (match.reference - other.reference, match.floating - other.floating)
        return p.x * p.x + p.y * p.y < limit && q.x * q.x + q.y * q.y < limit
      }
      if !isRepeated { kept.append(match) }
    }
    return kept
  }

  /// Returns a map of normalised coordinates as one of pixels.
  func inPixels(_ map: Homography) -> Homography {
    let (r, f) = (middle(of: reference), middle(of: floating))
    let up = Homography(1 / unit, 0, r.x, 0, 1 / unit, r.y, 0, 0, 1)
    let down = Homography(unit, 0, -f.x * unit, 0, unit, -f.y * unit, 0, 0, 1)
    return (up * map * down).normalized
  }

  /// Returns a map of pixels as one of normalised coordinates.
  func normalized(_ map: Homography) -> Homography {
    let (r, f) = (middle(of: reference), middle(of: floating))
    let down = Homography(unit, 0, -r.x * unit, 0, unit, -r.y * unit, 0, 0, 1)
    let up = Homography(1 / unit, 0, f.x, 0, 1 / unit, f.y, 0, 0, 1)
    return (down * map * up).scaled(at: SIMD2(0, 0))
  }
}
