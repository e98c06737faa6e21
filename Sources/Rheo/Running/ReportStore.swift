// The contents of a report, out of memory until it is written.

import Foundation
import Synchronization
import VideoIO

/// Bytes that wait in a temporary file, which has no name and goes with the program. For any number of threads.
package final class ReportStore: Sendable {
  private struct State {
    /// The file; made when there is something to keep.
    var file: Int32?
    var end = 0
  }

  private let state = Mutex(State())

  package init() {}

  deinit {
    if let file = state.withLock({ $0.file }) { close(file) }
  }

  /// Puts bytes away.
  /// - Throws: ``MediaError`` `cannotWrite`, when the folder for temporary files (`TMPDIR`) is full, say.
  package func keep(_ bytes: Data) throws -> StoredBytes {
    let start = try state.withLock { state in
      let file = try state.file ?? Self.makeFile()
      state.file = file
      try bytes.withUnsafeBytes { try Self.write($0, to: file, at: state.end) }
      defer { state.end += bytes.count }
      return state.end
    }
    return StoredBytes(store: self, start: start, count: bytes.count)
  }

  fileprivate func read(start: Int, count: Int) throws -> Data {
    var bytes = Data(count: count)
    try state.withLock { state in
      guard let file = state.file else { return }
      try bytes.withUnsafeMutableBytes { buffer in
        var done = 0
        while done < count {
          let step = pread(file, buffer.baseAddress! + done, count - done, off_t(start + done))
          if step < 0, errno == EINTR { continue }
          guard step > 0 else { throw Self.failure(step < 0 ? errno : EIO) }
          done += step
        }
      }
    }
    return bytes
  }

  /// Makes a file without a name in the folder for temporary files.
  static func makeFile() throws -> Int32 {
    guard let file = UnnamedFile.open() else { throw failure(errno) }
    return file
  }

  private static func write(_ bytes: UnsafeRawBufferPointer, to file: Int32, at start: Int) throws {
    var done = 0
    while done < bytes.count {
      let step = pwrite(file, bytes.baseAddress! + done, bytes.count - done, off_t(start + done))
      if step < 0, errno == EINTR { continue }
      guard step > 0 else { throw failure(step < 0 ? errno : ENOSPC) }
      done += step
    }
  }

  private static func failure(_ status: Int32) -> MediaError {
    MediaError(
      .cannotWrite,
      "a temporary file for the report fails: \(String(cString: strerror(status))); TMPDIR names another folder",
      file: FileManager.default.temporaryDirectory.path)
  }
}

/// Bytes in a ``ReportStore``.
package struct StoredBytes: Sendable {
  fileprivate let store: ReportStore
  fileprivate let start: Int
  fileprivate let count: Int

  /// The bytes, read anew each time.
  /// - Throws: ``MediaError`` `cannotWrite`.
  package func bytes() throws -> Data { try store.read(start: start, count: count) }
}
