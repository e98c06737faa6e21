import Imaging
import Registration
import VideoIO

/// Finds out how each frame of a video lies on the one before. Used by one thread.
struct MotionMeter {
  private let luma: LumaExtractor
  private var sequence: RegistrationSequence
  private var previous: (frame: VideoFrame, image: Plane<Float>)?
  /// The last motion that was beyond doubt.
  private var lastSure = Homography.identity
  /// The first frame of the path with the map of the last frame onto it, for a fixed view; nil where none is asked for.
  private var anchor: (image: RegistrationImage?, pose: Homography)?
  private let engine: RegistrationEngine
  /// The step between the frames that are read: of all frames, every n-th.
  private let step: Int
  /// The digests of the first frames, by which their video is known again.
  private(set) var frameDigests: [String] = []
  private(set) var cutCount = 0
  private(set) var gapCount = 0

  /// The minimum confidence of a map onto the first frame that is taken. Chosen by hand.
  private static let minimumAnchorConfidence = 0.8
  /// The maximum distance of a map onto the first frame from the sum of the motions, in parts of the longer side.
  /// Chosen by hand.
  private static let maximumMapDistance = 0.02

  /// - Parameter isFixedView: Each frame is registered with the first one of its path as well, so that nothing adds up.
  init(model: TransformModel, step: Int, isFixedView: Bool, parallelism: Parallelism) {
    luma = LumaExtractor(parallelism: parallelism)
    engine = RegistrationEngine(model: model, parallelism: parallelism)
    sequence = RegistrationSequence(engine: engine)
    anchor = isFixedView ? (nil, .identity) : nil
    self.step = step
  }

  /// Returns the motion of the next frame; a path begins with the first one, and behind cuts and gaps.
  mutating func motion(of frame: VideoFrame) throws -> CameraMotion {
    let image = try luma.luma(of: frame)
    if frameDigests.count < CameraPath.frameDigestCount, let digest = CameraPath.digest(of: image) {
      frameDigests.append(digest)
    }
    let before = previous
    previous = (frame, image)
    guard let before else { return start(frame, image) }
    if frame.followsGap(after: before.frame, step: step) {
      gapCount += 1
      return start(frame, image)
    }
    let result = sequence.append(image) ?? .unknown
    if SceneChange.separates(previous: before.image, current: image, registration: result) {
      cutCount += 1
      lastSure = .identity
      takeAnchor(image)
      return .start(seconds: frame.presentationTime.seconds)
    }
    let map = RegistrationFallback.settled(
      result, against: [.identity, lastSure], previous: before.image, current: image)
    if map == result.warpTransform { lastSure = map }
    return CameraMotion(
      seconds: frame.presentationTime.seconds, warpTransform: anchored(map, image), confidence: result.confidence)
  }

  private mutating func takeAnchor(_ image: Plane<Float>) {
    if anchor != nil { anchor = (engine.prepare(image), .identity) }
  }

  /// Returns the motion by which the frame lies where the first one of the path shows it; `map` where that does not
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

  private mutating func start(_ frame: VideoFrame, _ image: Plane<Float>) -> CameraMotion {
    sequence.reset()
    _ = sequence.append(image)
    lastSure = .identity
    takeAnchor(image)
    return .start(seconds: frame.presentationTime.seconds)
  }
}
