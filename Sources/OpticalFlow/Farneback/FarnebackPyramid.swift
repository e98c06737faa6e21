// The pyramid of Farnebäck's method as OpenCV builds it: every level is made from the full-size image.

import Imaging

/// The sizes and smoothing of the levels for one image size.
struct FarnebackPyramid: Sendable {
  struct Level: Sendable {
    let size: PixelSize
    let smoothing: SmoothingKernel
  }

  /// No level has a side shorter than this, unless it is the full-size image itself.
  static let smallestSide = 32.0

  /// Level 0 is full size.
  let levels: [Level]

  init(size: PixelSize, parameters: FarnebackParameters) {
    var levels = [Level(size: size, smoothing: .binomial3)]
    var scale = 1.0
    for _ in 0..<parameters.levels {
      scale *= parameters.pyramidScale
      let (width, height) = (Double(size.width) * scale, Double(size.height) * scale)
      guard width >= Self.smallestSide, height >= Self.smallestSide else { break }
      let levelSize = PixelSize(
        width: Int(width.rounded(.toNearestOrEven)), height: Int(height.rounded(.toNearestOrEven)))
      levels.append(Level(size: levelSize, smoothing: Self.smoothing(scale: scale)))
    }
    self.levels = levels
  }

  /// σ = (1/s − 1)/2 and a length of about 5σ, odd and at least 3.
  private static func smoothing(scale: Double) -> SmoothingKernel {
    let sigma = (1 / scale - 1) / 2
    let length = max(Int((5 * sigma).rounded(.toNearestOrEven)) | 1, 3)
    return SmoothingKernel(sigma: sigma, radius: length / 2)
  }
}
