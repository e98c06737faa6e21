@testable import Rheo

/// Both halves of the survey, on one thread.
final class WholeSurvey {
  private let pairs: FramePairAnalyzer
  private let zones: ZoneAnalyzer

  init(_ task: Detection, size: PixelSize, analyzedSize: PixelSize) {
    pairs = FramePairAnalyzer(task, analyzedSize: analyzedSize)
    zones = ZoneAnalyzer(task, size: size, analyzedSize: analyzedSize)
  }

  func measure(_ frame: AnalyzedFrame) throws -> MeasuredFrame { try zones.measure(try pairs.measure(frame)) }

  func survey(_ frame: AnalyzedFrame) throws -> FrameStatistics { try measure(frame).statistics }
}
