// Outputs of many files: the calls of the system that its C library declares for GNU programs only.

import CFFmpeg
import Foundation

extension OutputFile {
  /// Has the system write the files of a file system to the disk: for an output of many files, once.
  /// - Throws: ``MediaError`` `cannotWrite` when the disk did not take them.
  package static func synchronizeFileSystem(of folder: String) throws {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    // Who may not list a folder may write into it.
    guard descriptor >= 0 else { return sync() }
    defer { systemClose(descriptor) }
    #if os(Linux)
      if rheo_syncfs(descriptor) == 0 { return }
      // A sandbox may not let it through.
      guard errno == ENOSYS || errno == EPERM else {
        throw MediaError(.cannotWrite, "cannot be completed: \(systemMessage)", file: folder)
      }
    #endif
    sync()
  }

  /// Lets two folders beside each other change their names: at once where the file system can.
  /// - Throws: ``MediaError`` `cannotWrite`; then both have their own names.
  package static func exchange(_ folder: String, _ other: String) throws {
    #if os(Linux)
      if rheo_exchange(folder, other) == 0 { return }
    #endif
    let aside = other + ".old"
    guard rename(folder, aside) == 0 else { throw MediaError(.cannotWrite, systemMessage, file: folder) }
    guard rename(other, folder) == 0 else {
      let message = systemMessage
      rename(aside, folder)
      throw MediaError(.cannotWrite, message, file: other)
    }
    rename(aside, other)
  }
}
