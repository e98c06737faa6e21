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
  /// The step between the frames that are read: of all frames, every n-th.
  private let step: Int
  /// The digests of the first frames, by which their video is known again.
  private(set) var frameDigests: [String] = []
  private(set) var cutCount = 0
  private(set) var gapCount = 0

  init(model: TransformModel, step: Int, parallelism: Parallelism) {
    luma = LumaExtractor(parallelism: parallelism)
    sequence = RegistrationSequence(engine: RegistrationEngine(model: model, parallelism: parallelism))
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
      return .start(seconds: frame.presentationTime.seconds)
    }
    let map = RegistrationFallback.settled(
      result, against: [.identity, lastSure], previous: before.image, current: image)
    if map == result.warpTransform { lastSure = map }
    return CameraMotion(
      seconds: frame.presentationTime.seconds, warpTransform: map, confidence: result.confidence)
  }

  private mutating func start(_ frame: VideoFrame, _ image: Plane<Float>) -> CameraMotion {
    sequence.reset()
    _ = sequence.append(image)
    lastSure = .identity
    return .start(seconds: frame.presentationTime.seconds)
  }
}
