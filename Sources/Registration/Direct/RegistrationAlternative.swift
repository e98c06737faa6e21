// What else moves as one, beside the map that a registration found.

import Imaging

/// Another motion that a part of two images agrees on: something large that moved apart from the rest.
public struct RegistrationAlternative: Sendable, Hashable, Codable {
  /// Maps pixels of the floating image to pixels of the reference; its last element is 1.
  public var warpTransform: Homography
  /// The family that `warpTransform` was fitted in.
  public var model: TransformModel
  /// The share of the textured tiles seen in both images that move with `warpTransform`, 0…1.
  public var share: Double

  /// An alternative from measured values.
  public init(warpTransform: Homography, model: TransformModel, share: Double) {
    self.warpTransform = warpTransform
    self.model = model
    self.share = share
  }
}

extension ImageRegistration {
  // Numbers of this file without another source were chosen by hand.

  /// The minimum share of the textured tiles that make an alternative.
  private static let minimumAlternativeShare = 0.1
  /// The median distance of its points under two maps from which on the maps are two, in pixels.
  private static let minimumDistance = 1.0
  /// The maximum number of alternatives.
  private static let maximumAlternatives = 3

  /// Returns the other motions that parts of two images agree on, those of the largest parts first.
  ///
  /// Where half of the image moves apart from the other half, the map of a registration is that of the larger part,
  /// whichever of both is the ground. The tiles that do not move with it are registered by themselves, directly, and
  /// so on, while a tenth of all tiles agrees.
  /// - Parameters:
  ///   - result: The map that was found for both images.
  ///   - reference: Luma, 0…255.
  ///   - floating: Luma, 0…255.
  public func alternatives(
    to result: RegistrationResult, reference: Plane<Float>, floating: Plane<Float>
  ) -> [RegistrationAlternative] {
    let pair = RegistrationPair(
      reference: RegistrationImage(reference, parallelism: parallelism),
      floating: RegistrationImage(floating, parallelism: parallelism), parallelism: parallelism)
    guard result.confidence > 0, !pair.isTooSmall, pair.alignment.hasTexture else { return [] }
    let engine = RegistrationEngine(model: model, parallelism: parallelism)
    var (remaining, found) = (pair.alignment, [RegistrationAlternative]())
    var (map, family) = (result.warpTransform, result.model)
    var count = 0
    // Not until nothing is left: scattered tiles that agree are not taken out, and would be found for ever.
    for _ in 0..<Self.maximumAlternatives {
      let points = remaining.agreeingPoints(under: map, family)
      if count == 0 { count = points.visibleCount }
      guard let rest = remaining.without(points.agreeing) else { break }
      let next = engine.estimate(rest, from: pair.starts + [rest.shiftOfAll].compactMap(\.self))
      guard next.model > .identity else { break }
      let part = rest.agreeingPoints(under: next.warpTransform, next.model)
      let share = Double(part.agreeing.count) / Double(max(count, 1))
      guard share >= Self.minimumAlternativeShare else { break }
      let known = [result.warpTransform] + found.map(\.warpTransform)
      let isNew = known.allSatisfy { part.medianDistance(next.warpTransform, $0) >= Self.minimumDistance }
      if isNew {
        found.append(RegistrationAlternative(warpTransform: next.warpTransform, model: next.model, share: share))
      }
      (remaining, map, family) = (rest, next.warpTransform, next.model)
    }
    return found.sorted { $0.share > $1.share }
  }
}

/// The points of an image that move with a map, in pixels at full size.
private struct AgreeingPoints {
  var agreeing: [SIMD2<Double>]
  var visibleCount: Int

  /// Returns the median of the distances between the images of the points under two maps, in pixels.
  func medianDistance(_ one: Homography, _ other: Homography) -> Double {
    var distances = agreeing.map { point -> Double in
      let way = one.apply(point) - other.apply(point)
      return (way * way).sum().squareRoot()
    }
    return distances.isEmpty ? 0 : distances.nthElement(distances.count / 2)
  }
}

extension Alignment {
  /// The distance from a point that agrees within which a tile may show the same component, in tiles of its level.
  private static let neighborhoodRadius = 0.75
  /// The minimum share of the points around a tile that agree for it to be left out.
  private static let minimumAgreeingShare = 0.5
  /// The maximum distance of a point from its image under a map with which it moves, in pixels: a compromise between
  /// two motions leaves more.
  private static let maximumResidual = 1.0
  /// The longer side from which on a box of a level is correlated, in pixels.
  private static let correlationSide = 96

