import Imaging
import OpticalFlow

/// What is to be computed: dense optical flow, with which algorithm and in which direction.
public struct OpticalFlowRequest: Sendable, Hashable {
  /// An algorithm with its parameters.
  public enum Algorithm: Sendable, Hashable {
    /// Polynomial expansion (Farnebäck, SCIA 2003, doi:10.1007/3-540-45103-X_50).
    case farneback(FarnebackParameters)
    /// Dense pyramidal Lucas-Kanade with shiftable windows (Lucas & Kanade, IJCAI 1981).
    case lucasKanade(LucasKanadeParameters)
    /// Dense inverse search with variational refinement (Kroeger et al., ECCV 2016, doi:10.1007/978-3-319-46493-0_29).
    case dis(InverseSearchParameters)
  }

  /// How much time may be spent on precision. Each level names a set of parameters of the algorithm.
  public enum ComputationAccuracy: String, Sendable, Hashable, CaseIterable {
    case low
    case medium
    case high
    case veryHigh
  }

  /// Which of the two pictures the flow starts from.
  public enum Direction: String, Sendable, Hashable, CaseIterable {
    /// On the grid of `previous`: `previous(x, y)` shows what `current(x + u, y + v)` shows.
    case forward
    /// On the grid of `current`: `current(x, y)` shows what `previous(x + u, y + v)` shows.
    case backward
    /// Forward, with the backward flow beside it and what follows from the two: confidence and occlusion.
    case both
  }

  public var algorithm: Algorithm
  public var direction: Direction
  /// Where flow is wanted, in fractions of the picture; outside it is unknown. Less region is less work.
  public var regionOfInterest = NormalizedRect.full
  /// The longest side, in pixels, at which the engine works, at least ``maximumDimensionRange``'s lower bound; larger
  /// pictures are reduced and the flow is scaled back. nil: full size.
  public var maximumDimension: Int?
  /// With `both`: whether vectors that the backward flow contradicts are unknown (NaN) in the result.
  public var marksInconsistentAsUnknown = false
  /// Whether the observation tells how well the motion could be told from the picture at each place,
  /// ``OpticalFlowObservation/minimumEigenvalue``. Only Lucas-Kanade's method knows; it costs a small share of the flow.
  public var measuresMinimumEigenvalue = false

  /// In a sequence: whether the search starts from the flow of the pair before (a warm start), not from zero motion.
  /// It finds faster motion, but the past then has a say in the result. Where the last flow does not explain the new
  /// pair, as after a cut, the search starts from zero motion; after a gap call ``SequenceRequestHandler/forgetMotion()``.
  public var startsFromLastFlow = false

  public static let maximumDimensionRange = 16...65536

  /// A request with an algorithm's own parameters.
  public init(algorithm: Algorithm, direction: Direction = .forward) {
    self.algorithm = algorithm
    self.direction = direction
  }

  /// A request for dense inverse search, the best of the methods, at a level of accuracy.
  public init(computationAccuracy: ComputationAccuracy = .medium, direction: Direction = .forward) {
    self.init(algorithm: .dis(InverseSearchParameters(computationAccuracy)), direction: direction)
  }
}

extension OpticalFlowRequest {
  /// - Throws: ``AnalysisError`` `invalidParameters` for a region or size out of range.
  public func validate() throws(AnalysisError) {
    let r = regionOfInterest
    guard r.x >= 0, r.y >= 0, r.width > 0, r.height > 0, r.x + r.width <= 1 + 1e-9, r.y + r.height <= 1 + 1e-9 else {
      throw AnalysisError(
        code: .invalidParameters,
        message: "the region \(r.x),\(r.y),\(r.width),\(r.height) does not lie within 0,0,1,1, or is empty")
    }
    if let maximumDimension, !Self.maximumDimensionRange.contains(maximumDimension) {
      throw AnalysisError(
        code: .invalidParameters,
        message: "the maximum dimension \(maximumDimension) is not within \(Self.maximumDimensionRange.lowerBound)…"
          + "\(Self.maximumDimensionRange.upperBound)")
    }
  }
}

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
