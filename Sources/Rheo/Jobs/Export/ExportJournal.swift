// The journal that makes an export resumable: a text file that only grows. Its first line says what is exported; then
// comes a line for each pair, written after the pair's files are. A program that is killed leaves at most one line cut
// short.

import Foundation
import VideoIO

/// The journal of an export that is under way. Used by one thread.
final class ExportJournal {
  private let path: String
  private let descriptor: Int32

  /// Opens or makes the journal, and keeps other programs from writing to the same output.
  /// - Parameter isWritten: A Boolean value that tells whether the journal is read and written, which is done to this
  ///   user's own alone; otherwise it is a lock on an output that is replaced.
  /// - Throws: `MediaError` `cannotWrite`.
  init(path: String, isWritten: Bool = true) throws {
    let file = open(path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw Self.failure("cannot be written", path) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, !isWritten || status.st_uid == geteuid()
    else {
      close(file)
      throw MediaError(.cannotWrite, "is no journal of this user", file: path)
    }
    guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
      let message = errno == EWOULDBLOCK ? "another program is exporting to this place" : nil
      let error = message.map { MediaError(.cannotWrite, $0, file: path) } ?? Self.failure("cannot be locked", path)
      close(file)
      throw error
    }
    // From here on `deinit` closes it: also where an initializer throws.
    self.path = path
    descriptor = file
  }

  deinit { close(descriptor) }

  /// Adds a line, in one call of the system.
  func append(_ line: String) throws {
    var bytes = Array((line + "\n").utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw Self.failure("cannot be written", path) }
      bytes = bytes.dropFirst(count)
    }
  }

  /// Keeps the first `count` bytes.
  func truncate(to count: Int) throws {
    guard ftruncate(descriptor, off_t(count)) == 0 else { throw Self.failure("cannot be cut", path) }
  }

  private static func failure(_ what: String, _ path: String) -> MediaError {
    MediaError(.cannotWrite, "\(what): \(String(cString: strerror(errno)))", file: path)
  }
}
