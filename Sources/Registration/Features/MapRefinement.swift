// From a map that is right to one that is precise.

import Imaging

/// A fit, the limit it was made with, and what speaks against chance.
struct SupportedFit {
  var fit: MatchFit
  /// Distances from here on did not count, normalised.
  var limit: Double
  /// See `ChanceModel`.
  var evidence: Double
}

extension FeaturePair {
  /// What speaks for a fit.
  func supported(_ fit: MatchFit, limit: Double) -> SupportedFit {
    let chance = ChanceModel(matches: matches.matches, area: frame.referenceArea, precision: frame.unit / 2)
    return SupportedFit(
      fit: fit, limit: limit, evidence: chance.evidence(for: fit.map, model: fit.model, limit: limit))
  }

  /// The same map, fitted to more and better matches.
  ///
  /// With the floating picture bent by the map, keypoints are found anew: on strongly oblique views twice as many match as
  /// before, and they lie more precisely.
  func refined(_ judgement: MapJudgement) -> MapJudgement {
    let first = widened(judgement.support)
    guard let guided = guided(by: frame.inPixels(first.fit.map), radius: 2 * limit / frame.unit) else {
      return MapJudgement(of: first, in: self, isFallback: judgement.isFallback)
    }
    let second = MapJudgement(of: guided.widened(first), in: guided, isFallback: judgement.isFallback)
    // Few keypoints of the bent picture may be whole, if the pictures hardly overlap.
    let isAsGood = second.support.evidence > first.evidence / 2 && second.confidence >= parameters.leastConfidence
    return isAsGood ? second : MapJudgement(of: first, in: self, isFallback: judgement.isFallback)
  }

  /// A fit under the limit, or under twice the limit if that makes chance a much worse explanation.
  ///
  /// A page is rarely flat. Where most of it would be left out, a map that is a few pixels off everywhere is the better
  /// description; where a plane ends, it is not, and few more matches agree with a looser one.
  private func widened(_ start: SupportedFit) -> SupportedFit {
    guard let strict = refitted(start.fit, limit: limit) else { return start }
    guard let loose = refitted(strict.fit, limit: 2 * limit) else { return strict }
    return loose.evidence > strict.evidence * Self.gainOfLooseness ? loose : strict
  }

  /// The least factor between the evidence for a loose fit and for a strict one.
  private static let gainOfLooseness = 1.1

  private func refitted(_ start: MatchFit, limit: Double) -> SupportedFit? {
    var fit = MatchFit(start.model, from: start.map)
    fit.refine(to: matches.matches, limit: limit, steps: 20)
    guard fit.factor != nil, plausibility.keepsPicture(fit.map) else { return nil }
    return supported(fit, limit: limit)
  }
}
