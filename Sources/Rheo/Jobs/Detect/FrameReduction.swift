// Frames at the size at which motion is looked for.

import Imaging
import MotionDetection
import VideoIO

/// Brings frames to the size of the images that are analysed. Used by one thread.
final class FrameReduction {
  private let luma: LumaExtractor
  private var scaling = ImageScaling.unchanged
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
    scaling = ImageScaling(from: fullSize, to: size)
  }

  /// Returns the luma of a frame at the size of the analysis.
  /// - Parameter longestSide: The longest side of the analysed image, in pixels; see
  ///   ``MotionDetector/analyzedSize(of:longestSide:)``.
  func reduce(_ frame: VideoFrame, longestSide: Int) throws -> Plane<Float> {
    if longestSide != self.longestSide { scale(to: longestSide) }
    guard case .means(let average) = scaling else { return scaling.scaled(try luma.luma(of: frame)) }
    return try luma.luma(of: frame, averagedBy: average)
  }

  /// Returns the colour differences of a frame, a sample for each cell of the analysis; nil where they are not known.
  /// - Parameter size: The size of the analysed image, in pixels.
  func reduceColors(_ frame: VideoFrame, size: PixelSize) throws -> ChrominancePlanes? {
    try luma.chrominance(of: frame, averagedTo: CellGrid(size: size).colorSize)
  }
}
