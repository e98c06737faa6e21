import Imaging

/// Performs requests on one image, each time together with another one, the target.
///
/// The image of the handler is `previous` to flow requests and the reference to registration requests, the target is
/// `current`, or the floating image. What the requests need of the handler's image is computed once; what they need of
/// the target once per call, however many requests the call has. Calls from several threads go one after the other.
///
/// SAFETY (unchecked Sendable): `store` and `callCount` are touched under `lock` only.
public final class ImageRequestHandler: @unchecked Sendable {
  private let image: CachedFrame
  private let store: AnalysisCache
  private var callCount = 0
  private let lock = Lock()
  private let queue = HandlerQueue()

  /// - Parameters:
  ///   - image: A plane of luma, 0…255, or another ``ImageSource``.
  ///   - time: When it shows, for the observations; nil: as the image knows.
  ///   - parallelism: The number of threads to use; changes no result.
  /// - Throws: ``AnalysisError`` with code `emptyImage` or `unreadableImage`.
  public init(
    _ image: some ImageSource, at time: MediaTime? = nil, parallelism: Parallelism = Parallelism()
  ) throws(AnalysisError) {
    let luma = try image.luma(parallelism: parallelism)
    try luma.requirePixels()
    self.image = CachedFrame(id: 0, image: luma, time: time ?? image.knownTime)
    store = AnalysisCache(parallelism: parallelism)
  }

  /// Performs a request on the handler's image and a target.
  ///
  /// - Parameters:
  ///   - request: What to find out.
  ///   - target: A plane of luma, 0…255, or another ``ImageSource``. Flow wants the size of the handler's image;
  ///     registration takes any.
  ///   - time: When the target shows, for the observation; nil: as the image knows.
  /// - Throws: ``AnalysisError``; `sizeMismatch`, `emptyImage`, `unreadableImage`, `invalidParameters` or
  ///   `unsupportedRevision`.
  public func perform<Request: AnalysisRequest>(
    _ request: Request, targeting target: some ImageSource, at time: MediaTime? = nil
  ) throws(AnalysisError) -> Request.Observation {
    try withPair(target, time) { pair throws(AnalysisError) in try pair.observation(of: request) }
  }

  /// Performs several requests on the handler's image and a target in one pass; they share what they have in common.
  ///
  /// - Returns: The observations in the order of the requests.
  public func perform<First: AnalysisRequest, Second: AnalysisRequest, each Other: AnalysisRequest>(
    _ first: First, _ second: Second, _ others: repeat each Other, targeting target: some ImageSource,
    at time: MediaTime? = nil
  ) throws(AnalysisError) -> (First.Observation, Second.Observation, repeat (each Other).Observation) {
    try withPair(target, time) { pair throws(AnalysisError) in
      (
        try pair.observation(of: first), try pair.observation(of: second),
        repeat try pair.observation(of: each others)
      )
    }
  }

  /// Performs requests that are known at run time only on the handler's image and a target, in one pass.
  ///
  /// - Returns: The observations in the order of the requests.
  public func perform(
    _ requests: [any AnalysisRequest], targeting target: some ImageSource, at time: MediaTime? = nil
  ) throws(AnalysisError) -> [any AnalysisObservation] {
    try withPair(target, time) { pair throws(AnalysisError) in
      var observations: [any AnalysisObservation] = []
      for request in requests { observations.append(try pair.observation(of: request)) }
      return observations
    }
  }

  private func withPair<Result>(
    _ target: some ImageSource, _ time: MediaTime?, _ body: (FramePair) throws(AnalysisError) -> Result
  ) throws(AnalysisError) -> Result {
    let luma = try target.luma(parallelism: store.parallelism)
    try luma.requirePixels()
    lock.lock()
    defer { lock.unlock() }
    callCount += 1
    let current = CachedFrame(id: callCount, image: luma, time: time ?? target.knownTime)
    defer {
      store.release(current)
      store.endPass(patience: Self.patience)
    }
    return try body(FramePair(previous: image, current: current, store: store))
  }

  /// The number of calls after which an engine that no request wanted is let go; chosen by hand.
  private static let patience = 8
}

// Calls of a task: they compute on a thread of the handler's own and hold up none that tasks share.
extension ImageRequestHandler {
  /// Performs a request on the handler's image and a target, while the task is suspended.
  ///
  /// - Throws: ``AnalysisError`` as the call that waits does; `CancellationError` when the task is cancelled before the
  ///   work begins. Work that has begun comes to its end.
  public func perform<Request: AnalysisRequest>(
    _ request: Request, targeting target: some ImageSource, at time: MediaTime? = nil
  ) async throws -> Request.Observation {
    try await queue.run { try self.perform(request, targeting: target, at: time) }
  }

  /// Performs several requests on the handler's image and a target in one pass, while the task is suspended.
  ///
  /// - Throws: ``AnalysisError``, or `CancellationError` when the task is cancelled before the work begins.
  public func perform<First: AnalysisRequest, Second: AnalysisRequest, each Other: AnalysisRequest>(
    _ first: First, _ second: Second, _ others: repeat each Other, targeting target: some ImageSource,
    at time: MediaTime? = nil
  ) async throws -> (First.Observation, Second.Observation, repeat (each Other).Observation) {
    let others = RequestPack(repeat each others)
    return try await queue.run {
      try self.perform(first, second, repeat each others.all, targeting: target, at: time)
    }
  }

  /// Performs requests that are known at run time only, while the task is suspended.
  ///
  /// - Throws: ``AnalysisError``, or `CancellationError` when the task is cancelled before the work begins.
  public func perform(
    _ requests: [any AnalysisRequest], targeting target: some ImageSource, at time: MediaTime? = nil
  ) async throws -> [any AnalysisObservation] {
    try await queue.run { try self.perform(requests, targeting: target, at: time) }
  }
}

extension Plane {
  func requirePixels() throws(AnalysisError) {
    guard !size.isEmpty else {
      throw AnalysisError(code: .emptyImage, message: "an image of \(size) has no pixels")
    }
  }
}
