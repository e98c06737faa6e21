// The weight of a match whose distance from the map is known, but not the noise of such distances.

import Imaging

/// The weights of MAGSAC++ (Barath, Noskova, Ivashechkin and Matas, CVPR 2020, doi:10.1109/CVPR42600.2020.00138) for
/// distances in the plane.
///
/// The noise level σ is taken as anything up to σmax alike. For each, a distance r is distributed as a χ with two
/// degrees of freedom up to its quantile of 99 %; the weight is the density's integral over σ, here
/// erfc(r / √2σmax) − erfc(k / √2), up to a factor.
struct MarginalWeights: Sendable {
  /// The quantile of 99 % of the χ distribution with two degrees of freedom.
  private static let quantile = 3.0348542587702925
  /// The number of intervals of the table.
  private static let steps = 256
  /// The weights at r² = limit² · i / steps.
  private let table: [Double]

  static let shared = MarginalWeights()

  private init() {
    // ∫ exp(−t² / 2) from r to the quantile by the midpoint rule; r in units of σmax.
    table = (0...Self.steps).map { index in
      let start = (Double(index) / Double(Self.steps)).squareRoot() * Self.quantile
      let parts = 200
      let width = (Self.quantile - start) / Double(parts)
      return (0..<parts).reduce(0) { $0 + width * gaussian(start + (Double($1) + 0.5) * width, sigma: 1) }
    }
  }

  /// The weight of a squared distance, in units of the squared limit: 1.25 at 0, nothing at 1.
  func weight(_ square: Double) -> Double {
    guard square < 1 else { return 0 }
    let position = square * Double(Self.steps)
    let index = Int(position)
    let fraction = position - Double(index)
    return table[index] * (1 - fraction) + table[index + 1] * fraction
  }
}
