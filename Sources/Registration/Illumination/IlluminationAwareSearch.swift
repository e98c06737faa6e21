// The search for one motion and one change of light: shading may tell more where texture leaves a map open.

import Imaging

/// Looks for one motion and one change of light of a whole image, beginning with what texture told.
struct IlluminationAwareSearch {
  let alignment: Alignment
  let model: TransformModel

  /// Returns a fit that explains more than `state`, if there is one.
  /// - Parameter isOpen: Pass true if `state` leaves the map open even where all of the image moves with it.
  func fit(after state: Alignment.State, isOpen: Bool = true) -> IlluminationAwareAlignment? {
    let finest = IlluminationTiles(alignment.comparison, level: 0)
    if isOpen {
      let coarser = (0..<alignment.coarsest).map { IlluminationTiles(alignment.comparison, level: $0 + 1) }
      if let fit = wholeImage([finest] + coarser, from: state.map) { return fit }
    }
    return largestPart(finest, after: state, isOpen: isOpen)
  }

  /// Returns the fit from coarse to fine that begins at a map, if almost all of the image moves with it.
  private func wholeImage(_ levels: [IlluminationTiles], from map: Homography) -> IlluminationAwareAlignment? {
    var fit = IlluminationAwareAlignment(from: map, in: alignment)
    for tiles in levels.reversed() {
      let needed = tiles.level > 1 ? Self.almostAllCoarse : Self.almostAll
      guard fit.refine(model, tiles), fit.inlierShare >= needed else { return nil }
    }
    return fit.dispersion <= Self.maximumDispersion ? fit : nil
  }

  /// Returns the fit to the largest part of an image of which another part moves differently.
  ///
  /// Shading has no edges by which to tell which part that is, and eight unknowns soon bend to both: so the map gets
  /// its freedom step by step, on tiles that stay small while the images are smoothed. On coarse levels of a pyramid
  /// too few tiles would show one part alone.
  private func largestPart(_ finest: IlluminationTiles, after state: Alignment.State, isOpen: Bool)
    -> IlluminationAwareAlignment?
  {
    let noise = PixelNoise(state.noise, level: 0)
    let present = cost(state.map, finest, noise)
    guard isOpen || present > Self.costOfOneMotion else { return nil }
    let (smooth, sharper) = (smoothed(by: Self.smoothingSigma, noise), smoothed(by: Self.smoothingSigma / 2, noise))
    var best: IlluminationAwareAlignment?
    // A map that texture determines takes something clearly better to be given up.
    var minimumCost = present * (isOpen ? 1 : Self.clearlyBetter)
    var shifts: [Homography] = []
    for start in [.identity, state.map.shift(of: finest.size)] {
      var fit = IlluminationAwareAlignment(from: start, in: alignment)
      guard fit.refine(.translation, smooth.tiles, noise: smooth.noise),
        !shifts.contains(where: { $0.farthestCornerDistance(to: fit.map, size: finest.size) < Self.sameShift })
      else { continue }
      shifts.append(fit.map)
      let steps = [(min(.affine, model), smooth), (model, smooth), (model, sharper)]
      guard steps.allSatisfy({ fit.refine($0, $1.tiles, noise: $1.noise) }), fit.dispersion <= Self.maximumDispersion,
        fit.inlierShare >= Self.minimumWholeShare
      else { continue }
      let cost = cost(fit.map, finest, noise)
      if cost < minimumCost { (best, minimumCost) = (fit, cost) }
    }
    return best
  }

  private func smoothed(by sigma: Double, _ noise: PixelNoise) -> (tiles: IlluminationTiles, noise: PixelNoise) {
    (
      IlluminationTiles(alignment.comparison.smoothed(to: sigma), level: 0, minimumCount: Self.minimumSmoothedCount),
      PixelNoise(ofImagesSmoothedBy: sigma, finest: noise)
    )
  }

  private func cost(_ map: Homography, _ tiles: IlluminationTiles, _ noise: PixelNoise) -> Double {
    let seen = tiles.seen(under: map)
    return seen.isEmpty ? .infinity : seen.cost(Light(of: seen), noise)
  }

  // Without another source, a number here was chosen by hand.

  /// The standard deviation of the smoothing, in pixels; half as much for the last steps.
  private static let smoothingSigma = 2.0
  /// The number of tiles of a smoothed image below which they overlap.
  private static let minimumSmoothedCount = 150
  /// The distance of the corners below which two shifts are one, in pixels.
  private static let sameShift = 0.5
  /// The dispersion up to which a fit explains the images, in standard deviations.
  private static let maximumDispersion = 2.0
  /// The share of the present cost below which another map is clearly better.
  private static let clearlyBetter = 0.98
  /// The cost up to which noise alone explains what the map leaves: 4.5 to 5.1 of images that move as one, from 6.3 on
  /// of others.
  private static let costOfOneMotion = 5.7
  /// The minimum share of the tiles that move with a whole image: on the two finest levels, and on those before, where
  /// fewer do yet.
  private static let (almostAll, almostAllCoarse) = (0.95, 0.78)
  /// The minimum share of the tiles that agree with a map that smoothed images led to.
  private static let minimumWholeShare = 0.65
}

extension Homography {
  /// Returns the translation by which the map moves the middle of an image.
  fileprivate func shift(of size: PixelSize) -> Homography {
    let (x, y) = (Double(size.width - 1) / 2, Double(size.height - 1) / 2)
    let position = apply(x: x, y: y)
    return .translation(x: position.x - x, y: position.y - y)
  }
}
