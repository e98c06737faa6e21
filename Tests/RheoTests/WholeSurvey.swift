@testable import Rheo

/// Both halves of the survey, on one thread.
final class WholeSurvey {
  private let pairs: PairSurvey
  private let zones: ZoneSurvey

  init(_ task: Detection, size: PixelSize, analyzedSize: PixelSize) {
    pairs = PairSurvey(task, analyzedSize: analyzedSize)
    zones = ZoneSurvey(task, size: size, analyzedSize: analyzedSize)
  }

  func measure(_ frame: SurveyedFrame) throws -> MeasuredFrame { try zones.measure(try pairs.measure(frame)) }

  func survey(_ frame: SurveyedFrame) throws -> FrameStatistics { try measure(frame).statistics }
}
