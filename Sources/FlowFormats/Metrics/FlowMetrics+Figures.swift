// The figures under the names that reports give them.

extension FlowMetrics {
  /// A figure as reports tell it.
  package struct Figure: Sendable {
    /// The units of figures.
    package enum Unit: Sendable {
      /// Pixels of the image.
      case pixels
      /// Degrees of an angle.
      case degrees
      /// A part of the pixels, 0…1.
      case share
    }

    /// The name of the figure, a key in reports.
    package let name: String
    /// The figure; NaN where it does not exist.
    package let value: Double
    /// The unit of the figure.
    package let unit: Unit

    init(_ name: String, _ value: Double, _ unit: Unit) { (self.name, self.value, self.unit) = (name, value, unit) }
  }

  /// All figures, in the order in which people should read them.
  package var figures: [Figure] {
    let (endpoint, angular) = (endpointErrors, angularErrors)
    var figures = [
      Figure("epe", endpoint.mean, .pixels), Figure("epeSD", endpoint.standardDeviation, .pixels),
    ]
    figures += Self.outlierThresholds.map { Figure("r\(Self.text($0))", endpoint.share(beyond: $0), .share) }
    figures += [0.5, 0.75, 0.9, 0.95, 0.99].map {
      Figure("p\(Int($0 * 100))", endpoint.percentile($0) ?? .nan, .pixels)
    }
    figures += [Figure("aae", angular.mean, .degrees), Figure("aaeSD", angular.standardDeviation, .degrees)]
    figures += Self.angularThresholds.map { Figure("aaeR\(Self.text($0))", angular.share(beyond: $0), .share) }
    figures += [0.5, 0.75, 0.95].map { Figure("aaeP\(Int($0 * 100))", angular.percentile($0) ?? .nan, .degrees) }
    figures += [Figure("flAll", outlierRatio, .share), Figure("flEst", outlierRatioOfEstimates, .share)]
    figures += speedClasses.map { Figure($0.name, $0.averageEndpointError, .pixels) }
    return figures + [Figure("coverage", coverage, .share)]
  }

  /// A threshold, without a fraction that is zero: `0.5`, `1`.
  private static func text(_ threshold: Double) -> String {
    threshold == threshold.rounded() ? "\(Int(threshold))" : "\(threshold)"
  }
}
