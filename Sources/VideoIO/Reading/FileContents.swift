// Files that are read whole: settings, lists, measurements.

#if canImport(FoundationEssentials)
  import FoundationEssentials
  import Glibc
#else
  import Foundation
#endif

/// The bytes of files that users hand over.
///
/// Names go to the system as they are. Foundation's `URL` would make them absolute by way of a text, and so name
/// another file, or none, in a working folder whose name is not UTF-8.
package enum FileContents {
  /// The number of bytes that are read at first; then as many as there are already.
  private static let partSize = 1 << 16

  /// Reads a file, a pipe or a device to its end.
  /// - Parameters:
  ///   - path: The file; `-` is no special name.
  ///   - limit: The number of bytes that it may have.
  /// - Throws: ``MediaError`` `cannotOpen`, with the system's words, or when there are more bytes; `outOfMemory`.
  package static func read(_ path: String, limit: Int = .max) throws -> Data {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw failure(path) }
    defer { systemClose(file) }
    return try read(from: file, name: path, limit: limit)
  }

  /// Reads a file that the program keeps for itself: what else lies under its name, as a pipe, is not waited for.
  /// - Throws: ``MediaError`` `cannotOpen`, with the system's words.
  static func readRegularFile(_ path: String) throws -> Data {
    let file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else { throw failure(path) }
    defer { systemClose(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw failure(path) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw MediaError(.cannotOpen, "is no regular file", file: path) }
    return try read(from: file, name: path)
  }

  /// Reads standard input to its end.
  /// - Throws: ``MediaError`` `cannotOpen`, with the system's words.
  package static func readStandardInput() throws -> Data { try read(from: STDIN_FILENO, name: "standard input") }

  /// Reads what is left of an open file to its end.
  /// - Parameters:
  ///   - file: Its descriptor; it stays open.
  ///   - name: The name by which errors call it.
  ///   - limit: The number of bytes that it may have.
  /// - Throws: ``MediaError`` `cannotOpen`, with the system's words, or when there are more bytes; `outOfMemory`.
  package static func read(from file: Int32, name: String, limit: Int = .max) throws -> Data {
    // `Data` would trap where there is no memory.
    var memory: UnsafeMutableRawPointer?
    var (capacity, length) = (0, 0)
    defer { free(memory) }
    while true {
      if length == capacity {
        capacity = max(partSize, 2 * capacity)
        guard let larger = realloc(memory, capacity) else {
          throw MediaError(.outOfMemory, "there is no memory for more than \(length) bytes of it", file: name)
        }
        memory = larger
      }
      guard let start = memory else { return Data() }
      let count = systemRead(file, start + length, capacity - length)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw failure(name) }
      guard count > 0 else {
        memory = nil
        return Data(bytesNoCopy: start, count: length, deallocator: .free)
      }
      length += count
      guard length <= limit else { throw MediaError(.cannotOpen, "is larger than \(limit) bytes", file: name) }
    }
  }

  private static func failure(_ name: String) -> MediaError {
    MediaError(.cannotOpen, "cannot be read: \(String(cString: strerror(errno)))", file: name)
  }
}

/// The system's function by a name that the methods do not hide.
private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int) -> Int {
  read(descriptor, bytes, count)
}
