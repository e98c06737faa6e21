// Registration of two arbitrary images by their keypoints.

import Imaging

/// Registers two arbitrary images of one plane, or of any scene seen from one point: overlapping parts of a panorama, a
/// page from two sides, turned by any angle, zoomed up to threefold, under other light.
///
/// Keypoints with descriptors are matched, and the family's map that explains most matches is found and fitted (see
/// `RobustEstimator`). Where that fails, the images are tried again as they would look from the side. A map is trusted
/// when wrong matches would hardly have agreed with it by chance, when the matches pin it down, and when the images
/// themselves look alike under it; otherwise simpler families are tried. Deterministic: the result does not depend on
/// the number of threads or the processor. Precise to a fraction of a pixel: `RegistrationEngine` refines it further.
public struct FeatureRegistration: Sendable {
  /// The parameters by which keypoints are found, matched and judged.
  public let parameters: FeatureRegistrationParameters

  /// A registration; all images are arguments of its methods.
  public init(parameters: FeatureRegistrationParameters = .default) { self.parameters = parameters }

  /// Estimates the map from `floating` to `reference`, whose sizes may differ.
  ///
  /// - Parameters:
  ///   - reference: Luma, 0…255.
  ///   - floating: Luma, 0…255.
  ///   - model: The family of maps. Simpler ones are tried when it is not supported.
  ///   - parallelism: The number of threads to use; changes no result.
  /// - Returns: The map, its family and how far to trust it. A confidence below `minimumConfidence` comes with the
  ///   identity.
  public func estimate(
    reference: Plane<Float>, floating: Plane<Float>, model: TransformModel, parallelism: Parallelism = .serial
  ) -> RegistrationResult {
    estimate(
      reference: KeypointImage(reference, parameters: parameters, parallelism: parallelism),
      floating: KeypointImage(floating, parameters: parameters, parallelism: parallelism), model: model,
      parallelism: parallelism)
  }

  /// Estimates the map from `floating` to `reference`, both prepared with the parameters of this registration: as for
  /// the images themselves.
  public func estimate(
    reference: KeypointImage, floating: KeypointImage, model: TransformModel, parallelism: Parallelism = .serial
  ) -> RegistrationResult {
    estimate(reference: reference, floating: floating, model: model, parallelism: parallelism) { true }
  }

  /// Estimates the map from `floating` to `reference` for as long as it is wanted.
  /// - Parameter goesOn: Asked before what takes long whether the result is still wanted; if not, the result is what
  ///   was found until then.
  package func estimate(
    reference: KeypointImage, floating: KeypointImage, model: TransformModel, parallelism: Parallelism,
    while goesOn: () -> Bool
  ) -> RegistrationResult {
    if let reason = FeaturePair.obstacle(reference: reference, floating: floating) {
      return .unregistered(reason, confidence: 0)
    }
    let pair = FeaturePair(reference: reference, floating: floating, parameters: parameters, parallelism: parallelism)
    let first = fit(model, in: pair)
    if let result = first.result { return result }
    guard parameters.simulatesViews, model > .euclidean, goesOn() else {
      return .unregistered(first.reason, confidence: first.confidence)
    }
    let second = fit(model, in: pair.withSimulatedViews(while: goesOn))
    return second.result ?? .unregistered(first.reason, confidence: max(first.confidence, second.confidence))
  }

  /// Returns the result in the most general family that the matches support.
  private func fit(
    _ model: TransformModel, in pair: FeaturePair
  ) -> (result: RegistrationResult?, reason: FallbackReason, confidence: Double) {
    let estimator = RobustEstimator(
      set: pair.matches, plausibility: pair.plausibility, limit: pair.limit, sampleCount: parameters.sampleCount,
      seed: parameters.seed)
    var reason: FallbackReason?
    var confidence = 0.0
    var family = model
    while family > .identity {
      if let estimate = estimator.estimate(family) {
        let evaluation = TransformConfidence(
          of: pair.supported(estimate.fit, limit: pair.limit), in: pair, isFallback: family < model)
        if evaluation.confidence >= parameters.minimumConfidence {
          let refined = pair.refined(evaluation)
          return (refined.result(reason: reason), refined.reason, refined.confidence)
        }
        confidence = max(confidence, evaluation.confidence)
        reason = reason ?? evaluation.reason
      }
      reason = reason ?? .unrelatedImages
      family = family.simpler ?? .identity
    }
    return (nil, reason ?? .unrelatedImages, confidence)
  }
}

extension RegistrationResult {
  /// The result for images that no map is known for.
  static func unregistered(_ reason: FallbackReason, confidence: Double) -> RegistrationResult {
    RegistrationResult(
      warpTransform: .identity, model: .identity, inlierShare: 0, residual: 0, confidence: confidence, reason: reason)
  }
}
