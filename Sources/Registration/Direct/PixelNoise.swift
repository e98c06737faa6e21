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
    variance = finest.variance * Self.finestNoiseReduction * squareSum
    factors = ((1 - gaussian(2.0.squareRoot(), sigma: sigma)) / 4, 1 / squareSum)
  }

  /// The factors of the finest level, h = (6, 4, 1)/16, and after halving, (20, 6, 0)/64. A central difference has
  /// 0.208·ν and 0.25·ν; the variance is a low quartile, so a third more than it says. Gradients are not quite smooth:
  /// some less than 1/h₀² = 7.1 on the finest level, Σh²/h₀² = 2.56 on the others.
  private static let (finest, halved) = ((gradients: 0.27, sums: 5.0), (gradients: 0.325, sums: 2.2))
  /// The factor by which the filter of the finest level lowers the variance of noise, 1/h₀².
  private static let finestNoiseReduction = 7.1

  /// The variance of one image's pixels.
  var ofOneImage: Double { variance / 2 }

  /// The variance of one image's central differences.
  var ofGradients: Double { variance * factors.gradients }

  /// The variance of a weighted sum of differences, for a sum of squared weights of 1.
  var ofSums: Double { variance * factors.sums }

  /// The minimum share of a tile's texture that is taken for the scene's, whatever the noise; chosen by hand.
  static let minimumTextureShare = 0.02
  /// The minimum share of a tile's texture that is taken for the scene's where tiles are followed one by one, so that
  /// those that are all noise stay where they are; chosen by hand.
  static let minimumTextureShareAlone = 0.6
}

extension Tile {
  /// The minimum contrast of a tile, Σt² in squared grey levels, which keeps divisions finite: one without has no use.
  static let minimumContrast = 1e-3

  /// Σt² about the mean without what noise adds to it, or a fifth of it.
  func contrast(without noise: PixelNoise) -> Double { max(tt - noise.ofOneImage * Self.pixelCount, 0.2 * tt) }

  /// Σ∇t·∇tᵀ without what γ, β and noise are to it, and the part that noise has in its eigenvalues.
  ///
  /// Noise in the template makes its gradients look larger than those of the scene, and with them the steps too small:
  /// the steps of Gauß and Newton then go right, but only part of the way.
  /// - Parameter minimumTextureShare: So much of the smaller eigenvalue stays at least.
  func denoised(_ noise: PixelNoise, minimumTextureShare: Double) -> (matrix: SymmetricMatrix, excess: Double) {
    var matrix = SymmetricMatrix(self, contrast: contrast(without: noise))
    let excess = min(noise.ofGradients * Self.pixelCount, (1 - minimumTextureShare) * max(matrix.smallerEigenvalue, 0))
    matrix.xx -= excess
    matrix.yy -= excess
    return (matrix, excess)
  }
}
