// From a first guess to the map: coarse to fine, with more freedom as there is more to see.

import FlowKernels
import Imaging

/// Aligns a template with a target in one family of maps.
///
/// Inverse compositional Gauß-Newton (Baker & Matthews 2004, doi:10.1023/B:VISI.0000011205.11775.fd) over tiles: each
/// tile measures how far its content lies from where the present map puts it, whatever its brightness and contrast, and
/// a robust fit to all tiles gives the step. With tiles as the unit instead of pixels a tile of the foreground is known
/// by its displacement in pixels, the equations of all families are made from the same sums, and the hot loop has five
/// sums instead of 44. Within a tile the Jacobian is that of its middle: no error at the solution, where the
/// differences vanish.
struct Alignment {
  let template: RegistrationImage
  let target: RegistrationImage
  /// How much the target looks like itself at another position.
  let selfCorrelation: SelfCorrelation
  let parallelism: Parallelism
  let frame: NormalizedFrame
  let corners: [(u: Double, v: Double)]
  let comparison: TileComparison
  /// The tiles of the levels that both images have, from level 0 on.
  private(set) var sets: [TileSet]

  /// The knowledge about a map: how well it explains the tiles of the finest level looked at.
  struct State {
    var map: Homography
    /// The variance of the difference of matching pixels; 0 until known.
    var noise = 0.0
    /// The mean correlation of the tiles, those that move differently counting 0.
    var agreement = 0.0
    /// The mean correlation of all visible tiles, if positive.
    var correlation = 0.0
    var visibleShare = 0.0
    var visibleCount = 0
    var inlierCount = 0
    /// The residual, in pixels of level 0.
    var residual = 0.0
    var cornerDeviation = Double.infinity
    var failure: FallbackReason?

    /// The mean correlation of the tiles that agree.
    var inlierCorrelation: Double { agreement * Double(visibleCount) / Double(max(inlierCount, 1)) }
  }

  var coarsest: Int { sets.count - 1 }
  /// A Boolean value that tells whether the image has any texture at all.
  var hasTexture: Bool { sets.contains { !$0.tiles.isEmpty } }

  init(
    template: RegistrationImage, target: RegistrationImage, selfCorrelation: SelfCorrelation, parallelism: Parallelism
  ) {
    self.template = template
    self.target = target
    self.selfCorrelation = selfCorrelation
    self.parallelism = parallelism
    let frame = NormalizedFrame(template.size)
    self.frame = frame
    let (right, bottom) = (Double(template.size.width - 1), Double(template.size.height - 1))
    corners = [(0, 0), (right, 0), (right, bottom), (0, bottom)].map { (frame.u($0.0), frame.v($0.1)) }
    comparison = TileComparison(target: target, template: template, parallelism: parallelism)
    sets = (0..<min(template.levels.count, target.levels.count)).map { level in
      TileSet(template, level: level, budget: Self.tileBudget, parallelism: parallelism)
    }
  }

  // Numbers of this type without another source were chosen by hand.

  /// The minimum number of tiles of a coarse level that leads on to finer ones.
  private static let minimumTiles = 4

  /// Returns the alignment of some tiles of all levels, without the coarsest ones where hardly any is left.
  /// - Parameter isKept: Asked for each tile, with the number of its level.
  func keepingTiles(where isKept: (Tile, Int) -> Bool) -> Alignment {
    var copy = self
    for level in sets.indices { copy.sets[level] = sets[level].filtered { isKept($0, level) } }
    while copy.sets.count > 1, copy.sets.last.map({ $0.tiles.count < Self.minimumTiles }) == true {
      copy.sets.removeLast()
    }
    return copy
  }

  /// The maximum number of tiles of a level, those with most of the texture: of an image of 1920×1080 a third, with
  /// corner errors under a hundredth of a pixel.
  private static let tileBudget = 2400
  /// The number of tiles of a level from which on a third of them leads there.
  private static let manyTiles = 1000
  /// The step of the corners after which few tiles make no further one, in pixels of the level.
  private static let roughStep = 0.05
  /// The number of steps that each tile takes of its own, where tiles are followed one by one.
  private static let trackingSteps = 6
  /// The number of rounds in which tiles are followed.
  private static let seekingSteps = 2
  /// The share of the tiles that agree from which no other motion is looked for.
  private static let almostAll = 0.95
  /// The mean correlation of the tiles that agree, as a share of what the whole image could have, from which no other
  /// motion is looked for.
  private static let agreedCorrelation = 0.5

