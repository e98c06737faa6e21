import Imaging

/// A survey of pictures whose size may change on the way. Used by one thread.
final class ScaledSurvey {
  private let task: Detection
  private let fullSize: PixelSize
  private let scale: AnalysisScale
  private let watch: LiveWatch
  private var survey: MotionSurvey?
  private var size: PixelSize?

  /// - Parameter size: Of the full-size frames.
  init(_ task: Detection, size: PixelSize, scale: AnalysisScale, watch: LiveWatch) {
    self.task = task
    fullSize = size
    self.scale = scale
    self.watch = watch
  }

  /// Takes the next frame. After a change of size the survey begins anew: that frame shows no motion.
  func measure(_ frame: SurveyedFrame) throws -> MeasuredFrame {
    let begin = ContinuousClock.now
    let survey = survey(for: frame.image.size)
    let measured = try survey.measure(frame)
    if let mean = scale.note(seconds: (ContinuousClock.now - begin) / .seconds(1)) {
      watch.noteReduction(longestSide: scale.longestSide, milliseconds: 1000 * mean)
    }
    return measured
  }

  private func survey(for size: PixelSize) -> MotionSurvey {
    if let survey, size == self.size { return survey }
    let new = MotionSurvey(task, size: fullSize, analyzedSize: size)
    survey = new
    self.size = size
    return new
  }
}
