// Why a frame is in an event or not, as a table for people.

import Foundation
import Rheo

/// A table of rules: the number, the limit, and whether the rule is met.
struct ExplanationReport {
  private let explanation: DetectionExplanation
  private let input: String

  init(_ explanation: DetectionExplanation, input: String) {
    self.explanation = explanation
    self.input = input
  }

  var text: String {
    let timestamp = explanation.evaluation.timestamp
    var parts = [
      "\(input), frame \(timestamp.frame), \(Self.number(timestamp.seconds)) s (\(timestamp.time.timecode)): \(outcome)"
    ]
    parts.append(section("Event", events))
    if let results = explanation.ruleResults {
      for (index, name) in explanation.zoneNames.enumerated() where index < results.zones.count {
        let rows = results.zones[index].filter { $0.passed + $0.failed > 0 }.map {
          tally($0, of: Self.subject($0.rule))
        }
        if !rows.isEmpty { parts.append(section("What travels in \(Self.zone(name))", rows)) }
      }
      parts += motion(results)
      parts.append(
        section(
          "Image",
          [state, row("light changes in this share of it", explanation.evaluation.lighting)]
            + results.image.map { row(Self.words($0.rule), $0) }))
    } else {
      parts.append(
        section("Image", [state, row("light changes in this share of it", explanation.evaluation.lighting)]))
      parts.append(
        "Statistics do not hold why cells, points and components counted or not, nor how the camera's motion was "
          + "judged: that needs the video.")
    }
    return parts.joined(separator: "\n\n")
  }

  private var outcome: String {
    switch explanation.outcome {
    case .event(let event):
      "in event \(event.number), \(Self.number(event.start.seconds)) s to \(Self.number(event.end.seconds)) s"
    case .ongoing(let number, let start): "in event \(number), which began at \(Self.number(start.seconds)) s"
    case .dropped(let start, let failures):
      "motion from \(Self.number(start.seconds)) s that made no event: "
        + failures.map(Self.reason).joined(separator: ", ")
    case .nothing: "no event"
    }
  }

  /// Returns why motion made no event.
  private static func reason(_ failure: RuleResult) -> String {
    let (value, limit) = (number(failure.value), number(failure.limit))
    return switch failure.rule {
    case .activeFrames: "\(value) frame of motion, at least \(limit) are needed"
    case .minimumDuration: "it lasted \(value) s, at least \(limit) s are needed"
    case .displacement: "it was little, and did not get to where its flow says"
    case .persistence: "nothing in it went on for more than a moment"
    case .focus: "it was an insect close to the lens"
    case .beyondJerk: "it was a short motion of the camera"
    case .beyondOnset: "it was the view of a camera that began to turn"
    default: words(failure.rule)
    }
  }

  // MARK: Parts

  private var events: [[String]] {
    let evaluation = explanation.evaluation
    var rows: [[String]] = []
    for (name, zone) in zip(explanation.zoneNames, evaluation.zones) {
      rows.append(row("score in \(Self.zone(name)) begins an event", zone.begins))
      rows.append(row("score in \(Self.zone(name)) keeps it going", zone.goesOn))
    }
    for ruleResult in [
      evaluation.pause, evaluation.length, evaluation.activeFrames, evaluation.duration, evaluation.displacement,
      evaluation.persistence, evaluation.focus, evaluation.beyondJerk, evaluation.beyondOnset,
    ].compactMap(\.self) {
      rows.append(row(Self.words(ruleResult.rule), ruleResult))
    }
    if evaluation.activeFrames == nil { rows.append(["no motion is going on", "", "", ""]) }
    return rows
  }

  private func motion(_ results: DetectionExplanation.RuleResults) -> [String] {
    guard let motion = results.motion else { return [] }
    var rows = zip(explanation.zoneNames, explanation.frame.zones).map { name, zone in
      ["moving area in \(Self.zone(name)), wherever it gets", Self.number(zone.moving) + " %", "", ""]
    }
    rows += tallies(motion)
    rows += zip(explanation.zoneNames, explanation.frame.zones).filter { $1.insects > 0 }.map { name, zone in
      ["insects close to the lens in \(Self.zone(name))", Self.number(zone.insects) + " %", "", ""]
    }
    return [section("Cells and points, from frame to frame", rows)]
      + results.temporalAverages.map { averages in
        let before = Self.number(averages.secondsBefore)
        return section(
          "Cells and points of means of \(averages.frames) frames, compared \(before) s before",
          tallies(averages.motion))
      }
  }

