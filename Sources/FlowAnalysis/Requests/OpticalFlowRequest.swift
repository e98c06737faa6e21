import Imaging
import OpticalFlow

/// A request for dense optical flow: with which algorithm and in which direction it is to be computed.
///
/// Both images have one size. Revision 1: what ``ComputationAccuracy`` stands for are the parameters of 0.1, and
/// `init(computationAccuracy:direction:)` chooses dense inverse search.
public struct OpticalFlowRequest: AnalysisRequest, Codable {
  /// An algorithm with its parameters.
  public enum Algorithm: Sendable, Hashable, Codable {
    /// Polynomial expansion (Farnebäck, SCIA 2003, doi:10.1007/3-540-45103-X_50).
    case farneback(FarnebackParameters)
    /// Dense pyramidal Lucas-Kanade with shiftable windows (Lucas & Kanade, IJCAI 1981).
    case lucasKanade(LucasKanadeParameters)
    /// Dense inverse search with variational refinement (Kroeger et al., ECCV 2016, doi:10.1007/978-3-319-46493-0_29).
    case dis(InverseSearchParameters)
  }

  /// The levels of accuracy: how much time may be spent on precision. Each level names a set of parameters of the
  /// algorithm.
  public enum ComputationAccuracy: String, Sendable, Hashable, CaseIterable, Codable {
    /// The level for previews and triggers: coarse levels only, some 15 ms for a pair at 1920×1080 on one core (dense
    /// inverse search).
    case low
    /// The level for annotating video as it comes: half the size, some 60 ms for a pair at 1920×1080 on one core (dense
    /// inverse search).
    case medium
    /// The level for measuring: full size, some 270 ms for a pair at 1920×1080 on one core (dense inverse search).
    case high
    /// The level for the last hundredths of a pixel: full size in fine steps, some 750 ms for a pair at 1920×1080 on
    /// one core (dense inverse search).
    case veryHigh
  }

  /// The direction of the flow: which of the two images it starts from.
  public enum Direction: String, Sendable, Hashable, CaseIterable, Codable {
    /// Flow on the grid of `previous`: `previous(x, y)` shows what `current(x + u, y + v)` shows.
    case forward
    /// Flow on the grid of `current`: `current(x, y)` shows what `previous(x + u, y + v)` shows.
    case backward
    /// Forward, with the backward flow beside it and what follows from the two: confidence and occlusion.
    case both
  }

  /// The algorithm and its parameters.
  public var algorithm: Algorithm
  /// The direction of the flow.
  public var direction: Direction
  /// The region in which flow is wanted, in fractions of the image; outside it is unknown. Less region is less work.
  public var regionOfInterest = NormalizedRect.full
  /// The longest side, in pixels, at which the engine works, at least ``maximumDimensionRange``'s lower bound; larger
  /// images are reduced and the flow is scaled back. nil: full size.
  public var maximumDimension: Int?
  /// A Boolean value that tells, with `both`, whether vectors that the backward flow contradicts are unknown (NaN) in
  /// the result.
  public var marksInconsistentAsUnknown = false
  /// A Boolean value that tells whether the observation says how well the motion could be told from the image at each
  /// pixel, ``OpticalFlowObservation/minimumEigenvalue``. Only Lucas-Kanade's method knows; it costs a small share of
  /// the flow.
  public var measuresMinimumEigenvalue = false
  /// A Boolean value that tells whether the observation says how far each vector can be trusted,
  /// ``OpticalFlowObservation/confidence``, also without a backward flow: from how well the flow explains the two
  /// images. Costs about a millisecond for a pair at 600×450 on one thread. With `both` the confidence is then the
  /// smaller one of this and of what the backward flow says.
  public var measuresConfidence = false

  /// A Boolean value that tells, in a sequence, whether the search starts from the flow of the pair before (a warm
  /// start), not from zero motion. It finds faster motion, but the past then has a say in the result. Where the last
  /// flow does not explain the new pair, as after a cut, the search starts from zero motion; after a gap call
  /// ``SequenceRequestHandler/forgetMotion()``.
  public var startsFromLastFlow = false

  /// The revisions that this release knows: 1.
  public static let supportedRevisions = [1]
  /// The revision, which pins what the levels of accuracy stand for.
  public var revision = Self.defaultRevision
  /// The spacing of the pairs of a stream's frames that are looked at.
  public var frameSpacing = FrameSpacing.everyFrame
  /// The level of accuracy whose parameters the algorithm has; nil for parameters that are no level's.
  public var computationAccuracy: ComputationAccuracy? { algorithm.accuracy }

