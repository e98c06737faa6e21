import Imaging

/// Performs requests on one image, each time together with another one, the target.
///
/// The image of the handler is `previous` to flow requests and the reference to registration requests, the target is
/// `current`, or the floating image. What the requests need of the handler's image is computed once; what they need of
/// the target once per call, however many requests the call has. Owned by one task.
public final class ImageRequestHandler {
  private let image: CachedFrame
  private let store: AnalysisCache
  private var callCount = 0

  /// - Parameters:
  ///   - image: Luma, 0…255.
  ///   - time: When it shows, for the observations.
  ///   - parallelism: The number of threads to use; changes no result.
  /// - Throws: ``AnalysisError`` with code `emptyImage`.
  public init(
    _ image: Plane<Float>, at time: MediaTime? = nil, parallelism: Parallelism = Parallelism()
  ) throws(AnalysisError) {
    try image.requirePixels()
    self.image = CachedFrame(id: 0, image: image, time: time)
    store = AnalysisCache(parallelism: parallelism)
  }

  /// Performs a request on the handler's image and a target.
  ///
  /// - Parameters:
  ///   - request: What to find out.
  ///   - target: Luma, 0…255. Flow wants the size of the handler's image; registration takes any.
  ///   - time: When the target shows, for the observation.
  /// - Throws: ``AnalysisError``; `sizeMismatch`, `emptyImage`, `invalidParameters` or `unsupportedRevision`.
  public func perform<Request: AnalysisRequest>(
    _ request: Request, targeting target: Plane<Float>, at time: MediaTime? = nil
  ) throws(AnalysisError) -> Request.Observation {
    try withPair(target, time) { pair throws(AnalysisError) in try pair.observation(of: request) }
  }

  /// Performs several requests on the handler's image and a target in one pass; they share what they have in common.
  ///
  /// - Returns: The observations in the order of the requests.
  public func perform<First: AnalysisRequest, Second: AnalysisRequest, each Other: AnalysisRequest>(
    _ first: First, _ second: Second, _ others: repeat each Other, targeting target: Plane<Float>,
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
    _ requests: [any AnalysisRequest], targeting target: Plane<Float>, at time: MediaTime? = nil
  ) throws(AnalysisError) -> [any AnalysisObservation] {
    try withPair(target, time) { pair throws(AnalysisError) in
      var observations: [any AnalysisObservation] = []
      for request in requests { observations.append(try pair.observation(of: request)) }
      return observations
    }
  }

  private func withPair<Result>(
    _ target: Plane<Float>, _ time: MediaTime?, _ body: (FramePair) throws(AnalysisError) -> Result
  ) throws(AnalysisError) -> Result {
    try target.requirePixels()
    callCount += 1
    let current = CachedFrame(id: callCount, image: target, time: time)
    defer {
      store.release(current)
      store.endPass(patience: Self.patience)
    }
    return try body(FramePair(previous: image, current: current, store: store))
  }

  /// Calls after which an engine that no request wanted is let go.
  private static let patience = 8
}

extension Plane {
  func requirePixels() throws(AnalysisError) {
    guard !size.isEmpty else {
      throw AnalysisError(code: .emptyImage, message: "a picture of \(size) has no pixels")
    }
  }
}
