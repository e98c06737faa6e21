import Imaging

/// Performs requests on the frames of a sequence, one after the other.
///
/// Results computed from a frame are kept as long as a later pair needs them, and then let go. That changes the speed
/// only: every observation equals the one that ``ImageRequestHandler`` makes of the two frames, bit for bit. Calls from
/// several threads go one after the other; who hands over the frames of one sequence does so in order.
///
/// SAFETY (unchecked Sendable): `store`, `tracks` and `nextID` are touched under `lock` only.
public final class SequenceRequestHandler: @unchecked Sendable {
  private let store: AnalysisCache
  /// The last frames of the whole sequence, and of its frames at each spacing in time that the last call asked for.
  private var tracks: [Double?: SpacedFrames] = [nil: SpacedFrames()]
  private var nextID = 0
  private let lock = Lock()
  private let queue = HandlerQueue()

  /// - Parameter parallelism: The number of threads to use; changes no result.
  public init(parallelism: Parallelism = Parallelism()) { store = AnalysisCache(parallelism: parallelism) }

  /// Takes the next frame and observes what happened between an earlier one and it.
  ///
  /// The request may change from frame to frame. When it throws, the handler is as it was before the call.
  /// - Parameters:
  ///   - request: What to find out.
  ///   - image: A plane of luma, 0…255, or another ``ImageSource``, of the size of the frames before.
  ///   - time: When the frame shows, for the observation; nil: as the image knows.
  /// - Returns: The observation. nil means “nothing yet”: the frame has no predecessor, or too few for the request's
  ///   ``FrameSpacing/distance``, or its ``FrameSpacing/interval`` or ``FrameSpacing/seconds`` leave it out.
  /// - Throws: ``AnalysisError``; `sizeMismatch`, `emptyImage`, `unreadableImage`, `invalidParameters` or
  ///   `unsupportedRevision`.
  public func perform<Request: AnalysisRequest>(
    _ request: Request, on image: some ImageSource, at time: MediaTime? = nil
  ) throws(AnalysisError) -> Request.Observation? {
    var reach = Reach()
    try reach.include(request)
    return try withFrame(image, time, reach) { pass throws(AnalysisError) in try pass.observation(of: request) }
  }

  /// Takes the next frame and performs several requests on it in one pass; they share what they have in common.
  ///
  /// - Returns: The observations in the order of the requests.
  public func perform<First: AnalysisRequest, Second: AnalysisRequest, each Other: AnalysisRequest>(
    _ first: First, _ second: Second, _ others: repeat each Other, on image: some ImageSource,
    at time: MediaTime? = nil
  ) throws(AnalysisError) -> (First.Observation?, Second.Observation?, repeat (each Other).Observation?) {
    var reach = Reach()
    try reach.include(first)
    try reach.include(second)
    for other in repeat each others { try reach.include(other) }
    return try withFrame(image, time, reach) { pass throws(AnalysisError) in
      (
        try pass.observation(of: first), try pass.observation(of: second),
        repeat try pass.observation(of: each others)
      )
    }
  }

  /// Takes the next frame and performs requests on it that are known at run time only, in one pass.
  ///
  /// - Returns: The observations in the order of the requests.
  public func perform(
    _ requests: [any AnalysisRequest], on image: some ImageSource, at time: MediaTime? = nil
  ) throws(AnalysisError) -> [(any AnalysisObservation)?] {
    var reach = Reach()
    for request in requests { try reach.include(request) }
    return try withFrame(image, time, reach) { pass throws(AnalysisError) in
      var observations: [(any AnalysisObservation)?] = []
      for request in requests { observations.append(try pass.anyObservation(of: request)) }
      return observations
    }
  }

  /// Ends the influence of earlier flow on a warm start, as after a gap; the frames are kept.
  public func forgetMotion() { lock.withLock { store.forgetMotion() } }

  /// Forgets the frames so far: the next one counts as the first. It may have another size.
  public func reset() {
    lock.withLock {
      release(except: [])
      tracks = [nil: SpacedFrames()]
      store.forgetMotion()
    }
  }

  private func withFrame<Result>(
    _ image: some ImageSource, _ time: MediaTime?, _ reach: Reach,
    _ body: (FramePass) throws(AnalysisError) -> Result
  ) throws(AnalysisError) -> Result {
    let luma = try image.luma(parallelism: store.parallelism)
    lock.lock()
    defer { lock.unlock() }
    try check(luma)
    let frame = CachedFrame(id: nextID, image: luma, time: time ?? image.knownTime)
    var next: [Double?: SpacedFrames] = [:]
    for (seconds, distance) in reach.distances {
      var frames = tracks[seconds] ?? SpacedFrames()
      try frames.offer(frame, every: seconds, keeping: distance)
      next[seconds] = frames
    }
    let pass = FramePass(frame: frame, tracks: next, store: store)
    let result: Result
    do throws(AnalysisError) {
      result = try body(pass)
    } catch {
      store.abandonPass()
      store.release(frame)
      throw error
    }
    nextID += 1
    for seconds in next.keys { next[seconds]?.take(frame) }
    release(except: Set(next.values.flatMap { $0.frames.map(\.id) }))
    tracks = next
    // An engine may be idle between two pairs, and after a reset until there are enough frames again.
    store.endPass(patience: reach.patience)
    return result
  }

  /// Lets go of what is known of frames that no pair will have.
  private func release(except kept: Set<Int>) {
    for frame in tracks.values.flatMap(\.frames) where !kept.contains(frame.id) { store.release(frame) }
  }

