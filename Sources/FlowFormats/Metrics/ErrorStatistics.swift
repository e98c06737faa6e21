// The figures of benchmarks for a set of errors, one for each pixel: mean, spread, robustness and accuracy.

/// The errors of all pixels that count.
///
/// The figures are those of the Middlebury benchmark (Baker et al., IJCV 2011, section 4.1,
/// doi:10.1007/s11263-010-0390-2): average, standard deviation, R*x* (the share beyond an error of *x*) and A*x* (the
/// error at the *x*th percentile).
public struct ErrorStatistics: Sendable, Hashable {
  /// The errors of the pixels that have an estimate, in rising order.
  private let sorted: [Double]
  /// Pixels that count but have no estimate: beyond every threshold, and in no average.
  private let missingCount: Int
  /// The average error of the pixels with an estimate; NaN without any.
  public let mean: Double
  /// The spread of the errors around `mean`: the root of the mean square deviation (divided by n); NaN without pixels.
  public let standardDeviation: Double

  init(_ errors: [Double], missingCount: Int) {
    sorted = errors.sorted()
    self.missingCount = missingCount
    let count = Double(errors.count)
    let mean = sorted.reduce(0, +) / count
    self.mean = mean
    standardDeviation = (sorted.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / count).squareRoot()
  }

  /// R*x*: the share of pixels whose error exceeds `threshold`, 0…1; NaN without pixels.
  public func share(beyond threshold: Double) -> Double {
    // The first error above the threshold, by halving.
    var (low, high) = (0, sorted.count)
    while low < high {
      let middle = (low + high) / 2
      if sorted[middle] > threshold { high = middle } else { low = middle + 1 }
    }
    return Double(sorted.count - low + missingCount) / Double(sorted.count + missingCount)
  }

  /// A*x*: the smallest error that `share` (0…1) of the pixels with an estimate do not exceed; nil without any.
  public func percentile(_ share: Double) -> Double? {
    guard !sorted.isEmpty else { return nil }
    let rank = (Double(sorted.count) * min(max(share, 0), 1)).rounded(.up)
    return sorted[max(Int(rank) - 1, 0)]
  }
}
