// Global motions from and to motions of small fields, as vid.stab's files hold them.

import Imaging

/// The motion of one small field of an image: what lies at (x, y) in a frame lay at (x + dx, y + dy) in the frame
/// before.
package struct LocalMotion: Sendable, Hashable {
  /// The field's middle, in pixels from the left.
  package var x: Double
  /// The field's middle, in pixels from the top.
  package var y: Double
  /// Pixels to the right, from the frame to the one before.
  package var dx: Double
  /// Pixels down, from the frame to the one before.
  package var dy: Double

  /// The motion of the field around (x, y).
  package init(x: Double, y: Double, dx: Double, dy: Double) {
    self.x = x
    self.y = y
    self.dx = dx
    self.dy = dy
  }
}

extension TransformModel {
  /// The map that most fields agree with: least squares with the weights 1/(1 + (r/σ)²) of Cauchy's distribution, by
  /// repetition; σ is that of whole pixels, or of the fields themselves where they scatter more.
  ///
  /// - Returns: From the frame's pixels to those of the frame before; nil when the fields do not determine it.
  package func fitted(to motions: [LocalMotion], size: PixelSize) -> Homography? {
    guard 2 * motions.count >= degreesOfFreedom, self > .identity else { return nil }
    let frame = NormalizedFrame(size)
    var map = Homography.identity
    for round in 0..<12 {
      let residuals = motions.map { motion in
        let position = map.apply(x: motion.x, y: motion.y)
        return (x: motion.x + motion.dx - position.x, y: motion.y + motion.dy - position.y)
      }
      let squares = residuals.map { $0.x * $0.x + $0.y * $0.y }
      // Twice the median square, or what rounding alone does. The first two rounds find the middle of all.
      let scale = max(2 * (squares.median ?? 0), 0.5)
      var system = NormalEquations(count: degreesOfFreedom)
      for ((motion, residual), square) in zip(zip(motions, residuals), squares) {
        let position = map.apply(x: motion.x, y: motion.y)
        var (a, b) = rows(u: frame.u(position.x), v: frame.v(position.y))
        let weight = round < 2 ? 1 : 1 / (1 + square / scale)
        a.withUnsafeMutableBufferPointer { a in
          b.withUnsafeMutableBufferPointer { b in
            system.add(a, b, (weight, 0, weight), (residual.x / frame.scale, residual.y / frame.scale))
          }
        }
      }
      guard let theta = system.factor()?.solve(system.right) else { return nil }
      map = (frame.inPixels(increment(theta)) * map).normalized
    }
    return map
  }
}

extension Homography {
  /// The map as motions of a grid of fields, in whole pixels. Their rounding errors are handed on from field to field,
  /// so that their mean, and that of any part of the grid, keeps the fractions.
  package func localMotions(columns: Int, rows: Int, size: PixelSize) -> [LocalMotion] {
    var (errorX, errorY) = (0.0, 0.0)
    var motions: [LocalMotion] = []
    for row in 0..<rows {
      for step in 0..<columns {
        // To and fro, so that neighbours in the list are neighbours in the image.
        let column = row % 2 == 0 ? step : columns - 1 - step
        let x = ((Double(column) + 0.5) * Double(size.width) / Double(columns)).rounded(.down)
        let y = ((Double(row) + 0.5) * Double(size.height) / Double(rows)).rounded(.down)
        let position = apply(x: x, y: y)
        let (dx, dy) = ((position.x - x + errorX).rounded(), (position.y - y + errorY).rounded())
        (errorX, errorY) = (errorX + position.x - x - dx, errorY + position.y - y - dy)
        motions.append(LocalMotion(x: x, y: y, dx: dx, dy: dy))
      }
    }
    return motions
  }
}
