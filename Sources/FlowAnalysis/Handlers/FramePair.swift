// Two images on their way through a handler, and what has been found out about them so far.

import Imaging
import Registration

/// One of the images that a handler holds.
struct CachedFrame {
  /// Tells the frames of one handler apart.
  let id: Int
  let image: Plane<Float>
  let time: MediaTime?

  var label: FrameLabel { FrameLabel(id: id, time: time) }
}

/// A frame without its pixels.
struct FrameLabel {
  /// Tells the frames of one session apart.
  let id: Int
  let time: MediaTime?
}

/// Two images and all that the requests of one pass share about them. Valid during the pass; used by one thread.
public final class FramePair {
  let previousFrame: CachedFrame
  let currentFrame: CachedFrame
  private let store: AnalysisCache
  private var observations: [AnyHashable: any AnalysisObservation] = [:]
  private var registrationPairs: [NormalizedRect: RegistrationPair] = [:]

  init(previous: CachedFrame, current: CachedFrame, store: AnalysisCache) {
    previousFrame = previous
    currentFrame = current
    self.store = store
  }

  /// Luma of the first image, 0…255.
  public var previous: Plane<Float> { previousFrame.image }
  /// Luma of the second image, 0…255.
  public var current: Plane<Float> { currentFrame.image }
  /// The time at which the first image shows; nil unless the handler was told.
  public var previousTime: MediaTime? { previousFrame.time }
  /// The time at which the second image shows; nil unless the handler was told.
  public var currentTime: MediaTime? { currentFrame.time }
  /// The number of threads that may be used; must change no result.
  public var parallelism: Parallelism { store.parallelism }

  /// Returns what a request finds out about this pair; computed once, however often it is asked for.
  ///
  /// - Throws: ``AnalysisError``.
  public func observation<Request: AnalysisRequest>(
    of request: Request
  ) throws(AnalysisError) -> Request.Observation {
    if let known = observations[request] as? Request.Observation { return known }
    try request.validate()
    let found = try request.observe(self)
    observations[request] = found
    return found
  }

  /// The engine of a flow request, with both images prepared.
  func flowSession(for request: OpticalFlowRequest) throws(AnalysisError) -> FlowSession {
    try requireOneSize()
    let session = try store.flowSession(for: request, size: previous.size)
    session.prepare(previousFrame)
    session.prepare(currentFrame)
    return session
  }

  /// The parts of both images that lie in `region`, prepared for registrations of any kind.
  func registrationPair(
    region: NormalizedRect
  ) -> (reference: RegistrationPart, floating: RegistrationPart, images: RegistrationPair) {
    let reference = store.registrationPart(of: previousFrame, region: region)
    let floating = store.registrationPart(of: currentFrame, region: region)
    let images =
      registrationPairs[region]
      ?? RegistrationPair(reference: reference.prepared, floating: floating.prepared, parallelism: parallelism)
    registrationPairs[region] = images
    return (reference, floating, images)
  }

  private func requireOneSize() throws(AnalysisError) {
    guard previous.size == current.size else {
      throw AnalysisError(
        code: .sizeMismatch, message: "the images have different sizes: \(previous.size) and \(current.size)")
    }
  }
}
