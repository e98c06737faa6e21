import Foundation
import Rheo
import Synchronization

/// Prints events and frames on standard output, an object a line, whole lines whoever prints at the same time.
final class EventLines: Sendable {
  private let printsFrames: Bool
  private let turn = Mutex(())

  /// - Parameter printsFrames: A Boolean value that tells whether each frame is printed too.
  init(printsFrames: Bool) { self.printsFrames = printsFrames }

  /// - Parameter zoneNames: The names of the measured zones.
  func print(_ news: Detection.Update, input: MediaAddress, zoneNames: [String]) throws {
    switch news {
    case .event(let event, let files):
      try write(
        .object([("type", .string("end")), ("input", .string(input.description)), ("event", event.json(files: files))]))
    case .frame(let frame): if printsFrames { try write(frame.json(zoneNames: zoneNames, input: input.description)) }
    case .started, .peak, .heatMap: break
    }
  }

  private func write(_ text: JSONText) throws {
    let line = text.line + "\n"
    try turn.withLock { _ in try OutputFile.writeToStandardOutput(line.utf8) }
  }
}
