// The refinement of a right map to a precise one.

import Imaging

/// A fit, the limit it was made with, and what speaks against chance.
struct SupportedFit {
  var fit: MatchFit
  /// The distance from which on matches did not count, normalised.
  var limit: Double
  /// The evidence against chance; see `AContrarioModel`.
  var evidence: Double
}

extension FeaturePair {
  /// Returns a fit with the evidence that speaks for it.
  func supported(_ fit: MatchFit, limit: Double) -> SupportedFit {
    let chance = AContrarioModel(matches: matches.matches, area: frame.referenceArea, precision: frame.unit / 2)
    return SupportedFit(
      fit: fit, limit: limit, evidence: chance.evidence(for: fit.map, model: fit.model, limit: limit))
  }

  /// Returns the same map, fitted to more and better matches.
  ///
  /// With the floating image warped by the map, keypoints are found anew: on strongly oblique views twice as many match
  /// as before, and they lie more precisely.
  func refined(_ evaluation: TransformConfidence) -> TransformConfidence {
    let first = widened(evaluation.support)
    guard let guided = guided(by: frame.inPixels(first.fit.map), radius: 2 * limit / frame.unit) else {
      return TransformConfidence(of: first, in: self, isFallback: evaluation.isFallback)
    }
    let second = TransformConfidence(of: guided.widened(first), in: guided, isFallback: evaluation.isFallback)
    // Few keypoints of the warped image may be whole, if the images hardly overlap.
    let isAsGood = second.support.evidence > first.evidence / 2 && second.confidence >= parameters.minimumConfidence
    return isAsGood ? second : TransformConfidence(of: first, in: self, isFallback: evaluation.isFallback)
  }

  /// Returns a fit under the limit, or under twice the limit if that makes chance a much worse explanation.
  ///
  /// A page is rarely flat. Where most of it would be left out, a map that is a few pixels off everywhere is the better
  /// description; where a plane ends, it is not, and few more matches agree with a looser one.
  private func widened(_ start: SupportedFit) -> SupportedFit {
    guard let strict = refitted(start.fit, limit: limit) else { return start }
    guard let loose = refitted(strict.fit, limit: 2 * limit) else { return strict }
    return loose.evidence > strict.evidence * Self.gainOfLooseness ? loose : strict
  }

  /// The minimum factor between the evidence for a loose fit and for a strict one; chosen by hand.
  private static let gainOfLooseness = 1.1

  private func refitted(_ start: MatchFit, limit: Double) -> SupportedFit? {
    var fit = MatchFit(start.model, from: start.map)
    fit.refine(to: matches.matches, limit: limit, steps: 20)
    guard fit.factor != nil, plausibility.keepsImage(fit.map) else { return nil }
    return supported(fit, limit: limit)
  }
}
