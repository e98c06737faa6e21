// The equations of tiles: their displacement and the light.

import Imaging

/// Tiles all over an image, textured or not, and the image that they are looked for in.
struct IlluminationTiles {
  let level: Int
  /// The size of the whole image, at full size.
  let size: PixelSize
  /// The number of tiles that lie on a pixel, along one axis.
  var overlap: Double { tiles.overlap }
  private let comparison: TileComparison
  private let tiles: TileSet
  private let equations: [TileEquations]

  /// The maximum number of tiles.
  private static let budget = 2400

  /// - Parameter minimumCount: The number of tiles below which they overlap.
  init(_ comparison: TileComparison, level: Int, minimumCount: Int = 400) {
    (self.comparison, self.level) = (comparison, level)
    size = comparison.template.size
    let tiles = TileSet(
      covering: comparison.template, level: level, budget: Self.budget, minimumCount: minimumCount,
      parallelism: comparison.parallelism)
    self.tiles = tiles
    equations = comparison.template.levels[level].withView { view in tiles.tiles.map { TileEquations($0, of: view) } }
  }

  /// Returns the equations of the tiles that a map puts into the target.
  func seen(under map: Homography) -> [TileEquations] {
    zip(equations, comparison.differences(of: tiles, under: map)).compactMap { tile, difference in
      difference.map { tile.with($0) }
    }
  }
}

/// A change of light: r = γ·t + β, grey levels counted from 128.
struct Light {
  /// γ.
  private(set) var contrast = 0.0
  /// β.
  private(set) var brightness = 0.0

  // Numbers without another source were chosen by hand.

  /// The number of reweighted fits of the line.
  private static let rounds = 20
  /// The maximum step that counts as short: of γ, and of β in grey levels.
  private static let shortStep = 0.001
  /// The residual from which a mean has no weight, in standard deviations: `biweightCutoff`, rounded.
  private static let cutoff = 4.7
  /// The median of the absolute values of normal errors, in standard deviations.
  private static let medianPart = 0.6745
  /// The minimum deviation of the means of tiles, in grey levels.
  private static let minimumDeviation = 0.3

  /// The change that the means of most tiles agree on; where things moved, or the motion is not known yet, they differ.
  /// - Parameter guess: Where to begin; nil: at the line through all means.
  init(of tiles: [TileEquations], near guess: Light? = nil) {
    let means = tiles.map { (t: $0.gram.2[3] / Tile.pixelCount, r: $0.right[3] / Tile.pixelCount) }
    var weights = [Double](repeating: 1, count: tiles.count)
    if let guess {
      self = guess
      weights = self.weights(of: means)
    }
    for _ in 0..<Self.rounds {
      let before = self
      fit(means, weights)
      if max(abs(contrast - before.contrast), abs(brightness - before.brightness)) < Self.shortStep { break }
      weights = self.weights(of: means)
    }
  }

  /// Returns Tukey's weights about the median of what the line leaves.
  private func weights(of means: [(t: Double, r: Double)]) -> [Double] {
    let errors = means.map { abs($0.r - contrast * $0.t - brightness) }
    let deviation = max((errors.median ?? 0) / Self.medianPart, Self.minimumDeviation)
    return errors.map { biweight($0 / (Self.cutoff * deviation)) }
  }

  /// Fits a weighted line through the means; without contrast where all are about equal.
  private mutating func fit(_ means: [(t: Double, r: Double)], _ weights: [Double]) {
    var (n, t, r, tt, tr) = (0.0, 0.0, 0.0, 0.0, 0.0)
    for (mean, weight) in zip(means, weights) {
      n += weight
      t += weight * mean.t
      r += weight * mean.r
      tt += weight * mean.t * mean.t
      tr += weight * mean.t * mean.r
    }
    guard n > 0 else { return }
    let spread = tt - t * t / n
    contrast = spread > n ? (tr - t * r / n) / spread : 0
    brightness = (r - contrast * t) / n
  }
}

/// The equations of a tile in (dx, dy, γ, β).
struct TileEquations {
  let u: Double
  let v: Double
  /// The rows of the symmetric matrix of sums over (gx, gy, t, 1).
  private(set) var gram: (SIMD4<Double>, SIMD4<Double>, SIMD4<Double>, SIMD4<Double>)
  /// Σr·(gx, gy, t, 1).
  private(set) var right = SIMD4<Double>.zero
  var weight = 1.0
  /// Σr².
  private var square = 0.0
  private let middle: Double
  /// Σ∇t·∇tᵀ about the mean.
  private let structure: SymmetricMatrix

