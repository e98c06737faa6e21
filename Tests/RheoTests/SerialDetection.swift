import MotionDetection

@testable import Rheo

/// Both halves of the analysis, on one thread.
final class SerialDetection {
  private let pairs: FramePairAnalyzer
  private let zones: ZoneAnalyzer

  init(_ task: Detection, size: PixelSize, analyzedSize: PixelSize) {
    pairs = task.pairAnalyzer(analyzedSize: analyzedSize)
    zones = task.zoneAnalyzer(size: size, analyzedSize: analyzedSize)
  }

  func measure(_ frame: AnalyzedFrame) -> ZoneAnalyzer.Measurement {
    zones.measure(pairs.measure(frame))
  }

  func statistics(_ frame: AnalyzedFrame) -> FrameStatistics { measure(frame).statistics }
}
