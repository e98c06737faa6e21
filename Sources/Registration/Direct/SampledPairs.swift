// The pixels of two images at points that a map takes to one another.

import Imaging

extension Homography {
  /// Calls `body` for the pixels of a grid: with the value of `previous` nearest to where this map takes the pixel, and
  /// with the pixel's own. Pixels that leave the image are passed over.
  ///
  /// - Parameters:
  ///   - previous: The image that the map leads to.
  ///   - current: The image that the map starts from, of the same size.
  ///   - grid: The number of pixels along each axis, evenly spread.
  ///   - borderTolerance: The distance from the middle of a border pixel, in pixels, at which a point leaves the image.
  func forEachPair(
    _ previous: Plane<Float>, _ current: Plane<Float>, grid: PixelSize, borderTolerance: Double,
    _ body: (_ previous: Float, _ current: Float) -> Void
  ) {
    let (right, bottom) = (current.width - 1, current.height - 1)
    for row in 0..<grid.height {
      let y = (2 * row + 1) * current.height / (2 * grid.height)
      for column in 0..<grid.width {
        let x = (2 * column + 1) * current.width / (2 * grid.width)
        let position = apply(x: Double(x), y: Double(y))
        guard position.x > -borderTolerance, position.y > -borderTolerance,
          position.x < Double(right) + borderTolerance,
          position.y < Double(bottom) + borderTolerance
        else { continue }
        let (px, py) = (Int(position.x.rounded()), Int(position.y.rounded()))
        body(previous[min(max(px, 0), right), min(max(py, 0), bottom)], current[x, y])
      }
    }
  }
}
