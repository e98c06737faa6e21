// Temporary files that nobody else can open, and that go with the program, however it ends.

import Foundation

/// Files without a name in the folder for temporary files (`TMPDIR`).
enum UnnamedFile {
  /// Makes a file, readable and writable by its owner, not inherited by programs that are started.
  /// - Returns: Its descriptor, which the caller closes; nil when that fails: then `errno` says why.
  static func open() -> Int32? {
    var path = Array(FileManager.default.temporaryDirectory.appendingPathComponent("rheo-XXXXXX").path.utf8CString)
    let file = mkstemp(&path)
    guard file >= 0 else { return nil }
    // Not for the commands that events start.
    _ = fcntl(file, F_SETFD, FD_CLOEXEC)
    unlink(path)
    return file
  }

  /// Returns a path under which this process opens a file anew, from its beginning.
  static func path(of file: Int32) -> String { "/dev/fd/\(file)" }
}