  /// The range of ``maximumDimension``, in pixels.
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
  /// - Throws: ``AnalysisError`` with code `unsupportedRevision`, or `invalidParameters` for a parameter, region or
  ///   size out of range.
  public func validate() throws(AnalysisError) {
    try validateCommonProperties()
    try algorithm.validate()
    if let maximumDimension, !Self.maximumDimensionRange.contains(maximumDimension) {
      throw AnalysisError(
        code: .invalidParameters,
        message: "the maximum dimension \(maximumDimension) is not within \(Self.maximumDimensionRange.lowerBound)…"
          + "\(Self.maximumDimensionRange.upperBound)")
    }
  }

  /// Computes the flow of a pair in the directions that are wanted.
  public func observe(_ pair: FramePair) throws(AnalysisError) -> OpticalFlowObservation {
    let session = try pair.flowSession(for: self)
    if measuresConfidence {
      session.prepareConfidence(pair.previousFrame)
      session.prepareConfidence(pair.currentFrame)
    }
    return observation(
      by: session, previous: pair.previousFrame.label, current: pair.currentFrame.label, parallelism: pair.parallelism)
  }

  /// Returns the observation that a session makes of two frames that it has prepared.
  func observation(
    by session: FlowSession, previous: FrameLabel, current: FrameLabel, parallelism: Parallelism
  ) -> OpticalFlowObservation {
    // The frame on whose grid the flow lies, and the other one.
    let (base, other) = direction == .backward ? (current, previous) : (previous, current)
    var flow = session.flow(from: base, to: other)
    let eigenvalue = measuresMinimumEigenvalue ? session.minimumEigenvalue(of: base) : nil
    let confidence = measuresConfidence ? session.confidence(of: flow, from: base, to: other) : nil
    guard direction == .both else {
      return OpticalFlowObservation(
        flow: flow, direction: direction, previousTime: previous.time, currentTime: current.time,
        confidence: confidence, minimumEigenvalue: eigenvalue)
    }
    let backward = session.flow(from: current, to: previous)
    let check = ForwardBackwardConsistency(of: flow, against: backward, parallelism: parallelism)
    if marksInconsistentAsUnknown { flow.forget(where: check.occlusion) }
    return OpticalFlowObservation(
      flow: flow, direction: .both, previousTime: previous.time, currentTime: current.time,
      backwardFlow: backward, confidence: check.confidence.minimum(with: confidence, parallelism: parallelism),
      occlusion: check.occlusion, minimumEigenvalue: eigenvalue)
  }
}

extension OpticalFlowRequest.Algorithm {
  fileprivate func validate() throws(AnalysisError) {
    do {
      switch self {
      case .dis(let parameters): try parameters.validate()
      case .farneback(let parameters): try parameters.validate()
      case .lucasKanade(let parameters): try parameters.validate()
      }
    } catch {
      throw AnalysisError(code: .invalidParameters, message: error.message)
    }
  }
}

extension Plane where Scalar == Float {
  /// The smaller one at each pixel of this plane and another one of its size, if there is one.
  fileprivate consuming func minimum(with other: Plane<Float>?, parallelism: Parallelism) -> Plane<Float> {
    guard let other else { return self }
    withMutableView { plane in
      other.withView { other in
        parallelism.forEachStripe(rows: plane.height) { stripe in
          for y in stripe {
            let (row, otherRow) = (plane.row(y), other.row(y))
            for x in 0..<plane.width where otherRow[x] < row[x] { row[x] = otherRow[x] }
          }
        }
      }
    }
    return self
  }
}

extension FlowField {
  /// Makes the vectors unknown where `mask` is not 0.
  fileprivate mutating func forget(where mask: Plane<UInt8>) {
    mask.withView { mask in
      u.withMutableView { u in
        v.withMutableView { v in
          for y in 0..<mask.height {
            let (maskRow, uRow, vRow) = (mask.row(y), u.row(y), v.row(y))
            for x in 0..<mask.width where maskRow[x] != 0 {
              uRow[x] = .nan
              vRow[x] = .nan
            }
          }
        }
      }
    }
  }
}
