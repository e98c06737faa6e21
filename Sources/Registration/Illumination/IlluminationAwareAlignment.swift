// One motion and one change of light for a whole image.

import Imaging

/// Aligns a template with a target whose brightness and contrast changed everywhere alike.
///
/// The model of each tile is r ≈ ∇t·d + γ·t + β, with one γ and one β for all. The tiles of `Alignment`, each with a γ
/// and a β of its own, see texture alone; what theirs take up, the slow shading of a wall or a road, is most of what
/// such an image has to say. All tiles count here, textured or not.
///
/// Gauß-Newton. A tile counts less the more a displacement and a brightness of its own would explain of its
/// differences, against what noise lets them (score test; Tukey's biweight of its root).
struct IlluminationAwareAlignment {
  private(set) var map: Homography
  /// The standard deviation of the map at the farthest corner, in pixels; infinite until known.
  private(set) var cornerDeviation = Double.infinity
  /// The factor by which the tiles differ more than noise lets them.
  private(set) var dispersion = Double.infinity
  /// The share of the tiles that move with the map, 0…1.
  private(set) var inlierShare = 0.0
  private let frame: NormalizedFrame
  private let corners: [(u: Double, v: Double)]

  // Without another source, a number here was chosen by hand.

  /// The maximum number of steps on a level.
  private static let stepsPerLevel = 16
  /// The step of the corners after which no further one is made, in pixels of the level: on the finest level and
  /// before.
  private static let (shortStep, shortStepOnTheWay) = (0.005, 0.03)
  /// The maximum step of a corner, in pixels of the level.
  private static let maximumStep = 4.0
  /// The root of the median of the χ² distribution of three degrees of freedom.
  private static let medianScore = 1.538
  /// The minimum dispersion: less would be an accident of few tiles.
  private static let minimumDispersion = 0.7

  /// - Parameter map: Where to begin.
  init(from map: Homography, in alignment: Alignment) {
    self.map = map
    (frame, corners) = (alignment.frame, alignment.corners)
  }

  /// Steps until they are short. Returns whether the tiles determine them.
  /// - Parameters:
  ///   - model: The family of the steps.
  ///   - tiles: What to align.
  ///   - noise: nil: as much as the tiles themselves tell.
  mutating func refine(_ model: TransformModel, _ tiles: IlluminationTiles, noise known: PixelNoise? = nil) -> Bool {
    let scale = frame.scale / Double(1 << tiles.level)
    let shortStep = tiles.level == 0 ? Self.shortStep : Self.shortStepOnTheWay
    var light: Light?
    for iteration in 0..<Self.stepsPerLevel {
      var seen = tiles.seen(under: map)
      guard seen.count >= model.degreesOfFreedom else { return false }
      light = Light(of: seen, near: light)
      guard let light else { return false }
      let noise = known ?? seen.noise(light, level: tiles.level)
      weigh(&seen, light, noise)
      guard let step = step(model, seen, noise, scale: scale), step.map.isPlausible(for: tiles.size) else {
        return false
      }
      let moved = map.farthestCornerDistance(to: step.map, size: tiles.size) / Double(1 << tiles.level)
      map = step.map
      guard moved < shortStep || iteration == Self.stepsPerLevel - 1 else { continue }
      if tiles.level == 0 {
        // Tiles that share pixels are not that many witnesses.
        cornerDeviation = deviation(model, step.factor, seen, noise, scale: scale) * tiles.overlap
      }
      break
    }
    return true
  }

  /// Sets the weights of the tiles.
  private mutating func weigh(_ tiles: inout [TileEquations], _ light: Light, _ noise: PixelNoise) {
    let scores = tiles.map { $0.score(light, noise) }
    dispersion = max((scores.median ?? 0) / Self.medianScore, Self.minimumDispersion)
    for index in tiles.indices { tiles[index].weight = biweight(scores[index] / (dispersion * biweightCutoff)) }
    inlierShare = Double(tiles.count { $0.weight > 0 }) / Double(tiles.count)
  }

  /// The map after a step, and the equations that gave it.
  private func step(_ model: TransformModel, _ tiles: [TileEquations], _ noise: PixelNoise, scale: Double) -> (
    map: Homography, factor: CholeskyFactor
  )? {
    let system = system(model, tiles, noise, scale: scale)
    guard let factor = system.factor() else { return nil }
    let solution = factor.solve(system.right)
    let reach = corners.map { corner in
      let moved = model.displacement(solution, u: corner.u, v: corner.v)
      return (moved.x * moved.x + moved.y * moved.y).squareRoot() * scale
    }.max()
    let share = Self.maximumStep / max(reach ?? 0, Self.maximumStep)
    let increment = model.increment(solution[..<model.degreesOfFreedom].map { $0 * share })
    guard let inverse = increment.inverse else { return nil }
    return ((map * frame.inPixels(inverse)).normalized, factor)
  }

  /// The equations of all tiles in the model's unknowns, γ and β.
  private func system(_ model: TransformModel, _ tiles: [TileEquations], _ noise: PixelNoise, scale: Double)
    -> NormalEquations
  {
    let count = model.degreesOfFreedom
    var system = NormalEquations(count: count + 2)
    withUnsafeTemporaryAllocation(of: Double.self, capacity: 2 * count) { rows in
      let x = UnsafeMutableBufferPointer(rebasing: rows[..<count])
      let y = UnsafeMutableBufferPointer(rebasing: rows[count...])
      for tile in tiles where tile.weight > 0 {
        model.fillRows(u: tile.u, v: tile.v, x, y)
        for index in 0..<2 * count { rows[index] *= scale }
        let clean = tile.without(noise)
        system.add(x, y, clean.gram, clean.right, weight: tile.weight)
      }
    }
    return system
  }

  /// Returns the standard deviation of the farthest corner, in pixels of the level, each tile being a witness of its
  /// own. With D the equations that the steps are solved with, and R those of the tiles as they are: D⁻¹·ν·R·D⁻¹ is the
  /// covariance of the motion.
  private func deviation(
    _ model: TransformModel, _ factor: CholeskyFactor, _ tiles: [TileEquations], _ noise: PixelNoise, scale: Double
  ) -> Double {
    let raw = system(model, tiles, PixelNoise(0, level: 0), scale: scale)
    let variances = corners.map { corner in
      let rows = model.rows(u: corner.u, v: corner.v)
      return [rows.x, rows.y].map { raw.form(factor.solve($0 + [0, 0])) }.reduce(0, +)
    }
    return ((variances.max() ?? .infinity) * noise.ofSums).squareRoot() * max(dispersion, 1) * scale
  }
}
