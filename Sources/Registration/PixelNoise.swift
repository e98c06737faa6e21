// What noise does to the sums over tiles.

/// The noise of two pictures on one level of their pyramids: what it adds to the equations of tiles.
///
/// White noise of the variance σ² in both pictures, smoothed by a filter with the autocorrelation h along both axes
/// (`RegistrationPicture`): the difference of matching pixels has the variance ν = 2σ²·h₀², a central difference of one
/// picture σ²·h₀·(h₀ − h₂)/2, and a sum of differences weighted by something smooth 2σ² for each pixel.
struct PixelNoise {
  /// Of the difference of matching pixels: ν, in squared grey levels; 0 until known.
  let variance: Double
  private let isFinest: Bool

  init(_ variance: Double, level: Int) {
    self.variance = variance
    isFinest = level == 0
  }

  /// The variance of one picture's pixels.
  var ofOnePicture: Double { variance / 2 }

  /// The variance of one picture's central differences: h = (6, 4, 1)/16 on the finest level; (20, 6, 0)/64 after halving;
  /// 0.208·ν and 0.25·ν. The variance is a low quartile, so a third more than it says.
  var ofGradients: Double { variance * (isFinest ? 0.27 : 0.325) }

  /// The variance of a weighted sum of differences, for a sum of squared weights of 1. Gradients are not quite smooth:
  /// some less than 1/h₀² = 7.1 on the finest level, Σh²/h₀² = 2.56 on the others.
  var ofSums: Double { variance * (isFinest ? 5 : 2.2) }

  /// Of a tile's texture at least this share is taken for the scene's, whatever the noise.
  static let leastShare = 0.02
  /// The same where tiles are followed one by one, so that those that are all noise stay where they are.
  static let leastShareAlone = 0.6
}

extension Tile {
  /// Keeps divisions finite: a tile without contrast has no use.
  static let leastContrast = 1e-3

  /// Σt² about the mean without what noise adds to it, or a fifth of it.
  func contrast(without noise: PixelNoise) -> Double { max(tt - noise.ofOnePicture * Self.pixelCount, 0.2 * tt) }

  /// Σ∇t·∇tᵀ without what γ, β and noise are to it, and the part that noise has in its eigenvalues.
  ///
  /// Noise in the template makes its gradients look larger than those of the scene, and with them the steps too small: the
  /// steps of Gauß and Newton then go right, but only part of the way.
  /// - Parameter leastShare: So much of the smaller eigenvalue stays at least.
  func denoised(_ noise: PixelNoise, leastShare: Double) -> (matrix: SymmetricMatrix, excess: Double) {
    var matrix = SymmetricMatrix(self, contrast: contrast(without: noise))
    let excess = min(noise.ofGradients * Self.pixelCount, (1 - leastShare) * max(matrix.smallerEigenvalue, 0))
    matrix.xx -= excess
    matrix.yy -= excess
    return (matrix, excess)
  }
}
