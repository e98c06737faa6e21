// Follows a box by the motion of what is in it, and by how that looks.
//
// The flow proposes, the appearance decides: a correlation filter looks for what the box showed around the point to
// which the motion so far carries it, and if it is not there, to which the flow does (``BoxAppearance``). The flow
// comes second because it goes along with whoever passes before the box. Where the flow of the whole object is certain
// and the two agree, as on rigid objects, the box moves by the flow and is drawn to where the filter answers, which
// keeps errors from adding up. Limbs that swing have no such flow: then the filter places the box alone. The size
// follows the flow where it is certain, and a filter over scales always, so that it cannot run away.
//
// While nothing answers, the box goes on with the motion it had, and is looked for there. Nothing is learned from
// doubtful frames (Bolme et al., CVPR 2010, doi:10.1109/CVPR.2010.5539960, section 3.5).

import Imaging

/// A box and what is known of the object in it. The constants were chosen by hand, where nothing else is said.
struct BoxFollower: Sendable {
  /// The share of a new motion in the motion that is gone on with, where flow alone counts.
  private static let velocityShare = 0.4
  /// The share of a new motion in the motion that is gone on with, where the box was recognised. Limbs make single
  /// motions uneven: tuned as ``foundQuality`` is.
  private static let seenVelocityShare = 0.2
  /// The response, in shares of the usual one, below which the object is not there. This and the other constants of
  /// recognition were tuned on the odd tracks of `vtest.avi` and on TUD-Campus.
  private static let foundQuality = 0.35
  /// The response, in shares of the usual one, from which on an object that was hidden is there again.
  private static let foundAgainQuality = 0.5
  /// The response, in shares of the usual one, from which on something is learned.
  private static let learningQuality = 0.5
  /// The response, in shares of the usual one, below which it is doubtful whether the box still shows its object. This
  /// and the two below were tuned on parts of the same odd tracks and on drawn discs behind posts, and judged by the
  /// others.
  private static let sureQuality = 0.7
  /// The response to what was known before the doubt, in shares of the usual one, from which on that is there again.
  private static let recalledQuality = 0.9
  /// The number of frames of doubt after which what was known before is forgotten.
  private static let memoryLength = 60
  /// The peak-to-sidelobe ratio below which the object is not there.
  private static let foundRatio = 4.0
  /// The peak-to-sidelobe ratio from which on something is learned.
  private static let learningRatio = 5.0
  /// The certainty from which on the flow proposes.
  private static let flowCertainty = 0.9
  /// The distance of the two positions, in shares of the box's mean side, up to which flow and appearance agree.
  private static let agreement = 0.15
  /// The share of the way from the flow's position to that of the appearance.
  private static let appearanceShare = 0.3
  /// The distance from the expected position, in shares of the box's mean side, at which a response counts half.
  private static let halfWeightDistance = 0.25
  /// The growth of that distance for each frame in which the object was not seen.
  private static let halfWeightGrowth = 0.05
  /// The share of the growth that the filter over scales asks for.
  private static let growthShare = 0.3
  /// The range of the factor by which a box grows or shrinks in a frame.
  private static let scaleRange = 0.95...1.05

  private(set) var box: BoundingBox
  private let level: TrackingLevel
  private var flowModel: BoxFlowModel
  private var appearance: BoxAppearance?
  private var velocity = SIMD2(0.0, 0.0)
  private var reliability = TrackReliability()
  private var memory: Memory?
  /// A Boolean value that tells whether the object was seen in the last image; nil when there was none to look at.
  private(set) var isFound: Bool?

  /// The object as it was last surely seen. What passes before it is learned piece by piece, and the box would stay
  /// with it; this does not change meanwhile (Ma et al., "Long-term correlation tracking", CVPR 2015,
  /// doi:10.1109/CVPR.2015.7299177, have a second filter for it).
  private struct Memory {
    var appearance: BoxAppearance
    var box: BoundingBox
    var velocity: SIMD2<Double>
    /// The number of frames since.
    var age = 1
  }

  init(_ box: BoundingBox, level: TrackingLevel = .accurate) {
    self.box = box
    self.level = level
    flowModel = BoxFlowModel(box)
  }

  /// Keeps what the box shows, to recognise it by that alone.
  mutating func look(at image: AppearanceImage) {
    appearance = BoxAppearance(image, box)
    memory = nil
  }

  /// A Boolean value that tells whether there is anything to recognise the object by.
  var isSeen: Bool { appearance != nil }

  /// Moves the box a part of the way to what was found near it.
  mutating func correct(towards target: BoundingBox, share: Double) {
    let center = box.center + (target.center - box.center) * share
    let width = box.width + (target.width - box.width) * share
    let height = box.height + (target.height - box.height) * share
    box = BoundingBox(center: center, width: width, height: height)
  }

