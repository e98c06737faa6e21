// The confidence in a track.

import Imaging

/// The past of a track, and the likelihood that it is still right.
///
/// The response of a filter that follows whatever the box shows does not tell whether that is still the same object. It
/// is the less likely the longer a track is, and the further the response once fell, as when someone else passed: a
/// logistic regression on these two, fitted on the odd tracks of `vtest.avi` and on TUD-Campus to whether box and truth
/// overlap by half (IoU). The last response and its peak-to-sidelobe ratio add nothing to them.
struct TrackReliability: Sendable {
  /// The constant term of the regression.
  private static let constant = 0.71
  /// The weight of the minimum response.
  private static let minimumQualityWeight = 2.9
  /// The weight of the age, in shares of its maximum.
  private static let ageWeight = -3.5
  /// The number of frames at which half of the age's weight counts.
  private static let halfAge = 60.0

  /// The number of frames in a row in which the object was not seen.
  private(set) var missedCount = 0
  /// The number of frames in which it was seen.
  private var seenCount = 1
  /// The minimum response so far, in shares of the usual one.
  private var minimumQuality = 1.0

  /// Takes a frame in which the object was not seen.
  mutating func miss() { missedCount += 1 }

  /// Takes a frame in which it was.
  mutating func see(_ match: BoxAppearance.Match) {
    missedCount = 0
    seenCount += 1
    minimumQuality = min(minimumQuality, match.quality)
  }

  /// The likelihood that the box overlaps the object by half, 0…1.
  var confidence: Double {
    let age = Double(seenCount) / (Double(seenCount) + Self.halfAge)
    return Self.logistic(Self.constant + Self.minimumQualityWeight * minimumQuality + Self.ageWeight * age)
  }

  /// 1 / (1 + exp(−x)), by an exponential that is the same on every processor.
  private static func logistic(_ x: Double) -> Double {
    let small = gaussian((2 * abs(x)).squareRoot(), sigma: 1)
    return x < 0 ? small / (1 + small) : 1 / (1 + small)
  }
}
