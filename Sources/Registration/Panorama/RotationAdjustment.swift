// Cameras that turn about one point, all at once.

import Imaging

/// Finds the rotations of all cameras and their common focal length so that all links agree as well as possible (bundle
/// adjustment of a rotating camera; Brown & Lowe 2007, section 4).
///
/// Each link says where the points of a grid in its floating image lie in its reference; rays through the adjusted
/// cameras should say the same. Gauss–Newton steps on a small rotation of each camera and on the focal length. The
/// first steps weigh all links alike: a loop's whole error lies at the one link that closes it, and it is large where
/// the focal length is a guess, since the angles of all links are wrong by the same share. Then links that stay far off
/// count less.
///
/// All images come from one camera at one zoom; where their sizes differ, the focal length goes with the longer side.
struct RotationAdjustment {
  let sizes: [PixelSize]
  let links: [ImageLink]

  // The numbers were chosen by hand.

  /// The number of points of a link's grid per axis.
  private static let gridSide = 8
  /// The number of reweighted steps.
  private static let stepCount = 30
  /// The distance of a link's points, as a share of the longer side, at which it has half the weight: in the first
  /// step, the ratio from one step to the next, and the minimum.
  private static let evenShare = (first: 2.0, ratio: 0.7, minimum: 0.002)
  /// The damping that keeps what the links leave open where it is, in parts of the diagonal.
  private static let damping = 1e-6
  /// The maximum factor by which the focal length changes from one step to the next.
  private static let maximumChange = 1.2

  /// Cameras about one point.
  struct Cameras {
    /// The focal length, in pixels of an image whose longer side is that of the largest one.
    var focalLength: Double
    /// The rotations from rays of each camera to those of the central one; nil for images that stay out.
    var rotations: [Homography?]
  }

  /// Returns the adjusted cameras; that of `center` stays where it is.
  ///
  /// - Parameters:
  ///   - focalLength: A guess, in pixels.
  ///   - graph: The links of all images, by whose tree the rotations are guessed.
  func adjusted(focalLength: Double, graph: ImageGraph, center: Int) -> Cameras {
    let tree = graph.tree.map { link in
      var link = link
      link.map = rotation(of: link, focalLength)
      return link
    }
    var cameras = Cameras(
      focalLength: focalLength,
      rotations: ImageGraph(count: graph.count, links: tree).placements(around: center).map { $0?.nearestRotation })
    let free = cameras.rotations.indices.filter { cameras.rotations[$0] != nil && $0 != center }
    var first = [Int?](repeating: nil, count: sizes.count)
    for (order, index) in free.enumerated() { first[index] = 3 * order }
    let observations = links.compactMap { link -> LinkObservation? in
      guard cameras.rotations[link.reference] != nil, cameras.rotations[link.floating] != nil else { return nil }
      return LinkObservation(link, sizes: sizes, side: Self.gridSide)
    }
    var share = Self.evenShare.first
    for _ in 0..<Self.stepCount {
      var system = BlockSystem(count: 3 * free.count + 1)
      for observation in observations { add(observation, cameras, first, share, to: &system) }
      share = max(share * Self.evenShare.ratio, Self.evenShare.minimum)
      let step = system.solved(damping: Self.damping)
      for index in free {
        guard let start = first[index], let rotation = cameras.rotations[index] else { continue }
        cameras.rotations[index] = rotation * .rotation(step[start], step[start + 1], step[start + 2])
      }
      let factor = 1 + step[3 * free.count]
      cameras.focalLength *= min(max(factor, 1 / Self.maximumChange), Self.maximumChange)
    }
    return cameras
  }

  /// Returns the map from rays of an image's camera to its pixels.
  func camera(_ index: Int, _ focalLength: Double) -> Homography {
    let (size, f) = (sizes[index], self.focalLength(index, focalLength))
    return Homography([f, 0, Double(size.width - 1) / 2, 0, f, Double(size.height - 1) / 2, 0, 0, 1])
  }

  /// Returns the focal length of one image's camera, in its pixels.
  func focalLength(_ index: Int, _ common: Double) -> Double {
    let largest = sizes.map { max($0.width, $0.height) }.max() ?? 1
    return common * Double(max(sizes[index].width, sizes[index].height)) / Double(max(largest, 1))
  }

  private func rotation(of link: ImageLink, _ focalLength: Double) -> Homography {
    let inverse = camera(link.reference, focalLength).linearInverse ?? .identity
    return (inverse * link.map * camera(link.floating, focalLength)).nearestRotation
  }

