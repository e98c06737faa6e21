// Which file a name leads to: an output must not replace an input, whatever names the two go by.

#if canImport(FoundationEssentials)
  import FoundationEssentials
  import Glibc
#else
  import Foundation
#endif

/// The identities of the files that some paths lead to.
package struct FileIdentities: Sendable {
  private var identities: Set<FileStatus.Identity> = []

  /// - Parameter paths: Files, patterns of numbered ones, `-` for what standard input is, and addresses, which are no
  ///   files.
  package init(_ paths: [String]) {
    for path in paths {
      let path = path.hasPrefix("file:") ? String(path.dropFirst("file:".count)) : path
      if path == "-" {
        insert(FileStatus(descriptor: STDIN_FILENO))
      } else if let status = FileStatus(path) {
        insert(status)
      } else if let names = NumberedFileName(path) {
        for file in (try? names.existingFiles()) ?? [] { insert(FileStatus(file.path)) }
      }
    }
  }

  private mutating func insert(_ status: FileStatus?) {
    if let status, status.kind == S_IFREG { identities.insert(status.identity) }
  }

  func contain(_ identity: FileStatus.Identity) -> Bool { identities.contains(identity) }
  mutating func formUnion(_ others: FileIdentities) { identities.formUnion(others.identities) }
}

/// The status of a file, as the system tells it.
struct FileStatus {
  /// The device and the number on it, the same for all names of a file.
  struct Identity: Hashable {
    var device: dev_t
    var number: ino_t
  }

  let kind: mode_t
  let permissions: mode_t
  let identity: Identity

  /// Asks for the file that a path leads to; nil when there is none.
  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  /// Asks for the file that is open under a number.
  init?(descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    self.init(status)
  }

  private init(_ status: stat) {
    kind = status.st_mode & S_IFMT
    permissions = status.st_mode & 0o777
    identity = Identity(device: status.st_dev, number: status.st_ino)
  }
}
