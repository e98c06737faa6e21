// How far the work is: a bar on a terminal, an object a line for programs.

import Foundation
import Rheo
import Synchronization

/// The progress that a progress line shows.
protocol ShownProgress {
  /// The share that is done, 0…1; nil when the length is unknown.
  var share: Double? { get }
  var frames: Int { get }
  var framesPerSecond: Double { get }
  /// The time since the start, in seconds.
  var elapsed: Double { get }
  /// The time to the end, in seconds, as far as can be told.
  var remaining: Double? { get }
  /// The time that was reached in the one input, in seconds.
  var reached: Double? { get }
  /// The text ahead of the frames.
  var head: String { get }
  /// The further fields of the object for programs.
  var fields: [String] { get }
}

extension JobProgress: ShownProgress {
  var remaining: Double? {
    guard let total = estimatedFrames, framesPerSecond > 0 else { return nil }
    return Double(max(0, total - frames)) / framesPerSecond
  }
  var reached: Double? { mediaSeconds }
  var head: String { "" }
  var fields: [String] { [] }
}

/// Shows progress on standard error, a few times a second. Used by one thread.
final class ProgressLine {
  private enum Kind { case bar, json, none }

  private let kind: Kind
  private var lastShown: ContinuousClock.Instant?
  private static let isBarVisible = Mutex(false)

  init(_ options: CommonOptions) {
    switch options.progress {
    case .none: kind = .none
    case .json: kind = .json
    case .auto: kind = !options.quiet && isatty(STDERR_FILENO) == 1 ? .bar : .none
    }
  }

  /// The text that removes the bar from the terminal before another line is written.
  static var clear: String {
    isBarVisible.withLock { isVisible in
      defer { isVisible = false }
      return isVisible ? "\r\u{1B}[2K" : ""
    }
  }

  func show(_ progress: some ShownProgress) {
    let now = ContinuousClock.now
    if let lastShown, now - lastShown < .milliseconds(200) { return }
    lastShown = now
    switch kind {
    case .none: break
    case .json: writeToStandardError(Self.json(progress) + "\n")
    case .bar:
      writeToStandardError("\r\u{1B}[2K" + Self.bar(progress))
      Self.isBarVisible.withLock { $0 = true }
    }
  }

  /// Ends the display; programs get the last state even when it came right after another one.
  func finish(_ progress: (any ShownProgress)?) {
    if kind == .json, let progress { writeToStandardError(Self.json(progress) + "\n") }
    writeToStandardError(Self.clear)
  }

  static func bar(_ progress: some ShownProgress) -> String {
    var text = ""
    if let share = progress.share {
      let width = 24
      let filled = Int((share * Double(width)).rounded(.down))
      text = String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
      text += " \(Int((share * 100).rounded(.down))) %  "
    }
    text += progress.head + "\(progress.frames) frames  \(String(format: "%.1f", progress.framesPerSecond)) fps"
    if let left = progress.remaining { text += "  \(duration(left)) left" }
    return text
  }

  private static func json(_ progress: some ShownProgress) -> String {
    var fields =
      progress.fields + [
        "\"frames\": \(progress.frames)", "\"fps\": \(String(format: "%.2f", progress.framesPerSecond))",
      ]
    if let reached = progress.reached { fields.append("\"seconds\": \(String(format: "%.3f", reached))") }
    fields.append("\"elapsed\": \(String(format: "%.3f", progress.elapsed))")
    if let share = progress.share { fields.append("\"share\": \(String(format: "%.4f", share))") }
    if let left = progress.remaining { fields.append("\"left\": \(String(format: "%.1f", left))") }
    return "{" + fields.joined(separator: ", ") + "}"
  }

  private static func duration(_ seconds: Double) -> String {
    let whole = Int(saturating: seconds.rounded())
    return whole >= 3600
      ? String(format: "%d:%02d:%02d", whole / 3600, whole / 60 % 60, whole % 60)
      : String(format: "%d:%02d", whole / 60, whole % 60)
  }
}
