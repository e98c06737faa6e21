// Frames at the size at which motion is looked for.

import Imaging
import MotionDetection
import VideoIO

/// Reduces frames to what is analysed. Used by one thread.
final class FrameReduction {
  private let luma: LumaExtractor
  private var average: AreaAverage?
  private let fullSize: PixelSize
  /// Of the analysed images.
  private(set) var size: PixelSize
  private var longestSide = MotionParameters.analysisSide

  /// - Parameter size: Of the frames.
  init(size: PixelSize) {
    luma = LumaExtractor(parallelism: .serial)
    fullSize = size
    self.size = size
    scale(to: longestSide)
  }

  private func scale(to side: Int) {
    longestSide = side
    size = MotionDetector.analyzedSize(of: fullSize, longestSide: side)
    average = size == fullSize ? nil : AreaAverage(source: fullSize, target: size)
  }

  /// - Parameter longestSide: Of the analysed image; smaller frames stay as they are.
  func reduce(_ frame: VideoFrame, longestSide: Int) throws -> Plane<Float> {
    if longestSide != self.longestSide { scale(to: longestSide) }
    return try average.map { try luma.luma(of: frame, averagedBy: $0) } ?? luma.luma(of: frame)
  }
}
