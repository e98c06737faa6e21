// The part of noise in the sums over tiles.

import Imaging

/// The noise of two images on one level of their pyramids: what it adds to the equations of tiles.
///
/// White noise of the variance σ² in both images, smoothed by a filter with the autocorrelation h along both axes
/// (`RegistrationImage`): the difference of matching pixels has the variance ν = 2σ²·h₀², a central difference of one
/// image σ²·h₀·(h₀ − h₂)/2, and a sum of differences weighted by something smooth 2σ² for each pixel.
struct PixelNoise {
  /// The variance ν of the difference of matching pixels, in squared grey levels; 0 until known.
  let variance: Double
  /// The variances of central differences and of sums, in units of ν.
  private let factors: (gradients: Double, sums: Double)

  /// - Parameter level: The level of the pyramid that the variance belongs to.
  init(_ variance: Double, level: Int) {
    self.variance = variance
    factors = level == 0 ? Self.finest : Self.halved
  }

  /// The noise of images after smoothing by a Gaussian.
  /// - Parameters:
  ///   - sigma: In pixels, of all that was done to them.
  ///   - finest: The noise before, on level 0.
  init(ofImagesSmoothedBy sigma: Double, finest: PixelNoise) {
    // h₀ = 1/(2σ√π), h₂ = h₀·exp(−1/σ²).
    let squareSum = 1 / (4 * Double.pi * sigma * sigma)
    variance = finest.variance * Self.smoothing * squareSum
    factors = ((1 - gaussian(2.0.squareRoot(), sigma: sigma)) / 4, 1 / squareSum)
  }

  /// h = (6, 4, 1)/16 on the finest level; (20, 6, 0)/64 after halving. A central difference has 0.208·ν and 0.25·ν; the
  /// variance is a low quartile, so a third more than it says. Gradients are not quite smooth: some less than
  /// 1/h₀² = 7.1 on the finest level, Σh²/h₀² = 2.56 on the others.
  private static let (finest, halved) = ((gradients: 0.27, sums: 5.0), (gradients: 0.325, sums: 2.2))
  /// 1/h₀² on the finest level.
  private static let smoothing = 7.1

  /// The variance of one image's pixels.
  var ofOneImage: Double { variance / 2 }

  /// The variance of one image's central differences.
  var ofGradients: Double { variance * factors.gradients }

  /// The variance of a weighted sum of differences, for a sum of squared weights of 1.
  var ofSums: Double { variance * factors.sums }

  /// The minimum share of a tile's texture that is taken for the scene's, whatever the noise.
  static let minimumShare = 0.02
  /// The minimum share of a tile's texture that is taken for the scene's where tiles are followed one by one, so that
  /// those that are all noise stay where they are.
  static let minimumShareAlone = 0.6
}

extension Tile {
  /// Keeps divisions finite: a tile without contrast has no use.
  static let minimumContrast = 1e-3

  /// Σt² about the mean without what noise adds to it, or a fifth of it.
  func contrast(without noise: PixelNoise) -> Double { max(tt - noise.ofOneImage * Self.pixelCount, 0.2 * tt) }

  /// Σ∇t·∇tᵀ without what γ, β and noise are to it, and the part that noise has in its eigenvalues.
  ///
  /// Noise in the template makes its gradients look larger than those of the scene, and with them the steps too small: the
  /// steps of Gauß and Newton then go right, but only part of the way.
  /// - Parameter minimumShare: So much of the smaller eigenvalue stays at least.
  func denoised(_ noise: PixelNoise, minimumShare: Double) -> (matrix: SymmetricMatrix, excess: Double) {
    var matrix = SymmetricMatrix(self, contrast: contrast(without: noise))
    let excess = min(noise.ofGradients * Self.pixelCount, (1 - minimumShare) * max(matrix.smallerEigenvalue, 0))
    matrix.xx -= excess
    matrix.yy -= excess
    return (matrix, excess)
  }
}
