// The actions beside the analysis when an event begins or ends.

import Foundation
import Rheo

/// Runs commands and posts to a webhook. Used by any thread.
final class Reactions: Sendable {
  private let onStart: CommandTemplate?
  private let onEnd: CommandTemplate?
  private let webhook: Webhook?
  private let limit: Double
  private let includesBoxes: Bool
  private let console: Console
  private let commands = ReactionQueue("commands", width: 4)
  /// The queue of the posts, which run one after the other, so that the ends arrive after the starts.
  private let posts = ReactionQueue("webhook", width: 1)

  /// - Parameter includesBoxes: A Boolean value that tells whether posts have the boxes of all frames.
  init(_ options: ReactionOptions, includesBoxes: Bool, _ console: Console) {
    self.includesBoxes = includesBoxes
    onStart = options.onStart
    onEnd = options.onEnd
    webhook = options.webhook.map(Webhook.init)
    limit = options.reactionLimit
    self.console = console
  }

  /// Begins the reactions to an event that is certain.
  func begin(_ event: MotionEvent, input: MediaAddress) {
    if let onStart { run(onStart, "--on-start", event, input, Self.values(event, input: input)) }
    post("start", event, input, event.startJSON)
  }

  /// Begins the reactions to an event that is over, with its files written.
  func end(_ event: MotionEvent, input: MediaAddress, files: EventFiles) {
    if let onEnd {
      var values = Self.values(event, input: input)
      values[.end] = Self.seconds(event.end.seconds)
      values[.clip] = files.clip
      values[.snapshot] = files.snapshot
      run(onEnd, "--on-end", event, input, values)
    }
    post("end", event, input, event.json(files: files, includesBoxes: includesBoxes))
  }

  /// Waits for all that was begun.
  func finish() {
    let deadline = ContinuousClock.now + .seconds(limit)
    for (queue, name) in [(commands, "commands"), (posts, "posts to the webhook")] {
      let left = max((deadline - ContinuousClock.now) / .seconds(1), 0)
      let dropped = queue.finish(within: left)
      if dropped > 0 {
        console.error("\(dropped) \(name) were left out: they did not end within \(Self.seconds(limit)) s")
      }
    }
  }

  private static func values(_ event: MotionEvent, input: MediaAddress) -> [CommandTemplate.Field: String] {
    [
      .start: seconds(event.start.seconds), .zone: event.zones.joined(separator: ","), .input: input.description,
      .fullInput: input.full,
      .number: "\(event.number)", .score: String(format: "%.3f", event.peakScore),
    ]
  }

  private static func seconds(_ value: Double) -> String { String(format: "%.3f", value) }

  private func run(
    _ command: CommandTemplate, _ option: String, _ event: MotionEvent, _ input: MediaAddress,
    _ values: [CommandTemplate.Field: String]
  ) {
    let position = "event \(event.number) of \(input)"
    let words = command.arguments(values)
    let isTaken = commands.add(
      .init(key: position) { [console, limit] stop in
        do {
          try CommandRun.run(words, seconds: limit, stop)
        } catch {
          console.error("\(option) at \(position): '\(words[0])' \(error)")
        }
      })
    if !isTaken { console.error("\(option) at \(position) was left out: too many commands are waiting") }
  }

  private func post(_ type: String, _ event: MotionEvent, _ input: MediaAddress, _ description: JSONText) {
    guard let webhook else { return }
    let position = "\(type) of event \(event.number) of \(input)"
    let text = JSONText.object([("type", .string(type)), ("input", .string(input.description)), ("event", description)])
    let isTaken = posts.add(
      .init(key: "") { [console, limit] stop in
        do {
          try webhook.post(Data(text.line.utf8), seconds: limit, stop)
        } catch {
          console.error("--webhook at the \(position): \(webhook.shownAddress) \(error)")
        }
      })
    if !isTaken { console.error("--webhook at the \(position) was left out: too many posts are waiting") }
  }
}
