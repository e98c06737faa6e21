// The probability that matches agree with a map by chance.

import Imaging

/// The number of false alarms of a contrario estimation (Moisan and Stival, IJCV 2004,
/// doi:10.1023/B:VISI.0000013094.38752.5f): how many maps as good as this one wrong matches would be expected to give.
struct AContrarioModel {
  let matches: [PointMatch]
  /// The area of the reference image, normalised.
  let area: Double
  /// The minimum distance that is told from nothing, normalised.
  let precision: Double

  /// Returns −log₁₀ of the number of false alarms, at the limit where it is smallest; 0 when chance explains the map.
  ///
  /// A wrong match agrees within r by chance with the probability π·r² / area, or with the share of all other matches'
  /// points around if that is larger: textures gather matches.
  func evidence(for map: Homography, model: TransformModel, limit: Double) -> Double {
    let count = matches.count
    let size = model.sampleSize
    let errors = matches.compactMap { TransferError(of: $0, by: map) }.filter { $0.square < limit * limit }
    guard errors.count > size, count > size else { return 0 }
    let sorted = errors.map(\.square).sorted()
    let crowding = crowding(around: errors, radius: limit)
    let factorials = LogFactorials(upTo: count)
    var best = 0.0
    for agreeing in size + 1...sorted.count {
      let radius = max(sorted[agreeing - 1].squareRoot(), precision)
      let chance = min(Double.pi * radius * radius / area * crowding, 1)
      let alarms =
        decimalLogarithm(Double(count - size)) + factorials.choose(count, agreeing)
        + factorials.choose(agreeing, size) + Double(agreeing - size) * decimalLogarithm(chance)
      best = max(best, -alarms)
    }
    return best
  }

  /// Returns the factor by which the matches lie denser around the explained points than spread evenly, at least 1.
  private func crowding(around errors: [TransferError], radius: Double) -> Double {
    let wide = radius * 4
    var near = 0
    for error in errors {
      for match in matches {
        let distance = match.reference - error.position
        if (distance * distance).sum() < wide * wide { near += 1 }
      }
    }
    // Each point is near itself.
    let others = Double(near - errors.count) / Double(errors.count)
    return max(1, others / (Double(matches.count - 1) * Double.pi * wide * wide / area))
  }
}

/// Decimal logarithms of factorials.
private struct LogFactorials {
  private let sums: [Double]

  init(upTo count: Int) {
    var sums = [0.0]
    for n in stride(from: 1, through: count, by: 1) { sums.append(sums[n - 1] + decimalLogarithm(Double(n))) }
    self.sums = sums
  }

  func choose(_ n: Int, _ k: Int) -> Double { sums[n] - sums[k] - sums[n - k] }
}

/// log₁₀ of a positive number, by a series: the C library's result depends on the processor.
func decimalLogarithm(_ x: Double) -> Double {
  // x = 2^e · m with 1 ≤ m < 2, and ln m = 2·artanh((m − 1) / (m + 1)).
  let t = (x.significand - 1) / (x.significand + 1)
  let square = t * t
  var sum = 0.0
  for n in stride(from: 21, through: 1, by: -2) { sum = sum * square + 1 / Double(n) }
  return (2 * t * sum + Double(x.exponent) * 0.6931471805599453) * 0.4342944819032518
}
