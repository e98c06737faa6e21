// The confidence in a map.

import Imaging

/// The evidence for a map and against it.
struct TransformConfidence {
  let support: SupportedFit
  /// The map from floating to reference, in pixels.
  let map: Homography
  /// A Boolean value that tells whether a more general family was asked for, but not supported.
  let isFallback: Bool
  /// The standard deviation of the map at the worst point that both images show, in pixels of the reference: how well
  /// the map is determined.
  let deviation: Double
  /// The agreement of the images where the matches lie.
  let nearMatches: PhotometricAgreement.Count
  /// The agreement of the images over all that both of them show.
  let everywhere: PhotometricAgreement.Count
  /// The root mean square distance of the matches from the map, in pixels of the reference.
  let residual: Double
  private let maximumDeviation: Double

  /// The evidence that gives even odds; chosen by hand. Pairs of unrelated images have hardly any; see
  /// Tests/RegistrationTests.
  private static let evenEvidence = 10.0
  /// The deviation that gives even odds, in parts of the diagonal of the larger image; chosen by hand.
  private static let evenDeviation = 0.01
  /// The share of blocks that look alike from which the confidence rises: chance gives 0.02. Chosen by hand.
  private static let minimumAlikeShare = 0.1
  /// The share of blocks that look alike from which the confidence is full; chosen by hand.
  private static let fullAlikeShare = 0.5

  init(of support: SupportedFit, in pair: FeaturePair, isFallback: Bool = false) {
    self.support = support
    self.isFallback = isFallback
    let (fit, frame) = (support.fit, pair.frame)
    map = frame.inPixels(fit.map)
    let near = pair.matches.matches.compactMap { match -> (error: TransferError, position: SIMD2<Double>)? in
      guard let error = TransferError(of: match, by: fit.map), error.square < support.limit * support.limit else {
        return nil
      }
      return (error, frame.referencePixel(match.reference))
    }
    let squares = near.map { ($0.error.residual * $0.error.residual).sum() }
    residual = (squares.reduce(0, +) / Double(max(squares.count, 1))).squareRoot() / frame.unit
    let noise = near.map(\.error.square).reduce(0, +) / Double(max(2 * near.count - fit.model.degreesOfFreedom, 1))
    deviation = fit.deviation(over: frame, noise: noise) / frame.unit
    maximumDeviation = Self.evenDeviation * 2 / frame.unit
    let hull = ConvexHull(near.map(\.position))
    (everywhere, nearMatches) = pair.agreement.counts(map) { hull.contains($0) }
  }

  /// 0…1: the product of what each of the three says.
  var confidence: Double {
    let certain = support.evidence / (support.evidence + Self.evenEvidence)
    let ratio = deviation / maximumDeviation
    let precise = 1 / (1 + ratio * ratio)
    // Matches so close together that no block fits between them leave it to the blocks everywhere.
    let share = nearMatches.blocks >= 3 ? nearMatches.share : everywhere.share
    let alike = (share - Self.minimumAlikeShare) / (Self.fullAlikeShare - Self.minimumAlikeShare)
    let confidence = certain * precise * min(max(alike, 0), 1)
    // Matches in one part of the image determine a simpler map well, but not that it holds elsewhere.
    return isFallback ? confidence * everywhere.share : confidence
  }

  var reason: FallbackReason {
    deviation > maximumDeviation && support.evidence > Self.evenEvidence ? .illConditioned : .unrelatedImages
  }

  func result(reason: FallbackReason?) -> RegistrationResult {
    RegistrationResult(
      warpTransform: map, model: support.fit.model, inlierShare: everywhere.share, residual: residual,
      confidence: confidence,
      reason: reason)
  }
}

extension MatchFit {
  /// The standard deviation of the images of points under the map, at the worst of a grid over what both images show.
  ///
  /// - Parameter noise: Variance of the distances, in the units of `TransferError.square`.
  fileprivate func deviation(over frame: MatchFrame, noise: Double) -> Double {
    guard let factor else { return .infinity }
    let corner = frame.floatingCorners[2]
    var worst = 0.0
    for row in -4...4 {
      for column in -4...4 {
        let position = SIMD2(corner.x * Double(column) / 4, corner.y * Double(row) / 4)
        let there = map.apply(position)
        guard frame.isInReference(there) else { continue }
        let rows = model.rows(u: there.x, v: there.y)
        worst = max(worst, factor.variance(rows.x) + factor.variance(rows.y))
      }
    }
    return (worst * noise).squareRoot()
  }
}
