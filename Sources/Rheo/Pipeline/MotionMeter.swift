/// Finds out how each frame of a video lies on the one before. Used by one thread.
struct MotionMeter {
  private let luma: LumaExtractor
  private var sequence: RegistrationSequence
  private var previous: (frame: VideoFrame, image: Plane<Float>)?
  /// Of frames, every n-th is read.
  private let step: Int
  private(set) var cutCount = 0
  private(set) var gapCount = 0

  init(model: TransformModel, step: Int, parallelism: Parallelism) {
    luma = LumaExtractor(parallelism: parallelism)
    sequence = RegistrationSequence(engine: RegistrationEngine(model: model, parallelism: parallelism))
    self.step = step
  }

  /// The motion of the next frame; a path begins with the first one, and behind cuts and gaps.
  mutating func motion(of frame: VideoFrame) throws -> CameraMotion {
    let image = try luma.luma(of: frame)
    let before = previous
    previous = (frame, image)
    let seconds = frame.presentationTime.seconds
    guard let before else {
      _ = sequence.append(image)
      return .start(seconds: seconds)
    }
    if frame.followsGap(after: before.frame, step: step) {
      gapCount += 1
      sequence.reset()
      _ = sequence.append(image)
      return .start(seconds: seconds)
    }
    let result = sequence.append(image) ?? .unknown
    if SceneChange.separates(previous: before.image, current: image, registration: result) {
      cutCount += 1
      return .start(seconds: seconds)
    }
    return CameraMotion(
      seconds: seconds, warpTransform: result.warpTransform, confidence: result.confidence)
  }
}
