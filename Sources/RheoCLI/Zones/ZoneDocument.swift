// The data that the page on which zones are drawn works on.

import Foundation
import Rheo
import Synchronization

/// The frame that zones are drawn on, and the file that they are kept in.
final class ZoneDocument: Sendable {
  private struct State {
    var zones: ZoneSet
    /// A Boolean value that tells whether the file may be there: it may be replaced when it was written from here.
    var overwrites: Bool
    var isClosed = false
  }

  /// The video's name, for people.
  let input: String
  /// The path of the zones file.
  let output: String
  let frame: ZoneFrame
  private let inputs: [String]
  private let state: Mutex<State>

  /// - Parameters:
  ///   - input: The video; it is never replaced.
  ///   - output: The zones file to write.
  ///   - frame: The frame to draw on.
  ///   - zones: The zones to begin with; they get normalised coordinates.
  ///   - overwrite: A Boolean value that tells whether an existing file may be replaced.
  /// - Throws: ``MediaError`` when the file cannot be written, ``MotionDetectionError``.
  init(input: String, output: String, frame: ZoneFrame, zones: ZoneSet, overwrite: Bool) throws {
    try OutputFile.check(path: output, overwrite: overwrite, inputs: [input])
    self.input = MediaAddress(input).description
    self.output = output
    self.frame = frame
    inputs = [input]
    state = Mutex(State(zones: try zones.normalized(in: frame.size), overwrites: overwrite))
  }

  /// A Boolean value that tells whether the user is done.
  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Notes that the user is done.
  func close() { state.withLock { $0.isClosed = true } }

  /// The data that the page asks for: the names of the files and the zones so far.
  var json: JSONText {
    let zones = state.withLock { $0.zones.json }
    guard case .object(let lists) = zones else { return zones }
    return .object([("input", .string(input)), ("output", .string(output))] + lists)
  }

  /// Checks zones and writes the file, beside the old one, which it then replaces.
  /// - Parameter json: A zones file.
  /// - Throws: ``MotionDetectionError`` `invalidZones`, ``MediaError`` when the file cannot be written.
  func save(_ json: Data) throws {
    let zones = try ZoneSet(json: json)
    try state.withLock { state in
      let file = try OutputFile(path: output, overwrite: state.overwrites, inputs: inputs)
      try file.write(Data((zones.json.pretty() + "\n").utf8))
      state.zones = zones
      state.overwrites = true
    }
  }
}