  /// Moves the box along.
  /// - Parameters:
  ///   - motion: The motion to the image; nil: not known.
  ///   - image: The image that it moves into; nil: it is not looked at.
  /// - Returns: The confidence, 0…1; 0 while the object is not seen. Where an image is looked at, it is the likelihood
  ///   that the box overlaps the object by half (IoU); else that of the cells that move along, over the whole known
  ///   shape.
  mutating func advance(_ motion: PairMotion?, into image: AppearanceImage?) -> Double {
    if let image, appearance != nil {
      let confidence = follow(level == .fast ? nil : motion, in: image)
      isFound = reliability.missedCount == 0
      return confidence
    }
    isFound = nil
    guard let motion, let proposal = flowModel.proposal(for: box, along: motion, velocity: velocity) else {
      return coast()
    }
    box = proposal.box
    flowModel.learn(proposal)
    velocity += (proposal.motion - velocity) * Self.velocityShare
    return min(1, proposal.certainty)
  }

  /// Goes on with the last motion.
  private mutating func coast() -> Double {
    box.x += velocity.x
    box.y += velocity.y
    return 0
  }

  // MARK: Flow and appearance

  private mutating func follow(_ motion: PairMotion?, in image: AppearanceImage) -> Double {
    let proposal = motion.flatMap { flowModel.proposal(for: box, along: $0, velocity: velocity) }
    // A box that goes on by itself may lie on something else, whose flow says nothing.
    let flow =
      reliability.missedCount == 0 && (proposal?.certainty ?? 0) >= Self.flowCertainty ? proposal?.box : nil
    var match = self.match(around: box.center + velocity, in: image)
    if let flow, match.map({ shows($0) }) != true { match = self.match(around: flow.center, in: image) }
    if let recalled = recall(in: image, instead: match.flatMap { shows($0) ? $0 : nil }) {
      place(at: recalled.center, nil, in: image)
      reliability.see(recalled)
      appearance?.learn(image, box, peak: recalled.peak)
      return reliability.confidence
    }
    if match.map({ $0.quality < Self.sureQuality }) ?? true, memory == nil, let appearance {
      memory = Memory(appearance: appearance, box: box, velocity: velocity)
    }
    guard let match, shows(match) else {
      reliability.miss()
      return coast()
    }
    let before = box.center
    place(at: match.center, flow, in: image)
    reliability.see(match)
    if match.quality >= Self.learningQuality, match.peakToSidelobeRatio >= Self.learningRatio {
      velocity += (box.center - before - velocity) * Self.seenVelocityShare
      if let proposal { flowModel.learn(proposal) }
      appearance?.learn(image, box, peak: match.peak)
    }
    return reliability.confidence
  }

  /// Looks for what the box showed before it became doubtful, where that should be by now; goes back to it if it is
  /// there, and not where the box would be anyway.
  private mutating func recall(in image: AppearanceImage, instead match: BoxAppearance.Match?) -> BoxAppearance.Match? {
    guard var memory else { return nil }
    memory.age += 1
    self.memory = memory.age <= Self.memoryLength ? memory : nil
    let expected = memory.box.center + memory.velocity * Double(memory.age)
    let distance = (Self.halfWeightDistance + Self.halfWeightGrowth * Double(memory.age)) * box.area.squareRoot()
    let best = [expected, box.center + velocity].compactMap { center in
      memory.appearance.find(
        in: image, around: BoundingBox(center: center, width: memory.box.width, height: memory.box.height),
        halfWeightDistance: distance)
    }.max { $0.quality < $1.quality }
    guard let best, best.quality >= Self.recalledQuality, best.peakToSidelobeRatio >= Self.learningRatio else {
      return nil
    }
    self.memory = nil
    if let match, length(match.center - best.center) <= Self.agreement * box.area.squareRoot() { return nil }
    appearance = memory.appearance
    velocity = memory.velocity
    box = BoundingBox(center: box.center, width: memory.box.width, height: memory.box.height)
    return best
  }

  private func match(around center: SIMD2<Double>, in image: AppearanceImage) -> BoxAppearance.Match? {
    let distance = Self.halfWeightDistance + Self.halfWeightGrowth * Double(reliability.missedCount)
    return appearance?.find(
      in: image, around: BoundingBox(center: center, width: box.width, height: box.height),
      halfWeightDistance: distance * box.area.squareRoot())
  }

  private func shows(_ match: BoxAppearance.Match) -> Bool {
    let minimum = reliability.missedCount > 0 ? Self.foundAgainQuality : Self.foundQuality
    return match.quality >= minimum && match.peakToSidelobeRatio >= Self.foundRatio
  }

  /// Moves the box to where it was found, and lets it grow.
  private mutating func place(at center: SIMD2<Double>, _ flow: BoundingBox?, in image: AppearanceImage) {
    let (width, height) = (box.width, box.height)
    box = BoundingBox(center: center, width: width, height: height)
    if let flow, length(center - flow.center) <= Self.agreement * box.area.squareRoot() {
      box = flow
      box.x += (center.x - flow.center.x) * Self.appearanceShare
      box.y += (center.y - flow.center.y) * Self.appearanceShare
    }
    guard let growth = appearance?.growth(in: image, box) else { return }
    let scale = box.width / width * (1 + (growth - 1) * Self.growthShare)
    let limited = min(max(scale, Self.scaleRange.lowerBound), Self.scaleRange.upperBound)
    box = BoundingBox(center: box.center, width: width * limited, height: height * limited)
  }
}