  /// Returns the state that the best of several guesses leads to, followed down all levels.
  func align(_ model: TransformModel, from starts: [Homography], asksShading: Bool = true) -> State {
    var best: State?
    var tried: [Homography] = []
    for start in starts {
      var state = State(map: start)
      refine(&state, model, level: coarsest)
      let unit = Double(1 << coarsest)
      if tried.contains(where: { $0.farthestCornerDistance(to: state.map, size: template.size) < unit }) { continue }
      tried.append(state.map)
      if coarsest > 0 { refine(&state, model, level: coarsest - 1) }
      // A later guess must be clearly better: so an image that equals the other one stays where it is.
      if let present = best, score(state) <= score(present) + 0.02 { continue }
      best = state
    }
    guard var state = best else { return State(map: .identity) }
    for level in (0..<max(0, coarsest - 1)).reversed() {
      guard state.failure == nil else { break }
      let coarser = state
      refine(&state, model, level: level)
      if level == coarsest - 2 { reconsider(&state, coarser, model, starts, level: level) }
      // Where noise drowns the details, the coarser level knows better.
      if state.agreement < 0.2, coarser.agreement > 0.35, coarser.failure == nil { return coarser }
    }
    let found = nearest(state, model)
    return asksShading ? withSharedLight(found, model) : found
  }

  /// Returns the state that a map leads to on the finest levels; nil: other maps might have more of the image on their
  /// side, or as much where texture leaves the map open.
  /// - Parameter map: Right to about a pixel, such as one that fits a flow.
  func align(_ model: TransformModel, near map: Homography) -> State? {
    var state = State(map: map)
    for level in (0...min(Self.firstNearLevel, coarsest)).reversed() {
      let tiles = fewTiles(level)
      for _ in 0..<Self.nearSteps where state.failure == nil {
        if step(&state, model, tiles, .present) < Self.roughStep { break }
      }
    }
    settle(&state, model, level: 0)
    return state.failure == nil && isAgreed(state) && !isOpen(state) ? state : nil
  }

  /// The level on which what begins near the map begins, and the number of steps that few tiles make on each.
  private static let (firstNearLevel, nearSteps) = (1, 4)

  /// The distance up to which a map is not questioned, in pixels: no period is shorter.
  private static let nearDistance = 2.0
  /// The number of fine levels on which a nearer map is looked for, from the finest one on.
  private static let nearLevels = 4
  /// The maximum distance of a nearer map, as a share of that of the map that was found.
  private static let nearShare = 0.8
  /// The agreement that a nearer map may lack, on its first level, and at the end.
  private static let (roughLack, lack) = (0.15, 0.02)
  /// The minimum agreement of a nearer map.
  private static let minimumNearAgreement = 0.4

  /// The minimum self-correlation of an image that may fit in several positions.
  private static let minimumSelfCorrelation = 0.3
  /// A Boolean value that tells whether the target may look the same at another position.
  private var repeats: Bool { selfCorrelation.peak.map { $0 > Self.minimumSelfCorrelation } ?? false }

  /// Returns the state that is reached from no motion on fine levels alone, where as much of the image agrees as under
  /// the one that was found: bricks and chessboards fit in many positions, and coarse levels may lead to any of them.
  private func nearest(_ state: State, _ model: TransformModel) -> State {
    func distance(_ state: State) -> Double { state.map.farthestCornerDistance(to: .identity, size: template.size) }
    func agreement(_ state: State) -> Double {
      state.failure == nil ? state.agreement * state.visibleShare : 0
    }
    guard coarsest > 0, state.failure != nil || distance(state) > Self.nearDistance && repeats else { return state }
    var best = state
    for first in 0..<min(Self.nearLevels, coarsest) {
      let needed = max(agreement(best), Self.minimumNearAgreement)
      var near = State(map: .identity)
      approach(&near, model, level: first)
      guard near.failure == nil, agreement(near) >= needed - Self.roughLack else { continue }
      settle(&near, model, level: first)
      for level in (0..<first).reversed() where near.failure == nil { refine(&near, model, level: level) }
      let isNearer = best.failure != nil || distance(near) < Self.nearShare * distance(best)
      if near.failure == nil, isNearer, agreement(near) >= needed - Self.lack { best = near }
    }
    return best
  }

  /// Returns a state that shading improved, where texture leaves the map open.
  private func withSharedLight(_ state: State, _ model: TransformModel) -> State {
    let isOpen = isOpen(state)
    guard state.failure == nil, isOpen || state.inlierCorrelation < Self.poorCorrelation else { return state }
    let search = IlluminationAwareSearch(alignment: self, model: model)
    guard let fit = search.fit(after: state, isOpen: isOpen) else { return state }
    var state = state
    state.map = fit.map
    state.cornerDeviation = fit.cornerDeviation
    state.inlierCount = Int((fit.inlierShare * Double(state.visibleCount)).rounded())
    return state
  }

