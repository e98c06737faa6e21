/// Finds out how each frame of a video lies on the one before. Used by one thread.
struct MotionMeter {
  private let luma: LumaExtractor
  private var sequence: RegistrationSequence
  private var previous: (frame: VideoFrame, image: Plane<Float>)?
  /// The last motion that was beyond doubt.
  private var lastSure = Homography.identity
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
    var map = result.warpTransform
    if result.confidence >= Self.sureConfidence {
      lastSure = map
    } else {
      map = best(of: [.identity, lastSure], or: map, previous: before.image, current: image)
    }
    return CameraMotion(
      seconds: frame.presentationTime.seconds, warpTransform: map, confidence: result.confidence)
  }

  private mutating func start(_ frame: VideoFrame, _ image: Plane<Float>) -> CameraMotion {
    sequence.reset()
    _ = sequence.append(image)
    lastSure = .identity
    return .start(seconds: frame.presentationTime.seconds)
  }

  // MARK: In doubt

  /// A registration that is less sure may follow something that passes close to the camera instead of the scene.
  private static let sureConfidence = 0.5
  /// Samples per axis.
  private static let side = 96
  /// Grey levels at which a difference counts no more than this: what belongs to something else must not decide.
  private static let largestDifference: Float = 12
  /// By how much the doubtful motion must lower the differences.
  private static let clearShare: Float = 0.8

  /// The doubtful map only where it explains the picture clearly better than each of `simple` ones.
  private func best(
    of simple: [Homography], or doubtful: Homography, previous: Plane<Float>, current: Plane<Float>
  ) -> Homography {
    let differences = simple.map { Self.difference(previous, current, $0) }
    guard let least = differences.min(), let index = differences.firstIndex(of: least) else { return doubtful }
    return Self.difference(previous, current, doubtful) < Self.clearShare * least ? doubtful : simple[index]
  }

  /// The mean difference of `current`, moved by `map`, and `previous`, each limited.
  private static func difference(_ previous: Plane<Float>, _ current: Plane<Float>, _ map: Homography) -> Float {
    let (width, height) = (current.width, current.height)
    var (sum, count): (Float, Float) = (0, 0)
    for row in 0..<min(side, height) {
      let y = (2 * row + 1) * height / (2 * min(side, height))
      for column in 0..<min(side, width) {
        let x = (2 * column + 1) * width / (2 * min(side, width))
        let place = map.apply(x: Double(x), y: Double(y))
        guard place.x > -0.5, place.y > -0.5, place.x < Double(width) - 0.5, place.y < Double(height) - 0.5 else {
          continue
        }
        sum += min(abs(previous[Int(place.x.rounded()), Int(place.y.rounded())] - current[x, y]), largestDifference)
        count += 1
      }
    }
    return count > 0 ? sum / count : .infinity
  }
}
