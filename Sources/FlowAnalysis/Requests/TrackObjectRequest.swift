import Imaging

/// Follows what is in a box through the frames of a sequence, as ``MotionTracker`` does.
///
/// A request that remembers: it is performed on each frame of one sequence, in order, the first of which shows the
/// object in the box. Calls from several threads go one after the other.
///
///     let request = try TrackObjectRequest(boundingBox: BoundingBox(x: 40, y: 30, width: 64, height: 48))
///     for frame in frames {
///       guard let object = try request.perform(on: frame) else { break }
///       print(object.boundingBox, object.confidence)
///     }
///
/// SAFETY (unchecked Sendable): `tracking` and `track` are touched under `lock` only.
public final class TrackObjectRequest: @unchecked Sendable {
  /// The box in the first frame, in pixels.
  public let boundingBox: BoundingBox
  private let parallelism: Parallelism
  private var tracking: SequenceTracking
  private var track: MotionTrack?
  private let lock = Lock()

  /// Makes a request for what the first frame shows in a box.
  /// - Parameters:
  ///   - boundingBox: The box in the first frame, in pixels.
  ///   - computationAccuracy: The accuracy of the flow that the box goes along.
  ///   - parallelism: The number of threads to use; changes no result.
  /// - Throws: ``AnalysisError`` with code `invalidParameters` for a box that is empty or has sides that are no
  ///   numbers.
  public init(
    boundingBox: BoundingBox, computationAccuracy: OpticalFlowRequest.ComputationAccuracy = .medium,
    parallelism: Parallelism = Parallelism()
  ) throws(AnalysisError) {
    try MotionTracker.check(boundingBox)
    self.boundingBox = boundingBox
    self.parallelism = parallelism
    tracking = SequenceTracking(accuracy: computationAccuracy, parallelism: parallelism)
  }

  /// The reason why the object was lost; nil while it is being followed.
  public var loss: MotionTrack.Loss? { lock.withLock { track?.loss } }

  /// Takes the next frame and tells where the object is in it.
  ///
  /// The frame is not taken when the method throws.
  /// - Parameters:
  ///   - image: A plane of luma, 0…255, or another ``ImageSource``, of the size of the frames before.
  ///   - time: When the frame shows; nil: as the image knows, or else its number in seconds.
  /// - Returns: The object; nil once it is lost, which ``loss`` tells the reason of.
  /// - Throws: ``AnalysisError`` with code `sizeMismatch`, `emptyImage` or `unreadableImage`.
  public func perform(
    on image: some ImageSource, at time: MediaTime? = nil
  ) throws(AnalysisError) -> TrackedObjectObservation? {
    let luma = try image.luma(parallelism: parallelism)
    lock.lock()
    defer { lock.unlock() }
    if track?.loss != nil { return nil }
    let time = time ?? image.knownTime ?? MediaTime(value: Int64(tracking.frameCount), timeBase: Rational(1, 1))
    let (timestamp, motion) = try tracking.advance(to: luma, at: time)
    if motion == nil { try tracking.tracker?.add(box: boundingBox, at: timestamp) }
    track = tracking.tracker?.tracks.first
    guard let track, track.loss == nil, let position = track.positions.last else { return nil }
    return TrackedObjectObservation(boundingBox: position.box, confidence: position.confidence, time: time)
  }
}

/// The position of an object in one frame.
public struct TrackedObjectObservation: Sendable, Hashable, Codable {
  /// The box around the object, in pixels.
  public let boundingBox: BoundingBox
  /// The confidence, 0…1; 0 where the object was not found and its position is a guess.
  public let confidence: Double
  /// The time at which the frame shows.
  public let time: MediaTime
}
