import FlowAnalysis
import Imaging
import VideoIO

/// A video as a source of observations: decodes it once for all requests.
///
///     for try await motion in Video("clip.mp4").observations(of: OpticalFlowRequest()) {
///       print(motion.frame.presentationTime.timecode, motion.flow.meanVector)
///     }
///
/// Each request has a cadence of its own, by frames or by time: its `FrameSpacing`. A value that names the video;
/// each pass over its observations opens it anew.
public struct Video: Sendable {
  /// A file, `-` for standard input, or a URL that FFmpeg knows.
  public var path: String
  /// The options for reading: stream, filter, range.
  public var options: VideoReader.Options
  /// The threads that the requests may use; they change no result.
  public var parallelism: Parallelism
  /// The handler of each point that could not be decoded, called on the thread that reads, before the next observation.
  public var onGap: (@Sendable (MediaGap) -> Void)?

  /// Names a video; nothing is opened yet.
  public init(
    _ path: String, options: VideoReader.Options = VideoReader.Options(), parallelism: Parallelism = Parallelism(),
    onGap: (@Sendable (MediaGap) -> Void)? = nil
  ) {
    self.path = path
    self.options = options
    self.parallelism = parallelism
    self.onGap = onGap
  }

  // MARK: The video itself

  /// Opens the video and decodes its first frame to learn what its frames are like.
  ///
  /// - Throws: `MediaError` as for reading.
  public func info() throws -> VideoInfo {
    let reader = try VideoReader(path, options: options)
    return VideoInfo(format: try reader.videoFormat(), duration: reader.info.duration)
  }

  // MARK: One request

  /// Returns the observations of a request along the video with their frames, made as they are wanted. Frames without
  /// an observation are passed over.
  ///
  /// - Parameters:
  ///   - request: The request to perform.
  ///   - range: The part to read; nil: that of `options`.
  ///   - buffered: The number of observations that may wait for their user, 1 or more; then the reading pauses.
  public func observations<Request: AnalysisRequest>(
    of request: Request, in range: MediaRange? = nil, buffered: Int = 2
  ) -> VideoObservations<FrameObservation<Request.Observation>> {
    VideoObservations(capacity: buffered) { try source(of: request, in: range) }
  }

  /// Calls `body` with each observation of a request along the video and its frame, on this thread, one after the
  /// other. Frames without an observation are passed over.
  ///
  /// - Parameters:
  ///   - request: The request to perform.
  ///   - range: The part to read; nil: that of `options`.
  ///   - body: Gets each observation. What it throws ends the reading.
  /// - Throws: `MediaError`, `AnalysisError`, or what `body` throws.
  public func forEachObservation<Request: AnalysisRequest>(
    of request: Request, in range: MediaRange? = nil, _ body: (FrameObservation<Request.Observation>) throws -> Void
  ) throws {
    let next = try source(of: request, in: range)
    while let observation = try next() { try body(observation) }
  }

  // MARK: Several requests

  /// Returns the observations of several requests along the video: one element for every frame, also for the first,
  /// when there is nothing yet.
  public func observations<First: AnalysisRequest, Second: AnalysisRequest, each Other: AnalysisRequest>(
    of first: First, _ second: Second, _ others: repeat each Other, in range: MediaRange? = nil, buffered: Int = 2
  ) -> VideoObservations<
    FrameObservations<(First.Observation?, Second.Observation?, repeat (each Other).Observation?)>
  > {
    let others = RequestPack(repeat each others)
    return VideoObservations(capacity: buffered) {
      try source(of: first, second, repeat each others.all, in: range)
    }
  }

  /// Calls `body` with the observations of several requests at every frame, on this thread, one frame after the other.
  public func forEachObservation<First: AnalysisRequest, Second: AnalysisRequest, each Other: AnalysisRequest>(
    of first: First, _ second: Second, _ others: repeat each Other, in range: MediaRange? = nil,
    _ body: (
      FrameObservations<(First.Observation?, Second.Observation?, repeat (each Other).Observation?)>
    ) throws -> Void
  ) throws {
    let next = try source(of: first, second, repeat each others, in: range)
    while let observations = try next() { try body(observations) }
  }

  /// Returns the observations of requests that are known at run time only: one element for every frame.
  public func observations(
    of requests: [any AnalysisRequest], in range: MediaRange? = nil, buffered: Int = 2
  ) -> VideoObservations<FrameObservations<[(any AnalysisObservation)?]>> {
    VideoObservations(capacity: buffered) { try source(of: requests, in: range) }
  }

  /// Calls `body` with the observations of requests that are known at run time only at every frame, on this thread, one
  /// frame after the other.
  public func forEachObservation(
    of requests: [any AnalysisRequest], in range: MediaRange? = nil,
    _ body: (FrameObservations<[(any AnalysisObservation)?]>) throws -> Void
  ) throws {
    let next = try source(of: requests, in: range)
    while let observations = try next() { try body(observations) }
  }