  /// Returns whether texture leaves a map open.
  private func isOpen(_ state: State) -> Bool { state.cornerDeviation * sets[0].overlap > Self.looseDeviation }

  /// The standard deviation of a corner, in pixels, up to which texture is enough; tuned on images with little
  /// texture.
  private static let looseDeviation = 0.12
  /// The mean correlation of the tiles below which they show so little but noise that hardly one could disagree, and
  /// what texture there is decides for all.
  private static let poorCorrelation = 0.7

  /// Gives the guesses another chance, unrefined: that one wins under which most of the image agrees.
  ///
  /// On the coarsest levels one tile covers what moves and what does not; here they come apart.
  private func reconsider(
    _ state: inout State, _ coarser: State, _ model: TransformModel, _ starts: [Homography], level: Int
  ) {
    guard !isAgreed(state) else { return }
    let unit = Double(1 << level)
    for start in starts where start.farthestCornerDistance(to: coarser.map, size: template.size) > unit {
      var other = State(map: start)
      approach(&other, model, level: level)
      let isKnown = other.map.farthestCornerDistance(to: state.map, size: template.size) < unit / 2
      guard other.failure == nil, !isKnown else { continue }
      settle(&other, model, level: level)
      guard other.failure == nil else { continue }
      if other.agreement * other.visibleShare > state.agreement * state.visibleShare + 0.02 { state = other }
    }
  }

  /// Returns whether no other motion could have more of the image on its side.
  private func isAgreed(_ state: State) -> Bool {
    state.inlierCount >= Int(Self.almostAll * Double(state.visibleCount))
      || state.agreement * state.visibleShare > Self.agreedCorrelation
  }

  private func score(_ state: State) -> Double {
    state.failure == nil ? state.correlation * min(state.visibleShare * 2, 1) : -1
  }

  /// Makes the Gauß-Newton steps of one level.
  private func refine(_ state: inout State, _ model: TransformModel, level: Int) {
    approach(&state, model, level: level)
    settle(&state, model, level: level)
  }

  /// Makes steps with few tiles. On the coarsest level everything looks alike; there and on the next two the tiles are
  /// followed one by one, so that what moves differently can be told apart.
  private func approach(_ state: inout State, _ model: TransformModel, level: Int) {
    let tiles = fewTiles(level)
    // On the coarsest level an image may be some pixels off: first the shift, then what else a few tiles can tell.
    if level == coarsest {
      for _ in 0..<4 { if step(&state, min(model, .translation), tiles, .minimumDistances) < Self.roughStep { break } }
    }
    if seeks(level) {
      let model = level == coarsest && coarsest > 0 ? min(model, .affine) : model
      for _ in 0..<Self.seekingSteps where state.failure == nil { step(&state, model, tiles, .consensus) }
    } else if level == 0, tiles.tiles.count < sets[0].tiles.count {
      for _ in 0..<4 where state.failure == nil {
        if step(&state, model, tiles, .present) < Self.roughStep { break }
      }
    }
  }

  /// Makes steps until they are short: all tiles of the finest level settle the last hundredths, on the way few are
  /// enough.
  private func settle(_ state: inout State, _ model: TransformModel, level: Int) {
    guard level == 0 || !seeks(level) else { return }
    let tiles = level == 0 ? sets[0] : fewTiles(level)
    let shortStep = level > 0 ? 0.03 : tiles.tiles.count < Self.manyTiles ? 0.005 : 0.02
    let maximum = level > 0 ? 8 : 6
    for _ in 0..<maximum where state.failure == nil {
      if step(&state, model, tiles, .present) < shortStep { break }
    }
  }

  /// Returns whether tiles are followed one by one on a level.
  private func seeks(_ level: Int) -> Bool { level >= coarsest - 2 }

  private func fewTiles(_ level: Int) -> TileSet {
    sets[level].tiles.count >= Self.manyTiles ? sets[level].thinned(to: 3) : sets[level]
  }

  /// Returns the match of each tile, the tiles being followed one by one.
  private func trackedMatches(_ set: TileSet, _ state: State) -> [TileMatch] {
    let noise = PixelNoise(0, level: set.level)
    var matches: [TileMatch]?
    for _ in 0..<Self.trackingSteps {
      matches = comparison.matches(
        of: set, under: state.map, noise: noise, minimumTextureShare: PixelNoise.minimumTextureShareAlone,
        startingFrom: matches)
    }
    return matches ?? []
  }

