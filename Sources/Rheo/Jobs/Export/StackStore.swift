// An export as one `.npy` file of shape (pairs, height, width, 2), and others like it beside it for the backward flow
// and the confidences; `NAME.manifest.json` holds the times.

import FlowAnalysis
import FlowFormats
import Foundation
import Imaging
import VideoIO

final class StackStore: ExportStore {
  private enum Writer {
    case flow(NumpyStackWriter)
    case plane(PlaneStackWriter)
  }

  let path: String
  private let options: FlowWritingOptions
  private let quantities: [ExportedQuantity]
  private let direction: OpticalFlowRequest.Direction
  private var writers: [ExportedQuantity: Writer] = [:]
  private var cache = PageCache()
  private var fieldCount = 0
  private var size = PixelSize(width: 0, height: 0)
  /// A Boolean value that tells whether files with the final names are those of another output, which stays until the
  /// new one is complete. (Unfinished ones have other names.)
  private(set) var replacesOutput = false
  private(set) var replacesManifest = false
  /// A Boolean value that tells whether `isWhole` looks for the files under their unfinished names.
  private var isPartial = false

  /// The length of the header, as NumPy itself writes it.
  private static let headerBytes = 128

  init(
    path: String, quantities: [ExportedQuantity], options: FlowWritingOptions,
    direction: OpticalFlowRequest.Direction
  ) {
    self.path = path
    self.quantities = quantities
    self.options = options
    self.direction = direction
  }

  var journalPath: String {
    let path = path as NSString
    return (path.deletingLastPathComponent as NSString).appendingPathComponent(".\(path.lastPathComponent).journal")
  }

  var manifestPath: String { (path as NSString).deletingPathExtension + ".manifest.json" }

  private func file(_ quantity: ExportedQuantity) -> String {
    let prefix = quantity.prefix(in: direction)
    return prefix == "frame" ? path : (path as NSString).deletingPathExtension + ".\(prefix).npy"
  }

  private func partial(_ quantity: ExportedQuantity) -> String { NumpyStackWriter.partialPath(for: file(quantity)) }

  func requireDifferent(from inputs: FileIdentities) throws {
    for path in quantities.map(file) + [manifestPath] { try OutputFile.requireDifferent(path, from: inputs) }
  }

  func presence() throws -> ExportPresence {
    if exists(journalPath) { return .unfinished }
    let isThere = quantities.contains { exists(file($0)) || exists(partial($0)) }
    if exists(manifestPath), exists(path) { return .complete }
    return isThere || exists(manifestPath) ? .foreign : .nothing
  }

