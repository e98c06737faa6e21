// One motion for many tiles, some of which move differently.

import Imaging

/// A fit of a family of maps to the displacements of tiles, by iteratively reweighted least squares.
///
/// A tile's displacement d has the covariance s²·1 + ν·A⁻¹·B·A⁻¹: what the model itself leaves open (interpolation,
/// parallax, a lens), and what noise does to a tile with the matrix A, which is B = A + ε·1 with the noise of its
/// gradients. The distances of the displacements from the fit, in units of that, get Tukey's biweights about a scale
/// from their median (Huber & Ronchetti 2009; Black & Anandan 1996).
struct RobustFit {
  /// The motion, in the family's numbers; see `TransformModel.increment`.
  private(set) var theta: [Double]
  /// The weight of each tile, 0…1; 0 of those that are not visible.
  private(set) var weights: [Double]
  /// The part of each tile's displacement that the motion leaves, in pixels of the level.
  private(set) var residuals: [(x: Double, y: Double)]
  /// The standard deviation of the motion at the farthest corner, in pixels of the level; infinite when it is open.
  private(set) var cornerDeviation = Double.infinity
  private(set) var isSolved = false

  /// The weights that a fit begins with.
  enum Start {
    /// Weights from the present map: most tiles are expected to agree with it.
    case present
    /// Weights from the minimum sum of distances, which a minority does not carry away.
    case minimumDistances
    /// Weights from the motion that most tiles agree with, found by trying small samples of them.
    case consensus
  }

  /// The deviation of tiles from a model at best, in pixels of their level; chosen by hand.
  private static let modelDeviation = 0.04
  /// The deviation of tiles from a model while the map is still wrong by parts of a tile, in pixels of their level;
  /// tuned on warped images with a third moving differently.
  private static let seekingDeviation = 0.2
  /// The maximum scale while seeking: where half the tiles lie off, a larger one would call a compromise between two
  /// motions an agreement.
  private static let maximumSeekingDispersion = 2.0
  /// The median length of a normal vector of two dimensions with unit variance.
  private static let medianLength = 1.17741

  /// The number of their standard deviations by which the tiles lie off.
  private var dispersion = 1.0
  private var maximumDispersion = Double.infinity
  private let model: TransformModel
  private let set: TileSet
  private let precisions: [(xx: Double, xy: Double, yy: Double)]
  private let matches: [TileMatch]

  /// - Parameters:
  ///   - scale: Pixels of the level in a unit of the normalised frame.
  ///   - corners: The corners of the template, in the normalised frame.
  ///   - start: What is known about who moves differently.
  init(
    _ model: TransformModel, to matches: [TileMatch], of set: TileSet, noise: PixelNoise, scale: Double,
    corners: [(u: Double, v: Double)], start: Start
  ) {
    self.model = model
    self.set = set
    self.matches = matches
    theta = [Double](repeating: 0, count: model.degreesOfFreedom)
    residuals = matches.map { ($0.dx, $0.dy) }
    weights = matches.map { $0.isVisible ? 1 : 0 }
    let modelDeviation = start == .consensus ? Self.seekingDeviation : Self.modelDeviation
    precisions = set.tiles.map { $0.precision(noise: noise, modelDeviation: modelDeviation) }
    if start == .consensus { maximumDispersion = Self.maximumSeekingDispersion }
    switch start {
    case .present: reweigh()
    case .minimumDistances:
      for _ in 0..<4 {
        guard solve(scale: scale) != nil else { return }
        weights = distances().map { $0.isFinite ? 1 / max($0, 0.5) : 0 }
      }
    case .consensus:
      guard let consensus = TileRANSAC(model, matches: matches, set: set, precisions: precisions, scale: scale) else {
        return
      }
      theta = consensus.theta
      updateResiduals(scale: scale)
      reweigh()
    }
    for round in 0..<2 {
      guard let factor = solve(scale: scale) else { return }
      if round == 1 { cornerDeviation = deviation(factor, corners: corners) }
      reweigh()
    }
    isSolved = true
  }

