// Output appears under its final name only when it is complete.

import Foundation
import Synchronization

/// The outputs that are being written under temporary names.
public enum UnfinishedOutputs {
  private static let paths = Mutex(Set<String>())

  /// Deletes them all: for a program that ends at once.
  public static func removeAll() {
    paths.withLock { paths in
      for path in paths { unlink(path) }
      paths = []
    }
  }

  static func add(_ path: String) { paths.withLock { _ = $0.insert(path) } }
  static func remove(_ path: String) { paths.withLock { _ = $0.remove(path) } }
}

/// The place where an output is written until it is complete, and the steps that follow. Used by one thread at a time.
public final class OutputFile {
  /// The path to write to now: a hidden name beside the final one, or the final place itself for pipes and devices.
  public let workingPath: String
  /// The final name.
  public let path: String
  private var isTemporary: Bool

  /// - Parameters:
  ///   - path: The final name; `-` for standard output.
  ///   - overwrite: A Boolean value that tells whether an existing file may be replaced.
  ///   - isPattern: The name stands for many files (`frame_%03d.png`), which are written in place.
  /// - Throws: ``MediaError`` `outputExists` or `cannotWrite`.
  public init(path: String, overwrite: Bool, isPattern: Bool = false) throws {
    self.path = path
    var status = stat()
    let exists = path != "-" && stat(path, &status) == 0
    let isRegular = exists && status.st_mode & S_IFMT == S_IFREG
    if exists, status.st_mode & S_IFMT == S_IFDIR {
      throw MediaError(.cannotWrite, "is a folder; name a file in it", file: path)
    }
    if isRegular, !overwrite {
      throw MediaError(.outputExists, "is there already; --overwrite replaces it", file: path)
    }
    isTemporary = path != "-" && !isPattern && (!exists || isRegular)
    let url = URL(fileURLWithPath: path)
    workingPath =
      isTemporary
      ? url.deletingLastPathComponent()
        .appendingPathComponent(".\(url.lastPathComponent).\(getpid()).partial").path
      : path
    let folder = url.deletingLastPathComponent().path
    if isTemporary, access(folder, W_OK) != 0 {
      throw MediaError(
        .cannotWrite, "the folder \(folder) cannot be written to: \(String(cString: strerror(errno)))", file: path)
    }
    if isTemporary { UnfinishedOutputs.add(workingPath) }
  }

  /// Throws what `init` would throw, before work begins that ends with writing the file.
  public static func check(path: String, overwrite: Bool) throws {
    try OutputFile(path: path, overwrite: overwrite).discard()
  }

  /// Writes the whole file, or to standard output, and gives it its final name.
  /// - Throws: ``MediaError`` `cannotWrite`.
  public func write(_ contents: Data) throws {
    guard path != "-" else { return try Self.writeToStandardOutput(contents) }
    do {
      try contents.write(to: URL(fileURLWithPath: workingPath))
    } catch {
      throw MediaError(.cannotWrite, "cannot be written: \(error.localizedDescription)", file: path)
    }
    try commit()
  }

  /// Writes to standard output.
  /// - Throws: ``MediaError`` `cannotWrite` with the system's words: "Broken pipe" when the reader has gone.
  public static func writeToStandardOutput(_ contents: some Collection<UInt8>) throws {
    try Array(contents).withUnsafeBytes { bytes in
      var written = 0
      while written < bytes.count {
        let count = Foundation.write(STDOUT_FILENO, bytes.baseAddress! + written, bytes.count - written)
        guard count >= 0 || errno == EINTR else {
          throw MediaError(
            .cannotWrite, "cannot be written: \(String(cString: strerror(errno)))", file: "standard output")
        }
        written += max(0, count)
      }
    }
  }

  /// Gives the complete file its final name.
  public func commit() throws {
    guard isTemporary else { return }
    guard rename(workingPath, path) == 0 else {
      throw MediaError(.cannotWrite, "cannot get its final name: \(String(cString: strerror(errno)))", file: path)
    }
    isTemporary = false
    UnfinishedOutputs.remove(workingPath)
  }

  /// Deletes what was written, unless it has its final name.
  public func discard() {
    guard isTemporary else { return }
    unlink(workingPath)
    UnfinishedOutputs.remove(workingPath)
    isTemporary = false
  }

  deinit { discard() }
}