  func prepare() throws {
    let folder = (path as NSString).deletingLastPathComponent
    guard access(folder.isEmpty ? "." : folder, W_OK) == 0 else {
      throw failure("the folder \(folder) cannot be written to", path)
    }
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
      throw MediaError(.cannotWrite, "is no file that can be written at any place", file: path)
    }
  }

  /// Unfinished files have other names than complete ones: they are beside those already.
  func prepareReplacement() throws -> ExportJournal? {
    try prepare()
    return nil
  }

  func findReplacement() -> Bool { false }

  func discard() throws {
    for quantity in quantities { try removeFile(partial(quantity)) }
    try removeFile(journalPath)
  }

  /// Files that have their names already lose them again until the export is complete, but for those of an output that
  /// is being replaced.
  func reopen(isUnfinished: Bool) throws {
    isPartial = isUnfinished
    guard isUnfinished else { return }
    for quantity in quantities where exists(file(quantity)) && !exists(partial(quantity)) {
      guard rename(file(quantity), partial(quantity)) == 0 else { throw failure("cannot be renamed", file(quantity)) }
    }
    if !exists(path) { try removeFile(manifestPath) }
  }

  func isWhole(_ record: PairRecord) throws -> Bool {
    guard record.files.map(\.holds) == quantities.map(\.rawValue) else { return false }
    return zip(record.files, quantities).allSatisfy { part, quantity in
      guard let offset = part.offset,
        let found = FileDigest(
          of: isPartial ? partial(quantity) : file(quantity), range: offset..<offset + max(part.bytes, 0))
      else { return false }
      return found.text == part.sha256
    }
  }

  func open(keeping count: Int, upTo last: Int, size: PixelSize) throws {
    self.size = size
    fieldCount = count
    replacesOutput = exists(path)
    replacesManifest = exists(manifestPath)
    for quantity in quantities {
      var options = options
      // What is there may be replaced: that has been settled before. What comes there meanwhile may not.
      options.overwrites = exists(file(quantity))
      switch quantity {
      case .forwardFlow, .backwardFlow:
        writers[quantity] = .flow(
          try NumpyStackWriter(resumablePath: file(quantity), resumingAt: count, size: size, options: options))
      case .confidence, .backwardConfidence:
        writers[quantity] = .plane(
          try PlaneStackWriter(
            path: file(quantity), partialPath: partial(quantity), resumingAt: count, size: size,
            overwrites: options.overwrites))
      }
    }
  }

  func write(_ pair: ExportedPair) throws -> WrittenPair {
    var written = WrittenPair()
    for (quantity, contents) in pair.contents {
      switch (contents, writers[quantity]) {
      case (.flow(let flow), .flow(let writer)):
        let before = writer.report
        try writer.append(flow)
        written.clamped += writer.report.clampedVectorCount - before.clampedVectorCount
        written.lostUnknown += writer.report.lostUnknownCount - before.lostUnknownCount
      case (.plane(let plane), .plane(let writer)): try writer.append(plane)
      default: preconditionFailure("\(quantity.rawValue) without a file")
      }
      written.files.append(try lastPart(of: quantity, bytes: byteCount(of: quantity)))
    }
    fieldCount += 1
    return written
  }

  /// Reads back the part of a file that was written last: its digest is that of what is really there.
  private func lastPart(of quantity: ExportedQuantity, bytes: Int) throws -> PairRecord.Part {
    let offset = Self.headerBytes + fieldCount * bytes
    guard let found = FileDigest(of: partial(quantity), range: offset..<offset + bytes) else {
      throw failure("cannot be read back", partial(quantity))
    }
    cache.add(partial(quantity), offset..<offset + bytes)
    return PairRecord.Part(
      name: (file(quantity) as NSString).lastPathComponent, holds: quantity.rawValue, offset: offset, bytes: bytes,
      sha256: found.text)
  }

  func copy(_ record: PairRecord, from source: ShardOutput) throws -> [PairRecord.Part] {
    let parts = try zip(quantities, record.files).map { quantity, part in
      let bytes = try contents(of: part, count: byteCount(of: quantity), record, source)
      switch writers[quantity] {
      case .flow(let writer): try writer.append(encoded: bytes)
      case .plane(let writer): try writer.append(encoded: bytes)
      case nil: preconditionFailure("\(quantity.rawValue) without a file")
      }
      let copy = try lastPart(of: quantity, bytes: bytes.count)
      guard copy.sha256 == part.sha256, copy.holds == part.holds else { throw source.damage(of: part, record) }
      return copy
    }
    fieldCount += 1
    return parts
  }

  /// Reads a part of a pair, which must have so many bytes, whatever its manifest says.
  private func contents(
    of part: PairRecord.Part, count: Int, _ record: PairRecord, _ source: ShardOutput
  ) throws -> Data {
    guard part.bytes == count else { throw source.damage(of: part, record) }
    let memory: UnsafeMutableRawPointer
    do { memory = try FrameMemory.requested(byteCount: count) } catch {
      throw MediaError(.outOfMemory, "there is no memory for a field of \(size), \(count) bytes", file: source.path)
    }
    let bytes = Data(bytesNoCopy: memory, count: count, deallocator: .free)
    var length = 0
    try source.forEachBlock(of: part) { block in
      guard let start = block.baseAddress, length + block.count <= count else {
        throw source.damage(of: part, record)
      }
      (memory + length).copyMemory(from: start, byteCount: block.count)
      length += block.count
    }
    guard length == count else { throw source.damage(of: part, record) }
    return bytes
  }

  /// The number of bytes of a field or a plane in the array.
  private func byteCount(of quantity: ExportedQuantity) -> Int {
    switch quantity {
    case .forwardFlow, .backwardFlow: size.area * 2 * (options.halfPrecision ? 2 : 4)
    case .confidence, .backwardConfidence: size.area * 4
    }
  }

  func finish() throws {
    for quantity in quantities {
      switch writers[quantity] {
      case .flow(let writer): try writer.finish()
      case .plane(let writer): try writer.finish()
      case nil: break
      }
    }
    writers = [:]
  }

  /// The files have their names since `finish`: the journal is there until the manifest is theirs, too.
  func publish() {}
}
