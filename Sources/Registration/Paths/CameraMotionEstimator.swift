import Imaging

/// Finds how each image of a stream lies on the one before, for a camera's path. Used by one thread.
package struct CameraMotionEstimator {
  private let engine: RegistrationEngine
  private var sequence: RegistrationSequence
  private var previous: Plane<Float>?
  /// The last motion that was beyond doubt.
  private var lastSure = Homography.identity
  /// The first image of the path with the map of the last image onto it, for a fixed view; nil where none is asked for.
  private var anchor: (image: RegistrationImage?, pose: Homography)?
  /// The number of cuts so far, behind which the path began anew.
  package private(set) var cutCount = 0

  /// The minimum confidence of a map onto the first image that is taken. Chosen by hand.
  private static let minimumAnchorConfidence = 0.8
  /// The maximum distance of a map onto the first image from the sum of the motions, in parts of the longer side.
  /// Chosen by hand.
  private static let maximumMapDistance = 0.02

  /// - Parameter isFixedView: Each image is registered with the first one of its path as well, so that nothing adds up.
  package init(model: TransformModel, isFixedView: Bool, parallelism: Parallelism) {
    engine = RegistrationEngine(model: model, parallelism: parallelism)
    sequence = RegistrationSequence(engine: engine)
    anchor = isFixedView ? (nil, .identity) : nil
  }

  /// Returns the motion of the next image; a path begins with the first one, and behind cuts.
  package mutating func motion(of image: Plane<Float>, seconds: Double) -> CameraMotion {
    guard let before = previous else { return start(image, seconds: seconds) }
    previous = image
    let result = sequence.append(image) ?? .unknown
    if SceneChange.separates(previous: before, current: image, registration: result) {
      cutCount += 1
      lastSure = .identity
      takeAnchor(image)
      return .start(seconds: seconds)
    }
    let map = RegistrationFallback.settled(result, against: [.identity, lastSure], previous: before, current: image)
    if map == result.warpTransform { lastSure = map }
    return CameraMotion(seconds: seconds, warpTransform: anchored(map, image), confidence: result.confidence)
  }

  /// Begins a path with an image, whatever came before.
  package mutating func start(_ image: Plane<Float>, seconds: Double) -> CameraMotion {
    previous = image
    sequence.reset()
    _ = sequence.append(image)
    lastSure = .identity
    takeAnchor(image)
    return .start(seconds: seconds)
  }

  private mutating func takeAnchor(_ image: Plane<Float>) {
    if anchor != nil { anchor = (engine.prepare(image), .identity) }
  }

  /// Returns the motion by which the image lies where the first one of the path shows it; `map` where that does not
  /// tell.
  private mutating func anchored(_ map: Homography, _ image: Plane<Float>) -> Homography {
    guard let (reference, before) = anchor, let reference, let back = before.inverse else { return map }
    let expected = (before * map).normalized
    let found = engine.estimate(reference: reference, floating: engine.prepare(image), candidates: [expected])
    let limit = Self.maximumMapDistance * Double(max(image.width, image.height))
    let distance = found.warpTransform.distance(from: expected, floating: image.size, reference: image.size)
    let isSure = found.reason == nil && found.confidence >= Self.minimumAnchorConfidence && distance <= limit
    let pose = isSure ? found.warpTransform : expected
    anchor?.pose = pose
    return (back * pose).normalized
  }
}
