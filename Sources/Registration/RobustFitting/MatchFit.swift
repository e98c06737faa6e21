// The map that fits many matches best.

import Imaging

/// A fit of a family of maps to matches, by iteratively reweighted least squares.
///
/// A match's distance from the map is measured in units of what the imprecision of both of its points allows, so that
/// neither image is preferred, however the map stretches (Sampson's approximation of the reprojection error; Hartley &
/// Zisserman, 4.2.6). Steps are composed with the map, so that the equations are those of small motions.
struct MatchFit {
  /// The map from floating to reference, in normalised coordinates.
  private(set) var map: Homography
  /// The equations of the last step; nil where the matches leave the map open.
  private(set) var factor: CholeskyFactor?
  let model: TransformModel

  init(_ model: TransformModel, from map: Homography) {
    self.model = model
    self.map = map
  }

  /// Improves the map.
  ///
  /// - Parameters:
  ///   - limit: The distance from which on a match does not count.
  ///   - steps: The maximum number of steps.
  mutating func refine(to matches: [PointMatch], limit: Double, steps: Int) {
    for _ in 0..<steps {
      guard let size = step(to: matches, limit: limit) else { return }
      if size < 1e-7 { return }
    }
  }

  /// Makes one step. Returns its size; nil when there is none.
  private mutating func step(to matches: [PointMatch], limit: Double) -> Double? {
    let count = model.degreesOfFreedom
    var system = NormalEquations(count: count)
    let inverseSquare = 1 / (limit * limit)
    withUnsafeTemporaryAllocation(of: Double.self, capacity: 2 * count) { rows in
      rows.initialize(repeating: 0)
      let x = UnsafeMutableBufferPointer(rebasing: rows[..<count])
      let y = UnsafeMutableBufferPointer(rebasing: rows[count...])
      for match in matches {
        guard let error = TransferError(of: match, by: map) else { continue }
        let weight = MarginalWeights.shared.weight(error.square * inverseSquare)
        guard weight > 0 else { continue }
        model.fillRows(u: error.position.x, v: error.position.y, x, y)
        let p = error.precision
        system.add(x, y, (p.xx * weight, p.xy * weight, p.yy * weight), (error.residual.x, error.residual.y))
      }
    }
    factor = system.factor()
    guard let factor else { return nil }
    let theta = factor.solve(system.right)
    let next = model.increment(theta) * map
    guard next.determinant > 0, next.elements.allSatisfy(\.isFinite) else { return nil }
    map = next
    return theta.map(abs).max() ?? 0
  }
}

/// The distance of a match from a map.
struct TransferError {
  /// The image of the floating point under the map.
  let position: SIMD2<Double>
  /// The vector from `position` to the reference point.
  let residual: SIMD2<Double>
  /// The inverse of the covariance of `residual`.
  let precision: (xx: Double, xy: Double, yy: Double)

  /// The squared distance in units of what both points' imprecision allows; that of a plain shift for the best points.
  var square: Double {
    precision.xx * residual.x * residual.x + 2 * precision.xy * residual.x * residual.y + precision.yy * residual.y
      * residual.y
  }

  /// Measures the distance; nil where the map puts the point beyond the horizon, or folds.
  init?(of match: PointMatch, by map: Homography) {
    guard map.depth(match.floating) > 1e-9 else { return nil }
    position = map.apply(match.floating)
    residual = match.reference - position
    let j = map.jacobian(match.floating)
    let (r, f) = (match.referenceVariance / 2, match.floatingVariance / 2)
    let xx = r + f * (j.xx * j.xx + j.xy * j.xy)
    let xy = f * (j.xx * j.yx + j.xy * j.yy)
    let yy = r + f * (j.yx * j.yx + j.yy * j.yy)
    let determinant = xx * yy - xy * xy
    guard determinant > 0, determinant.isFinite else { return nil }
    precision = (yy / determinant, -xy / determinant, xx / determinant)
  }
}
