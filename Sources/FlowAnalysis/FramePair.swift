// Two pictures on their way through a handler, and what has been found out about them so far.

import Imaging
import Registration

/// One of the pictures that a handler holds.
struct HeldFrame {
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

/// Two pictures and all that the requests of one pass share about them. Valid during the pass; used by one thread.
public final class FramePair {
  let previousFrame: HeldFrame
  let currentFrame: HeldFrame
  private let store: IntermediateStore
  private var observations: [AnyHashable: any AnalysisObservation] = [:]
  private var registrationPairs: [NormalizedRect: RegistrationPair] = [:]

  init(previous: HeldFrame, current: HeldFrame, store: IntermediateStore) {
    previousFrame = previous
    currentFrame = current
    self.store = store
  }

  /// Luma of the first picture, 0…255.
  public var previous: Plane<Float> { previousFrame.image }
  /// Luma of the second picture, 0…255.
  public var current: Plane<Float> { currentFrame.image }
  /// When the first picture shows; nil unless the handler was told.
  public var previousTime: MediaTime? { previousFrame.time }
  /// When the second picture shows; nil unless the handler was told.
  public var currentTime: MediaTime? { currentFrame.time }
  /// How many threads may be used; must change no result.
  public var parallelism: Parallelism { store.parallelism }

  /// What a request finds out about this pair; computed once, however often it is asked for.
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

  /// The engine of a flow request, with both pictures prepared.
  func flowSession(for request: OpticalFlowRequest) throws(AnalysisError) -> FlowSession {
    try requireOneSize()
    let session = try store.flowSession(for: request, size: previous.size)
    session.prepare(previousFrame)
    session.prepare(currentFrame)
    return session
  }

  /// The parts of both pictures that lie in `region`, prepared for registrations of any kind.
  func registrationPair(
    region: NormalizedRect
  ) -> (reference: RegistrationPart, floating: RegistrationPart, pictures: RegistrationPair) {
    let reference = store.registrationPart(of: previousFrame, region: region)
    let floating = store.registrationPart(of: currentFrame, region: region)
    let pictures =
      registrationPairs[region]
      ?? RegistrationPair(reference: reference.picture, floating: floating.picture, parallelism: parallelism)
    registrationPairs[region] = pictures
    return (reference, floating, pictures)
  }

  private func requireOneSize() throws(AnalysisError) {
    guard previous.size == current.size else {
      throw AnalysisError(
        code: .sizeMismatch, message: "the pictures have different sizes: \(previous.size) and \(current.size)")
    }
  }
}
