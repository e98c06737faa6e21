// Images as they would look from the side.
//
// A descriptor stands a change of view of some 40°. Beyond that, one of the images is warped as the change would bend
// it, as in ASIFT (Morel and Yu, SIAM J. Imaging Sciences 2009, doi:10.1137/080732730): compressed by a tilt along some
// direction. Deviation: one image at a time is warped, and by one tilt only, which leaves out pairs of two oblique
// views of opposite sides, and takes a tenth of the time.

import Imaging

/// An image, compressed along a direction.
struct SimulatedView {
  /// The map from the image's pixels to those of `image`, apart from a shift.
  let linear: Matrix2x2
  let image: Plane<Float>
  private let toSource: Homography
  private let sourceSize: PixelSize

  /// The factor by which the view is compressed; chosen by hand.
  static let tilt = 2.0
  /// The number of directions of half a turn: they are 45° apart. Chosen by hand.
  static let directionCount = 4

  /// The area of a view, in pixels, that is not too much for any image; chosen by hand.
  private static let usualArea = 1 << 25
  /// The maximum area of a larger view, in areas of the image; chosen by hand. Sides of 1 : 14 have it.
  private static let maximumAreaRatio = 4

  /// Creates a view; nil where it would take many times the memory of the image: a very narrow one that lies across a
  /// view fills next to nothing of it.
  /// - Parameter direction: 0 ..< `directionCount`.
  init?(of source: Plane<Float>, direction: Int, parallelism: Parallelism) {
    let (cosine, sine) = unitVector(turns: Double(direction) / Double(2 * Self.directionCount))
    let (c, s) = (Double(cosine), Double(sine))
    linear = Matrix2x2(xx: c / Self.tilt, xy: s / Self.tilt, yx: -s, yy: c)
    let middle = SIMD2(Double(source.width - 1) / 2, Double(source.height - 1) / 2)
    let reach = SIMD2(
      abs(linear.xx) * middle.x + abs(linear.xy) * middle.y, abs(linear.yx) * middle.x + abs(linear.yy) * middle.y)
    let size = PixelSize(width: Int(2 * reach.x) + 1, height: Int(2 * reach.y) + 1)
    guard size.area <= max(Self.maximumAreaRatio * source.size.area, Self.usualArea) else { return nil }
    let inverse = linear.inverse
    let shift = middle - inverse.apply(SIMD2(Double(size.width - 1) / 2, Double(size.height - 1) / 2))
    toSource = Homography(inverse.xx, inverse.xy, shift.x, inverse.yx, inverse.yy, shift.y, 0, 0, 1)
    sourceSize = source.size
    image = source.compressed(toSource, size: size, along: SIMD2(c, s), tilt: Self.tilt, parallelism: parallelism)
  }

  /// Returns the features with their positions in the source; without those whose surroundings reach beyond it.
  func inSource(_ features: FeatureSet) -> FeatureSet {
    let length = features.descriptors.count / max(features.paddedCount, 1)
    var kept = FeatureSet()
    for (index, keypoint) in features.keypoints.enumerated() {
      let position = toSource.apply(SIMD2(Double(keypoint.x), Double(keypoint.y)))
      let reach = Double(keypoint.scale) * 6
      guard position.x > reach, position.y > reach, position.x < Double(sourceSize.width) - reach,
        position.y < Double(sourceSize.height) - reach
      else { continue }
      var moved = keypoint
      moved.x = Float(position.x)
      moved.y = Float(position.y)
      kept.keypoints.append(moved)
      kept.descriptors += features.descriptors[index * length..<(index + 1) * length]
    }
    kept.descriptors += [Float](repeating: 0, count: (kept.paddedCount - kept.count) * length)
    return kept
  }
}

extension Plane where Scalar == Float {
  /// Samples the plane at `toSource`, averaged over `tilt` pixels along a direction, replicated beyond its borders.
  fileprivate func compressed(
    _ toSource: Homography, size: PixelSize, along direction: SIMD2<Double>, tilt: Double, parallelism: Parallelism
  ) -> Plane<Float> {
    // Three points about 0.7 · tilt apart, weighted 1 2 1: a standard deviation of half a sample of the result.
    let reach = direction * (0.7 * tilt)
    return withView { source in
      Plane(size: size) { target in
        parallelism.forEachStripe(rows: size.height) { rows in
          for y in rows {
            let output = target.row(y)
            for x in 0..<size.width {
              let position = toSource.apply(SIMD2(Double(x), Double(y)))
              let sides = source.sample(position - reach) + source.sample(position + reach)
              output[x] = 0.5 * source.sample(position) + 0.25 * sides
            }
          }
        }
      }
    }
  }
}

extension PlaneView where Scalar == Float {
  /// Returns the value at a position, bilinear, held inside. The plane has at least 2×2 pixels.
  func sample(_ position: SIMD2<Double>) -> Float {
    let x = Swift.min(Swift.max(position.x, 0), Double(width - 1))
    let y = Swift.min(Swift.max(position.y, 0), Double(height - 1))
    let (left, top) = (Swift.min(Int(x), width - 2), Swift.min(Int(y), height - 2))
    return bilinear(column: left, row: top, fx: Float(x - Double(left)), fy: Float(y - Double(top)))
  }
}
