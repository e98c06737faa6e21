import Imaging

/// A position: turned and scaled about its own origin, then shifted.
struct Pose: Sendable {
  var x = 0.0
  var y = 0.0
  /// The angle, in radians; positive turns from +x towards +y, clockwise on the screen.
  var angle = 0.0
  var scale = 1.0

  /// The map from own coordinates to the surrounding ones.
  var matrix: Homography {
    let cosine = stableCosine(angle) * scale
    let sine = stableSine(angle) * scale
    return Homography([cosine, -sine, x, sine, cosine, y, 0, 0, 1])
  }
}

/// The pose of an object at frame `t`.
typealias ObjectPath = @Sendable (_ t: Double) -> Pose

/// The map from scene coordinates to the pixels of frame `t`.
typealias CameraPath = @Sendable (_ t: Double) -> Homography

/// Random numbers over time, smooth from frame to frame: a cubic B-spline through one number per `period` frames.
struct Jitter: Sendable {
  var seed: UInt64
  var period: Double

  /// Returns the number at a time, between about -1 and 1.
  func value(_ t: Double) -> Double {
    let position = t / period
    let index = position.rounded(.down)
    let f = position - index
    let g = 1 - f
    let weights = [g * g * g, 4 - 6 * f * f + 3 * f * f * f, 4 - 6 * g * g + 3 * g * g * g, f * f * f]
    let key = SplitMix64.hash(seed)
    var sum = 0.0
    for (k, weight) in weights.enumerated() {
      sum += weight / 6 * signedUnit(SplitMix64.hash(key &+ UInt64(bitPattern: Int64(index) + Int64(k))))
    }
    return 1.5 * sum
  }
}

extension Homography {
  /// The scale (pixels per unit) at which this map, from pixels to own coordinates, shows the point under the pixel
  /// (x, y) in the direction in which it is smallest. Central differences; exact enough to choose octaves.
  func minimumScale(atPixel x: Double, _ y: Double) -> Double {
    let (left, right) = (apply(x: x - 0.5, y: y), apply(x: x + 0.5, y: y))
    let (top, bottom) = (apply(x: x, y: y - 0.5), apply(x: x, y: y + 0.5))
    let (a, b, c, d) = (right.x - left.x, bottom.x - top.x, right.y - left.y, bottom.y - top.y)
    // The largest singular value of [a b; c d] is the most own units that one pixel spans.
    let sum = a * a + b * b + c * c + d * d
    let determinant = a * d - b * c
    let largest = (sum + max(0, sum * sum - 4 * determinant * determinant).squareRoot()) / 2
    return 1 / largest.squareRoot()
  }
}
