// The pyramid of dense Lucas-Kanade: every level is made from the full-size image.

import Imaging

/// The sizes and smoothing of the levels for one image size.
struct LucasKanadePyramid: Sendable {
  struct Level: Sendable {
    let size: PixelSize
    let smoothing: SmoothingKernel
  }

  /// No level has a side shorter than this, unless it is the full-size image itself.
  static let smallestSide = 16.0
  /// The blur of a sharp image's pixels as the σ of a Gaussian, in pixels.
  static let pixelBlur = 0.6

  /// Level 0 is full size.
  let levels: [Level]

  init(size: PixelSize, parameters: LucasKanadeParameters) {
    var levels = [Level(size: size, smoothing: .binomial3)]
    var scale = 1.0
    for _ in 0..<parameters.levels {
      scale *= parameters.pyramidScale
      let (width, height) = (Double(size.width) * scale, Double(size.height) * scale)
      guard min(width, height) >= Self.smallestSide else { break }
      let levelSize = PixelSize(width: Int(width.rounded()), height: Int(height.rounded()))
      levels.append(Level(size: levelSize, smoothing: Self.smoothing(scale: scale)))
    }
    self.levels = levels
  }

  /// σ = 0.6·√(1/s² − 1): gives the larger pixels of the level the blur that the full-size ones had.
  private static func smoothing(scale: Double) -> SmoothingKernel {
    let sigma = pixelBlur * (1 / (scale * scale) - 1).squareRoot()
    return SmoothingKernel(sigma: sigma, radius: max(1, Int((2.5 * sigma).rounded(.up))))
  }
}
