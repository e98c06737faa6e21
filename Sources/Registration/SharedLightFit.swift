// One motion and one change of light for a whole picture.

import Imaging

/// Aligns a template with a target whose brightness and contrast changed everywhere alike.
///
/// Of each tile r ≈ ∇t·d + γ·t + β, with one γ and one β for all. The tiles of `Alignment`, each with a γ and a β of its
/// own, see texture alone; what theirs take up, the slow shading of a wall or a road, is most of what such a picture has
/// to say. All tiles count here, textured or not.
///
/// Gauß-Newton, coarse to fine. A tile counts less the more a displacement and a brightness of its own would explain of
/// its differences, against what noise lets them (score test; Tukey's biweight of its root). Where the light did not
/// change everywhere alike, or much of the picture moves differently, too many tiles differ: then `agrees` is false. It
/// has to be: shading has no edges by which one could tell which part moves.
struct SharedLightFit {
  private(set) var map: Homography
  /// The standard deviation of the map at the farthest corner, in pixels; infinite until known.
  private(set) var cornerDeviation = Double.infinity
  /// How many times more than noise the tiles differ.
  private var dispersion = Double.infinity
  private var inlierShare = 0.0
  private var contrast = 0.0
  private var brightness = 0.0
  private let alignment: Alignment
  private let model: TransformModel

  /// Whether the fit was found, and explains almost all of the picture as well as its noise allows.
  var agrees: Bool { dispersion <= Self.mostDispersion && inlierShare >= Self.leastShare }

  /// Tiles of a level at most.
  private static let tileBudget = 2400
  private static let stepsPerLevel = 16
  /// The corners' last step, in pixels of the level.
  private static let (shortStep, shortStepOnTheWay) = (0.005, 0.03)
  private static let longestStep = 4.0
  /// The root of the median of the χ² distribution of three degrees of freedom.
  private static let medianScore = 1.538
  /// Tukey's constant, in units of the dispersion.
  private static let cutoff = 4.685
  private static let leastDispersion = 0.7
  private static let mostDispersion = 2.0
  private static let leastShare = 0.95

  /// - Parameter map: Where to begin.
  init(_ model: TransformModel, from map: Homography, alignment: Alignment) {
    self.model = model
    self.map = map
    self.alignment = alignment
    for level in (0...alignment.coarsest).reversed() {
      guard refine(level: level) else {
        dispersion = .infinity
        return
      }
    }
  }

  /// Steps on one level; false where there is no way on.
  private mutating func refine(level: Int) -> Bool {
    let set = TileSet(
      covering: alignment.template, level: level, budget: Self.tileBudget, parallelism: alignment.parallelism)
    let equations = alignment.template.levels[level].withView { view in set.tiles.map { TileEquations($0, of: view) } }
    let scale = alignment.frame.scale / Double(1 << level)
    let shortStep = level == 0 ? Self.shortStep : Self.shortStepOnTheWay
    for iteration in 0..<Self.stepsPerLevel {
      let differences = alignment.comparison.differences(of: set, under: map)
      var seen = zip(equations, differences).compactMap { tile, difference in difference.map { tile.with($0) } }
      guard seen.count >= model.degreesOfFreedom else { return false }
      // The light of one level holds for the next, since levels are means. As long as it is not known, the differences say
      // nothing about noise.
      let isFirst = iteration == 0 && level == alignment.coarsest
      let noise = isFirst ? PixelNoise(0, level: level) : weigh(&seen, level: level)
      guard let moved = step(seen, noise, scale: scale, level: level) else { return false }
      guard moved < shortStep || iteration == Self.stepsPerLevel - 1 else { continue }
      // Tiles that share pixels are not that many witnesses.
      if level == 0 { cornerDeviation = deviation(seen, noise, scale: scale) * set.overlap }
      break
    }
    return true
  }

  /// Sets the weights of the tiles. Returns the noise of the level.
  private mutating func weigh(_ tiles: inout [TileEquations], level: Int) -> PixelNoise {
    var energies = tiles.map { $0.energy(contrast, brightness) }
    let noise = PixelNoise(energies.ranked(energies.count / 4), level: level)
    let scores = tiles.map { ($0.explainedAlone(contrast, brightness) / max(noise.ofSums, 1e-6)).squareRoot() }
    var ranked = scores
    dispersion = max(ranked.ranked(scores.count / 2) / Self.medianScore, Self.leastDispersion)
    for index in tiles.indices {
      let ratio = scores[index] / (dispersion * Self.cutoff)
      tiles[index].weight = ratio < 1 ? (1 - ratio * ratio) * (1 - ratio * ratio) : 0
    }
    inlierShare = Double(tiles.count { $0.weight > 0 }) / Double(tiles.count)
    return noise
  }

