// Frames at the size at which motion is looked for.

import Imaging
import MotionDetection
import VideoIO

/// A frame's number, time and luma at the size of the analysis.
struct SurveyedFrame: Sendable {
  var number: Int
  var time: MediaTime
  var image: Plane<Float>
  /// The frame itself, when an output needs it.
  var frame: VideoFrame?
  /// Those that were read for it, when an output needs them.
  var packets: [SourcePacket] = []
  /// When it was decoded.
  var arrival = ContinuousClock.now
  /// Whether the stream broke off before it.
  var followsBreak = false

  /// Hands what must not be lost of a frame that is dropped on to the one after it.
  static func inherit(_ dropped: SurveyedFrame, _ next: inout SurveyedFrame) {
    next.packets = dropped.packets + next.packets
    next.followsBreak = next.followsBreak || dropped.followsBreak
  }
}

/// Reduces frames to what is analysed. Used by one thread.
final class FrameReduction {
  private let luma: LumaExtractor
  private var resampler: Resampler?
  private let parallelism: Parallelism
  private let fullSize: PixelSize
  /// Of the analysed pictures.
  private(set) var size: PixelSize
  private var longestSide = MotionParameters.analysisSide

  /// - Parameter size: Of the frames.
  init(size: PixelSize, parallelism: Parallelism) {
    self.parallelism = parallelism
    luma = LumaExtractor(parallelism: parallelism)
    fullSize = size
    self.size = size
    scale(to: longestSide)
  }

  private func scale(to side: Int) {
    longestSide = side
    size = Self.analyzedSize(of: fullSize, longestSide: side)
    resampler =
      size == fullSize
      ? nil
      : Resampler(
        horizontal: ResamplingAxis(averaging: fullSize.width, target: size.width),
        vertical: ResamplingAxis(averaging: fullSize.height, target: size.height))
  }

  /// The size at which pictures of `size` are analysed.
  private static func analyzedSize(of size: PixelSize, longestSide: Int) -> PixelSize {
    let longest = max(size.width, size.height)
    guard longest > longestSide else { return size }
    func scaled(_ side: Int) -> Int { max(1, (side * longestSide + longest / 2) / longest) }
    return PixelSize(width: scaled(size.width), height: scaled(size.height))
  }

  /// - Parameter longestSide: Of the analysed picture; smaller frames stay as they are.
  func reduce(_ frame: VideoFrame, longestSide: Int = MotionParameters.analysisSide) throws -> SurveyedFrame {
    if longestSide != self.longestSide { scale(to: longestSide) }
    let image = try luma.luma(of: frame)
    guard let resampler else {
      return SurveyedFrame(number: frame.number, time: frame.presentationTime, image: image)
    }
    let reduced = image.withView { source in
      Plane<Float>(size: size) { target in
        resampler.resize(GridView(source), into: GridView(target.readOnly), parallelism: parallelism)
      }
    }
    return SurveyedFrame(number: frame.number, time: frame.presentationTime, image: reduced)
  }
}
