import Foundation
import Rheo
import Synchronization

/// Prints events and frames on standard output, an object a line, whole lines whoever prints at the same time.
final class EventLines: Sendable {
  private let printsFrames: Bool
  private let includesBoxes: Bool
  private let turn = Mutex(())

  /// - Parameters:
  ///   - printsFrames: A Boolean value that tells whether each frame is printed too.
  ///   - includesBoxes: A Boolean value that tells whether events have the boxes of all their frames: some 44 KB each.
  init(printsFrames: Bool, includesBoxes: Bool) {
    self.printsFrames = printsFrames
    self.includesBoxes = includesBoxes
  }

  /// - Parameter zoneNames: The names of the measured zones.
  func print(_ update: Detection.Update, input: MediaAddress, zoneNames: [String]) throws {
    switch update {
    case .event(let event, let files):
      let text = event.json(files: files, includesBoxes: includesBoxes)
      try write(.object([("type", .string("end")), ("input", .string(input.description)), ("event", text)]))
    case .frame(let frame): if printsFrames { try write(frame.json(zoneNames: zoneNames, input: input.description)) }
    case .started, .peak, .heatMap: break
    }
  }

  private func write(_ text: JSONText) throws {
    let line = text.line + "\n"
    try turn.withLock { _ in try OutputFile.writeToStandardOutput(line.utf8) }
  }
}