  /// One step. Returns how far it moves the corners, in pixels of the level.
  private mutating func step(_ tiles: [TileEquations], _ noise: PixelNoise, scale: Double, level: Int) -> Double? {
    let count = model.degreesOfFreedom
    let system = system(tiles, noise, scale: scale)
    guard let factor = system.factor() else { return nil }
    let solution = factor.solve(system.right)
    (contrast, brightness) = (solution[count], solution[count + 1])
    let reach = alignment.corners.map { corner in
      let moved = model.displacement(solution, u: corner.u, v: corner.v)
      return (moved.x * moved.x + moved.y * moved.y).squareRoot() * scale
    }.max()
    let share = Self.longestStep / max(reach ?? 0, Self.longestStep)
    guard let inverse = model.increment(solution[..<count].map { $0 * share }).inverse else { return nil }
    let next = (map * alignment.frame.inPixels(inverse)).normalized
    let size = alignment.template.size
    guard next.isPlausible(for: size) else { return nil }
    defer { map = next }
    return map.farthestCornerDistance(to: next, size: size) / Double(1 << level)
  }

  /// The equations of all tiles in the model's unknowns, γ and β.
  private func system(_ tiles: [TileEquations], _ noise: PixelNoise, scale: Double) -> SmallSystem {
    let count = model.degreesOfFreedom
    var system = SmallSystem(count: count + 2)
    var columns = [SIMD4<Double>](repeating: .zero, count: count + 2)
    columns[count][2] = 1
    columns[count + 1][3] = 1
    withUnsafeTemporaryAllocation(of: Double.self, capacity: 2 * count) { rows in
      let x = UnsafeMutableBufferPointer(rebasing: rows[..<count])
      let y = UnsafeMutableBufferPointer(rebasing: rows[count...])
      for tile in tiles where tile.weight > 0 {
        model.fillRows(u: tile.u, v: tile.v, x, y)
        for index in 0..<count { columns[index] = SIMD4(x[index] * scale, y[index] * scale, 0, 0) }
        let clean = tile.without(noise)
        system.add(columns, clean.gram, clean.right, weight: tile.weight)
      }
    }
    return system
  }

  /// How uncertain the farthest corner is, in pixels of the level, each tile being a witness of its own. With D the equations
  /// that the steps are solved with, and R those of the tiles as they are: D⁻¹·ν·R·D⁻¹ is the covariance of the motion.
  private func deviation(_ tiles: [TileEquations], _ noise: PixelNoise, scale: Double) -> Double {
    guard let factor = system(tiles, noise, scale: scale).factor() else { return .infinity }
    let raw = system(tiles, PixelNoise(0, level: 0), scale: scale)
    let variances = alignment.corners.map { corner in
      let rows = model.rows(u: corner.u, v: corner.v)
      return [rows.x, rows.y].map { raw.form(factor.solve($0 + [0, 0])) }.reduce(0, +)
    }
    return ((variances.max() ?? .infinity) * noise.ofSums).squareRoot() * max(dispersion, 1) * scale
  }
}

/// The equations of a tile in (dx, dy, γ, β).
private struct TileEquations {
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

  /// Grey levels count from here, so that contrast and brightness are about independent.
  private static let grey = 128.0
  /// So much of what noise adds to Σ∇t·∇tᵀ is taken off, so that steps are longer. All of it may leave less than nothing;
  /// tuned on pictures with little texture.
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

  /// The mean square of what γ and β leave.
  func energy(_ contrast: Double, _ brightness: Double) -> Double {
    let light = SIMD4(0, 0, contrast, brightness)
    let explained = ((2 * right - contrast * gram.2 - brightness * gram.3) * light).sum()
    return max(square - explained, 0) / Tile.pixelCount
  }

  /// How much of what γ and β leave a displacement and a brightness of the tile's own would explain.
  func explainedAlone(_ contrast: Double, _ brightness: Double) -> Double {
    let left = right - contrast * gram.2 - brightness * gram.3
    let byMean = left[3] * left[3] / Tile.pixelCount
    let (x, y) = (left[0] - gram.3[0] * left[3] / Tile.pixelCount, left[1] - gram.3[1] * left[3] / Tile.pixelCount)
    let determinant = structure.determinant
    guard determinant > 0 else { return byMean }
    return max(byMean + (structure.yy * x * x - 2 * structure.xy * x * y + structure.xx * y * y) / determinant, 0)
  }

  /// Without what noise adds; the template's is a part of t and, with the other sign, of r.
  func without(_ noise: PixelNoise) -> TileEquations {
    var copy = self
    let n = Tile.pixelCount
    copy.gram.0[0] -= Self.knownNoiseShare * n * noise.ofGradients
    copy.gram.1[1] -= Self.knownNoiseShare * n * noise.ofGradients
    copy.gram.2[2] -= n * noise.ofOnePicture
    copy.right[2] += n * noise.ofOnePicture
    return copy
  }
}
