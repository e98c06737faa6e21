// What to make of a registration that is not sure.

/// Judges doubtful maps by what the images themselves say.
enum RegistrationFallback {
  /// The confidence from which a registration is sure: one that is less sure may follow something that passes close to
  /// the camera instead of the scene.
  private static let sureConfidence = 0.9
  /// The confidence below which a registration must prove itself.
  private static let fairConfidence = 0.5
  /// The share of the differences that a motion which must prove itself may leave at most.
  private static let clearShare: Float = 0.8
  /// The number of samples per axis.
  private static let side = 96
  /// The limit of each difference, in grey levels: what belongs to something else must not decide.
  private static let largestDifference: Float = 12

  /// Returns the map of `result` where it is sure, or explains the image as well as each of `simple` ones do (clearly
  /// better, where it is not even fairly sure); else the best of these.
  static func settled(
    _ result: RegistrationResult, against simple: [Homography], previous: Plane<Float>, current: Plane<Float>
  ) -> Homography {
    guard result.confidence < sureConfidence else { return result.warpTransform }
    let differences = simple.map { difference(previous, current, $0) }
    guard let minimum = differences.min(), let index = differences.firstIndex(of: minimum) else {
      return result.warpTransform
    }
    let share = result.confidence < fairConfidence ? clearShare : 1
    return difference(previous, current, result.warpTransform) <= share * minimum ? result.warpTransform : simple[index]
  }

  /// Returns the mean difference of `current`, moved by `map`, and `previous`, each limited.
  private static func difference(_ previous: Plane<Float>, _ current: Plane<Float>, _ map: Homography) -> Float {
    let (width, height) = (current.width, current.height)
    var (sum, count): (Float, Float) = (0, 0)
    for row in 0..<min(side, height) {
      let y = (2 * row + 1) * height / (2 * min(side, height))
      for column in 0..<min(side, width) {
        let x = (2 * column + 1) * width / (2 * min(side, width))
        let position = map.apply(x: Double(x), y: Double(y))
        guard position.x > -0.5, position.y > -0.5, position.x < Double(width) - 0.5, position.y < Double(height) - 0.5
        else {
          continue
        }
        sum += min(
          abs(previous[Int(position.x.rounded()), Int(position.y.rounded())] - current[x, y]), largestDifference)
        count += 1
      }
    }
    return count > 0 ? sum / count : .infinity
  }
}
