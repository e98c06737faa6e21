// The map of where anything moved over the whole time.

import FlowRendering
import Foundation
import Imaging
import MotionDetection
import VideoIO

/// The time for which something travelled in events, for each cell of the image.
public struct MotionHeatMap: Sendable {
  /// The number of seconds of each cell, `columns × rows`.
  public let seconds: Plane<Float>
  /// The width and height of a cell, in pixels of the full-size frame.
  public let cellSize: SIMD2<Double>
  /// The first frame of the video.
  let frame: VideoFrame
  let privacy: PrivacyMask?

  /// Returns the map over the dimmed first frame, privacy zones black, with a key to its colours.
  /// - Parameter longestSide: The image is no larger than this; nil: as large as the frame.
  /// - Throws: `MediaError` or `RenderingError`.
  public func image(longestSide: Int? = nil) throws -> Plane<RGBA8> {
    var canvas = try CanvasMaker(format: .rgb(frame.size)).canvas(for: frame)
    // Before the reduction, which would mix what must not be seen into its neighbours.
    try canvas.withMutableImage { privacy?.blank($0) }
    let scale = min(1, longestSide.map { Double($0) / Double(max(frame.size.width, frame.size.height)) } ?? 1)
    if scale < 1 { canvas = try canvas.resized(to: frame.size.scaled(by: scale)) }
    let values = HeatMapRenderer.Values(
      cells: seconds, cellSize: cellSize * scale, title: "time in motion", unit: "s")
    // Between cells numbers are interpolated, so some colour would reach into the zones.
    return try HeatMapRenderer(values).render(over: StillImage.rgb(of: canvas)) { x, y in
      guard let privacy else { return false }
      let (fullX, fullY) = (Int((Double(x) + 0.5) / scale), Int((Double(y) + 0.5) / scale))
      return privacy.hides(x: min(fullX, privacy.size.width - 1), y: min(fullY, privacy.size.height - 1))
    }
  }
}

extension PixelSize {
  /// Returns the size times a factor, in whole pixels.
  func scaled(by factor: Double) -> PixelSize {
    func scaled(_ side: Int) -> Int { max(1, Int((Double(side) * factor).rounded())) }
    return PixelSize(width: scaled(width), height: scaled(height))
  }
}
