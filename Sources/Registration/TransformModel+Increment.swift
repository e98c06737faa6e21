// Small motions of each family, as numbers.

import Imaging

extension TransformModel {
  /// Fills `x` and `y` with the coefficients by which a small motion with unknowns θ moves the point (u, v): by (Σ
  /// xᵢθᵢ, Σ yᵢθᵢ), to first order.
  func fillRows(u: Double, v: Double, _ x: UnsafeMutableBufferPointer<Double>, _ y: UnsafeMutableBufferPointer<Double>)
  {
    guard self != .identity else { return }
    x[0] = 1
    x[1] = 0
    y[0] = 0
    y[1] = 1
    switch self {
    case .identity, .translation: break
    case .euclidean:
      x[2] = -v
      y[2] = u
    case .affine, .homography:
      x[2] = u
      x[3] = v
      x[4] = 0
      x[5] = 0
      y[2] = 0
      y[3] = 0
      y[4] = u
      y[5] = v
      guard self == .homography else { return }
      x[6] = u * u
      x[7] = u * v
      y[6] = u * v
      y[7] = v * v
    }
  }

  /// The motion of the point (u, v), to first order.
  func displacement(_ theta: [Double], u: Double, v: Double) -> (x: Double, y: Double) {
    theta.withUnsafeBufferPointer { t in
      switch self {
      case .identity: (0, 0)
      case .translation: (t[0], t[1])
      case .euclidean: (t[0] - v * t[2], t[1] + u * t[2])
      case .affine: (t[0] + u * t[2] + v * t[3], t[1] + u * t[4] + v * t[5])
      case .homography:
        (
          t[0] + u * t[2] + v * t[3] + u * (u * t[6] + v * t[7]),
          t[1] + u * t[4] + v * t[5] + v * (u * t[6] + v * t[7])
        )
      }
    }
  }

  /// The rows as arrays.
  func rows(u: Double, v: Double) -> (x: [Double], y: [Double]) {
    var x = [Double](repeating: 0, count: degreesOfFreedom)
    var y = x
    x.withUnsafeMutableBufferPointer { x in y.withUnsafeMutableBufferPointer { y in fillRows(u: u, v: v, x, y) } }
    return (x, y)
  }

  /// The motion itself: a member of the family that agrees with `rows` to first order.
  func increment(_ theta: [Double]) -> Homography {
    switch self {
    case .identity: return .identity
    case .translation: return .translation(x: theta[0], y: theta[1])
    case .euclidean:
      // Cayley's form of a turn by 2·atan(θ/2): exact without sine and cosine, which differ from system to system.
      let quarter = theta[2] * theta[2] / 4
      let (cosine, sine) = ((1 - quarter) / (1 + quarter), theta[2] / (1 + quarter))
      return Homography([cosine, -sine, theta[0], sine, cosine, theta[1], 0, 0, 1])
    case .affine: return Homography([1 + theta[2], theta[3], theta[0], theta[4], 1 + theta[5], theta[1], 0, 0, 1])
    case .homography:
      return Homography([
        1 + theta[2], theta[3], theta[0], theta[4], 1 + theta[5], theta[1], -theta[6], -theta[7], 1,
      ])
    }
  }
}

extension NormalizedFrame {
  /// A map of normalised coordinates as one of pixels.
  func inPixels(_ map: Homography) -> Homography {
    let up = Homography([scale, 0, centerX, 0, scale, centerY, 0, 0, 1])
    let down = Homography([1 / scale, 0, -centerX / scale, 0, 1 / scale, -centerY / scale, 0, 0, 1])
    return up * map * down
  }
}
