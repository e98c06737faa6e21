// The camera's motion from frame to frame, to be taken out of the flow.

/// How the camera moved, as far as the two frames of a pair tell: the frames before have no say, so that a pair's flow is
/// the same wherever the work begins. Used by one thread.
struct CameraCompensation {
  private let parallelism: Parallelism
  private var sequence: RegistrationSequence
  private var previous: Plane<Float>?

  /// Nil for `identity`: nothing is to be taken out.
  init?(model: TransformModel, parallelism: Parallelism) {
    guard model > .identity else { return nil }
    self.parallelism = parallelism
    sequence = RegistrationSequence(engine: RegistrationEngine(model: model, parallelism: parallelism))
  }

  /// Takes the next frame's luma.
  /// - Returns: The map from its pixels to those of the frame before; nil for the first frame. The identity at cuts, and
  ///   where the pictures do not tell.
  mutating func append(_ image: Plane<Float>) -> Homography? {
    defer { previous = image }
    guard let result = sequence.append(image), let previous else { return nil }
    if SceneChange.separates(previous: previous, current: image, registration: result) { return .identity }
    return DoubtfulMotion.settled(result, against: [.identity], previous: previous, current: image)
  }
}
