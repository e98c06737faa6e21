// All placements at once, so that errors along chains and around loops are spread evenly.

import Imaging

/// Adjusts where images lie so that all links between them agree as well as possible (a bundle adjustment of maps
/// instead of cameras; Brown & Lowe 2007, section 4, minimise over rotations and focal lengths, which holds for views
/// from one point only).
///
/// Each link says where the points of a grid in its floating image lie in its reference; the adjusted placements should
/// say the same. Gauss–Newton steps on small motions of each image in its own coordinates. Links that stay far off
/// count less (Cauchy's weights): one wrong link does not bend the rest. What "far" is shrinks from step to step: at
/// first, a loop's whole error lies at the one link that closes it, and is no reason to doubt that link.
package struct PlacementAdjustment: Sendable {
  /// The family of the small motions: that of the links.
  package let model: TransformModel
  /// The sizes of all images of the set, in pixels.
  package let sizes: [PixelSize]
  /// The registrations to bring together.
  package let links: [ImageLink]

  // The numbers were chosen by hand.

  /// The number of points of a link's grid per axis.
  private static let gridSide = 8
  /// The number of reweighted steps.
  private static let stepCount = 12
  /// The distance of a link's points, as a share of the image's longer side, at which it has half the weight: in the
  /// first step, the ratio from one step to the next, and the minimum.
  private static let evenShare = (first: 0.05, ratio: 0.6, minimum: 0.002)
  /// The damping that keeps what the links leave open where it is, in parts of the diagonal.
  private static let damping = 1e-6

  /// An adjustment of the images that `links` name.
  package init(model: TransformModel, sizes: [PixelSize], links: [ImageLink]) {
    self.model = model
    self.sizes = sizes
    self.links = links
  }

  /// Returns the adjusted placements; `center` stays where it is.
  ///
  /// - Parameters:
  ///   - placements: From pixels of each image to those of `center`, roughly; images without one stay out.
  ///   - center: The number of the image that stays.
  package func adjusted(_ placements: [Homography?], center: Int) -> [Homography?] {
    var placements = placements
    let free = placements.indices.filter { placements[$0] != nil && $0 != center }
    guard !free.isEmpty, model > .identity else { return placements }
    let observations = links.compactMap { link -> LinkObservation? in
      guard placements[link.reference] != nil, placements[link.floating] != nil else { return nil }
      return LinkObservation(link, sizes: sizes, side: Self.gridSide)
    }
    // A chain alone has nothing to spread.
    guard observations.count > free.count else { return placements }
    let degrees = model.degreesOfFreedom
    var first = [Int?](repeating: nil, count: placements.count)
    for (order, index) in free.enumerated() { first[index] = order * degrees }
    var share = Self.evenShare.first
    for _ in 0..<Self.stepCount {
      var system = BlockSystem(count: free.count * degrees)
      for observation in observations { add(observation, placements, first, share, to: &system) }
      share = max(share * Self.evenShare.ratio, Self.evenShare.minimum)
      let theta = system.solved(damping: Self.damping)
      for index in free {
        guard let start = first[index], let placement = placements[index] else { continue }
        let increment = model.increment(Array(theta[start..<start + degrees]))
        placements[index] = (placement * NormalizedFrame(sizes[index]).inPixels(increment)).scaledToUnit
      }
    }
    return placements
  }

  private func add(
    _ observation: LinkObservation, _ placements: [Homography?], _ first: [Int?], _ share: Double,
    to system: inout BlockSystem
  ) {
    let link = observation.link
    guard let inverse = placements[link.reference]?.linearInverse, let floating = placements[link.floating] else {
      return
    }
    let relative = inverse * floating
    let terms = observation.positions.compactMap { position in
      PointTerm(
        position, relative, reference: NormalizedFrame(sizes[link.reference]),
        floating: NormalizedFrame(sizes[link.floating]), model)
    }
    guard !terms.isEmpty else { return }
    let square = terms.map { $0.error.x * $0.error.x + $0.error.y * $0.error.y }.reduce(0, +) / Double(terms.count)
    let even = share * Double(max(sizes[link.reference].width, sizes[link.reference].height))
    let weight = link.confidence / (Double(terms.count) * (1 + square / (even * even)))
    for term in terms {
      var unknowns: [Int] = []
      var x: [Double] = []
      var y: [Double] = []
      for (start, rows) in [(first[link.reference], term.reference), (first[link.floating], term.floating)] {
        guard let start else { continue }
        unknowns += rows.x.indices.map { start + $0 }
        x += rows.x
        y += rows.y
      }
      system.add(weight: weight, unknowns, x, target: -term.error.x)
      system.add(weight: weight, unknowns, y, target: -term.error.y)
    }
  }
}

/// The points of a grid that both images show, and their images under a link.
struct LinkObservation {
  let link: ImageLink
  let positions: [(floating: (x: Double, y: Double), reference: (x: Double, y: Double))]

  init(_ link: ImageLink, sizes: [PixelSize], side: Int) {
    self.link = link
    // A thin overlap falls between the points of a coarse grid.
    let grids = [side, 4 * side].lazy.map { count in
      sizes[link.floating].gridPoints(count).compactMap { position in
        link.map.project(position.x, position.y).flatMap { target in
          sizes[link.reference].contains(target) ? (floating: position, reference: target) : nil
        }
      }
    }
    positions = grids.first { $0.count >= side } ?? grids.last ?? []
  }
}

/// The equation that one point of a link gives for small motions of its images: error + reference·θ_r + floating·θ_f =
/// 0, in pixels of the reference.
private struct PointTerm {
  let error: (x: Double, y: Double)
  let reference: (x: [Double], y: [Double])
  let floating: (x: [Double], y: [Double])

  init?(
    _ position: (floating: (x: Double, y: Double), reference: (x: Double, y: Double)), _ relative: Homography,
    reference r: NormalizedFrame, floating f: NormalizedFrame, _ model: TransformModel
  ) {
    let e = relative.elements
    let p = relative.applyHomogeneous(SIMD3(position.floating.x, position.floating.y, 1))
    guard p.z > 0 else { return nil }
    let (x, y) = (p.x / p.z, p.y / p.z)
    error = (x - position.reference.x, y - position.reference.y)
    // The derivative of the projection, times pixels per normalised unit.
    let jacobian = [
      (e[0] - x * e[6]) / p.z * f.scale, (e[1] - x * e[7]) / p.z * f.scale, (e[3] - y * e[6]) / p.z * f.scale,
      (e[4] - y * e[7]) / p.z * f.scale,
    ]
    let there = model.rows(
      u: (position.floating.x - f.centerX) / f.scale, v: (position.floating.y - f.centerY) / f.scale)
    floating = (
      zip(there.x, there.y).map { jacobian[0] * $0 + jacobian[1] * $1 },
      zip(there.x, there.y).map { jacobian[2] * $0 + jacobian[3] * $1 }
    )
    let here = model.rows(u: (x - r.centerX) / r.scale, v: (y - r.centerY) / r.scale)
    reference = (here.x.map { -r.scale * $0 }, here.y.map { -r.scale * $0 })
  }
}
