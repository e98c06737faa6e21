// A test whether other alignments explain a pair as well as the one that was found.

import Imaging

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The best rival of an alignment: where the reference looks the same at another position, as bricks and chessboards
/// do, the floating image fits there, too.
///
/// The correlation of the reference with its own shifted copies, over what both show, is compared with that of the two
/// images as they were aligned, see ``SelfCorrelation``: noise lowers both.
struct RivalAlignment {
  /// The correlation of the reference with itself, shifted, at its highest peak besides none, −1…1.
  let selfCorrelation: Double
  /// The correlation of both images as they are aligned, −1…1; 1, unseen, where the reference is not periodic.
  let correlation: Double

  // Numbers of this type without another source were chosen by hand.

  /// The ratio of both from which on the alignment is in doubt, and from which on it is a guess. The highest of 63
  /// published images is 0.36; of bricks, dots and chessboards, whatever their noise, 41 of 42 have 0.86 and more.
  private static let (doubt, guess) = (0.75, 0.88)
  /// The self-correlation from which on an image counts as periodic at all, and from which on fully.
  private static let (hint, periodic) = (0.45, 0.55)
  /// The share of the confidence that is left to a guess.
  private static let guessConfidence = 0.4
  /// The minimum correlation that is counted: below it, the images have little in common, and confidence knows.
  private static let minimumCorrelation = 0.3

  /// Returns nil where there is nothing to compare.
  /// - Parameter map: From the floating image to the reference, in pixels.
  init?(of map: Homography, _ pair: RegistrationPair) {
    let (reference, floating) = (pair.reference, pair.floating)
    guard let (pattern, level) = pair.selfCorrelation.pattern, let selfCorrelation = pair.selfCorrelation.peak,
      let inverse = map.inverse
    else { return nil }
    self.selfCorrelation = selfCorrelation
    guard selfCorrelation > Self.hint else {
      correlation = 1
      return
    }
    // One pixel of both levels shows about as much.
    let middle = SIMD2(Double(reference.size.width - 1) / 2, Double(reference.size.height - 1) / 2)
    let zoom = log2(max(abs(inverse.jacobian(middle).determinant), 1e-6).squareRoot())
    let floatingLevel = min(max(level + Int(zoom.rounded()), 0), floating.levels.count - 1)
    correlation = Self.correlation(
      (pattern, level), (LocalContrast(floating.levels[floatingLevel]), floatingLevel), by: inverse)
  }

  /// The factor by which rivals lower the confidence, ``guessConfidence``…1.
  var confidence: Double {
    let ratio = selfCorrelation / max(correlation, Self.minimumCorrelation)
    func rise(_ value: Double, from low: Double, to high: Double) -> Double {
      min(max((value - low) / (high - low), 0), 1)
    }
    let share =
      rise(ratio, from: Self.doubt, to: Self.guess) * rise(selfCorrelation, from: Self.hint, to: Self.periodic)
    return 1 - share * (1 - Self.guessConfidence)
  }

  /// Returns the correlation of both images where the floating one covers the reference.
  /// - Parameter inverse: From the reference to the floating image, in pixels.
  private static func correlation(
    _ reference: (contrast: LocalContrast, level: Int), _ floating: (contrast: LocalContrast, level: Int),
    by inverse: Homography
  ) -> Double {
    var (ab, aa, bb) = (0.0, 0.0, 0.0)
    let (size, level, floatingLevel) = (floating.contrast.image.size, reference.level, floating.level)
    guard min(size.width, size.height) >= 2 else { return 0 }
    reference.contrast.image.withView { reference in
      floating.contrast.image.withView { floating in
        for y in 0..<reference.height {
          let row = reference.row(y)
          for x in 0..<reference.width {
            let point = SIMD2(
              RegistrationImage.fullSize(Double(x), level: level), RegistrationImage.fullSize(Double(y), level: level))
            guard inverse.depth(point) > 1e-9 else { continue }
            let there = inverse.apply(point)
            let position = SIMD2(
              RegistrationImage.onLevel(there.x, level: floatingLevel),
              RegistrationImage.onLevel(there.y, level: floatingLevel))
            guard position.x >= 0, position.y >= 0, position.x <= Double(size.width - 1),
              position.y <= Double(size.height - 1)
            else { continue }
            let (a, b) = (Double(row[x]), Double(floating.sample(position)))
            ab += a * b
            aa += a * a
            bb += b * b
          }
        }
      }
    }
    return aa > 0 && bb > 0 ? ab / (aa * bb).squareRoot() : 0
  }
}