  /// The level that grey levels count from, so that contrast and brightness are about independent.
  private static let grey = 128.0
  /// The share of what noise adds to Σ∇t·∇tᵀ that is taken off, so that steps are longer. All of it may leave less than
  /// nothing; tuned on images with little texture.
  private static let knownNoiseShare = 0.4

  init(_ tile: Tile, of view: PlaneView<Float>) {
    (u, v) = (tile.u, tile.v)
    let n = Tile.pixelCount
    let half = Tile.side / 2
    middle = Double(view.row(tile.y + half)[tile.x + half]) - Self.grey
    let (x, y, t) = (tile.meanX, tile.meanY, tile.meanT + middle)
    gram = (
      SIMD4(tile.xx + n * x * x, tile.xy + n * x * y, tile.xt + n * x * t, n * x),
      SIMD4(tile.xy + n * x * y, tile.yy + n * y * y, tile.yt + n * y * t, n * y),
      SIMD4(tile.xt + n * x * t, tile.yt + n * y * t, tile.tt + n * t * t, n * t),
      SIMD4(n * x, n * y, n * t, n)
    )
    structure = SymmetricMatrix(tile.xx, tile.xy, tile.yy)
  }

  func with(_ difference: TileDifference) -> TileEquations {
    var copy = self
    copy.right = SIMD4(difference.x, difference.y, difference.t + middle * difference.sum, difference.sum)
    copy.square = difference.square
    return copy
  }

  /// Returns the mean square of what the light leaves, in squared grey levels.
  func energy(_ light: Light) -> Double {
    let (contrast, brightness) = (light.contrast, light.brightness)
    let explained =
      ((2 * right - contrast * gram.2 - brightness * gram.3) * SIMD4(0, 0, contrast, brightness)).sum()
    return max(square - explained, 0) / Tile.pixelCount
  }

  /// Returns the root of the part of what the light leaves that a displacement and a brightness of the tile's own would
  /// explain, as a multiple of what they would explain of noise.
  func score(_ light: Light, _ noise: PixelNoise) -> Double {
    (explainedAlone(light) / max(noise.ofSums, 1e-6)).squareRoot()
  }

  private func explainedAlone(_ light: Light) -> Double {
    let left = right - light.contrast * gram.2 - light.brightness * gram.3
    let byMean = left[3] * left[3] / Tile.pixelCount
    let (x, y) = (left[0] - gram.3[0] * left[3] / Tile.pixelCount, left[1] - gram.3[1] * left[3] / Tile.pixelCount)
    let determinant = structure.determinant
    guard determinant > 0 else { return byMean }
    return max(byMean + (structure.yy * x * x - 2 * structure.xy * x * y + structure.xx * y * y) / determinant, 0)
  }

  /// Returns the equations without what noise adds; the template's is a part of t and, with the other sign, of r.
  func without(_ noise: PixelNoise) -> TileEquations {
    var copy = self
    let n = Tile.pixelCount
    copy.gram.0[0] -= Self.knownNoiseShare * n * noise.ofGradients
    copy.gram.1[1] -= Self.knownNoiseShare * n * noise.ofGradients
    copy.gram.2[2] -= n * noise.ofOneImage
    copy.right[2] += n * noise.ofOneImage
    return copy
  }
}

extension [TileEquations] {
  /// The noise that a map and the light leave, a quarter of the tiles having less.
  func noise(_ light: Light, level: Int) -> PixelNoise {
    var energies = map { $0.energy(light) }
    return PixelNoise(energies.nthElement(energies.count / 4), level: level)
  }

  /// Returns the error of a map: the mean of the tiles' squared scores, those of what moves differently counting no
  /// more than that they do.
  func cost(_ light: Light, _ noise: PixelNoise) -> Double {
    let limit = biweightCutoff * biweightCutoff
    return reduce(0) { sum, tile in
      let score = tile.score(light, noise)
      return sum + Swift.min(score * score, limit)
    } / Double(Swift.max(count, 1))
  }
}
