/// A number that changes at a constant rate, from uncertain measurements, with the covariance of number and rate: the
/// filter of Kalman (1960, doi:10.1115/1.3662552).
struct ScalarKalmanFilter: Sendable, Hashable {
  var value: Double
  /// The change per frame.
  var motion = 0.0
  private(set) var variance: Double
  private var covariance: Double
  private var motionVariance: Double

  /// - Parameters:
  ///   - deviation: That of the value.
  ///   - motionDeviation: That of the motion, which is taken to be 0.
  init(_ value: Double, deviation: Double, motionDeviation: Double) {
    self.value = value
    (variance, covariance, motionVariance) = (deviation * deviation, 0, motionDeviation * motionDeviation)
  }

  /// Goes on by a frame, in which the motion changes by a deviation.
  mutating func predict(change: Double) {
    value += motion
    variance += 2 * covariance + motionVariance
    covariance += motionVariance
    motionVariance += change * change
  }

  /// Takes in a value that was measured with a deviation.
  mutating func correct(with measured: Double, deviation: Double) {
    let innovation = measured - value
    let total = variance + deviation * deviation
    let (gain, motionGain) = (variance / total, covariance / total)
    value += gain * innovation
    motion += motionGain * innovation
    motionVariance -= motionGain * covariance
    covariance -= gain * covariance
    variance -= gain * variance
  }
}
