// An export of one shard, as it lies on the disk.

import FlowAnalysis
import FlowFormats
import Foundation
import Imaging
import VideoIO

/// The output of a shard: a folder or an array, with its manifest.
struct ShardOutput {
  /// The name of the field in which a manifest says that it is that of a shard; the last one of the head.
  static let key = "shard"
  /// The sides that a field may have, in pixels.
  private static let sideRange = 1...1 << 28
  /// The number of bytes that are copied at a time.
  private static let blockSize = 1 << 20

  let path: String
  let shard: Shard
  let contents: ExportManifest.Contents
  /// The head of the whole export's manifest, as it stands in the file.
  let wholeHeadText: String
  /// The values of the head by their paths, those of the shard's number left out.
  let wholeLeaves: [String: String]

  /// Reads the manifest of a shard.
  /// - Throws: `MediaError` `cannotOpen` when it is none, or is not complete.
  init(_ path: String) throws {
    self.path = path
    let isStack = Self.isStack(path)
    let manifest = Self.manifestPath(of: path)
    let journal = isStack ? ".\((path as NSString).lastPathComponent).journal" : ".journal"
    let folder = isStack ? (path as NSString).deletingLastPathComponent : path
    func isThere(_ path: String) -> Bool { access(path, F_OK) == 0 }
    guard !isThere((folder.isEmpty ? "." : folder) + "/" + journal) else {
      throw MediaError(.cannotOpen, "is a shard that is not complete; export it with --resume", file: path)
    }
    guard isThere(manifest) else {
      throw MediaError(.cannotOpen, "is no shard of an export: there is no \(manifest)", file: path)
    }
    contents = try ExportManifest.read(manifest)
    let leaves = contents.head.leaves
    guard leaves["version"] == "\(ExportManifest.version)" else {
      throw MediaError(
        .cannotOpen,
        "was made by another rheo: manifest version \(leaves["version"] ?? "none"), not "
          + "\(ExportManifest.version)", file: path)
    }
    let text = String(decoding: try FileContents.read(manifest), as: UTF8.self)
    guard let number = leaves["\(Self.key).number"].flatMap({ Int($0) }),
      let count = leaves["\(Self.key).count"].flatMap({ Int($0) }), let shard = try? Shard(number: number, of: count),
      let end = text.range(of: ",\n  \"\(Self.key)\": ")
    else { throw MediaError(.cannotOpen, "is a whole export, not a shard of one", file: path) }
    guard contents.isComplete else {
      throw MediaError(.cannotOpen, "is a shard that is not complete; export it with --resume", file: path)
    }
    self.shard = shard
    wholeHeadText = String(text[..<end.lowerBound])
    wholeLeaves = leaves.filter { $0.key != "\(Self.key).number" }
  }

  private static func isStack(_ path: String) -> Bool { path.lowercased().hasSuffix(".npy") }

  private static func manifestPath(of path: String) -> String {
    isStack(path)
      ? (path as NSString).deletingPathExtension + ".manifest.json"
      : (path as NSString).appendingPathComponent("manifest.json")
  }

  /// Returns the files that a shard may have when it is an array: the manifest, and an array for each quantity. A
  /// folder has none that another folder would replace.
  static func arrayFiles(of path: String) -> [String] {
    guard isStack(path) else { return [] }
    let stem = (path as NSString).deletingPathExtension
    return [path, manifestPath(of: path)] + ExportedQuantity.prefixes.map { "\(stem).\($0).npy" }
  }

  /// Returns the difference between this shard's export and another one's; nil when they are of one.
  func difference(from other: ShardOutput) -> String? {
    let changes = Set(wholeLeaves.keys).union(other.wholeLeaves.keys).sorted().filter {
      wholeLeaves[$0] != other.wholeLeaves[$0]
    }
    guard let first = changes.first else { return nil }
    guard first != "\(Self.key).plan" else { return "its input has other frames" }
    return "\(first) is \(wholeLeaves[first] ?? "absent"), not \(other.wholeLeaves[first] ?? "absent")"
  }

  /// Makes a store for the whole export.
  /// - Throws: `MediaError` `invalidOption` when the name does not fit the kind of output.
  func makeStore(_ output: String) throws -> any ExportStore {
    guard let layout = wholeLeaves["output.layout"].flatMap(FlowExport.Layout.init(rawValue:)),
      let format = wholeLeaves["output.format"].flatMap(FlowFormat.init(rawValue:)),
      let direction = wholeLeaves["flow.direction"].flatMap(OpticalFlowRequest.Direction.init(rawValue:))
    else { throw MediaError(.cannotOpen, "is no manifest of an export: fields are missing", file: path) }
    guard Self.sideRange.contains(size.width), Self.sideRange.contains(size.height) else {
      throw MediaError(.cannotOpen, "is no manifest of an export: it is of fields of \(size)", file: path)
    }
    guard output.lowercased().hasSuffix(".npy") == (layout == .stack) else {
      throw MediaError(
        .invalidOption,
        layout == .stack ? "the shards are arrays: name a .npy file" : "the shards are folders: name a folder",
        file: output)
    }
    return FlowExport.makeStore(
      output, layout, format, FlowWritingOptions(halfPrecision: wholeLeaves["output.halfPrecision"] == "true"),
      direction: direction, includesConfidence: wholeLeaves["output.confidence"] == "true")
  }

  /// The size of the fields, in pixels.
  var size: PixelSize {
    PixelSize(
      width: wholeLeaves["size.width"].flatMap { Int($0) } ?? 0,
      height: wholeLeaves["size.height"].flatMap { Int($0) } ?? 0)
  }

  /// Reads a part of a pair, block by block.
  /// - Throws: `MediaError` `cannotOpen`.
  func forEachBlock(of part: PairRecord.Part, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    let isStack = part.offset != nil
    let folder = isStack ? (path as NSString).deletingLastPathComponent : path
    let file = (folder as NSString).appendingPathComponent((part.name as NSString).lastPathComponent)
    let descriptor = open(file, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw unreadable(file) }
    defer { close(descriptor) }
    let block = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.blockSize, alignment: 1)
    defer { block.deallocate() }
    var position = max(0, part.offset ?? 0)
    // A file of a pair is copied to its end, so that what was appended to it is seen.
    let end = isStack ? position + max(0, part.bytes) : .max
    while position < end {
      let count = pread(descriptor, block.baseAddress, min(block.count, end - position), off_t(position))
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw unreadable(file) }
      guard count > 0 else { return }
      try body(UnsafeRawBufferPointer(rebasing: block[..<count]))
      position += count
    }
  }

  private func unreadable(_ file: String) -> MediaError {
    MediaError(
      .cannotOpen,
      "shard \(shard): \((file as NSString).lastPathComponent) cannot be read: "
        + String(cString: strerror(errno)), file: path)
  }

  /// Returns the error of a part that is not as it was written.
  func damage(of part: PairRecord.Part, _ record: PairRecord) -> MediaError {
    MediaError(
      .damaged,
      "shard \(shard): the \(part.holds) of frame \(record.previous.frame) in \(part.name) is not as it was "
        + "written; export the shard anew", file: path)
  }
}
