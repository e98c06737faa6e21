// The map that explains most matches, when many of them are wrong.
//
// Two sources of first guesses: each single match, whose keypoints' sizes and directions suggest a similarity (Philbin
// et al., CVPR 2007, doi:10.1109/CVPR.2007.383172), which finds maps that one match in fifty supports; and PROSAC's
// minimal samples, which need no sizes or directions. The best guesses are improved as in LO-RANSAC (Chum, Matas and
// Kittler, DAGM 2003, doi:10.1007/978-3-540-45243-0_31), by fits with MAGSAC++'s weights under a limit that shrinks.

import Imaging

/// A map and the matches that speak for it.
struct RobustEstimate {
  var map: Homography
  /// The score of the map; see `MatchSet.score`.
  var score: Double
  var fit: MatchFit
}

struct RobustEstimator {
  let set: MatchSet
  let plausibility: MapPlausibility
  /// The distance from which on a match is wrong, normalised.
  let limit: Double
  let sampleCount: Int
  let seed: UInt64

  // Numbers without another source were chosen by hand.

  /// The number of matches whose own suggestion is tried, the surest ones.
  private static let suggestionCount = 800
  /// The number of suggestions that are improved.
  private static let suggestionsKept = 6
  /// The distance from which a match is wrong for a suggestion, in limits: directions and sizes are rough.
  private static let suggestionLimit = 8.0
  /// The probability that a better map was missed when sampling stops early.
  private static let missProbability = 0.001
  /// The minimum number of samples that are drawn.
  private static let minimumSamples = 200
  /// The maximum number of guesses that are improved.
  private static let maximumImprovements = 16

  /// The best map of a family; nil when no sample gives a plausible one.
  func estimate(_ model: TransformModel) -> RobustEstimate? {
    guard model > .identity, set.count >= model.sampleSize else { return nil }
    var best: RobustEstimate?
    for suggestion in suggestions(model) {
      keep(improved(suggestion, model, isRough: true), in: &best)
    }
    sample(model, best: &best)
    guard var result = best else { return nil }
    result.fit.refine(to: set.matches, limit: limit, steps: 20)
    return judged(result.fit) ?? best
  }

  private func keep(_ estimate: RobustEstimate?, in best: inout RobustEstimate?) {
    guard let estimate, estimate.score > (best?.score ?? 0) else { return }
    best = estimate
  }

  /// The single matches' suggestions that explain most matches, roughly.
  private func suggestions(_ model: TransformModel) -> [Homography] {
    var found: [(map: Homography, score: Double)] = []
    for match in set.matches.prefix(Self.suggestionCount) {
      guard let map = model.map(suggestedBy: match), plausibility.keepsImage(map),
        plausibility.keepsSurroundings(of: match.floating, map)
      else { continue }
      found.append((map, set.score(map, limit: limit * Self.suggestionLimit)))
    }
    let order = found.indices.sorted {
      found[$0].score != found[$1].score ? found[$0].score > found[$1].score : $0 < $1
    }
    return order.prefix(Self.suggestionsKept).map { found[$0].map }
  }

  private func sample(_ model: TransformModel, best: inout RobustEstimate?) {
    var sampler = MatchSampler(sampleSize: model.sampleSize, count: set.count, total: sampleCount, seed: seed)
    var bestGuess = 0.0
    var improvements = 0
    var needed = samplesNeeded(model, score: best?.score ?? 0)
    var drawn = 0
    while drawn < needed {
      drawn += 1
      let sample = sampler.next().map { set.matches[$0] }
      guard let map = model.map(through: sample), plausibility.keepsImage(map),
        sample.allSatisfy({ plausibility.keepsSurroundings(of: $0.floating, map) })
      else { continue }
      let score = set.score(map, limit: limit)
      guard score > bestGuess else { continue }
      bestGuess = score
      // A guess that explains hardly more than itself is not worth the work.
      guard score > Double(model.sampleSize) + 1, improvements < Self.maximumImprovements else { continue }
      improvements += 1
      keep(improved(map, model, isRough: false), in: &best)
      needed = samplesNeeded(model, score: best?.score ?? 0)
    }
  }

  /// Returns the number of samples until one of right matches alone is all but certain, if what the best map explains
  /// is all there is.
  private func samplesNeeded(_ model: TransformModel, score: Double) -> Int {
    let share = min(score / Double(set.count), 1)
    var chance = 1.0
    for _ in 0..<model.sampleSize { chance *= share }
    var missed = 1.0
    var samples = 0
    while missed > Self.missProbability && samples < sampleCount {
      missed *= 1 - chance
      samples += 1
    }
    return min(max(samples, Self.minimumSamples), sampleCount)
  }

  /// Fits with a shrinking limit; rough guesses as an affine map first.
  private func improved(_ map: Homography, _ model: TransformModel, isRough: Bool) -> RobustEstimate? {
    var start = map
    if isRough {
      var rough = MatchFit(min(model, .affine), from: map)
      for factor in [Self.suggestionLimit, Self.suggestionLimit, 4] {
        rough.refine(to: set.matches, limit: limit * factor, steps: 2)
      }
      start = rough.map
    }
    var fit = MatchFit(model, from: start)
    for factor in isRough ? [4.0, 3, 2, 1.4, 1] : [2, 1.4, 1] {
      fit.refine(to: set.matches, limit: limit * factor, steps: 2)
    }
    let improved = judged(fit)
    let unchanged = judged(MatchFit(model, from: map))
    guard let improved else { return unchanged }
    return (unchanged?.score ?? 0) > improved.score ? unchanged : improved
  }

  /// The score of a fit; nil when no camera sees such a map.
  private func judged(_ fit: MatchFit) -> RobustEstimate? {
    guard plausibility.keepsImage(fit.map) else { return nil }
    let explained = set.matches.filter { match in
      TransferError(of: match, by: fit.map).map { $0.square < limit * limit } ?? false
    }
    guard explained.count >= fit.model.sampleSize,
      explained.allSatisfy({ plausibility.keepsSurroundings(of: $0.floating, fit.map) })
    else { return nil }
    return RobustEstimate(map: fit.map, score: set.score(fit.map, limit: limit), fit: fit)
  }
}
