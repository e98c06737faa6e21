import Foundation
import Rheo

/// A frame of a video as the browser shows it.
struct ZoneFrame: Sendable {
  /// The size of the video's images, upright.
  let size: PixelSize
  /// The contents of a JPEG file with the frame, at most ``maximumWidth`` wide.
  let jpeg: Data

  /// The maximum width of the image on the page, in pixels: more than most screens show beside the list of zones.
  private static let maximumWidth = 1920
  /// FFmpeg's scale, 2 is best: no artefacts where zones are drawn around small things.
  private static let quality = 2

  /// Reads the frame.
  /// - Parameters:
  ///   - path: The video.
  ///   - options: How it is read; the first frame of their range is taken.
  /// - Throws: ``MediaError``, `invalidOption` when the range holds no frame.
  init(path: String, options: VideoReader.Options) throws {
    guard let frame = try VideoReader(path, options: options).nextFrame() else {
      throw MediaError(.invalidOption, "there is no frame at this point (--at)", file: path)
    }
    size = frame.size
    let canvas = try CanvasMaker(format: .rgb(frame.size)).canvas(for: frame)
    let width = min(frame.size.width, Self.maximumWidth)
    let height = max(1, Int((Double(frame.size.height * width) / Double(frame.size.width)).rounded()))
    let shown = PixelSize(width: width, height: height)
    jpeg = try (shown == frame.size ? canvas : canvas.resized(to: shown)).jpeg(quality: Self.quality)
  }
}
