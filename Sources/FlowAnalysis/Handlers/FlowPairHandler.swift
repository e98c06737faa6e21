// Flow for streams whose pairs are looked at on several threads.

import Imaging

/// Computes the flow of pairs of frames, each prepared once, on whichever thread.
///
/// Each thread has a handler of its own for the same request; frames that one has prepared serve them all. A
/// row-parallel pass waits for its slowest thread hundreds of times per pair; a thread with a pair of its own waits for
/// nobody, and its data stay in the cache of its core. The flow is that of a ``SequenceRequestHandler``, bit for bit.
/// Used by one thread.
package final class FlowPairHandler {
  private let request: OpticalFlowRequest
  private let size: PixelSize
  private let parallelism: Parallelism
  private let session: FlowSession
  private let spares = SpareImages()

  /// Returns whether the flow of a pair is a function of its two frames alone, so that pairs can be looked at in any
  /// order, and each frame belongs to no other pairs than those with its neighbours.
  package static func serves(_ request: OpticalFlowRequest) -> Bool {
    !request.startsFromLastFlow && request.frameSpacing == .everyFrame
  }

  /// - Parameters:
  ///   - request: One that ``serves(_:)`` is true for.
  ///   - size: The size of the frames.
  ///   - parallelism: The number of threads that a single pair may use; changes no result.
  /// - Throws: ``AnalysisError``; `invalidParameters` or `unsupportedRevision`.
  package init(
    _ request: OpticalFlowRequest, size: PixelSize, parallelism: Parallelism = .serial
  ) throws(AnalysisError) {
    precondition(Self.serves(request), "pairs of this request depend on each other")
    try request.validate()
    self.request = request
    self.size = size
    self.parallelism = parallelism
    session = try FlowSession(FlowSessionKey(request, size: size), parallelism: parallelism)
  }

  /// Computes what flow needs of a frame.
  /// - Parameters:
  ///   - image: Luma, 0…255.
  ///   - time: When the frame shows, for the observations.
  /// - Throws: ``AnalysisError``; `sizeMismatch` or `emptyImage`.
  package func prepare(_ image: Plane<Float>, at time: MediaTime? = nil) throws(AnalysisError) -> PreparedFrame {
    try image.requirePixels()
    guard image.size == size else {
      throw AnalysisError(code: .sizeMismatch, message: "a frame of \(image.size) among frames of \(size)")
    }
    return PreparedFrame(
      session.prepared(image, reusing: spares.take()),
      confidenceImage: request.measuresConfidence ? session.confidenceImage(of: image) : nil, size: size, time: time,
      returningTo: spares)
  }

  /// The flow between two frames that handlers of the same request have prepared.
  package func observe(previous: PreparedFrame, current: PreparedFrame) -> OpticalFlowObservation {
    precondition(previous.size == size && current.size == size, "\(previous.size), \(current.size) instead of \(size)")
    return session.withPrepared([previous, current]) {
      request.observation(
        by: session, previous: FrameLabel(id: 0, time: previous.time), current: FrameLabel(id: 1, time: current.time),
        parallelism: parallelism)
    }
  }
}
