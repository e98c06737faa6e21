// The motion that counts when a registration is not sure.

import Imaging

/// Judges doubtful maps by what the images themselves say.
package enum RegistrationFallback {
  // The numbers were chosen by hand.

  /// The confidence from which a registration is sure: one that is less sure may follow something that passes close to
  /// the camera instead of the scene.
  private static let unquestionedConfidence = 0.9
  /// The confidence below which a registration must prove itself.
  private static let credibleConfidence = 0.5
  /// The maximum share of the differences that a motion which must prove itself may leave.
  private static let clearShare: Float = 0.8
  /// The number of samples per axis.
  private static let side = 96
  /// The maximum of each difference, in grey levels: what belongs to something else must not decide.
  private static let maximumDifference: Float = 12

  /// Returns the map of `result` where it is sure, or explains the image as well as each of `simple` ones do (clearly
  /// better, where it is not even fairly sure); else the best of these.
  package static func settled(
    _ result: RegistrationResult, against simple: [Homography], previous: Plane<Float>, current: Plane<Float>
  ) -> Homography {
    guard result.confidence < unquestionedConfidence else { return result.warpTransform }
    let differences = simple.map { difference(previous, current, $0) }
    guard let minimum = differences.min(), let index = differences.firstIndex(of: minimum) else {
      return result.warpTransform
    }
    let share = result.confidence < credibleConfidence ? clearShare : 1
    return difference(previous, current, result.warpTransform) <= share * minimum ? result.warpTransform : simple[index]
  }

  /// Returns the mean difference of `current`, moved by `map`, and `previous`, each limited.
  private static func difference(_ previous: Plane<Float>, _ current: Plane<Float>, _ map: Homography) -> Float {
    let grid = PixelSize(width: min(side, current.width), height: min(side, current.height))
    var (sum, count): (Float, Float) = (0, 0)
    map.forEachPair(previous, current, grid: grid, borderTolerance: 0.5) { previous, current in
      sum += min(abs(previous - current), maximumDifference)
      count += 1
    }
    return count > 0 ? sum / count : .infinity
  }
}
