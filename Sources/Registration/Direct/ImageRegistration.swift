// Registration of two images of which nothing is known beforehand: near each other or far apart.

import Imaging

/// Registers two images with the method that suits them.
///
/// `RegistrationEngine` compares the images themselves: fast and exact, but only for images that a short time lies
/// between. `FeatureRegistration` matches keypoints: any turn and zoom, oblique views, little overlap, ten times as
/// slow, and a tenth as exact. Here the first is asked first, the second where the first is not sure; then the first
/// makes the map of the second exact, and that is taken where the images agree under it as well as before.
/// Deterministic: the result does not depend on the number of threads or the processor.
public struct ImageRegistration: Sendable {
  /// The ways to look for the map.
  public enum Method: String, Sendable, Hashable, CaseIterable, Codable {
    /// The direct method; keypoints, and the direct method from there, where that is not sure.
    case automatic
    /// The direct method, for consecutive frames. See `RegistrationEngine`.
    case direct
    /// Keypoints, and then the direct method from there: for images that are known to lie far apart.
    case features
  }

  /// The family of maps; simpler ones are tried where it is not supported.
  public let model: TransformModel
  /// The way in which the map is looked for.
  public let method: Method
  /// The parameters by which keypoints are found and matched.
  public let features: FeatureRegistrationParameters
  /// The number of threads to use; changes no result.
  public let parallelism: Parallelism

  /// A registration that looks for maps of `model`.
  public init(
    model: TransformModel, method: Method = .automatic, features: FeatureRegistrationParameters = .default,
    parallelism: Parallelism = .serial
  ) {
    self.model = model
    self.method = method
    self.features = features
    self.parallelism = parallelism
  }

  /// The confidence from which a direct result, in the family that was asked for, is taken without a look at keypoints.
  /// Right ones on synthetic and published pairs have 0.87 and more; wrong ones, up to 0.54, come with a simpler
  /// family.
  private static let directConfidence = 0.8
  /// The minimum confidence of a direct refinement of a map by keypoints: those below are off as often as not.
  private static let refinedConfidence = 0.9
  /// The amount by which the mean correlation of the images may fall through a refinement: what rounding and noise
  /// make; chosen by hand.
  private static let correlationSlack = 0.002

  /// Estimates the map from `floating` to `reference`, whose sizes may differ.
  ///
  /// - Parameters:
  ///   - reference: Luma, 0…255.
  ///   - floating: Luma, 0…255.
  /// - Returns: The map, its family and how far to trust it; never fails, see `RegistrationEngine`. Where another
  ///   alignment explains the images as well, as of bricks, the confidence is below 0.5.
  public func estimate(reference: Plane<Float>, floating: Plane<Float>) -> RegistrationResult {
    estimate(
      reference: RegistrationImage(reference, parallelism: parallelism),
      floating: RegistrationImage(floating, parallelism: parallelism))
  }

  /// Estimates the map from `floating` to `reference`, both prepared.
  public func estimate(reference: RegistrationImage, floating: RegistrationImage) -> RegistrationResult {
    estimate(RegistrationPair(reference: reference, floating: floating, parallelism: parallelism))
  }

  /// Estimates the map of a pair that other estimates may be made of, too.
  package func estimate(_ pair: RegistrationPair) -> RegistrationResult {
    var result = bestResult(pair)
    if result.confidence > 0, let rival = RivalAlignment(of: result.warpTransform, pair) {
      result.confidence *= rival.confidence
    }
    return result
  }

  /// The most certain result, without a look at what else would explain the pair.
  private func bestResult(_ pair: RegistrationPair) -> RegistrationResult {
    guard method != .features else { return byFeatures(pair) }
    let direct = RegistrationEngine(model: model, parallelism: parallelism).estimate(pair)
    let isSure = direct.reason == nil && direct.confidence >= Self.directConfidence
    if method == .direct || isSure || direct.reason == .imageTooSmall { return direct }
    let other = byFeatures(pair)
    return other.confidence >= direct.confidence ? other : direct
  }

  /// The map that keypoints lead to, refined where that makes it better.
  private func byFeatures(_ pair: RegistrationPair) -> RegistrationResult {
    let (reference, floating) = (pair.reference, pair.floating)
    let found = FeatureRegistration(parameters: features).estimate(
      reference: reference.image, floating: floating.image, model: model, parallelism: parallelism)
    guard found.model > .identity else { return found }
    let agreement = PhotometricAgreement(
      exactly: reference.image, floating: floating.image, parallelism: parallelism)
    let minimum = agreement.meanCorrelation(found.warpTransform) - Self.correlationSlack
    func isBetter(_ refined: RegistrationResult) -> Bool {
      refined.model == found.model && refined.confidence >= Self.refinedConfidence
        && agreement.meanCorrelation(refined.warpTransform) >= minimum
    }
    let refined = refine(found, pair)
    if isBetter(refined) { return refined.because(found.reason) }
    if let warped = refineWarped(found, reference, floating), isBetter(warped) { return warped.because(found.reason) }
    return found.limitedByShare
  }

  /// Returns the direct result with the map as a guess beside those of the direct method.
  private func refine(_ found: RegistrationResult, _ pair: RegistrationPair) -> RegistrationResult {
    RegistrationEngine(model: found.model, parallelism: parallelism)
      .estimate(pair, candidates: [found.warpTransform])
  }

  /// Returns the direct result for the reference warped to look like the floating image, so that next to no motion is
  /// left: it leads on where the images look different on coarse levels, as after large turns.
  private func refineWarped(
    _ found: RegistrationResult, _ reference: RegistrationImage, _ floating: RegistrationImage
  ) -> RegistrationResult? {
    guard let inverse = found.warpTransform.inverse,
      let warped = WarpedImage(reference.image, by: inverse, size: floating.size, parallelism: parallelism)
    else { return nil }
    let engine = RegistrationEngine(model: found.model, parallelism: parallelism)
    var result = engine.estimate(reference: engine.prepare(warped.image), floating: floating)
    result.warpTransform = (found.warpTransform * result.warpTransform).normalized
    return result
  }
}

extension RegistrationImage {
  /// The image itself.
  fileprivate var image: Plane<Float> { levels[0] }
}

extension RegistrationResult {
  /// The share of the blocks that agree from which the confidence rises. Matches in one part of the images may
  /// determine a map well that holds nowhere else, as when a family is too simple for the motion: that leaves half of
  /// the blocks; right maps of published and synthetic pairs leave a sixth at most.
  private static let minimumInlierShare = 0.25
  /// The share of the blocks that agree from which the confidence is full; chosen by hand.
  private static let fullInlierShare = 0.7

  /// The result with less confidence where many blocks do not agree.
  fileprivate var limitedByShare: RegistrationResult {
    var result = self
    result.confidence *= min(
      max((inlierShare - Self.minimumInlierShare) / (Self.fullInlierShare - Self.minimumInlierShare), 0), 1)
    return result
  }

  fileprivate func because(_ reason: FallbackReason?) -> RegistrationResult {
    var result = self
    result.reason = reason
    return result
  }
}
