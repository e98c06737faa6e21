// Registration of two images, and of each frame of a stream with the one before.

import Imaging

/// Estimates how one image lies on another, as one map for the whole image.
///
/// The engine serves images of the same scene that are a short time apart: shifts up to a third of the width, turns of
/// some degrees, zooms of some per cent, brightness and contrast that change, up to a third of the image moving
/// differently. Exact to a few hundredths of a pixel. Deterministic: the result does not depend on the number of
/// threads or the processor.
///
/// A phase correlation of the coarsest levels finds a large shift; from there, and from no motion, see `Alignment`.
/// Never fails: when the data do not support the model that was asked for, the result has a simpler one and the reason.
public struct RegistrationEngine: Sendable {
  /// The family of maps; simpler ones are tried where it is not supported.
  public let model: TransformModel
  /// The number of threads that a call may use; changes no result.
  public let parallelism: Parallelism
  /// A Boolean value that tells whether shading is asked where texture leaves the map open.
  package var asksShading = true

  /// An engine without state: one serves any number of pairs.
  public init(model: TransformModel, parallelism: Parallelism = .serial) {
    self.model = model
    self.parallelism = parallelism
  }

  /// Prepares an image for all pairs that it belongs to.
  ///
  /// - Parameter image: Luma, 0…255, of any size.
  public func prepare(_ image: Plane<Float>) -> RegistrationImage {
    RegistrationImage(image, parallelism: parallelism)
  }

  /// Estimates the map from `floating` to `reference`; the two may differ in size.
  ///
  /// - Parameters:
  ///   - reference: Luma, 0…255.
  ///   - floating: Luma, 0…255.
  ///   - candidates: Maps to try besides those found here, such as from matched features.
  public func estimate(
    reference: Plane<Float>, floating: Plane<Float>, candidates: [Homography] = []
  ) -> RegistrationResult {
    estimate(reference: prepare(reference), floating: prepare(floating), candidates: candidates)
  }

  /// Estimates the map from `floating` to `reference`, both prepared.
  public func estimate(
    reference: RegistrationImage, floating: RegistrationImage, candidates: [Homography] = []
  ) -> RegistrationResult {
    estimate(
      RegistrationPair(reference: reference, floating: floating, parallelism: parallelism), candidates: candidates)
  }

  /// Estimates the map from `floating` to `reference`, of which a guess is known: where most of the image agrees near
  /// it nothing else is looked at, in half of the time.
  ///
  /// - Parameter map: Right to about a pixel, such as one that fits a flow.
  package func estimate(
    reference: Plane<Float>, floating: Plane<Float>, near map: Homography
  ) -> RegistrationResult {
    let pair = RegistrationPair(
      reference: prepare(reference), floating: prepare(floating), parallelism: parallelism)
    if !pair.isTooSmall, pair.alignment.hasTexture, let state = pair.alignment.align(model, near: map),
      failure(of: state, model) == nil
    {
      return result(state, model, nil)
    }
    return estimate(pair, candidates: [map])
  }

  /// Estimates the map of a pair that other estimates may be made of, too.
  package func estimate(_ pair: RegistrationPair, candidates: [Homography] = []) -> RegistrationResult {
    guard !pair.isTooSmall else { return .nothing(.imageTooSmall) }
    let alignment = pair.alignment
    guard alignment.hasTexture else { return .nothing(.tooLittleTexture) }
    return estimate(alignment, from: pair.starts + candidates)
  }

  /// Estimates the map of what an alignment looks at.
  func estimate(_ alignment: Alignment, from starts: [Homography]) -> RegistrationResult {
    var reason: FallbackReason?
    var model = self.model
    while model > .identity {
      let state = alignment.align(model, from: starts, asksShading: asksShading)
      guard let failure = failure(of: state, model) else {
        return result(state, model, reason)
      }
      reason = reason ?? failure
      model = model.simpler ?? .identity
    }
    return .nothing(reason)
  }

  /// Returns the reason for which a state does not support its model; nil when it does.
  private func failure(of state: Alignment.State, _ model: TransformModel) -> FallbackReason? {
    if let failure = state.failure { return failure }
    guard state.agreement >= Self.minimumTileCorrelation else { return .unrelatedImages }
    guard state.inlierCount >= model.degreesOfFreedom else { return .tooLittleTexture }
    guard state.cornerDeviation <= Self.cornerTolerance else { return .illConditioned }
    return nil
  }

  /// The mean correlation of the tiles below which two images have nothing in common; chosen by hand.
  private static let minimumTileCorrelation = 0.2
  /// The maximum standard deviation of a corner, in pixels; chosen by hand.
  private static let cornerTolerance = 2.0

  private func result(
    _ state: Alignment.State, _ model: TransformModel, _ reason: FallbackReason?
  ) -> RegistrationResult {
    // From "could be chance" to "agrees wherever it is not covered"; less where few tiles or little overlap support it.
    let agreement = min(max((state.agreement - Self.minimumTileCorrelation) / 0.4, 0), 1)
    let support = min(Double(state.inlierCount) / Double(2 * model.degreesOfFreedom), 1)
    let certainty = 1 / (1 + state.cornerDeviation * state.cornerDeviation)
    return RegistrationResult(
      warpTransform: state.map, model: model,
      inlierShare: Double(state.inlierCount) / Double(max(state.visibleCount, 1)), residual: state.residual,
      confidence: agreement * support * certainty * min(state.visibleShare * 2, 1), reason: reason)
  }
}

extension RegistrationResult {
  /// The result before anything was looked at: no motion, no confidence.
  public static let unknown = nothing(nil)

  static func nothing(_ reason: FallbackReason?) -> RegistrationResult {
    RegistrationResult(
      warpTransform: .identity, model: .identity, inlierShare: 0, residual: 0, confidence: 0, reason: reason)
  }
}

/// Registers each image of a stream with the one before; each is prepared once.
public struct RegistrationSequence: Sendable {
  /// The engine that registers each pair.
  public let engine: RegistrationEngine
  private var previous: RegistrationImage?

  /// A sequence that has seen no frame yet.
  public init(engine: RegistrationEngine) { self.engine = engine }

  /// The map from `image` to the image before it: the same as `engine` finds for the two; nil for the first image.
  public mutating func append(_ image: Plane<Float>) -> RegistrationResult? {
    let floating = engine.prepare(image)
    defer { previous = floating }
    return previous.map { engine.estimate(reference: $0, floating: floating) }
  }

  /// Forgets the image before.
  public mutating func reset() { previous = nil }
}
