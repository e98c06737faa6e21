// Rules whose outcome is a value: what decides is also what an explanation shows.

/// A rule of the detection, with what its numbers mean.
public enum Rule: String, Sendable, Hashable, CaseIterable, Codable {
  // Cells of a pair of images.
  /// The squared difference that no change of light explains stands out of the noise of the cell.
  case difference
  /// Nothing sways or travels near the cell: others see that.
  case recentMotion = "unrest"
  /// The flow explains the difference.
  case explained
  /// The motion is not too slow.
  case speed
  /// The motion is not too fast: others see that.
  case maximumSpeed = "largestSpeed"

  // Points that ride on what moves.
  /// The points have not stood still.
  case idleTime = "rest"
  /// The points go somewhere, and do not come back.
  case straightness
  /// The points get far enough.
  case distance
  /// A neighbour of the point goes the same way.
  case neighborAgreement = "company"

  // Components in a zone.
  /// The component goes where the zone's directions allow.
  case direction
  /// The component is large enough.
  case minimumArea
  /// The component is not too large.
  case maximumArea

  // Frames.
  /// Frames are missing before this one.
  case gap
  /// The image as a whole may have moved.
  case globalMotion = "suspicion"
  /// The points of the image move alike.
  case commonMotion
  /// The parts of the image vote that the motion that its points have in common may be the camera's.
  case flowConsensus = "flowVote"
  /// The registration is sure of how the image as a whole moved.
  case registration
  /// The map moves a corner of the image.
  case cameraMotion
  /// The map shifts, turns and scales the image more than it deforms it.
  case deformation
  /// The parts of the image vote that it was the camera.
  case blockConsensus = "vote"
  /// Too much of the image is related to nothing before.
  case unrelated
  /// The brightness changed with nothing moving.
  case lighting

  // Events.
  /// The score lets an event begin.
  case threshold
  /// The score keeps an event going.
  case hysteresis
  /// The pause is short enough for one event.
  case mergeGap
  /// The motion has enough frames not to be a single frame by chance.
  case activeFrames
  /// The motion lasts long enough.
  case minimumDuration
  /// The motion gets to where its flow says, or there is much of it.
  case displacement
  /// One thing goes on, and not many for a moment each.
  case persistence
  /// Most of what moves is not so soft that it may be an insect close to the lens.
  case focus
  /// The motion goes on before or after a short motion of the camera.
  case beyondJerk
  /// The motion goes on after it is known that the camera turns, or for longer than that takes.
  case beyondOnset
  /// The event is not too long.
  case maximumDuration

  /// The relation in which a number must stand to its limit.
  public enum Relation: String, Sendable {
    /// The number is the limit or more.
    case atLeast = "≥"
    /// The number is more than the limit.
    case above = ">"
    /// The number is the limit or less.
    case atMost = "≤"
    /// The number is less than the limit.
    case below = "<"
  }

  /// The relation in which this rule's number must stand to its limit.
  @inline(__always)
  public var relation: Relation {
    switch self {
    case .minimumArea, .globalMotion, .commonMotion, .flowConsensus, .registration, .blockConsensus, .lighting,
      .threshold, .hysteresis, .activeFrames, .minimumDuration, .persistence, .beyondJerk, .beyondOnset:
      .atLeast
    case .difference, .speed, .straightness, .distance, .neighborAgreement, .gap, .cameraMotion, .unrelated: .above
    case .recentMotion, .maximumSpeed, .direction, .maximumArea, .mergeGap, .deformation, .displacement, .focus: .atMost
    case .explained, .idleTime, .maximumDuration: .below
    }
  }

  /// The unit of the number and the limit; empty for plain numbers.
  public var unit: String {
    switch self {
    case .difference, .explained: "grey²"
    case .speed, .maximumSpeed: "px/pair"
    case .straightness, .distance, .cameraMotion: "px"
    case .idleTime, .gap, .mergeGap, .minimumDuration, .persistence, .beyondJerk, .beyondOnset, .maximumDuration: "s"
    case .direction: "°"
    case .minimumArea, .maximumArea: "cells"
    case .threshold, .hysteresis: "%"
    case .activeFrames: "frames"
    case .flowConsensus, .blockConsensus: "votes"
    case .recentMotion, .neighborAgreement, .globalMotion, .commonMotion, .registration, .deformation, .unrelated,
      .lighting, .displacement, .focus:
      ""
    }
  }
}

/// The result of a rule: a number beside its limit.
public struct RuleResult: Sendable, Hashable, Codable {
  /// The rule that was asked.
  public let rule: Rule
  /// The number, in the rule's unit.
  public let value: Double
  /// The limit that the number is held against, in the rule's unit.
  public let limit: Double

  /// A number beside its limit.
  @inline(__always)
  public init(_ rule: Rule, _ value: Double, limit: Double) {
    self.rule = rule
    self.value = value
    self.limit = limit
  }

  @inline(__always)
  init(_ rule: Rule, _ value: Float, limit: Float) { self.init(rule, Double(value), limit: Double(limit)) }

  /// A Boolean value that tells whether the rule is met.
  @inline(__always)
  public var isSatisfied: Bool {
    switch rule.relation {
    case .atLeast: value >= limit
    case .above: value > limit
    case .atMost: value <= limit
    case .below: value < limit
    }
  }

  /// The distance by which the number is on the right side of its limit, as a share of the limit; negative on the wrong
  /// side.
  var margin: Double {
    let distance =
      switch rule.relation {
      case .atLeast, .above: value - limit
      case .atMost, .below: limit - value
      }
    // Without a limit all meet it alike.
    return limit.isFinite ? distance / max(abs(limit), 1e-9) : 0
  }
}

/// The results of one rule for all that it was asked about.
public struct RuleTally: Sendable, Hashable {
  /// The rule that was asked.
  public let rule: Rule
  /// The number of times that the rule was met.
  public private(set) var passed = 0
  /// The number of times that the rule was not met.
  public private(set) var failed = 0
  /// The result that met the rule by most; if none did, the one that came closest.
  public private(set) var best: RuleResult?

  /// A tally of a rule without any results yet.
  public init(_ rule: Rule) { self.rule = rule }

  mutating func note(_ ruleResult: RuleResult) {
    if ruleResult.isSatisfied { passed += 1 } else { failed += 1 }
    if ruleResult.margin > best?.margin ?? -.infinity { best = ruleResult }
  }
}

/// The tallies of one pair of images, in the order in which the rules are asked.
struct RuleLog: Sendable {
  private(set) var tallies: [RuleTally]

  init(_ rules: [Rule]) { tallies = rules.map(RuleTally.init) }

  mutating func note(_ ruleResult: RuleResult) {
    guard let index = tallies.firstIndex(where: { $0.rule == ruleResult.rule }) else { return }
    tallies[index].note(ruleResult)
  }
}
