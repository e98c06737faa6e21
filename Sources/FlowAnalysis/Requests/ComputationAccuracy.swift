// The parameters that the levels of accuracy stand for in each algorithm.

import OpticalFlow

extension FarnebackParameters {
  /// The parameters of a level of accuracy.
  ///
  /// `medium` is the set that OpenCV publishes, so that results can be compared; `low` leaves out two of its three
  /// iterations. `high` and `veryHigh` were tuned on the eight Middlebury training pairs (mean endpoint error 1.15,
  /// 1.21, 0.84 and 0.79 pixels, from low to veryHigh): a narrower fit, a wider window, and a pyramid in finer steps.
  public init(_ accuracy: OpticalFlowRequest.ComputationAccuracy) {
    switch accuracy {
    case .low: self.init(iterations: 1)
    case .medium: self.init()
    case .high:
      self.init(pyramidScale: 0.7, levels: 8, windowSize: 21, polynomialNeighborhood: 2, polynomialSigma: 0.7)
    case .veryHigh:
      self.init(
        pyramidScale: 0.8, levels: 12, windowSize: 35, windowKind: .gaussian, iterations: 5, polynomialNeighborhood: 2,
        polynomialSigma: 0.7)
    }
  }
}

extension LucasKanadeParameters {
  /// The parameters of a level of accuracy.
  public init(_ accuracy: OpticalFlowRequest.ComputationAccuracy) {
    self =
      switch accuracy {
      case .low: .low
      case .medium: .medium
      case .high: .high
      case .veryHigh: .veryHigh
      }
  }
}

extension InverseSearchParameters {
  /// The parameters of a level of accuracy.
  public init(_ accuracy: OpticalFlowRequest.ComputationAccuracy) {
    self =
      switch accuracy {
      case .low: .low
      case .medium: .medium
      case .high: .high
      case .veryHigh: .veryHigh
      }
  }
}