  // MARK: Reading

  private func source<Request: AnalysisRequest>(
    of request: Request, in range: MediaRange?
  ) throws -> () throws -> FrameObservation<Request.Observation>? {
    try request.validate()
    let frames = try ObservedFrames(self, range)
    return {
      while let (frame, image) = try frames.next() {
        if let found = try frames.handler.perform(request, on: image, at: frame.presentationTime) {
          return FrameObservation(frame: frame, observation: found)
        }
      }
      return nil
    }
  }

  private func source<First: AnalysisRequest, Second: AnalysisRequest, each Other: AnalysisRequest>(
    of first: First, _ second: Second, _ others: repeat each Other, in range: MediaRange?
  ) throws -> () throws -> FrameObservations<
    (First.Observation?, Second.Observation?, repeat (each Other).Observation?)
  >? {
    try first.validate()
    try second.validate()
    for other in repeat each others { try other.validate() }
    let frames = try ObservedFrames(self, range)
    return {
      guard let (frame, image) = try frames.next() else { return nil }
      let observations = try frames.handler.perform(
        first, second, repeat each others, on: image, at: frame.presentationTime)
      return FrameObservations(frame: frame, observations: observations)
    }
  }

  private func source(
    of requests: [any AnalysisRequest], in range: MediaRange?
  ) throws -> () throws -> FrameObservations<[(any AnalysisObservation)?]>? {
    for request in requests { try request.validate() }
    let frames = try ObservedFrames(self, range)
    return {
      guard let (frame, image) = try frames.next() else { return nil }
      let observations = try frames.handler.perform(requests, on: image, at: frame.presentationTime)
      return FrameObservations(frame: frame, observations: observations)
    }
  }
}

/// The properties of a video's frames, upright and after filters.
public struct VideoInfo: Sendable {
  /// The size of every frame, in pixels.
  public let size: PixelSize
  /// The length of the whole video in seconds, whatever part is read; nil when neither the header nor an estimate
  /// tells.
  public let duration: Double?
  /// The average number of frames per second; nil when unknown. The frames' times, not this, say when they show.
  public let frameRate: Rational?
  /// A guess at the number of frames that are read; nil when nothing is known.
  public let estimatedFrameCount: Int?

  fileprivate init(format: VideoFormat, duration: Double?) {
    size = format.size
    self.duration = duration
    frameRate = format.frameRate
    estimatedFrameCount = format.estimatedFrameCount
  }
}

/// The observation of a request at one frame. What the observation has, this has, too.
@dynamicMemberLookup
public struct FrameObservation<Observation: AnalysisObservation>: Sendable {
  /// The frame at which the pair ends.
  public let frame: VideoFrame
  /// The observation of the pair.
  public let observation: Observation

  fileprivate init(frame: VideoFrame, observation: Observation) {
    self.frame = frame
    self.observation = observation
  }

  /// A property of the observation.
  public subscript<Value>(dynamicMember property: KeyPath<Observation, Value>) -> Value {
    observation[keyPath: property]
  }
}

/// The observations of several requests at one frame.
///
/// SAFETY (unchecked Sendable): `Observations` is a tuple or array of observations, all of which are Sendable; of a
/// tuple of any length the language has no way to say so.
public struct FrameObservations<Observations>: @unchecked Sendable {
  /// The frame at which the pairs end.
  public let frame: VideoFrame
  /// The observations in the order of the requests; nil where one has none at this frame.
  public let observations: Observations

  fileprivate init(frame: VideoFrame, observations: Observations) {
    self.frame = frame
    self.observations = observations
  }
}

/// The frames of a video on their way to the requests. Used by one thread.
private final class ObservedFrames {
  let handler: SequenceRequestHandler
  private let reader: VideoReader
  private let luma: LumaExtractor
  private let onGap: (@Sendable (MediaGap) -> Void)?
  private var last: VideoFrame?
  private var knownGaps = 0

  init(_ video: Video, _ range: MediaRange?) throws {
    var options = video.options
    if let range { options.range = range }
    reader = try VideoReader(video.path, options: options)
    luma = LumaExtractor(parallelism: video.parallelism)
    handler = SequenceRequestHandler(parallelism: video.parallelism)
    onGap = video.onGap
  }

  func next() throws -> (VideoFrame, Plane<Float>)? {
    let frame = try reader.nextFrame()
    let gaps = reader.gapList
    for gap in gaps.elements(from: knownGaps) { onGap?(gap) }
    knownGaps = gaps.count
    guard let frame else { return nil }
    if let last, frame.followsGap(after: last, step: reader.options.range.every) { handler.forgetMotion() }
    last = frame
    return (frame, try luma.luma(of: frame))
  }
}
