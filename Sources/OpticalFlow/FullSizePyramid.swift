// The pyramid of Farnebäck's method, as OpenCV builds it, and of Lucas-Kanade.

import Imaging

/// The sizes and smoothing of the levels for one image size, where every level is made from the full-size image.
struct FullSizePyramid: Sendable {
  struct Level: Sendable {
    let size: PixelSize
    let smoothing: SmoothingKernel
  }

  /// Level 0 is full size.
  let levels: [Level]

  /// - Parameters:
  ///   - count: The maximum number of reduced levels.
  ///   - factor: The size of a level as a share of that of the finer one.
  ///   - minimumSide: The minimum side of a level but the full-size image itself, in pixels.
  ///   - rounding: The rule by which sizes become whole pixels.
  ///   - smoothing: The filter of a level from its scale, 0…1.
  private init(
    size: PixelSize, count: Int, factor: Double, minimumSide: Double, rounding: FloatingPointRoundingRule,
    smoothing: (_ scale: Double) -> SmoothingKernel
  ) {
    var levels = [Level(size: size, smoothing: .binomial3)]
    var scale = 1.0
    for _ in 0..<count {
      scale *= factor
      let (width, height) = (Double(size.width) * scale, Double(size.height) * scale)
      guard min(width, height) >= minimumSide else { break }
      let levelSize = PixelSize(width: Int(width.rounded(rounding)), height: Int(height.rounded(rounding)))
      levels.append(Level(size: levelSize, smoothing: smoothing(scale)))
    }
    self.levels = levels
  }

  /// Smooths with σ = (1/s − 1)/2 and a length of about 5σ, odd and at least 3.
  init(size: PixelSize, parameters: FarnebackParameters) {
    self.init(
      size: size, count: parameters.levels, factor: parameters.pyramidScale, minimumSide: 32,
      rounding: .toNearestOrEven
    ) { scale in
      let sigma = (1 / scale - 1) / 2
      let length = max(Int((5 * sigma).rounded(.toNearestOrEven)) | 1, 3)
      return SmoothingKernel(sigma: sigma, radius: length / 2)
    }
  }

  /// Smooths with σ = 0.6·√(1/s² − 1): gives the larger pixels of the level the blur that those of a sharp full-size
  /// image have, a Gaussian with σ = 0.6.
  init(size: PixelSize, parameters: LucasKanadeParameters) {
    self.init(
      size: size, count: parameters.levels, factor: parameters.pyramidScale, minimumSide: 16,
      rounding: .toNearestOrAwayFromZero
    ) { scale in
      let sigma = 0.6 * (1 / (scale * scale) - 1).squareRoot()
      return SmoothingKernel(sigma: sigma, radius: max(1, Int((2.5 * sigma).rounded(.up))))
    }
  }
}
