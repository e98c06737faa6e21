import Foundation
import Rheo

extension OutputFile {
  /// Writes the whole file, or to standard output, from pieces of text.
  /// - Parameter pieces: Called with a function that takes one piece after the other.
  /// - Throws: ``MediaError`` `cannotWrite`, and what `pieces` throws; then there is no file.
  func write(_ pieces: (_ put: @escaping (String) throws -> Void) throws -> Void) throws {
    let buffer = TextBuffer(self)
    try pieces(buffer.put)
    try buffer.flush()
    try commit()
  }
}

/// Collects text for a file, so that small pieces cost little. Used by one thread.
private final class TextBuffer {
  private let file: OutputFile
  private var bytes = Data()

  /// The number of bytes that are written at a time.
  private static let size = 1 << 16

  init(_ file: OutputFile) { self.file = file }

  func put(_ text: String) throws {
    bytes.append(contentsOf: text.utf8)
    if bytes.count >= Self.size { try flush() }
  }

  func flush() throws {
    try bytes.withUnsafeBytes(file.append)
    bytes.removeAll(keepingCapacity: true)
  }
}

/// Prints what a command was asked for, with a line's end, fit for a terminal.
/// - Throws: ``MediaError`` `cannotWrite`, when the reader has gone or the disk is full, say.
func printLine(_ text: String) throws { try OutputFile.writeToStandardOutput((shown(text) + "\n").utf8) }