  private func check(_ image: Plane<Float>) throws(AnalysisError) {
    try image.requirePixels()
    if let last = tracks[nil]?.frames.last?.image.size, last != image.size {
      throw AnalysisError(
        code: .sizeMismatch, message: "a frame of \(image.size) follows one of \(last); reset() starts a new sequence")
    }
  }
}

// Calls of a task: they compute on a thread of the handler's own and hold up none that tasks share.
extension SequenceRequestHandler {
  /// Takes the next frame and observes what happened between an earlier one and it, while the task is suspended.
  ///
  /// - Throws: ``AnalysisError`` as the call that waits does; `CancellationError` when the task is cancelled before the
  ///   work begins: then the frame is not taken. Work that has begun comes to its end.
  public func perform<Request: AnalysisRequest>(
    _ request: Request, on image: some ImageSource, at time: MediaTime? = nil
  ) async throws -> Request.Observation? {
    try await queue.run { try self.perform(request, on: image, at: time) }
  }

  /// Takes the next frame and performs several requests on it in one pass, while the task is suspended.
  ///
  /// - Throws: ``AnalysisError``, or `CancellationError` when the task is cancelled before the work begins.
  public func perform<First: AnalysisRequest, Second: AnalysisRequest, each Other: AnalysisRequest>(
    _ first: First, _ second: Second, _ others: repeat each Other, on image: some ImageSource,
    at time: MediaTime? = nil
  ) async throws -> (First.Observation?, Second.Observation?, repeat (each Other).Observation?) {
    let others = RequestPack(repeat each others)
    return try await queue.run { try self.perform(first, second, repeat each others.all, on: image, at: time) }
  }

  /// Takes the next frame and performs requests on it that are known at run time only, while the task is suspended.
  ///
  /// - Throws: ``AnalysisError``, or `CancellationError` when the task is cancelled before the work begins.
  public func perform(
    _ requests: [any AnalysisRequest], on image: some ImageSource, at time: MediaTime? = nil
  ) async throws -> [(any AnalysisObservation)?] {
    try await queue.run { try self.perform(requests, on: image, at: time) }
  }
}

/// The reach of the requests of a call: how many frames back, among all frames (nil) and at each spacing in time.
private struct Reach {
  var distances: [Double?: Int] = [nil: 1]
  /// Passes after which an engine that no request wanted is let go. How many frames pass between two at a spacing in
  /// time, no one knows.
  var patience: Int { distances.count > 1 ? FrameSpacing.maximumFrames : interval + (distances[nil] ?? 1) }
  private var interval = 1

  mutating func include(_ request: some AnalysisRequest) throws(AnalysisError) {
    try request.validate()
    let spacing = request.frameSpacing
    distances[spacing.seconds] = max(distances[spacing.seconds] ?? 1, spacing.distance)
    interval = max(interval, spacing.interval)
  }
}

/// The frames of a sequence that count at a spacing in time, as far back as requests reach.
private struct SpacedFrames {
  /// The last of them, the newest at the end.
  private(set) var frames: [CachedFrame] = []
  /// Frames since the first one.
  private(set) var count = 0
  /// A Boolean value that tells whether the frame of this pass is one of them.
  private(set) var isOffered = false
  private var distance = 1
  private var start: MediaTime?
  private var span = -1.0

  /// The maximum distance of a time before a span that it belongs to, in seconds: 0.1 is no sum of binary fractions.
  private static let slack = 1e-6

  /// Decides whether the frame of a pass counts: the first one in each span of so many seconds does.
  mutating func offer(_ frame: CachedFrame, every seconds: Double?, keeping distance: Int) throws(AnalysisError) {
    self.distance = distance
    isOffered = true
    guard let seconds else { return }
    guard let time = frame.time else {
      throw AnalysisError(
        code: .invalidParameters, message: "a spacing of \(seconds) s needs the frames' times, and one has none")
    }
    let start = start ?? time
    self.start = start
    let reached = ((time.seconds - start.seconds + Self.slack) / seconds).rounded(.down)
    isOffered = reached > span
    if isOffered { span = reached }
  }

  /// Ends the pass.
  mutating func take(_ frame: CachedFrame) {
    guard isOffered else { return }
    count += 1
    frames.append(frame)
    frames.removeFirst(max(0, frames.count - distance))
  }
}

/// A frame with the pairs that end with it.
private final class FramePass {
  private let frame: CachedFrame
  private let tracks: [Double?: SpacedFrames]
  private let store: AnalysisCache
  /// The pairs by their first frame.
  private var pairs: [Int: FramePair] = [:]

  init(frame: CachedFrame, tracks: [Double?: SpacedFrames], store: AnalysisCache) {
    self.frame = frame
    self.tracks = tracks
    self.store = store
  }

  func observation<Request: AnalysisRequest>(
    of request: Request
  ) throws(AnalysisError) -> Request.Observation? {
    let spacing = request.frameSpacing
    guard let track = tracks[spacing.seconds], track.isOffered, spacing.includes(track.count),
      let pair = pair(over: spacing.distance, in: track.frames)
    else { return nil }
    return try pair.observation(of: request)
  }

  func anyObservation(of request: some AnalysisRequest) throws(AnalysisError) -> (any AnalysisObservation)? {
    try observation(of: request)
  }

  /// Returns the pair of the frame and the one so many frames before; nil when that many frames are not at hand.
  private func pair(over distance: Int, in frames: [CachedFrame]) -> FramePair? {
    guard distance <= frames.count else { return nil }
    let previous = frames[frames.count - distance]
    let pair = pairs[previous.id] ?? FramePair(previous: previous, current: frame, store: store)
    pairs[previous.id] = pair
    return pair
  }
}
