// Files that are read whole: settings, lists, measurements.

import Foundation

/// The bytes of files that users hand over.
///
/// Names go to the system as they are. Foundation's `URL` would make them absolute by way of a text, and so name another
/// file, or none, in a working folder whose name is not UTF-8.
package enum FileContents {
  private static let partSize = 1 << 20

  /// Reads a file, a pipe or a device to its end.
  /// - Parameters:
  ///   - path: The file; `-` is no special name.
  ///   - limit: The number of bytes that it may have.
  /// - Throws: ``MediaError`` `cannotOpen`, with the system's words, or when there are more bytes.
  package static func read(_ path: String, limit: Int = .max) throws -> Data {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw failure(path) }
    defer { close(file) }
    return try read(file, path, limit: limit)
  }

  /// Reads standard input to its end.
  /// - Throws: ``MediaError`` `cannotOpen`, with the system's words.
  package static func readStandardInput() throws -> Data { try read(STDIN_FILENO, "standard input", limit: .max) }

  private static func read(_ file: Int32, _ name: String, limit: Int) throws -> Data {
    var contents = Data()
    var part = [UInt8](repeating: 0, count: partSize)
    while true {
      let count = Foundation.read(file, &part, part.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw failure(name) }
      guard count > 0 else { return contents }
      contents.append(contentsOf: part[..<count])
      guard contents.count <= limit else {
        throw MediaError(.cannotOpen, "is larger than \(limit) bytes", file: name)
      }
    }
  }

  private static func failure(_ name: String) -> MediaError {
    MediaError(.cannotOpen, "cannot be read: \(String(cString: strerror(errno)))", file: name)
  }
}