  /// Returns the tiles of the finest level that move with a map.
  fileprivate func agreeingPoints(under map: Homography, _ model: TransformModel) -> AgreeingPoints {
    let set = sets[0]
    func matches(_ noise: PixelNoise) -> [TileMatch] { comparison.matches(of: set, under: map, noise: noise) }
    var energies = matches(PixelNoise(0, level: 0)).filter(\.isVisible).map(\.energy)
    guard !energies.isEmpty else { return AgreeingPoints(agreeing: [], visibleCount: 0) }
    let noise = PixelNoise(energies.nthElement(energies.count / 4), level: 0)
    let fit = RobustFit(
      model, to: matches(noise), of: set, noise: noise, scale: frame.scale, corners: corners, start: .present)
    return AgreeingPoints(
      agreeing: set.tiles.indices.filter { index in
        let (x, y) = fit.residuals[index]
        return fit.weights[index] > 0 && x * x + y * y < Self.maximumResidual * Self.maximumResidual
      }.map { middle(of: set.tiles[$0], level: 0) },
      visibleCount: energies.count)
  }

  private func middle(of tile: Tile, level: Int) -> SIMD2<Double> {
    SIMD2(
      RegistrationImage.fullSize(Double(tile.x) + Tile.half, level: level),
      RegistrationImage.fullSize(Double(tile.y) + Tile.half, level: level))
  }

  /// The shift that a phase correlation of the box around all tiles finds; nil: none.
  fileprivate var shiftOfAll: Homography? {
    let (columns, rows) = (sets[0].tiles.map(\.x), sets[0].tiles.map(\.y))
    guard let left = columns.min(), let right = columns.max(), let top = rows.min(), let bottom = rows.max() else {
      return nil
    }
    let longest = max(right - left, bottom - top) + Tile.side
    let level = sets.indices.last { longest >> $0 >= Self.correlationSide } ?? 0
    let (reference, floating) = (target.levels[level], template.levels[level])
    let box = PixelRect(
      x: left >> level, y: top >> level, width: (right - left + Tile.side) >> level,
      height: (bottom - top + Tile.side) >> level)
    guard [reference, floating].allSatisfy({ box.columns.upperBound <= $0.width && box.rows.upperBound <= $0.height })
    else { return nil }
    let peak = PhaseCorrelation.singleShift(reference: reference.cropped(to: box), floating: floating.cropped(to: box))
    let scale = Double(1 << level)
    let (x, y) = (peak.x.rounded() * scale, peak.y.rounded() * scale)
    return x == 0 && y == 0 ? nil : .translation(x: x, y: y)
  }

  /// Returns the alignment of what lies apart from some points; nil: nothing is left.
  fileprivate func without(_ points: [SIMD2<Double>]) -> Alignment? {
    let bins = PointBins(points, beside: sets[0].tiles.map { middle(of: $0, level: 0) })
    let rest = keepingTiles { tile, level in
      let radius = Self.neighborhoodRadius * Double(Tile.side << level)
      return bins.share(around: middle(of: tile, level: level), radius: radius) <= Self.minimumAgreeingShare
    }
    return rest.sets[0].tiles.isEmpty ? nil : rest
  }
}

/// The numbers of points in each square of an image: of all, and of chosen ones.
private struct PointBins {
  private var counts: [SIMD2<Int>: (chosen: Int, all: Int)] = [:]
  private static let side = Double(Tile.side / 2)

  init(_ chosen: [SIMD2<Double>], beside all: [SIMD2<Double>]) {
    for point in all { counts[Self.bin(point), default: (0, 0)].all += 1 }
    for point in chosen { counts[Self.bin(point), default: (0, 0)].chosen += 1 }
  }

  private static func bin(_ point: SIMD2<Double>) -> SIMD2<Int> {
    SIMD2(Int((point.x / side).rounded(.down)), Int((point.y / side).rounded(.down)))
  }

  /// Returns the share of chosen points in the square around one; 0: there are none at all.
  func share(around point: SIMD2<Double>, radius: Double) -> Double {
    let (low, high) = (Self.bin(point - radius), Self.bin(point + radius))
    var (chosen, all) = (0, 0)
    for y in low.y...high.y {
      for x in low.x...high.x {
        guard let bin = counts[SIMD2(x, y)] else { continue }
        chosen += bin.chosen
        all += bin.all
      }
    }
    return all > 0 ? Double(chosen) / Double(all) : 0
  }
}
