// A test whether a camera can have made a map.

import Imaging

/// Limits to what a map may do to an image.
struct MapPlausibility: Sendable {
  /// The corners of the floating image, normalised.
  let corners: [SIMD2<Double>]
  // The numbers were chosen by hand.

  /// The minimum depth of a corner in parts of that of the middle: less, and the horizon is about to cross the image.
  private static let minimumDepth = 0.05
  /// The maximum factor by which the surroundings of a point may grow or shrink, in length.
  private static let maximumZoom = 6.0
  /// The maximum factor by which they may be stretched in one direction more than across.
  private static let maximumAnisotropy = 6.0

  /// Returns whether all corners are on this side of the horizon.
  func keepsImage(_ map: Homography) -> Bool {
    guard map.determinant > 0, map.i > 0 else { return false }
    return corners.allSatisfy { map.depth($0) > Self.minimumDepth * map.i }
  }

  /// Returns whether the surroundings of a point are neither mirrored nor much larger, smaller or narrower.
  func keepsSurroundings(of position: SIMD2<Double>, _ map: Homography) -> Bool {
    guard map.depth(position) > 0 else { return false }
    let jacobian = map.jacobian(position)
    let area = jacobian.determinant
    let largest = Self.maximumZoom * Self.maximumZoom
    return area * largest > 1 && area < largest && jacobian.anisotropy < Self.maximumAnisotropy
  }
}
