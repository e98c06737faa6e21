import Imaging
import Registration
import VideoIO

/// Finds out how each frame of a video lies on the one before. Used by one thread.
struct MotionMeter {
  private let luma: LumaExtractor
  private var estimator: CameraMotionEstimator
  /// The pace of the frames: cameras often tell a duration that their frames do not have.
  private var pace = FrameGapDetector()
  /// The digests of the first frames, by which their video is known again.
  private(set) var frameDigests: [String] = []
  private(set) var gapCount = 0
  var cutCount: Int { estimator.cutCount }

  /// - Parameter isFixedView: Each frame is registered with the first one of its path as well, so that nothing adds up.
  init(model: TransformModel, isFixedView: Bool, parallelism: Parallelism) {
    luma = LumaExtractor(parallelism: parallelism)
    estimator = CameraMotionEstimator(model: model, isFixedView: isFixedView, parallelism: parallelism)
  }

  /// Returns the motion of the next frame; a path begins with the first one, and behind cuts and gaps.
  mutating func motion(of frame: VideoFrame) throws -> CameraMotion {
    let image = try luma.luma(of: frame)
    if frameDigests.count < CameraPath.frameDigestCount, let digest = CameraPath.digest(of: image) {
      frameDigests.append(digest)
    }
    let seconds = frame.presentationTime.seconds
    if pace.interval(at: seconds)?.isGap == true {
      gapCount += 1
      return estimator.start(image, seconds: seconds)
    }
    return estimator.motion(of: image, seconds: seconds)
  }
}
