import Imaging

/// Performs requests on the frames of a sequence, one after the other.
///
/// Results computed from a frame are kept as long as a later pair needs them, and then let go. That changes the speed
/// only: every observation equals the one that ``ImageRequestHandler`` makes of the two frames, bit for bit. Owned by
/// one task.
public final class SequenceRequestHandler {
  private let store: AnalysisCache
  /// The last frames, the newest at the end: as many as the requests of the last call reach back.
  private var history: [CachedFrame] = []
  /// Frames since the first one or the last ``reset()``.
  private var frameCount = 0
  private var nextID = 0

  /// - Parameter parallelism: The number of threads to use; changes no result.
  public init(parallelism: Parallelism = Parallelism()) { store = AnalysisCache(parallelism: parallelism) }

  /// Takes the next frame and observes what happened between an earlier one and it.
  ///
  /// The request may change from frame to frame. When it throws, the handler is as it was before the call.
  /// - Parameters:
  ///   - request: What to find out.
  ///   - image: Luma, 0…255, of the size of the frames before.
  ///   - time: When the frame shows, for the observation.
  /// - Returns: The observation. nil means “nothing yet”: the frame has no predecessor, or too few for the request's
  ///   ``FrameSpacing/distance``, or its ``FrameSpacing/interval`` leaves it out.
  /// - Throws: ``AnalysisError``; `sizeMismatch`, `emptyImage`, `invalidParameters` or `unsupportedRevision`.
  public func perform<Request: AnalysisRequest>(
    _ request: Request, on image: Plane<Float>, at time: MediaTime? = nil
  ) throws(AnalysisError) -> Request.Observation? {
    var reach = Reach()
    try reach.include(request)
    return try withFrame(image, time, reach) { pass throws(AnalysisError) in try pass.observation(of: request) }
  }

  /// Takes the next frame and performs several requests on it in one pass; they share what they have in common.
  ///
  /// - Returns: The observations in the order of the requests.
  public func perform<First: AnalysisRequest, Second: AnalysisRequest, each Other: AnalysisRequest>(
    _ first: First, _ second: Second, _ others: repeat each Other, on image: Plane<Float>, at time: MediaTime? = nil
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
    _ requests: [any AnalysisRequest], on image: Plane<Float>, at time: MediaTime? = nil
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
  public func forgetMotion() { store.forgetMotion() }

  /// Forgets the frames so far: the next one counts as the first. It may have another size.
  public func reset() {
    for frame in history { store.release(frame) }
    history = []
    frameCount = 0
    store.forgetMotion()
  }

  private func withFrame<Result>(
    _ image: Plane<Float>, _ time: MediaTime?, _ reach: Reach,
    _ body: (FramePass) throws(AnalysisError) -> Result
  ) throws(AnalysisError) -> Result {
    try check(image)
    let frame = CachedFrame(id: nextID, image: image, time: time)
    let pass = FramePass(frame: frame, index: frameCount, history: history, store: store)
    let result: Result
    do throws(AnalysisError) {
      result = try body(pass)
    } catch {
      store.abandonPass()
      store.release(frame)
      throw error
    }
    nextID += 1
    frameCount += 1
    history.append(frame)
    while history.count > reach.distance { store.release(history.removeFirst()) }
    // An engine may be idle between two pairs, and after a reset until there are enough frames again.
    store.endPass(patience: reach.interval + reach.distance)
    return result
  }

  private func check(_ image: Plane<Float>) throws(AnalysisError) {
    try image.requirePixels()
    if let last = history.last?.image.size, last != image.size {
      throw AnalysisError(
        code: .sizeMismatch, message: "a frame of \(image.size) follows one of \(last); reset() starts a new sequence")
    }
  }
}

/// The reach of the requests of a call, in frames back.
private struct Reach {
  var distance = 1
  var interval = 1

  mutating func include(_ request: some AnalysisRequest) throws(AnalysisError) {
    try request.validate()
    distance = max(distance, request.frameSpacing.distance)
    interval = max(interval, request.frameSpacing.interval)
  }
}

/// A frame with the pairs that end with it.
private final class FramePass {
  private let frame: CachedFrame
  private let index: Int
  private let history: [CachedFrame]
  private let store: AnalysisCache
  private var pairs: [Int: FramePair] = [:]

  init(frame: CachedFrame, index: Int, history: [CachedFrame], store: AnalysisCache) {
    self.frame = frame
    self.index = index
    self.history = history
    self.store = store
  }

  func observation<Request: AnalysisRequest>(
    of request: Request
  ) throws(AnalysisError) -> Request.Observation? {
    guard request.frameSpacing.includes(index), let pair = pair(over: request.frameSpacing.distance) else { return nil }
    return try pair.observation(of: request)
  }

  func anyObservation(of request: some AnalysisRequest) throws(AnalysisError) -> (any AnalysisObservation)? {
    try observation(of: request)
  }

  /// Returns the pair of the frame and the one so many frames before; nil when that many frames are not at hand.
  private func pair(over distance: Int) -> FramePair? {
    guard distance <= history.count else { return nil }
    let pair = pairs[distance] ?? FramePair(previous: history[history.count - distance], current: frame, store: store)
    pairs[distance] = pair
    return pair
  }
}
