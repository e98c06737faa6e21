// An export as a folder: `frame_000001.flo` … beside `manifest.json`.

import FlowAnalysis
import FlowFormats
import Foundation
import Imaging
import VideoIO

final class FolderStore: ExportStore {
  let path: String
  /// The folder that is written to: the output, or a hidden one beside it.
  private var writtenFolder: String
  private let format: FlowFormat
  private var options: FlowWritingOptions
  private let direction: OpticalFlowRequest.Direction
  private var cache = PageCache()

  init(
    path: String, format: FlowFormat, options: FlowWritingOptions, direction: OpticalFlowRequest.Direction
  ) {
    self.path = path
    writtenFolder = path
    self.format = format
    self.options = options
    self.options.durability = .deferred
    self.direction = direction
  }

  var journalPath: String { inFolder(".journal") }
  var manifestPath: String { inFolder("manifest.json") }
  var replacesManifest: Bool { true }
  private func inFolder(_ name: String) -> String { (writtenFolder as NSString).appendingPathComponent(name) }

  /// Images that are read may lie in the folder under names that an export has.
  func requireDifferent(from inputs: FileIdentities) throws {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
      return try OutputFile.requireDifferent(path, from: inputs)
    }
    for name in try names() where isOwn(name) { try OutputFile.requireDifferent(inFolder(name), from: inputs) }
  }

  func presence() throws -> ExportPresence {
    var status = stat()
    guard stat(path, &status) == 0 else { return .nothing }
    guard status.st_mode & S_IFMT == S_IFDIR else { return .foreign }
    if exists(journalPath) { return .unfinished }
    if exists(manifestPath) { return .complete }
    return try listing().isEmpty ? .nothing : .foreign
  }

  func prepare() throws {
    // The folders on the way; where one cannot be made, the last one tells. (Foundation stops where the working
    // folder's name is not UTF-8.)
    let steps = path.utf8
    for slash in steps.indices.dropFirst() where steps[slash] == UInt8(ascii: "/") {
      mkdir(String(path[..<slash]), 0o777)
    }
    guard mkdir(path, 0o777) == 0 || errno == EEXIST else { throw failure("the folder cannot be made", path) }
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
      throw MediaError(.cannotWrite, "is a file; an export is a folder, or a .npy file", file: path)
    }
  }

  var replacesOutput: Bool { writtenFolder != path }

  /// The output itself, where `path` is a link to it or `.`; nil when no text leads there.
  private var target: String? {
    let real = realpath(path, nil)
    defer { free(real) }
    if let real, let text = String(validatingCString: real) { return text }
    // A name on the way is not UTF-8, or may not be looked up. The path as it was given leads there, unless the last
    // step is a link or dots.
    let given = path.last == "/" ? String(path.reversed().drop { $0 == "/" }.reversed()) : path
    let name = given.split(separator: "/").last ?? ""
    var status = stat()
    let isFolder = lstat(given, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    guard isFolder, name != ".", name != ".." else { return nil }
    return given.contains("/") ? given : "./" + given
  }

  /// The hidden folder beside the output in which another one is made to replace it; nil when no text leads there.
  private var replacement: String? {
    guard let target else { return nil }
    let (above, name) = ((target as NSString).deletingLastPathComponent, (target as NSString).lastPathComponent)
    return (above as NSString).appendingPathComponent(".\(name).new")
  }

  func prepareReplacement() throws -> ExportJournal? {
    try prepare()
    let lock = exists(journalPath) ? try ExportJournal(path: journalPath, isWritten: false) : nil
    guard let replacement else { throw unnamed }
    writtenFolder = replacement
    guard mkdir(writtenFolder, 0o700) == 0 || errno == EEXIST else {
      throw failure("the new folder \(writtenFolder) cannot be made", path)
    }
    guard isOwnFolder(writtenFolder) else {
      throw MediaError(
        .cannotWrite, "the new folder \(writtenFolder) cannot be made: something else is there, or another user's",
        file: path)
    }
    return lock
  }

  /// Returns whether there is a folder of this user, no link to one: its name is known beforehand.
  private func isOwnFolder(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid()
  }

  private var unnamed: MediaError {
    MediaError(.cannotWrite, "its real path is not UTF-8: name the folder itself, from the one above it", file: path)
  }

  func findReplacement() -> Bool {
    guard exists(path), let replacement, isOwnFolder(replacement),
      exists((replacement as NSString).appendingPathComponent(".journal"))
    else { return false }
    writtenFolder = replacement
    return true
  }

  /// Deletes the export's files; the folder stays when it holds something else.
  func discard() throws {
    for name in try names() where isOwn(name) { try removeFile(inFolder(name)) }
    rmdir(writtenFolder)
  }

  /// The folders change their names; what else the old one held goes over into the new one.
  func publish() throws {
    guard replacesOutput else { return }
    guard let output = target else { throw unnamed }
    let old = writtenFolder
    var status = stat()
    guard stat(output, &status) == 0, chmod(old, status.st_mode & 0o7777) == 0 else {
      throw failure("cannot be replaced", path)
    }
    try OutputFile.exchange(output, old)
    // From here on the new output is complete, whatever becomes of the old one.
    try removeFile(output + "/.journal")
    for name in try names() {
      if isOwn(name) {
        try removeFile(inFolder(name))
      } else if rename(inFolder(name), output + "/" + name) != 0 {
        throw failure("cannot be moved into the new folder", inFolder(name))
      }
    }
    for name in try listing().others where !FileNames.move(name, from: old, to: output) {
      throw failure("cannot be moved into the new folder", inFolder(FileNames.escaped(name)))
    }
    rmdir(old)
    OutputFile.synchronize(folder: (output as NSString).deletingLastPathComponent)
    writtenFolder = path
  }

  func reopen(isUnfinished: Bool) throws {
    if isUnfinished { try removeFile(manifestPath) }
  }

  func isWhole(_ record: PairRecord) throws -> Bool {
    !record.files.isEmpty
      && record.files.allSatisfy { part in
        guard let found = FileDigest(of: inFolder(part.name)) else { return false }
        return found.byteCount == part.bytes && found.text == part.sha256
      }
  }

  /// Deletes what lies behind the kept pairs: the files of a pair that never came into the journal, and unfinished
  /// ones.
  func open(keeping count: Int, upTo last: Int, size: PixelSize) throws {
    for name in try names() where isOwn(name) && inFolder(name) != journalPath {
      if let number = pairNumber(name), number <= last, !name.hasSuffix(".partial") { continue }
      try removeFile(inFolder(name))
    }
  }

  func write(_ pair: ExportedPair) throws -> WrittenPair {
    var written = WrittenPair()
    for (quantity, contents) in pair.contents {
      let number = Self.digits(of: pair.number)
      var files: [String]
      switch contents {
      case .flow(let flow):
        let prefix =
          format == .images ? quantity.imagePrefix(in: direction) : quantity.prefix(in: direction)
        let report = try FlowFile.write(
          flow, to: inFolder("\(prefix)_\(number).\(format.fileExtension)"), as: format, options: options)
        files = report.files
        written.clamped += report.clampedVectorCount
        written.lostUnknown += report.lostUnknownCount
      case .plane(let plane):
        let isNumpy = format == .npy
        files = [inFolder("\(quantity.prefix(in: direction))_\(number)") + (isNumpy ? ".npy" : ".pfm")]
        try write(isNumpy ? ConfidenceFile.numpy(plane) : ConfidenceFile.pfm(plane), to: files[0])
      }
      for file in files { written.files.append(try part(file, holds: quantity.rawValue)) }
    }
    return written
  }

  func copy(_ record: PairRecord, from source: ShardOutput) throws -> [PairRecord.Part] {
    try record.files.map { part in
      guard let name = Self.name(part.name, renumbered: record.number) else { throw source.damage(of: part, record) }
      let file = try OutputFile(path: inFolder(name), overwrite: true, durability: .deferred)
      try source.forEachBlock(of: part, file.append)
      try file.commit()
      let copy = try self.part(inFolder(name), holds: part.holds)
      guard copy.sha256 == part.sha256, copy.bytes == part.bytes else { throw source.damage(of: part, record) }
      return copy
    }
  }

  /// Returns a file's name with the number of another pair; nil where it is no name that an export gives.
  private static func name(_ name: String, renumbered number: Int) -> String? {
    guard
      let prefix = ExportedQuantity.prefixes.first(where: { name.hasPrefix($0 + "_") && digit(name[...], after: $0) })
    else { return nil }
    let rest = name.dropFirst(prefix.count + 1).drop { $0.isASCII && $0.isNumber }
    return "\(prefix)_\(digits(of: number))\(rest)"
  }

  private static func digits(of number: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, 6 - digits.count)) + digits
  }

  /// Has the system write all files to the disk, before the manifest says that they are whole.
  func finish() throws { try OutputFile.synchronizeFileSystem(of: writtenFolder) }

  private func write(_ data: Data, to path: String) throws {
    let file = try OutputFile(path: path, overwrite: true, durability: .deferred)
    try file.write(data)
  }

  /// Reads a file back: its digest is that of what is really there.
  private func part(_ path: String, holds quantity: String) throws -> PairRecord.Part {
    guard let found = FileDigest(of: path) else { throw failure("cannot be read back", path) }
    cache.add(path, 0..<found.byteCount)
    return PairRecord.Part(
      name: (path as NSString).lastPathComponent, holds: quantity, offset: nil, bytes: found.byteCount,
      sha256: found.text)
  }

  private func names() throws -> [String] { try listing().names.sorted() }

  private func listing() throws -> FileNames.Listing {
    do {
      return try FileNames.list(writtenFolder)
    } catch let error as MediaError {
      throw MediaError(.cannotWrite, error.message, file: writtenFolder)
    }
  }

  private func isOwn(_ name: String) -> Bool {
    // Earlier versions left manifest.json.partial.
    [".journal", "manifest.json", "manifest.json.partial"].contains(name)
      || name.hasPrefix(".manifest.json.") && name.hasSuffix(".partial") || pairNumber(name) != nil
  }

  /// Returns the number in a name such as `frame_000012.flo`, `frame_000012_flow_x.png`, or one of those that are being
  /// written: `.frame_000012.flo.77.partial`.
  private func pairNumber(_ name: String) -> Int? {
    var rest = name[...]
    let isHidden = rest.hasPrefix(".")
    if isHidden { rest = rest.dropFirst() }
    guard !isHidden || rest.hasSuffix(".partial"),
      let prefix = ExportedQuantity.prefixes.first(where: { rest.hasPrefix($0 + "_") && Self.digit(rest, after: $0) })
    else { return nil }
    rest = rest.dropFirst(prefix.count + 1)
    let digits = rest.prefix { $0.isASCII && $0.isNumber }
    guard digits.count >= 6, rest.dropFirst(digits.count).contains(".") else { return nil }
    return Int(digits)
  }

  private static func digit(_ text: Substring, after prefix: String) -> Bool {
    text.dropFirst(prefix.count + 1).first.map { $0.isASCII && $0.isNumber } ?? false
  }
}