  private func tallies(_ motion: MotionObservation.Explanation) -> [[String]] {
    [["noise of a cell, in the median", Self.number(motion.noise) + " grey²", "", ""]]
      + motion.tallies.filter { $0.passed + $0.failed > 0 }.map { tally($0, of: Self.subject($0.rule)) }
  }

  private var state: [String] {
    let text =
      switch explanation.frame.state {
      case .normal: "the camera stands still"
      case .first: "the first frame: nothing to compare with"
      case .cut: "a cut: another scene begins, what went on is over"
      case .gap: "frames are missing before this one, what went on is over"
      case .cameraMoving: "the camera moves; its motion is taken out"
      }
    return [text, "", "", ""]
  }

  // MARK: Rows

  private func section(_ title: String, _ rows: [[String]]) -> String {
    var table = TextTable(isNumeric: false)
    for row in rows { table.add(["  " + row[0]] + row.dropFirst()) }
    return title + "\n" + table.text
  }

  private func row(_ words: String, _ ruleResult: RuleResult) -> [String] {
    [
      words, Self.number(ruleResult.value, ruleResult.rule), Self.limit(ruleResult),
      ruleResult.isSatisfied ? "yes" : "no",
    ]
  }

  private func tally(_ tally: RuleTally, of subject: String) -> [String] {
    let all = tally.passed + tally.failed
    let result = "\(tally.passed) of \(all) \(subject)"
    guard let best = tally.best else { return [Self.words(tally.rule), "", "", result] }
    return [
      Self.words(tally.rule) + (all > 1 ? ", best" : ""), Self.number(best.value, tally.rule), Self.limit(best), result,
    ]
  }

  private static func limit(_ ruleResult: RuleResult) -> String {
    ruleResult.limit.isFinite
      ? "\(ruleResult.rule.relation.rawValue) \(number(ruleResult.limit, ruleResult.rule))" : "no limit"
  }

  private static func zone(_ name: String) -> String { name == ZoneSet.imageName ? "the image" : "'\(name)'" }

  private static func subject(_ rule: Rule) -> String {
    switch rule {
    case .difference, .recentMotion, .explained, .speed, .maximumSpeed: "cells"
    case .minimumArea, .maximumArea: "components"
    default: "points"
    }
  }

  /// Returns the words for the condition of a rule.
  private static func words(_ rule: Rule) -> String {
    switch rule {
    case .difference: "cells differ by more than noise and light"
    case .recentMotion: "nothing fast moved there (share of the last second)"
    case .explained: "the flow explains the difference"
    case .speed: "the flow is fast enough"
    case .maximumSpeed: "the flow is slow enough to be missed by frames"
    case .straightness: "points go straight, not to and fro"
    case .idleTime: "they moved just now"
    case .distance: "they came far enough"
    case .neighborAgreement: "a neighbour goes the same way (cosine)"
    case .direction: "the direction counts here (degrees off)"
    case .minimumArea: "the area is large enough"
    case .maximumArea: "the area is not too large"
    case .gap: "frames are missing"
    case .globalMotion: "most of it moves (share of what has texture)"
    case .commonMotion: "it moves alike (share of what has texture)"
    case .flowConsensus: "its parts say that it may be the camera"
    case .registration: "the registration is sure"
    case .cameraMotion: "a corner moves"
    case .deformation: "it shifts or turns the image more than it deforms it"
    case .blockConsensus: "its parts say it was the camera"
    case .unrelated: "nothing explains this share of what has texture"
    case .lighting: "light changes in this share of it"
    case .threshold: "the score begins an event"
    case .hysteresis: "the score keeps it going"
    case .mergeGap: "the pause since the last motion is short enough"
    case .activeFrames: "more than a chance frame of motion"
    case .minimumDuration: "the motion lasts long enough"
    case .displacement: "it gets to where its flow says, or is much (deviation)"
    case .persistence: "one thing goes on, longer where it is small (with up to 5 s for a percent in a second)"
    case .focus: "it is sharp enough to be no insect (share of what is not)"
    case .beyondJerk: "it goes on before or after a short motion of the camera"
    case .beyondOnset: "it is not the view of a camera that begins to turn"
    case .maximumDuration: "the event is not too long"
    }
  }

  private static func number(_ value: Double, _ rule: Rule) -> String {
    rule.unit.isEmpty ? number(value) : "\(number(value)) \(rule.unit)"
  }

  /// Returns a number with at most three digits behind the point, those that say something.
  private static func number(_ value: Double) -> String {
    var text = String(format: "%.3f", value)
    while text.hasSuffix("0") { text.removeLast() }
    if text.hasSuffix(".") { text.removeLast() }
    return text == "-0" ? "0" : text
  }
}
