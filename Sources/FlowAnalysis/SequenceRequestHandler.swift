import Imaging

/// Performs a request on the frames of a sequence, one after the other.
///
/// What was computed from the last frame is kept for the next pair. That changes the speed only: every flow equals
/// the one that ``ImageRequestHandler`` computes from the two frames, bit for bit. Owned by one task.
public final class SequenceRequestHandler {
  private let parallelism: Parallelism
  private var lastFrame: Plane<Float>?
  private var session: RequestSession?

  /// - Parameter parallelism: How many threads to use; changes no result.
  public init(parallelism: Parallelism = Parallelism()) { self.parallelism = parallelism }

  /// Takes the next frame and estimates the flow between the last one and it.
  ///
  /// The request may change from frame to frame. When it throws, the handler is as it was before the call.
  /// - Parameters:
  ///   - request: The algorithm and direction.
  ///   - image: Luma, 0…255, of the size of the frames before.
  /// - Returns: The flow, or nil for the first frame, which has no predecessor.
  /// - Throws: ``AnalysisError`` with code `sizeMismatch`, `emptyPicture` or `invalidParameters`.
  public func perform(_ request: OpticalFlowRequest, on image: Plane<Float>) throws -> OpticalFlowObservation? {
    try check(image)
    let session = try session(for: request, size: image.size)
    defer { lastFrame = image }
    guard lastFrame != nil else {
      session.start(image)
      return nil
    }
    return session.advance(to: image)
  }

  /// Ends the influence of earlier flow on a warm start, as after a gap; the last frame is kept.
  public func forgetMotion() { session?.forgetMotion() }

  /// Forgets the frames so far: the next one counts as the first. It may have another size.
  public func reset() { lastFrame = nil }

  private func check(_ image: Plane<Float>) throws(AnalysisError) {
    guard !image.size.isEmpty else {
      throw AnalysisError(code: .emptyPicture, message: "a frame of \(image.size) has no pixels")
    }
    if let last = lastFrame?.size, last != image.size {
      throw AnalysisError(
        code: .sizeMismatch, message: "a frame of \(image.size) follows one of \(last); reset() starts a new sequence")
    }
  }

  /// The session at hand, or a new one when the request or the size of the frames changed.
  private func session(
    for request: OpticalFlowRequest, size: PixelSize
  ) throws(AnalysisError) -> RequestSession {
    if let session, session.request == request, session.size == size { return session }
    let session = try RequestSession(request, size: size, parallelism: parallelism)
    if let lastFrame { session.start(lastFrame) }
    self.session = session
    return session
  }
}
