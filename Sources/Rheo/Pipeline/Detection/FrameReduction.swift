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
}

/// Reduces frames to what is analysed. Used by one thread.
final class FrameReduction {
  private let luma: LumaExtractor
  private let resampler: Resampler?
  private let parallelism: Parallelism
  let size: PixelSize

  /// - Parameter size: Of the frames.
  init(size: PixelSize, parallelism: Parallelism) {
    self.parallelism = parallelism
    luma = LumaExtractor(parallelism: parallelism)
    self.size = Self.analyzedSize(of: size)
    resampler =
      self.size == size
      ? nil
      : Resampler(
        horizontal: ResamplingAxis(averaging: size.width, target: self.size.width),
        vertical: ResamplingAxis(averaging: size.height, target: self.size.height))
  }

  /// The size at which pictures of `size` are analysed.
  private static func analyzedSize(of size: PixelSize) -> PixelSize {
    let longest = max(size.width, size.height)
    guard longest > MotionParameters.analysisSide else { return size }
    func scaled(_ side: Int) -> Int { max(1, (side * MotionParameters.analysisSide + longest / 2) / longest) }
    return PixelSize(width: scaled(size.width), height: scaled(size.height))
  }

  func reduce(_ frame: VideoFrame) throws -> SurveyedFrame {
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