  /// Tiles that move with the fit.
  var inlierCount: Int { weights.count { $0 > 0 } }

  /// Solves for θ with the present weights.
  private mutating func solve(scale: Double) -> CholeskyFactor? {
    var system = NormalEquations(count: model.degreesOfFreedom)
    let count = model.degreesOfFreedom
    withUnsafeTemporaryAllocation(of: Double.self, capacity: 2 * count) { rows in
      rows.initialize(repeating: 0)
      let x = UnsafeMutableBufferPointer(rebasing: rows[..<count])
      let y = UnsafeMutableBufferPointer(rebasing: rows[count...])
      for (index, tile) in set.tiles.enumerated() where weights[index] > 0 {
        model.fillRows(u: tile.u, v: tile.v, x, y)
        let (p, weight, match) = (precisions[index], weights[index], matches[index])
        system.add(x, y, (p.xx * weight, p.xy * weight, p.yy * weight), (match.dx / scale, match.dy / scale))
      }
    }
    guard let factor = system.factor() else { return nil }
    theta = factor.solve(system.right)
    updateResiduals(scale: scale)
    return factor
  }

  private mutating func updateResiduals(scale: Double) {
    for (index, tile) in set.tiles.enumerated() where matches[index].isVisible {
      let moved = model.displacement(theta, u: tile.u, v: tile.v)
      residuals[index] = (matches[index].dx - moved.x * scale, matches[index].dy - moved.y * scale)
    }
  }

  /// Returns the distance of each tile from the fit, in standard deviations; infinite for those that are not visible.
  private func distances() -> [Double] {
    residuals.indices.map { index in
      guard matches[index].isVisible else { return .infinity }
      let (p, r) = (precisions[index], residuals[index])
      return max(p.xx * r.x * r.x + 2 * p.xy * r.x * r.y + p.yy * r.y * r.y, 0).squareRoot()
    }
  }

  private mutating func reweigh() {
    let distances = distances()
    guard let median = distances.filter(\.isFinite).median else { return }
    // A scale under one standard deviation would be an accident of few tiles.
    let scale = min(max(median / Self.medianLength, 0.7), maximumDispersion)
    dispersion = scale
    let cutoff = scale * biweightCutoff
    weights = distances.map { biweight($0 / cutoff) }
  }

  private func deviation(_ factor: CholeskyFactor, corners: [(u: Double, v: Double)]) -> Double {
    let variances = corners.map { corner in
      let rows = model.rows(u: corner.u, v: corner.v)
      return factor.variance(rows.x) + factor.variance(rows.y)
    }
    return (variances.max() ?? .infinity).squareRoot() * dispersion
  }
}

extension Tile {
  /// The inverse of s²·1 + ν·A⁻¹·B·A⁻¹ with B = A + ε·1.
  fileprivate func precision(noise: PixelNoise, modelDeviation: Double) -> (xx: Double, xy: Double, yy: Double) {
    let (a, excess) = denoised(noise, minimumTextureShare: PixelNoise.minimumTextureShare)
    let (s, k) = (modelDeviation * modelDeviation, noise.ofSums)
    // C = s²·A² + ν·B; all commute, so that A·C⁻¹·A is symmetric.
    let square = SymmetricMatrix(a.xx * a.xx + a.xy * a.xy, a.xy * (a.xx + a.yy), a.yy * a.yy + a.xy * a.xy)
    let c = SymmetricMatrix(
      s * square.xx + k * (a.xx + excess), s * square.xy + k * a.xy, s * square.yy + k * (a.yy + excess))
    let determinant = c.determinant
    guard determinant > 0 else { return (0, 0, 0) }
    return (
      (square.xx * c.yy - square.xy * c.xy) / determinant, (square.xy * c.xx - square.xx * c.xy) / determinant,
      (square.yy * c.xx - square.xy * c.xy) / determinant
    )
  }
}
