// The camera's motion from frame to frame, to be taken out of the flow.

import Imaging
import Registration

/// Estimates how the camera moved, as far as the two frames of a pair tell: the frames before have no say, so that a
/// pair's flow is the same wherever the work begins.
struct CameraCompensation: Sendable {
  /// The data that are needed of a frame, on whichever thread they were computed.
  struct Frame: Sendable {
    fileprivate let image: Plane<Float>
    fileprivate let prepared: RegistrationImage
  }

  private let engine: RegistrationEngine

  /// Makes a compensation; nil for `identity`: nothing is to be taken out.
  init?(model: TransformModel, parallelism: Parallelism) {
    guard model > .identity else { return nil }
    engine = RegistrationEngine(model: model, parallelism: parallelism)
  }

  /// Prepares a frame's luma.
  func prepare(_ image: Plane<Float>) -> Frame { Frame(image: image, prepared: engine.prepare(image)) }

  /// Returns the map from pixels of `current` to those of `previous`: the identity at cuts, and where the images do not
  /// tell.
  func motion(from previous: Frame, to current: Frame) -> Homography {
    let result = engine.estimate(reference: previous.prepared, floating: current.prepared)
    if SceneChange.separates(previous: previous.image, current: current.image, registration: result) {
      return .identity
    }
    return RegistrationFallback.settled(result, against: [.identity], previous: previous.image, current: current.image)
  }
}

/// The camera's motion along a video. Used by one thread.
struct CameraMotionSequence {
  private let compensation: CameraCompensation
  private var previous: CameraCompensation.Frame?

  /// Makes a sequence; nil for `identity`: nothing is to be taken out.
  init?(model: TransformModel, parallelism: Parallelism) {
    guard let compensation = CameraCompensation(model: model, parallelism: parallelism) else { return nil }
    self.compensation = compensation
  }

  /// Takes the next frame's luma.
  /// - Returns: The map from its pixels to those of the frame before; nil for the first frame.
  mutating func append(_ image: Plane<Float>) -> Homography? {
    let current = compensation.prepare(image)
    defer { previous = current }
    return previous.map { compensation.motion(from: $0, to: current) }
  }
}
