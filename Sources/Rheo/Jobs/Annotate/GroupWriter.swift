// The folder of a shard of an annotated video: a file for each group of frames, and what is to be known of them.

import Foundation
import Imaging
import VideoIO

/// The folder that a shard is written to. Its manifest comes last, so that a folder with one is complete.
struct GroupFolder {
  let path: String

  static let manifestName = "manifest.json"

  /// Makes the folder, or takes the one of an earlier run.
  /// - Parameter input: The video that is read meanwhile; it is not replaced, whatever name it goes by.
  /// - Throws: `MediaError` `outputExists` where something is there that may not be replaced, or is no shard,
  ///   `invalidOption` for the input.
  init(_ path: String, overwrites: Bool, input: String) throws {
    self.path = path
    let names = try? FileManager.default.contentsOfDirectory(atPath: path)
    guard let names else {
      do {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      } catch { throw MediaError(.cannotWrite, "the folder cannot be made", file: path) }
      return
    }
    let others = names.filter { !Self.isOwn($0) }
    guard others.isEmpty else {
      throw MediaError(
        .outputExists, "holds other files, such as \(others[0]); name a folder for the shard", file: path)
    }
    guard !names.contains(Self.manifestName) || AnnotationManifest.isShard(path) else {
      throw MediaError(.outputExists, "holds something else; name a folder for the shard", file: path)
    }
    guard overwrites || names.isEmpty else {
      throw MediaError(.outputExists, "exists already; -y replaces it", file: path)
    }
    let inputs = FileIdentities([input])
    for name in names { try OutputFile.requireDifferent(file(name), from: inputs) }
    discard()
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  /// Returns whether a name is that of a file of a shard, or of what a program that died has left of one.
  private static func isOwn(_ name: String) -> Bool {
    var name = name[...]
    if name.hasPrefix("."), name.hasSuffix(".partial") {
      name = name.dropFirst().split(separator: ".").dropLast(2).joined(separator: ".")[...]
    }
    guard name != manifestName else { return true }
    let number = name.dropFirst(prefix.count).dropLast(1 + EncodedGroup.ending.count)
    return name.hasPrefix(prefix) && name.hasSuffix(".\(EncodedGroup.ending)") && !number.isEmpty
      && number.allSatisfy { $0.isASCII && $0.isNumber }
  }

  private static let prefix = "group_"

  /// Returns the name of the file of a group.
  static func name(of group: FrameGroups.Group) -> String {
    prefix + String(format: "%07d.", group.number) + EncodedGroup.ending
  }

  func file(_ name: String) -> String { (path as NSString).appendingPathComponent(name) }

  /// Writes the manifest.
  func complete(_ manifest: AnnotationManifest) throws {
    let file = try OutputFile(path: file(Self.manifestName), overwrite: true)
    try manifest.encoded().withUnsafeBytes(file.append)
    try file.commit()
  }

  /// Removes what a shard has written.
  func discard() {
    for name in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] where Self.isOwn(name) {
      unlink(file(name))
    }
    rmdir(path)
  }
}

/// Encodes drawn frames, each group into a file of its own. Used by one thread.
final class GroupWriter: CanvasSink {
  let canvasFormat: CanvasFormat
  /// The notes on what could not be kept of the frames.
  let notes: [String]
  private let folder: GroupFolder
  private let streams: CopiedStreams
  private let encoding: EncoderOptions
  private let canvasSize: PixelSize
  private let start: MediaTime
  private var coming: ArraySlice<FrameGroups.Group>
  private var current: FrameGroups.Group
  private var writer: VideoWriter
  private var frameCount = 0
  private var written: [AnnotationManifest.Group] = []

  /// - Parameters:
  ///   - reader: The video that is drawn on, whose first frame has been read.
  ///   - start: The time that becomes zero in all groups.
  ///   - groups: The groups, at least one.
  init(
    _ folder: GroupFolder, of reader: VideoReader, encoding: EncoderOptions, canvasSize: PixelSize, start: MediaTime,
    _ groups: FrameGroups
  ) throws {
    (self.folder, self.encoding, self.canvasSize, self.start) = (folder, encoding, canvasSize, start)
    streams = try CopiedStreams(reader, includesAudio: false)
    current = groups.groups[0]
    coming = groups.groups.dropFirst()
    writer = try VideoWriter(
      group: folder.file(GroupFolder.name(of: current)), options: encoding, streams: streams, canvasSize: canvasSize,
      start: start)
    (canvasFormat, notes) = (writer.canvasFormat, writer.notes)
  }

  func append(_ canvas: Canvas) throws {
    while let next = coming.first, canvas.presentationTime >= next.begin {
      try finishGroup()
      current = next
      coming.removeFirst()
      writer = try VideoWriter(
        group: folder.file(GroupFolder.name(of: current)), options: encoding, streams: streams, canvasSize: canvasSize,
        start: start)
    }
    try writer.append(canvas)
    frameCount += 1
  }

  /// Completes the last file. Returns what the groups are.
  func finish() throws -> [AnnotationManifest.Group] {
    try finishGroup()
    return written
  }

  private func finishGroup() throws {
    // All frames of a group may be lost.
    guard frameCount > 0 else { return writer.abandon() }
    try writer.finish()
    let name = GroupFolder.name(of: current)
    let group = try EncodedGroup(folder.file(name), end: writer.end)
    guard group.frameCount == frameCount, let digest = FileDigest(of: folder.file(name)) else {
      throw MediaError(
        .cannotWrite,
        "holds \(group.frameCount) of \(frameCount) frames: this encoder's packets cannot be kept in groups",
        file: folder.file(name))
    }
    written.append(
      AnnotationManifest.Group(
        number: current.number, name: name, frames: frameCount, end: writer.end,
        reorderDepth: group.reorderDepth, bytes: digest.byteCount, digest: digest.text))
    frameCount = 0
  }
}