  /// Makes one step. Returns the distance by which it moves the corners, in pixels of the level; 0 when nothing more
  /// can be done.
  @discardableResult
  private func step(
    _ state: inout State, _ model: TransformModel, _ set: TileSet, _ start: RobustFit.Start
  ) -> Double {
    guard model != .identity else { return 0 }
    let matches =
      start == .consensus
      ? trackedMatches(set, state)
      : comparison.matches(of: set, under: state.map, noise: PixelNoise(state.noise, level: set.level))
    let visible = matches.filter(\.isVisible)
    state.visibleCount = visible.count
    state.visibleShare = Double(visible.count) / Double(max(set.tiles.count, 1))
    guard !visible.isEmpty else {
      state.agreement = 0
      state.correlation = 0
      state.failure = set.tiles.isEmpty ? .tooLittleTexture : .unrelatedImages
      return 0
    }
    var energies = visible.map(\.energy)
    state.noise = energies.nthElement(visible.count / 4)
    let scale = frame.scale / Double(1 << set.level)
    let fit = RobustFit(
      model, to: matches, of: set, noise: PixelNoise(state.noise, level: set.level), scale: scale, corners: corners,
      start: start)
    note(fit, matches, in: &state, level: set.level)
    guard fit.isSolved else {
      state.failure = .illConditioned
      return 0
    }
    guard fit.theta.contains(where: { $0 != 0 }) else { return 0 }
    guard let inverse = model.increment(fit.theta).inverse else {
      state.failure = .implausible
      return 0
    }
    let next = (state.map * frame.inPixels(inverse)).normalized
    guard next.isPlausible(for: template.size) else {
      state.failure = .implausible
      return 0
    }
    let moved = state.map.farthestCornerDistance(to: next, size: template.size) / Double(1 << set.level)
    state.map = next
    return moved
  }

  private func note(_ fit: RobustFit, _ matches: [TileMatch], in state: inout State, level: Int) {
    var (agreement, correlation, square, weight) = (0.0, 0.0, 0.0, 0.0)
    for (index, match) in matches.enumerated() where match.isVisible {
      let value = max(match.correlation, 0)
      correlation += value
      let w = fit.weights[index]
      guard w > 0 else { continue }
      let r = fit.residuals[index]
      agreement += value
      square += w * (r.x * r.x + r.y * r.y)
      weight += w
    }
    let scale = Double(1 << level)
    state.agreement = agreement / Double(max(state.visibleCount, 1))
    state.correlation = correlation / Double(max(state.visibleCount, 1))
    state.inlierCount = fit.inlierCount
    state.residual = weight > 0 ? (square / weight).squareRoot() * scale : 0
    state.cornerDeviation = fit.cornerDeviation * scale
  }
}

extension Homography {
  /// The four corners' pixels of an image.
  private static func corners(_ size: PixelSize) -> [(x: Double, y: Double)] {
    let (right, bottom) = (Double(size.width - 1), Double(size.height - 1))
    return [(0, 0), (right, 0), (right, bottom), (0, bottom)]
  }

  /// Returns the maximum distance, in pixels, between the points to which the two maps take a corner of an image.
  func farthestCornerDistance(to other: Homography, size: PixelSize) -> Double {
    Self.corners(size).map { corner in
      let (a, b) = (apply(x: corner.x, y: corner.y), other.apply(x: corner.x, y: corner.y))
      return ((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y)).squareRoot()
    }.max() ?? 0
  }

  /// Returns whether the map could be that of a camera: the image neither folds nor turns over, no corner changes its
  /// size more than twentyfold against another one.
  func isPlausible(for size: PixelSize) -> Bool {
    guard elements.allSatisfy(\.isFinite) else { return false }
    let depths = Self.corners(size).map { elements[6] * $0.x + elements[7] * $0.y + elements[8] }
    guard let minimum = depths.min(), let maximum = depths.max(), minimum > 0, maximum < 3 * minimum else {
      return false
    }
    let quad = Self.corners(size).map { apply(x: $0.x, y: $0.y) }
    let area = max(Double((size.width - 1) * (size.height - 1)), 1)
    return quad.indices.allSatisfy { index in
      let (a, b, c) = (quad[index], quad[(index + 1) % 4], quad[(index + 2) % 4])
      let twice = (b.x - a.x) * (c.y - b.y) - (b.y - a.y) * (c.x - b.x)
      return twice > area / 20 && twice < area * 20
    }
  }
}
