import Imaging

/// A request: a value that says what is to be found out about a pair of images.
///
/// A handler performs requests: ``ImageRequestHandler`` on single pairs, ``SequenceRequestHandler`` along a stream.
/// The result of a request depends on the two images and the request alone, neither on the handler, nor on the requests
/// that are performed with it, nor on the number of threads. (``OpticalFlowRequest/startsFromLastFlow`` is the one
/// exception.)
///
/// A type of your own that conforms can be made of others: in ``observe(_:)`` it asks the pair for their observations,
/// which are computed once however many ask.
public protocol AnalysisRequest: Sendable, Hashable {
  /// The observation that the request makes.
  associatedtype Observation: AnalysisObservation

  /// The revisions that this release knows, in rising order.
  static var supportedRevisions: [Int] { get }
  /// The revision of a new request: the newest.
  static var defaultRevision: Int { get }
  /// The revision, which pins the algorithm and its parameters: the same revision finds the same in later releases.
  var revision: Int { get set }

  /// The part of the images to look at, in fractions of their size, origin at the top left.
  var regionOfInterest: NormalizedRect { get set }

  /// The spacing that says which pairs of a stream's frames are looked at.
  var frameSpacing: FrameSpacing { get set }

  /// - Throws: ``AnalysisError`` with code `unsupportedRevision` or `invalidParameters`.
  func validate() throws(AnalysisError)

  /// Looks at a pair. Called by handlers, after ``validate()``.
  func observe(_ pair: FramePair) throws(AnalysisError) -> Observation
}

extension AnalysisRequest {
  /// The newest revision.
  public static var defaultRevision: Int { supportedRevisions.last ?? 1 }

  /// The frames of a stream, of those that ``FrameSpacing/seconds`` leaves, that pass before the first observation.
  public var minimumLatencyFrameCount: Int { frameSpacing.distance }

  /// Checks what all requests have: the revision, the region, the spacing.
  public func validateCommonProperties() throws(AnalysisError) {
    guard Self.supportedRevisions.contains(revision) else {
      let known = Self.supportedRevisions.map(String.init).joined(separator: ", ")
      throw AnalysisError(
        code: .unsupportedRevision, message: "\(Self.self) has no revision \(revision); there are: \(known)")
    }
    try regionOfInterest.validate()
    try frameSpacing.validate()
  }

  /// Checks what all requests have.
  public func validate() throws(AnalysisError) { try validateCommonProperties() }
}

/// The result of a request: what it has found out.
public protocol AnalysisObservation: Sendable {
  /// The time at which `previous`, the first image, shows; nil unless the handler was told.
  var previousTime: MediaTime? { get }
  /// The time at which `current`, the second image, shows; nil unless the handler was told.
  var currentTime: MediaTime? { get }
}

/// The spacing that says which pairs of a stream's frames a request looks at.
public struct FrameSpacing: Sendable, Hashable, Codable {
  /// The number of frames from the first image of a pair to the second, 1…``maximumFrames``: 1 for neighbours. Slow
  /// motion shows better over several frames.
  public var distance: Int
  /// The interval n of the pairs that are looked at, every n-th one, 1…``maximumFrames``; the first one always. The
  /// others cost nothing.
  public var interval: Int
  /// The seconds between the frames that distance and interval count, ``secondsRange``: the first frame in each span of
  /// so many seconds since the first frame. nil: all frames count. The handler must know the frames' times.
  public var seconds: Double?

  /// The range of ``seconds``.
  public static let secondsRange = 0.001...86400

  /// The maximum distance and interval, in frames; chosen by hand.
  public static let maximumFrames = 1000

  /// Makes a spacing; a request's `validate()` checks the numbers.
  public init(distance: Int = 1, interval: Int = 1, seconds: Double? = nil) {
    self.distance = distance
    self.interval = interval
    self.seconds = seconds
  }

  /// The spacing that pairs each frame with the one before.
  public static let everyFrame = FrameSpacing()

  /// Returns the spacing that pairs every n-th frame of a stream with the one n frames before: motion over the whole
  /// stream in larger steps.
  public static func every(_ n: Int) -> FrameSpacing { FrameSpacing(distance: n, interval: n) }

  /// Returns the spacing that pairs a stream's frames in steps of time, whatever its frame rate.
  public static func every(seconds: Double) -> FrameSpacing { FrameSpacing(seconds: seconds) }

  /// Returns whether a pair ends with the frame that has `index` frames before it.
  func includes(_ index: Int) -> Bool { index >= distance && (index - distance) % interval == 0 }

  func validate() throws(AnalysisError) {
    guard (1...Self.maximumFrames).contains(distance), (1...Self.maximumFrames).contains(interval) else {
      throw AnalysisError(
        code: .invalidParameters,
        message: "a distance of \(distance) frames, every \(interval): both are 1…\(Self.maximumFrames)")
    }
    // Also false for NaN.
    if let seconds, !Self.secondsRange.contains(seconds) {
      throw AnalysisError(
        code: .invalidParameters,
        message: "a spacing of \(seconds) s: it is \(Self.secondsRange.lowerBound)…\(Self.secondsRange.upperBound)")
    }
  }
}

extension NormalizedRect {
  func validate() throws(AnalysisError) {
    // Also false for NaN.
    guard x >= 0, y >= 0, width > 0, height > 0, x + width <= 1 + 1e-9, y + height <= 1 + 1e-9 else {
      throw AnalysisError(
        code: .invalidParameters,
        message: "the region \(x),\(y),\(width),\(height) does not lie within 0,0,1,1, or is empty")
    }
  }
}
