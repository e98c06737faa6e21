import Foundation
import Rheo
import Synchronization

/// Prints events as rows of a table on standard output as they end, for people. Whole rows, whoever prints at the same
/// time. Nothing of an event is kept, so that it may run for days.
final class EventTable: Sendable {
  /// The parts of an event that rows show besides its times, its peak and its direction.
  struct Columns {
    var input: Bool
    var zones: Bool
    var clip: Bool
  }

  private let columns: Columns
  private let isColoured: Bool
  /// A Boolean value that tells whether the head has been printed.
  private let hasHead = Mutex(false)

  /// - Parameter isColoured: A Boolean value that tells whether to use a terminal's colours.
  init(_ columns: Columns, isColoured: Bool = EventTable.terminalHasColours) {
    self.columns = columns
    self.isColoured = isColoured
  }

  /// A Boolean value that tells whether standard output is a terminal whose user wants colours (no-color.org).
  private static var terminalHasColours: Bool {
    let environment = ProcessInfo.processInfo.environment
    return isatty(STDOUT_FILENO) == 1 && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
  }

  func print(_ event: MotionEvent, files: EventFiles, input: MediaAddress) throws {
    let length = String(format: "%.1f s", event.duration)
    let peak = String(format: "%.2f %%", event.peakScore)
    let row = line(
      ["\(event.number)", event.start.time.timecode, event.end.time.timecode, length, peak],
      direction: event.directionName ?? "all around", zones: event.zones.joined(separator: ", "),
      clip: files.clip ?? "", input: input.description)
    try hasHead.withLock { hasHead in
      if !hasHead {
        let head = line(
          ["event", "start", "end", "length", "peak"], direction: "direction", zones: "zones", clip: "clip",
          input: "input")
        try put(isColoured ? "\u{1B}[1m\(head)\u{1B}[0m" : head)
        hasHead = true
      }
      try put(isColoured ? "\u{1B}[33m\(row.prefix(Self.widths[0]))\u{1B}[0m\(row.dropFirst(Self.widths[0]))" : row)
    }
  }

  /// The widths of the columns that every row has.
  private static let widths = [5, 12, 12, 9, 8]

  private func line(_ numbers: [String], direction: String, zones: String, clip: String, input: String) -> String {
    func space(_ text: String, _ width: Int) -> String { String(repeating: " ", count: max(0, width - text.count)) }
    func padded(_ text: String, _ width: Int) -> String { text + space(text, width) }
    let cells = zip(numbers, Self.widths).map { space($0, $1) + $0 }
    let others = [
      (true, padded(direction, 10)), (columns.zones, padded(zones.isEmpty ? "–" : zones, 16)),
      (columns.clip, padded(clip, 24)), (columns.input, input),
    ]
    let text = (cells + others.filter(\.0).map { shown($0.1) }).joined(separator: "  ")
    return String(text.reversed().drop { $0 == " " }.reversed())
  }

  private func put(_ line: String) throws {
    if isatty(STDOUT_FILENO) == 1 { writeToStandardError(ProgressLine.clear) }
    try OutputFile.writeToStandardOutput((line + "\n").utf8)
  }
}