  private func add(
    _ observation: LinkObservation, _ cameras: Cameras, _ first: [Int?], _ share: Double, to system: inout BlockSystem
  ) {
    let link = observation.link
    guard let reference = cameras.rotations[link.reference], let floating = cameras.rotations[link.floating] else {
      return
    }
    let relative = reference.transposed * floating
    let (from, to) = (sizes[link.floating], sizes[link.reference])
    let scales = (
      floating: focalLength(link.floating, cameras.focalLength),
      reference: focalLength(link.reference, cameras.focalLength)
    )
    let terms = observation.positions.map { position in
      RayTerm(
        point: SIMD2(
          position.floating.x - Double(from.width - 1) / 2, position.floating.y - Double(from.height - 1) / 2),
        target: SIMD2(
          position.reference.x - Double(to.width - 1) / 2, position.reference.y - Double(to.height - 1) / 2),
        relative: relative, scales: scales)
    }
    guard !terms.isEmpty else { return }
    let square = terms.map { ($0.error * $0.error).sum() }.reduce(0, +) / Double(terms.count)
    let even = share * Double(max(to.width, to.height))
    let weight = link.confidence / (Double(terms.count) * (1 + square / (even * even)))
    let last = system.count - 1
    for term in terms {
      for axis in 0..<3 {
        var unknowns = [last]
        var coefficients = [term.focalLength[axis]]
        for (start, rows) in [(first[link.reference], term.reference), (first[link.floating], term.floating)] {
          guard let start else { continue }
          unknowns += [start, start + 1, start + 2]
          coefficients += rows.map { $0[axis] }
        }
        system.add(weight: weight, unknowns, coefficients, target: -term.error[axis])
      }
    }
  }
}

/// The equations that one point of a link gives for small rotations of its cameras and a relative change of the focal
/// length: the difference of two rays of length 1, times the focal length, so that it is one of pixels near the middle.
///
/// Rays can be far apart, even opposite, where pixels would lie beyond all bounds.
private struct RayTerm {
  let error: SIMD3<Double>
  /// The effects of a turn about each axis of the reference's camera, and of the floating image's.
  let reference: [SIMD3<Double>]
  let floating: [SIMD3<Double>]
  let focalLength: SIMD3<Double>

  init(point: SIMD2<Double>, target: SIMD2<Double>, relative: Homography, scales: (floating: Double, reference: Double))
  {
    let (from, to) = (Ray(point / scales.floating), Ray(target / scales.reference))
    let seen = relative.applyHomogeneous(from.direction)
    let scale = scales.reference
    error = (seen - to.direction) * scale
    let axes = [SIMD3<Double>(1, 0, 0), SIMD3(0, 1, 0), SIMD3(0, 0, 1)]
    reference = axes.map { cross(seen, $0) * scale }
    floating = axes.map { relative.applyHomogeneous(cross($0, from.direction)) * scale }
    focalLength = (relative.applyHomogeneous(from.change) - to.change) * scale
  }
}

/// The direction of a point in units of the focal length, and how it changes with the logarithm of that.
private struct Ray {
  let direction: SIMD3<Double>
  let change: SIMD3<Double>

  init(_ point: SIMD2<Double>) {
    let length = (1 + (point * point).sum()).squareRoot()
    let direction = SIMD3(point.x, point.y, 1) / length
    let shift = SIMD3(-point.x, -point.y, 0) / length
    self.direction = direction
    change = shift - direction * (shift * direction).sum()
  }
}

extension Homography {
  fileprivate var transposed: Homography { Homography([a, d, g, b, e, h, c, f, i]) }

  /// A turn by about (x, y, z) radians about the axes, in Cayley's form: exact without sine and cosine.
  fileprivate static func rotation(_ x: Double, _ y: Double, _ z: Double) -> Homography {
    let (x, y, z) = (x / 2, y / 2, z / 2)
    let scale = 2 / (1 + x * x + y * y + z * z)
    return Homography([
      1 - scale * (y * y + z * z), scale * (x * y - z), scale * (x * z + y),
      scale * (x * y + z), 1 - scale * (x * x + z * z), scale * (y * z - x),
      scale * (x * z - y), scale * (y * z + x), 1 - scale * (x * x + y * y),
    ])
  }

  /// The rotation next to a matrix with a positive determinant, by Newton's iteration for the polar decomposition
  /// (Higham, SIAM J. Sci. Stat. Comput. 7, 1986, doi:10.1137/0907079).
  fileprivate var nearestRotation: Homography {
    var matrix = self
    guard matrix.determinant > 0 else { return .identity }
    for _ in 0..<40 {
      let determinant = matrix.determinant
      guard determinant > 0, determinant.isFinite else { return .identity }
      let inverse = matrix.adjugate.transposed.elements.map { $0 / determinant }
      // Scaled so that the first steps go far.
      let size = matrix.elements.reduce(0) { $0 + $1 * $1 }.squareRoot()
      let other = inverse.reduce(0) { $0 + $1 * $1 }.squareRoot()
      let scale = (other / size).squareRoot()
      matrix = Homography(zip(matrix.elements, inverse).map { 0.5 * (scale * $0 + $1 / scale) })
    }
    return matrix
  }
}
