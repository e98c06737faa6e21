// Lines of text in files that gzip and every program that knows it can read, by zlib.

import CZlib
import Foundation
import VideoIO

/// Writes text into a compressed file. Used by one thread.
final class GzipTextWriter {
  private let file: OutputFile
  private var handle: gzFile?

  /// Writes into a file to which nothing has been written.
  /// - Throws: `MediaError` `cannotWrite`.
  init(_ file: OutputFile) throws {
    self.file = file
    let descriptor = dup(try file.opened())
    handle = descriptor < 0 ? nil : gzdopen(descriptor, "wb")
    guard handle != nil else {
      let reason = String(cString: strerror(errno))
      if descriptor >= 0 { close(descriptor) }
      throw MediaError(.cannotWrite, "cannot be opened: \(reason)", file: file.path)
    }
  }

  deinit { if let handle { gzclose(handle) } }

  /// Adds text.
  func append(_ text: String) throws {
    let bytes = Array(text.utf8)
    guard !bytes.isEmpty else { return }
    guard gzwrite(handle, bytes, UInt32(bytes.count)) == Int32(bytes.count) else { throw failure() }
  }

  /// Writes what is left, and gives the complete file its name.
  func commit() throws {
    let status = gzclose(handle)
    handle = nil
    guard status == Z_OK else { throw failure() }
    try file.commit()
  }

  private func failure() -> MediaError {
    MediaError(.cannotWrite, "cannot be written: " + String(cString: strerror(errno)), file: file.path)
  }
}

/// Reads lines of text from a compressed file. Used by one thread.
final class GzipTextReader {
  private let path: String
  private let handle: gzFile
  private var block = [UInt8](repeating: 0, count: 1 << 16)
  /// The part of the block that was not looked at yet.
  private var rest = 0..<0

  /// The maximum length of a line, in bytes: what makes one longer was not written by this program.
  private static let maximumLineLength = 1 << 24

  /// - Throws: `MediaError` `cannotOpen`.
  init(_ path: String) throws {
    guard let handle = gzopen(path, "rbe") else {
      throw MediaError(.cannotOpen, "cannot be opened: " + String(cString: strerror(errno)), file: path)
    }
    (self.path, self.handle) = (path, handle)
  }

  deinit { gzclose(handle) }

  /// Returns the next line without its end; nil behind the last one.
  /// - Throws: `MediaError` `damaged` for what is not as it was written.
  func nextLine() throws -> String? {
    var line: [UInt8] = []
    while true {
      if rest.isEmpty {
        let count = gzread(handle, &block, UInt32(block.count))
        var status: Int32 = 0
        _ = gzerror(handle, &status)
        guard count >= 0, status == Z_OK || status == Z_STREAM_END else { throw damage() }
        guard count > 0 else {
          guard line.isEmpty else { throw damage() }
          return nil
        }
        rest = 0..<Int(count)
      }
      let end = block[rest].firstIndex(of: UInt8(ascii: "\n"))
      line += block[rest.lowerBound..<(end ?? rest.upperBound)]
      rest = (end.map { $0 + 1 } ?? rest.upperBound)..<rest.upperBound
      guard line.count <= Self.maximumLineLength else { throw damage() }
      if end != nil { return String(decoding: line, as: UTF8.self) }
    }
  }

  private func damage() -> MediaError { MediaError(.damaged, "is cut off or damaged", file: path) }
}
