import Foundation
import VideoIO

/// The lines of a text file, one at a time, each with its length in the file. Used by one thread.
final class TextLines {
  private let file: UnsafeMutablePointer<FILE>
  private var buffer: UnsafeMutablePointer<CChar>?
  private var capacity = 0

  /// Opens a text file.
  /// - Throws: `MediaError` `cannotOpen`.
  init(path: String) throws {
    guard let file = fopen(path, "re") else {
      throw MediaError(.cannotOpen, "cannot be read: \(String(cString: strerror(errno)))", file: path)
    }
    self.file = file
  }

  deinit {
    free(buffer)
    fclose(file)
  }

  /// Returns the next line without its end; nil at the end of the file, and for a last line that has none: it was cut
  /// short.
  func next() -> (text: String, bytes: Int)? {
    let count = getline(&buffer, &capacity, file)
    guard count > 0, let buffer, buffer[count - 1] == CChar(UInt8(ascii: "\n")) else { return nil }
    let bytes = UnsafeRawBufferPointer(start: buffer, count: count - 1)
    return (String(decoding: bytes, as: UTF8.self), count)
  }
}
