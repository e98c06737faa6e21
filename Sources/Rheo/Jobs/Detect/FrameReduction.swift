// Frames at the size at which motion is looked for.

import Imaging
import MotionDetection
import VideoIO

/// Reduces frames to the images that are analysed. Used by one thread.
final class FrameReduction {
  private let luma: LumaExtractor
  private var average: AreaAverage?
  private let fullSize: PixelSize
  /// The size of the analysed images, in pixels.
  private(set) var size: PixelSize
  private var longestSide = MotionParameters.analysisSide

  /// - Parameter size: The size of the frames, in pixels.
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

  /// Returns the luma of a frame at the size of the analysis.
  /// - Parameter longestSide: The longest side of the analysed image, in pixels; smaller frames stay as they are.
  func reduce(_ frame: VideoFrame, longestSide: Int) throws -> Plane<Float> {
    if longestSide != self.longestSide { scale(to: longestSide) }
    return try average.map { try luma.luma(of: frame, averagedBy: $0) } ?? luma.luma(of: frame)
  }

  /// Returns the colour differences of a frame, a sample for each cell of the analysis; nil where they are not known.
  /// - Parameter size: The size of the analysed image, in pixels.
  func reduceColors(_ frame: VideoFrame, size: PixelSize) throws -> ChrominancePlanes? {
    try luma.chrominance(of: frame, averagedTo: CellGrid(size: size).colorSize)
  }
}
