// The test whether one scene ends and another begins between two images.

import Imaging

/// Tells cuts from motion.
public enum SceneChange {
  // Numbers without another source were chosen by hand.

  /// The number of samples along each axis.
  private static let grid = PixelSize(width: 64, height: 64)
  /// The confidence from which a registration joins two images of one scene, whatever else changed.
  private static let sameSceneConfidence = 0.3
  /// The minimum difference that remains after registration between two scenes, as a share of the images' own contrast:
  /// unrelated images of one contrast differ by 1.4 standard deviations (more where their brightness differs),
  /// registered ones by a tenth or two.
  private static let minimumDifference = 0.7
  /// The standard deviation that sensors and codecs make, in grey levels.
  private static let noiseDeviation = 4.0

  /// Returns whether `current` shows another scene than `previous`: their registration failed or is unsure, and the
  /// images differ even after it as unrelated images do. Looks at a few thousand pixels.
  ///
  /// - Parameters:
  ///   - previous: The luma of the earlier image.
  ///   - current: The luma of the later image, of the same size.
  ///   - registration: The registration of `current` (floating) to `previous` (reference).
  public static func separates(
    previous: Plane<Float>, current: Plane<Float>, registration: RegistrationResult
  ) -> Bool {
    guard registration.confidence < sameSceneConfidence, previous.size == current.size, !current.size.isEmpty else {
      return false
    }
    let registered = residual(previous, current, registration.warpTransform)
    let still = residual(previous, current, .identity)
    return min(registered, still) > 1
  }

  /// Returns the squared difference between `current`, moved by `map`, and `previous`, as a share of what two scenes
  /// differ by.
  private static func residual(_ previous: Plane<Float>, _ current: Plane<Float>, _ map: Homography) -> Double {
    var count = 0.0
    var (sums, squares, difference) = ((0.0, 0.0), (0.0, 0.0), 0.0)
    map.forEachPair(previous, current, grid: grid, borderTolerance: 1) { a, b in
      let (a, b) = (Double(a), Double(b))
      count += 1
      sums = (sums.0 + a, sums.1 + b)
      squares = (squares.0 + a * a, squares.1 + b * b)
      difference += (a - b) * (a - b)
    }
    guard count > 0 else { return .infinity }
    let variance = (squares.0 - sums.0 * sums.0 / count + squares.1 - sums.1 * sums.1 / count) / (2 * count)
    // Two even images of different brightness are a cut too; noise alone is none.
    return difference / count
      / (minimumDifference * minimumDifference * max(variance, 0) + noiseDeviation * noiseDeviation)
  }
}
