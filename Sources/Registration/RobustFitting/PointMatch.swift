// Pairs of points, and their layout in memory for the kernels.

import FlowKernels
import Imaging

/// A point in the reference and the point in the floating image that may show the same.
///
/// Coordinates are normalised: the middle of an image is 0, and both images have the same unit.
struct PointMatch: Sendable, Hashable {
  var reference: SIMD2<Double>
  var floating: SIMD2<Double>
  /// The variance of the reference point, in units of that of the best ones; `floatingVariance` is that of the floating
  /// point.
  var referenceVariance: Double
  var floatingVariance: Double
  /// The map from the surroundings of the floating point to those of the reference, as far as the two keypoints' sizes,
  /// directions and views tell.
  var frame: Matrix2x2
}

/// Matches, the surest first, with what the kernel needs to judge maps by them.
struct MatchSet: Sendable {
  let matches: [PointMatch]
  /// The number of matches, rounded up to a multiple of 16.
  private let paddedCount: Int
  /// The rows of numbers that `explainedMatches` takes.
  private let rows: [Float]
  private let kernels = KernelTable.current.features

  init(_ matches: [PointMatch]) {
    self.matches = matches
    let count = max((matches.count + 15) / 16 * 16, 16)
    paddedCount = count
    var rows = [Float](repeating: 0, count: 5 * count)
    for (index, match) in matches.enumerated() {
      rows[index] = Float(match.reference.x)
      rows[count + index] = Float(match.reference.y)
      rows[2 * count + index] = Float(match.floating.x)
      rows[3 * count + index] = Float(match.floating.y)
      rows[4 * count + index] = 1
    }
    self.rows = rows
  }

  var count: Int { matches.count }

  /// Returns the number of matches that the map explains; one that is half the limit off counts less than a precise
  /// one.
  func score(_ map: Homography, limit: Double) -> Double {
    let determinant = map.determinant
    guard determinant > 0, determinant.isFinite else { return 0 }
    let inverse = map.adjugate
    return withUnsafeTemporaryAllocation(of: Float.self, capacity: 18) { maps in
      guard let maps = maps.baseAddress else { return 0 }
      fill(maps, with: map)
      fill(maps + 9, with: inverse)
      let inverseSquare = Float(1 / (limit * limit))
      return Double(kernels.explainedMatches(maps, rows, paddedCount, inverseSquare))
    }
  }

  private func fill(_ output: UnsafeMutablePointer<Float>, with map: Homography) {
    // The middle of the image gets the depth 1, so that the kernel's minimum depth means something.
    let s = map.i > 0 ? 1 / map.i : 1
    (output[0], output[1], output[2]) = (Float(map.a * s), Float(map.b * s), Float(map.c * s))
    (output[3], output[4], output[5]) = (Float(map.d * s), Float(map.e * s), Float(map.f * s))
    (output[6], output[7], output[8]) = (Float(map.g * s), Float(map.h * s), Float(map.i * s))
  }
}
