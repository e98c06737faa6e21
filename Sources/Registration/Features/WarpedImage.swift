// The floating image as the reference's camera would have seen it.

import Imaging

/// An image warped by a map, and the map back.
struct WarpedImage {
  let image: Plane<Float>
  /// The map from the warped image to the one it was made from, in pixels.
  private let backwards: Homography
  private let sourceSize: PixelSize

  /// - Parameters:
  ///   - map: From the source to the warped image, in pixels.
  ///   - size: The size of the warped image.
  init?(_ source: Plane<Float>, by map: Homography, size: PixelSize, parallelism: Parallelism) {
    guard let inverse = map.inverse, min(source.width, source.height) >= 2 else { return nil }
    let backwards = inverse
    // What shrinks is smoothed first, by as much as the middle shrinks.
    let middle = SIMD2(Double(source.width - 1) / 2, Double(source.height - 1) / 2)
    let forwards = map.scaled(at: middle)
    let area = abs(forwards.jacobian(middle).determinant)
    let shrunk = area < 0.7 && area > 1e-3
    let smooth =
      shrunk ? ScaleSpace.smooth(source, sigma: 0.5 * (1 / area - 1).squareRoot(), parallelism: parallelism) : source
    image = smooth.withView { source in
      Plane(size: size) { target in
        parallelism.forEachStripe(rows: size.height) { rows in
          for y in rows {
            let output = target.row(y)
            for x in 0..<size.width {
              let position = SIMD2(Double(x), Double(y))
              output[x] = backwards.depth(position) > 1e-9 ? source.sample(backwards.apply(position)) : 0
            }
          }
        }
      }
    }
    self.backwards = backwards
    sourceSize = source.size
  }

  /// Returns the position and the size in the source of a keypoint of the warped image; nil where its surroundings
  /// reach beyond the source.
  func inSource(_ keypoint: Keypoint) -> Keypoint? {
    let position = SIMD2(Double(keypoint.x), Double(keypoint.y))
    let reach = Double(keypoint.scale) * 6
    for side in [SIMD2(-reach, -reach), SIMD2(reach, -reach), SIMD2(-reach, reach), SIMD2(reach, reach)] {
      guard backwards.depth(position + side) > 1e-9 else { return nil }
      let corner = backwards.apply(position + side)
      guard corner.x >= 0, corner.y >= 0, corner.x <= Double(sourceSize.width - 1),
        corner.y <= Double(sourceSize.height - 1)
      else { return nil }
    }
    let centre = backwards.apply(position)
    var moved = keypoint
    moved.x = Float(centre.x)
    moved.y = Float(centre.y)
    moved.scale *= Float(abs(backwards.jacobian(position).determinant).squareRoot())
    return moved
  }
}
