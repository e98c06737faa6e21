import Imaging

/// Finds what flies through the frames of a sequence along parabolas, as balls do. The camera must stand still.
///
/// A request that remembers: it is performed on each frame of one sequence, in order, with its time. What moves becomes
/// a track of a ``MotionTracker``; the tracks that follow a ``ParabolicTrajectory`` within the bounds are told, again
/// in each frame with what is new. Calls from several threads go one after the other.
///
/// SAFETY (unchecked Sendable): `tracking` is touched under `lock` only.
public final class DetectTrajectoriesRequest: @unchecked Sendable {
  /// The bounds on what counts as a trajectory.
  public let parameters: ParabolicTrajectory.Parameters
  /// The speed below which motion does not count, in pixels per frame; chosen by hand.
  private static let threshold: Float = 1
  /// The minimum area of a region that moves, in square pixels: a smaller one gives no outline that holds still. Chosen
  /// by hand.
  private static let minimumArea = 16.0

  private let parallelism: Parallelism
  private var tracking: SequenceTracking
  private let lock = Lock()

  /// Makes a request.
  /// - Parameters:
  ///   - parameters: The bounds on what counts as a trajectory.
  ///   - computationAccuracy: The accuracy of the flow.
  ///   - parallelism: The number of threads to use; changes no result.
  /// - Throws: ``AnalysisError`` with code `invalidParameters` for bounds out of their ranges.
  public init(
    parameters: ParabolicTrajectory.Parameters = .init(),
    computationAccuracy: OpticalFlowRequest.ComputationAccuracy = .medium, parallelism: Parallelism = Parallelism()
  ) throws(AnalysisError) {
    try parameters.validate()
    self.parameters = parameters
    self.parallelism = parallelism
    tracking = SequenceTracking(accuracy: computationAccuracy, parallelism: parallelism)
  }

  /// Takes the next frame and tells the trajectories that reach up to it, by number.
  ///
  /// The frame is not taken when the method throws.
  /// - Parameters:
  ///   - image: A plane of luma, 0…255, or another ``ImageSource``, of the size of the frames before.
  ///   - time: When the frame shows; nil: as the image knows.
  /// - Throws: ``AnalysisError`` with code `sizeMismatch`, `emptyImage` or `unreadableImage`; `invalidParameters` for a
  ///   frame without a time.
  public func perform(
    on image: some ImageSource, at time: MediaTime? = nil
  ) throws(AnalysisError) -> [TrajectoryObservation] {
    guard let time = time ?? image.knownTime else {
      throw AnalysisError(code: .invalidParameters, message: "trajectories need the frames' times, and one has none")
    }
    let luma = try image.luma(parallelism: parallelism)
    lock.lock()
    defer { lock.unlock() }
    let (timestamp, motion) = try tracking.advance(to: luma, at: time)
    guard let flow = motion?.backward else { return [] }
    let contours = flow.motionContours(
      threshold: Self.threshold, minimumArea: Self.minimumArea, parallelism: parallelism)
    try tracking.tracker?.associate(regions: contours.topLevelContours.map(\.boundingBox), at: timestamp)
    return (tracking.tracker?.activeTracks ?? []).compactMap { track in
      ParabolicTrajectory(track, parameters: parameters).map { TrajectoryObservation(track: track, trajectory: $0) }
    }
  }
}

/// Something that flies along a parabola, up to one frame.
public struct TrajectoryObservation: Sendable, Hashable, Codable {
  /// The number of the track, the same in all frames.
  public let id: Int
  /// The parabola.
  public let trajectory: ParabolicTrajectory
  /// The middles of the boxes that were found, in pixels, in the order of the frames.
  public let detectedPoints: [SIMD2<Double>]
  /// The points of the parabola at the times of ``detectedPoints``, in pixels.
  public let projectedPoints: [SIMD2<Double>]
  /// The time at which the first of the points was found.
  public let start: MediaTime
  /// The time at which the last of the points was found.
  public let end: MediaTime

  /// The confidence of the parabola, see ``ParabolicTrajectory/confidence``.
  public var confidence: Double { trajectory.confidence }

  fileprivate init(track: MotionTrack, trajectory: ParabolicTrajectory) {
    id = track.id
    self.trajectory = trajectory
    detectedPoints = track.positions.map(\.center)
    projectedPoints = track.positions.map { trajectory.point(at: $0.time.seconds) }
    let times = track.positions.map(\.time)
    (start, end) = (times[0], times[times.count - 1])
  }
}
