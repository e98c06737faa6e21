// The motion that most tiles agree with.

import Imaging

/// Random sample consensus over the displacements of tiles (Fischler & Bolles 1981), scored as in MSAC (Torr &
/// Zisserman 2000): a tile costs its squared distance, or the limit if it lies farther off.
///
/// The displacements are small and a family of motions is linear in its unknowns to first order, so that a sample is a
/// small linear system. The samples come from a generator with a fixed seed: same tiles, same result.
struct TileRANSAC {
  private(set) var theta: [Double]

  // Numbers without another source were chosen by hand.

  /// The number of samples. With three tiles in ten moving differently a sample of four is clean one time in four.
  private static let trialCount = 120
  /// The maximum number of tiles that are looked at; more add nothing but time.
  private static let maximumVoters = 400
  /// The minimum precision of the tiles that samples are drawn from: about a pixel in every direction.
  private static let minimumPrecision = 1.0
  /// The squared distance, in standard deviations, of a tile that counts as moving differently.
  private static let limit = 9.0

  /// Finds the motion; nil when there are too few tiles to sample.
  init?(
    _ model: TransformModel, matches: [TileMatch], set: TileSet, precisions: [(xx: Double, xy: Double, yy: Double)],
    scale: Double
  ) {
    let visible = matches.indices.filter { matches[$0].isVisible && matches[$0].correlation > 0.3 }
    let firm = visible.filter { index in
      let p = precisions[index]
      return p.xx * p.yy - p.xy * p.xy > Self.minimumPrecision * (p.xx + p.yy)
    }
    let sampleSize = (model.degreesOfFreedom + 1) / 2
    guard visible.count >= sampleSize, sampleSize > 0 else { return nil }
    let step = max(1, visible.count / Self.maximumVoters)
    let sampled = firm.count > 3 * sampleSize ? firm : visible
    let voters = stride(from: 0, to: visible.count, by: step).map { visible[$0] }
    var random = SplitMix64(seed: 0x5EED_0001)
    var best = Double.infinity
    theta = [Double](repeating: 0, count: model.degreesOfFreedom)
    var sample = [Int](repeating: 0, count: sampleSize)
    for trial in 0..<Self.trialCount {
      var candidate = theta
      if trial == 0 {
        // The present map is the first candidate.
        candidate = [Double](repeating: 0, count: model.degreesOfFreedom)
      } else {
        for k in sample.indices { sample[k] = sampled[random.index(below: sampled.count, bits: 24)] }
        guard let solved = Self.solve(model, sample, matches, set, scale: scale) else { continue }
        candidate = solved
      }
      var cost = 0.0
      for index in voters {
        let (tile, match, p) = (set.tiles[index], matches[index], precisions[index])
        let moved = model.displacement(candidate, u: tile.u, v: tile.v)
        let (x, y) = (match.dx - moved.x * scale, match.dy - moved.y * scale)
        cost += min(p.xx * x * x + 2 * p.xy * x * y + p.yy * y * y, Self.limit)
        if cost >= best { break }
      }
      if cost < best {
        best = cost
        theta = candidate
      }
    }
  }

  private static func solve(
    _ model: TransformModel, _ sample: [Int], _ matches: [TileMatch], _ set: TileSet, scale: Double
  ) -> [Double]? {
    var system = NormalEquations(count: model.degreesOfFreedom)
    let count = model.degreesOfFreedom
    withUnsafeTemporaryAllocation(of: Double.self, capacity: 2 * count) { rows in
      rows.initialize(repeating: 0)
      let x = UnsafeMutableBufferPointer(rebasing: rows[..<count])
      let y = UnsafeMutableBufferPointer(rebasing: rows[count...])
      for index in sample {
        let (tile, match) = (set.tiles[index], matches[index])
        model.fillRows(u: tile.u, v: tile.v, x, y)
        system.add(x, y, (1, 0, 1), (match.dx / scale, match.dy / scale))
      }
    }
    return system.factor().map { $0.solve(system.right) }
  }
}
