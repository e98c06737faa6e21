// Output appears under its final name only when it is complete and on the disk.

import Synchronization

#if canImport(CFFmpeg)
  import CFFmpeg
#endif

#if canImport(FoundationEssentials)
  import FoundationEssentials
  import Glibc
#else
  import Foundation
#endif

/// The outputs that are being written under temporary names.
package enum UnfinishedOutputs {
  private static let paths = Mutex(Set<String>())

  /// Deletes all unfinished files: for a program that ends at once.
  package static func removeAll() {
    paths.withLock { paths in
      for path in paths { unlink(path) }
      paths = []
    }
  }

  static func add(_ path: String) { paths.withLock { _ = $0.insert(path) } }
  static func remove(_ path: String) { paths.withLock { _ = $0.remove(path) } }
}

/// The file in which an output is written until it is complete, and the steps that follow. Used by one thread at a
/// time.
///
/// A file is written under a hidden name beside its final one that nobody can guess or have made before, readable by
/// its owner alone, and locked: what a program that died left under such a name is known by its free lock, and removed
/// by the next one that writes the same file.
package final class OutputFile {
  /// The durability of the data when the file gets its name.
  package enum Durability: Sendable {
    /// The data is on the disk before: a power cut leaves the old file or the new one.
    case synchronized
    /// The system writes it when it likes: for the many files of an output that says at its end what is whole.
    case deferred
  }

  /// The final name.
  package let path: String
  /// The path to write to now: a hidden name beside the final one, or the final path itself for pipes and devices.
  package let workingPath: String
  private var isTemporary: Bool
  /// A Boolean value that tells whether the output is a file under a temporary name, which can be written at any
  /// offset; otherwise it is a pipe, a device, or complete.
  package var hasTemporaryName: Bool { isTemporary }
  /// The open output; nil before the first use, and when it is closed.
  private var descriptor: Int32?
  private let mode: mode_t
  private let overwrites: Bool
  private let durability: Durability

  /// - Parameters:
  ///   - path: The final name; `-` for standard output.
  ///   - overwrite: A Boolean value that tells whether an existing file may be replaced.
  ///   - inputs: The files that are read meanwhile: none of them is replaced, whatever name it goes by.
  ///   - durability: What happens to the data when the file gets its name.
  /// - Throws: ``MediaError`` `invalidOption` for an input, `outputExists` or `cannotWrite`.
  package init(
    path: String, overwrite: Bool, inputs: [String] = [], durability: Durability = .synchronized
  ) throws {
    self.path = path
    overwrites = overwrite
    self.durability = durability
    let found = path == "-" ? nil : FileStatus(path)
    if found?.kind == S_IFDIR { throw MediaError(.cannotWrite, "is a folder; name a file in it", file: path) }
    try Self.requireDifferent(path, from: inputs)
    if !overwrite, found?.kind == S_IFREG || found == nil && path != "-" && Self.isTaken(path) {
      throw Self.exists(path)
    }
    isTemporary = path != "-" && (found == nil || found?.kind == S_IFREG)
    mode = found?.permissions ?? Self.usualMode
    let (folder, name) = Self.parts(of: path)
    guard isTemporary else {
      workingPath = path
      return
    }
    guard access(folder, W_OK) == 0 else {
      throw MediaError(.cannotWrite, "the folder \(folder) cannot be written to: \(Self.systemMessage)", file: path)
    }
    if durability == .synchronized { Self.removeLeftovers(of: name, in: folder) }
    (workingPath, descriptor) = try Self.makeTemporary(for: name, in: folder, path)
    UnfinishedOutputs.add(workingPath)
  }

  /// Throws the error of `init` before work begins that ends with writing the file.
  package static func check(path: String, overwrite: Bool, inputs: [String] = []) throws {
    try OutputFile(path: path, overwrite: overwrite, inputs: inputs).discard()
  }

  /// - Throws: ``MediaError`` `invalidOption` when an output is the same file as one of its inputs.
  package static func requireDifferent(_ path: String, from inputs: [String]) throws {
    try requireDifferent(path, from: FileIdentities(inputs))
  }

  /// - Throws: ``MediaError`` `invalidOption` when an output is one of some files, or protected.
  package static func requireDifferent(_ path: String, from inputs: FileIdentities) throws {
    guard let status = path == "-" ? FileStatus(descriptor: STDOUT_FILENO) : FileStatus(path), status.kind == S_IFREG,
      inputs.contain(status.identity) || protected.withLock({ $0.contain(status.identity) })
    else { return }
    throw MediaError(
      .invalidOption, "is the input itself; write to another name", file: path == "-" ? "standard output" : path)
  }

  private static let protected = Mutex(FileIdentities([]))

  /// Keeps files from being replaced by any output of this program: for those that a command reads beside its inputs.
  package static func protect(_ paths: [String]) {
    let identities = FileIdentities(paths)
    protected.withLock { $0.formUnion(identities) }
  }

  /// Returns whether two paths lead to one file or folder.
  package static func isSame(_ path: String, _ other: String) -> Bool {
    guard let status = FileStatus(path) else { return false }
    return status.identity == FileStatus(other)?.identity
  }

  /// Returns whether a path leads to a file, which can be read as often as one likes.
  package static func isRegularFile(_ path: String) -> Bool { FileStatus(path)?.kind == S_IFREG }

  // MARK: Writing

  /// Returns the descriptor to write to; the file keeps it.
  /// - Throws: ``MediaError`` `cannotWrite` when a pipe or a device cannot be opened.
  package func opened() throws -> Int32 {
    if path == "-" { return STDOUT_FILENO }
    if let descriptor { return descriptor }
    let opened = open(path, O_WRONLY | O_CLOEXEC)
    guard opened >= 0 else { throw failure("cannot be opened") }
    descriptor = opened
    return opened
  }

  /// Writes bytes after those before.
  /// - Throws: ``MediaError`` `cannotWrite`, with the system's words: "Broken pipe" when the reader has gone.
  package func append(_ bytes: UnsafeRawBufferPointer) throws {
    let target = try opened()
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = systemWrite(target, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw failure("cannot be written") }
      rest = rest.dropFirst(count)
    }
  }

  /// Writes the whole file, and gives it its final name.
  /// - Throws: ``MediaError`` `cannotWrite`.
  package func write(_ contents: Data) throws {
    try contents.withUnsafeBytes(append)
    try commit()
  }

  /// Writes to standard output.
  /// - Throws: ``MediaError`` `cannotWrite`.
  package static func writeToStandardOutput(_ contents: some Collection<UInt8>) throws {
    try Array(contents).withUnsafeBytes(OutputFile(path: "-", overwrite: true).append)
  }

  /// Gives the complete file its final name.
  /// - Throws: ``MediaError`` `cannotWrite`, or `outputExists` when another file has got the name meanwhile and none
  ///   may be replaced; then the old file, if there was one, is as it was.
  package func commit() throws {
    guard isTemporary, let descriptor else { return close() }
    let isSafe = durability == .deferred || fsync(descriptor) == 0
    guard isSafe, fchmod(descriptor, mode) == 0 else { throw failure("cannot be completed") }
    guard Self.move(workingPath, to: path, overwrites: overwrites) else {
      throw !overwrites && errno == EEXIST ? Self.exists(path) : failure("cannot get its final name")
    }
    isTemporary = false
    UnfinishedOutputs.remove(workingPath)
    close()
    if durability == .synchronized { Self.synchronize(folder: Self.parts(of: path).folder) }
  }

  /// Deletes what was written, unless it has its final name.
  package func discard() {
    if isTemporary {
      unlink(workingPath)
      UnfinishedOutputs.remove(workingPath)
      isTemporary = false
    }
    close()
  }

  deinit { discard() }

  private func close() {
    if let descriptor { systemClose(descriptor) }
    descriptor = nil
  }

  private func failure(_ what: String) -> MediaError {
    MediaError(.cannotWrite, "\(what): \(Self.systemMessage)", file: path == "-" ? "standard output" : path)
  }

  private static func exists(_ path: String) -> MediaError {
    MediaError(.outputExists, "is there already; --overwrite replaces it", file: path)
  }

  static var systemMessage: String { String(cString: strerror(errno)) }

  /// Has the system write a folder's list of names to the disk. Some file systems know no such thing.
  package static func synchronize(folder: String) {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    systemClose(descriptor)
  }

  // MARK: Files that survive the program

  /// Opens the file under which an output lies until it is complete when a later run goes on with it: its name is
  /// known beforehand, so it follows no link, and is taken over only from this user.
  /// - Parameters:
  ///   - path: The unfinished file.
  ///   - anew: A Boolean value that tells whether to begin with an empty file in place of what is there.
  /// - Returns: A descriptor for reading and writing.
  /// - Throws: ``MediaError`` `cannotWrite`.
  package static func openResumable(_ path: String, anew: Bool) throws -> Int32 {
    func fail(_ what: String) -> MediaError { MediaError(.cannotWrite, what, file: path) }
    if anew, unlink(path) != 0, errno != ENOENT { throw fail("cannot be deleted: \(systemMessage)") }
    let flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | (anew ? O_CREAT | O_EXCL : 0)
    let descriptor = open(path, flags, 0o600)
    guard descriptor >= 0 else { throw fail("cannot be written: \(systemMessage)") }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() else {
      systemClose(descriptor)
      throw fail("is no unfinished output of this user")
    }
    return descriptor
  }

  /// Gives an unfinished file, which is complete now, its final name.
  /// - Parameters:
  ///   - descriptor: The file, from ``openResumable(_:anew:)``; it stays open.
  ///   - unfinished: The path under which it lies.
  ///   - overwrites: A Boolean value that tells whether a file that is there may be replaced.
  /// - Throws: ``MediaError`` `cannotWrite`, `outputExists`, and `invalidOption` where a protected file is there.
  package static func complete(
    _ descriptor: Int32, _ unfinished: String, as path: String, overwrites: Bool
  ) throws {
    func fail(_ what: String) -> MediaError { MediaError(.cannotWrite, "\(what): \(systemMessage)", file: path) }
    try requireDifferent(path, from: [])
    guard fchmod(descriptor, FileStatus(path)?.permissions ?? usualMode) == 0, fsync(descriptor) == 0 else {
      throw fail("cannot be completed")
    }
    guard move(unfinished, to: path, overwrites: overwrites) else {
      throw !overwrites && errno == EEXIST ? exists(path) : fail("cannot get its final name")
    }
    synchronize(folder: parts(of: path).folder)
  }

  // MARK: Final names

  /// Returns whether something has a name, be it a link to nothing.
  private static func isTaken(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  /// Gives a file another name.
  /// - Parameters:
  ///   - overwrites: A Boolean value that tells whether a file of this name is replaced; otherwise it stays, though it
  ///     be made at the same moment.
  ///   - knowsFlag: False for what is done where the file system cannot do that at once.
  /// - Returns: False when that fails; then `errno` says why, EEXIST where a file stays.
  static func move(_ path: String, to name: String, overwrites: Bool, knowsFlag: Bool = true) -> Bool {
    guard !overwrites else { return rename(path, name) == 0 }
    #if canImport(CFFmpeg) && os(Linux)
      if knowsFlag {
        if rheo_rename_to_new(path, name) == 0 { return true }
        guard errno == EINVAL || errno == ENOSYS else { return false }
      }
    #endif
    // A second name is refused where there is something; the first one goes after that.
    if link(path, name) == 0 {
      unlink(path)
      return true
    }
    guard errno != EEXIST else { return false }
    // A file system where files have one name each: what is made between the look and the renaming is replaced.
    guard !isTaken(name) else {
      errno = EEXIST
      return false
    }
    return rename(path, name) == 0
  }

  // MARK: Temporary names

  private static let suffix = ".partial"
  /// The part of the name that is kept in the temporary one, in bytes: with the rest it stays below a file system's
  /// 255.
  private static let keptNameLength = 200

  private static func parts(of path: String) -> (folder: String, name: String) {
    guard let slash = path.lastIndex(of: "/") else { return (".", path) }
    return (slash == path.startIndex ? "/" : String(path[..<slash]), String(path[path.index(after: slash)...]))
  }

  private static func prefix(of name: String) -> String {
    "." + String(decoding: name.utf8.prefix(keptNameLength), as: UTF8.self) + "."
  }

  private static func makeTemporary(
    for name: String, in folder: String, _ path: String
  ) throws -> (path: String, descriptor: Int32) {
    // Chance decides on the second try as on the first: the end of the loop is not reached.
    for _ in 0..<8 {
      let random = String(UInt64.random(in: .min ... .max), radix: 36)
      let temporary = folder + "/" + prefix(of: name) + random + suffix
      let descriptor = open(temporary, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
      if descriptor < 0, errno == EEXIST { continue }
      guard descriptor >= 0 else { break }
      // A file system without locks has no leftovers removed, and nothing else is missing.
      flock(descriptor, LOCK_EX | LOCK_NB)
      return (temporary, descriptor)
    }
    throw MediaError(.cannotWrite, "cannot be written: \(systemMessage)", file: path)
  }

  /// Deletes what programs that died have left of the same output.
  private static func removeLeftovers(of name: String, in folder: String) {
    let prefix = prefix(of: name)
    removeLeftovers(in: folder) { $0.hasPrefix(prefix) && !$0.dropFirst(prefix.count).contains(".") }
  }

  /// Deletes what programs that died have left of files in a folder.
  /// - Parameter isMeant: Tells of a temporary name, without its ending, whether it is to go: `.`, the beginning of the
  ///   file's name, a dot, and random letters.
  static func removeLeftovers(in folder: String, _ isMeant: (String) -> Bool) {
    guard let names = opendir(folder) else { return }
    defer { closedir(names) }
    while let entry = readdir(names) {
      let bytes = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      guard bytes.first == UInt8(ascii: "."), bytes.reversed().starts(with: suffix.utf8.reversed()),
        isMeant(String(decoding: bytes.dropLast(suffix.utf8.count), as: UTF8.self))
      else { continue }
      let path = folder + "/" + String(decoding: bytes, as: UTF8.self)
      let descriptor = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
      guard descriptor >= 0 else { continue }
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { unlink(path) }
      systemClose(descriptor)
    }
  }

  /// The permissions of a new file.
  private static let usualMode: mode_t = {
    let mask = umask(0o022)
    umask(mask)
    return 0o666 & ~mask
  }()
}

// The system's functions by names that the methods of a file do not hide.

func systemClose(_ descriptor: Int32) { close(descriptor) }

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, bytes, count)
}
