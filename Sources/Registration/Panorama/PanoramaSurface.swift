// The surface that a panorama is painted on.

import Imaging

#if canImport(Glibc)
  import Glibc
#else
  import Foundation
#endif

/// The kinds of surfaces.
public enum PanoramaProjection: String, Sendable, Hashable, CaseIterable {
  /// The plane of the central image: straight lines stay straight; stretches what lies far from the middle.
  case plane
  /// A cylinder about the camera, unrolled: any angle along the pan, straight lines across it.
  case cylinder
}

/// A plane or a cylinder about the central camera.
///
/// A point of it is (x, y): in pixels of the central image on the plane, in units of the radius (angle along the pan,
/// height across it) on the cylinder. Images see it at P·g(x, y), with g = (x, y, 1) on the plane, (sin x, y, cos x) on
/// a cylinder that stands, (x, sin y, cos y) on one that lies, and a matrix P for each image.
struct PanoramaSurface {
  let projection: PanoramaProjection
  /// A Boolean value that tells whether the pan goes up or down, and with it the angle.
  let isLying: Bool
  /// The map from g to homogeneous pixels of the central image.
  let frame: Homography
  /// The number of pixels of the central image per unit.
  let unit: Double

  static let plane = PanoramaSurface(projection: .plane, isLying: false, frame: .identity, unit: 1)

  private init(projection: PanoramaProjection, isLying: Bool, frame: Homography, unit: Double) {
    self.projection = projection
    self.isLying = isLying
    self.frame = frame
    self.unit = unit
  }

  /// Returns a cylinder whose axis is where the cameras' own axes say (the "straightening" of Brown & Lowe 2007,
  /// section 5): at right angles to the cameras' horizontal axes, as photographers keep their cameras level but tilt
  /// them.
  ///
  /// - Parameters:
  ///   - placements: From pixels of each image to those of `center`.
  ///   - focalLength: In pixels.
  static func cylinder(
    placements: [Homography?], sizes: [PixelSize], center: Int, focalLength f: Double
  ) -> PanoramaSurface {
    let camera = camera(sizes[center], f)
    let rotations = zip(placements, sizes).compactMap { placement, size -> Homography? in
      guard let placement, let inverse = camera.linearInverse else { return nil }
      return inverse * placement * Self.camera(size, f)
    }
    func axes(_ axis: SIMD3<Double>) -> [SIMD3<Double>] { rotations.map { $0.applyHomogeneous(axis).unit } }
    let views = axes(SIMD3(0, 0, 1))
    let isLying = spread(views.map(\.y)) > spread(views.map(\.x))
    let sum = views.reduce(SIMD3<Double>.zero, +)
    // Around a full turn there is no middle: the central camera looks there.
    let isOpen = (sum * sum).sum() > 0.01 * Double(views.count * views.count)
    let forward = isOpen ? sum.unit : SIMD3(0, 0, 1)
    let level = axes(isLying ? SIMD3(0, 1, 0) : SIMD3(1, 0, 0))
    let upright = isLying ? SIMD3<Double>(1, 0, 0) : SIMD3(0, 1, 0)
    let axis = perpendicular(to: level, near: upright)
    let ahead = (forward - axis * (forward * axis).sum()).unit
    let (u, v) = isLying ? (axis, cross(ahead, axis)) : (cross(axis, ahead), axis)
    let rotation = Homography([u.x, v.x, ahead.x, u.y, v.y, ahead.y, u.z, v.z, ahead.z])
    return PanoramaSurface(projection: .cylinder, isLying: isLying, frame: camera * rotation, unit: f)
  }

  /// Returns the map from rays to pixels.
  private static func camera(_ size: PixelSize, _ f: Double) -> Homography {
    Homography([f, 0, Double(size.width - 1) / 2, 0, f, Double(size.height - 1) / 2, 0, 0, 1])
  }

  private static func spread(_ values: [Double]) -> Double { (values.max() ?? 0) - (values.min() ?? 0) }

  /// The mean square below which axes leave open what is at right angles to them: turns of less than 6°. Chosen by
  /// hand.
  private static let minimumSpread = 0.0025

  /// Returns the direction that is most nearly at right angles to all `axes`; where they are nearly one, the one next
  /// to `guess`.
  private static func perpendicular(to axes: [SIMD3<Double>], near guess: SIMD3<Double>) -> SIMD3<Double> {
    // Not their sum, which is next to nothing for a full turn.
    let mean = mainDirection(of: axes, from: axes.first ?? guess)
    let plain = (guess - mean * (guess * mean).sum()).unit
    let strays = axes.map { cross(mean, $0) }
    guard strays.map({ ($0 * $0).sum() }).reduce(0, +) > minimumSpread * Double(axes.count) else { return plain }
    // The strays lie along the wanted axis.
    let axis = mainDirection(of: strays, from: plain)
    return (axis * plain).sum() > 0.5 ? axis : plain
  }

  /// Returns the direction along which vectors are longest, by the power method.
  private static func mainDirection(of vectors: [SIMD3<Double>], from start: SIMD3<Double>) -> SIMD3<Double> {
    var axis = start
    for _ in 0..<64 {
      let next = vectors.reduce(SIMD3<Double>.zero) { $0 + $1 * ($1 * axis).sum() }
      guard (next * next).sum() > 0 else { return start }
      axis = next.unit
    }
    return axis
  }

  /// Returns the point of the surface that g stands for, up to a factor; nil behind the plane.
  func point(_ g: SIMD3<Double>) -> (x: Double, y: Double)? {
    guard projection == .cylinder else { return g.z > 0 ? (g.x / g.z, g.y / g.z) : nil }
    if isLying {
      let radius = (g.y * g.y + g.z * g.z).squareRoot()
      return radius > 0 ? (g.x / radius, atan2(g.y, g.z)) : nil
    }
    let radius = (g.x * g.x + g.z * g.z).squareRoot()
    return radius > 0 ? (atan2(g.x, g.z), g.y / radius) : nil
  }

  /// Returns the parts of g that depend on one coordinate: its own component, and a factor of the third one.
  func parts(_ coordinate: Double, isAlongX: Bool) -> (own: Double, depth: Double) {
    guard projection == .cylinder, isAlongX != isLying else { return (coordinate, 1) }
    return (stableSine(coordinate), stableSine(coordinate + .pi / 2))
  }
}

extension SIMD3<Double> {
  fileprivate var unit: SIMD3<Double> {
    let length = (self * self).sum().squareRoot()
    return length > 0 ? self / length : self
  }
}

/// The sine, to 1e-15, out of additions and multiplications: the same bits everywhere, unlike that of the system's
/// library.
private func stableSine(_ angle: Double) -> Double {
  let turns = (angle / (2 * .pi)).rounded()
  var x = angle - turns * 2 * .pi
  if x > .pi / 2 { x = .pi - x }
  if x < -.pi / 2 { x = -.pi - x }
  let square = x * x
  // Taylor's series up to x²¹: the next term is below 1e-17 at π/2.
  var (term, sum) = (x, x)
  for k in 1...10 {
    term *= -square / Double(2 * k * (2 * k + 1))
    sum += term
  }
  return sum
}
