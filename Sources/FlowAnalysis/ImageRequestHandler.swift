import Imaging

/// Performs requests on a pair of pictures.
public struct ImageRequestHandler: Sendable {
  private let previous: Plane<Float>
  private let current: Plane<Float>
  private let parallelism: Parallelism

  /// - Parameters:
  ///   - previous: Luma, 0…255.
  ///   - current: Luma of the same size.
  ///   - parallelism: How many threads to use; changes no result.
  /// - Throws: ``AnalysisError`` with code `sizeMismatch` or `emptyPicture`.
  public init(previous: Plane<Float>, current: Plane<Float>, parallelism: Parallelism = Parallelism()) throws {
    guard previous.size == current.size else {
      throw AnalysisError(
        code: .sizeMismatch, message: "the pictures have different sizes: \(previous.size) and \(current.size)")
    }
    guard !previous.size.isEmpty else {
      throw AnalysisError(code: .emptyPicture, message: "a picture of \(previous.size) has no pixels")
    }
    self.previous = previous
    self.current = current
    self.parallelism = parallelism
  }

  /// Estimates the dense flow between the two pictures.
  ///
  /// - Throws: ``AnalysisError`` with code `invalidParameters`.
  public func perform(_ request: OpticalFlowRequest) throws -> OpticalFlowObservation {
    let session = try RequestSession(request, size: previous.size, parallelism: parallelism)
    session.start(previous)
    return session.advance(to: current)
  }
}
