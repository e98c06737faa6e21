// What is to be known of a shard of an annotated video.

import Foundation
import Imaging
import VideoIO

/// The manifest of a shard: all that decides the bytes of the whole, the groups that are there, and the damage.
struct AnnotationManifest: Codable, ShardDescription {
  /// The version of this format.
  static let currentVersion = 1
  /// The word by which the manifest of an annotation is told from that of an export.
  static let kind = "annotation"
  /// The container of the whole unless one is named.
  private static let usualContainer = "mp4"

  var kind = Self.kind
  var version = Self.currentVersion
  var generator = "rheo \(RheoVersion.number)"
  var shard: ShardNumber
  var input: ShardInput
  /// The flow, the camera's motion that is taken out, and the drawing, with all their options.
  var work: [String: String]
  var encoding: Encoding
  var canvas: PixelSize
  /// The time of the first frame of the whole.
  var start: MediaTime
  /// The time of the frame that ends the range; nil: none does, or it is not known.
  var end: MediaTime?
  var groups: [Group] = []
  var gaps: [ShardGap] = []
  var notes: [String] = []

  struct Encoding: Codable, Equatable {
    var container: String
    var codec: String?
    var crf: Double?
    var preset: String?
    var pixelFormat: String?
    var encoderOptions: [String]
    var copiesAudio: Bool
  }

  /// A group of frames in a file of its own.
  struct Group: Codable {
    var number: Int
    var name: String
    var frames: Int
    /// The end of the last frame, in ticks of the encoder.
    var end: MediaTime
    var reorderDepth: Int
    var bytes: Int
    /// SHA-256 of the file.
    var digest: String
  }

  init(_ annotation: Annotation, _ shard: Shard, _ plan: GroupPlan, canvasSize: PixelSize) {
    self.shard = ShardNumber(shard, plan)
    let (reading, encoding) = (annotation.reading, annotation.encoding)
    input = ShardInput(annotation.input, reading, analysisFilter: annotation.analysisFilter)
    work = [
      "flow": "\(annotation.drawnFlow)", "compensation": annotation.compensation.name,
      "drawing": "\(annotation.rendering)",
    ]
    self.encoding = Encoding(
      container: encoding.format ?? Self.usualContainer, codec: encoding.codec, crf: encoding.crf,
      preset: encoding.preset, pixelFormat: encoding.pixelFormat,
      encoderOptions: encoding.encoderOptions.map { "\($0.key)=\($0.value)" }, copiesAudio: encoding.copiesAudio)
    canvas = canvasSize
    (start, end) = (plan.start, plan.end)
  }

  /// Returns the name of the first field in which two shards differ that are of one whole; nil: there is none.
  func difference(from other: AnnotationManifest) -> String? {
    if generator != other.generator || version != other.version { return "generator" }
    if let difference = shard.difference(from: other.shard) ?? input.difference(from: other.input) { return difference }
    if let key = work.keys.sorted().first(where: { work[$0] != other.work[$0] }) { return key }
    if encoding != other.encoding { return "encoding" }
    return canvas != other.canvas || start != other.start ? "the frames of the input" : nil
  }

  /// Returns the manifest of the same shard in a folder, if it is complete and its groups are as they were written.
  func kept(in folder: String) -> AnnotationManifest? {
    guard let other = try? AnnotationManifest(shard: folder), other.shard == shard, difference(from: other) == nil
    else { return nil }
    let isWhole = other.groups.allSatisfy { group in
      FileDigest(of: (folder as NSString).appendingPathComponent(group.name))?.text == group.digest
    }
    return isWhole ? other : nil
  }

  func encoded() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(self) + Data("\n".utf8)
  }

  /// Reads the manifest of a shard.
  /// - Throws: `MediaError` `cannotOpen` for what is no complete shard of an annotation.
  init(shard path: String) throws {
    let file = (path as NSString).appendingPathComponent(GroupFolder.manifestName)
    guard let data = FileManager.default.contents(atPath: file) else {
      throw MediaError(.cannotOpen, "is no complete shard: there is no \(file)", file: path)
    }
    guard let manifest = try? JSONDecoder().decode(AnnotationManifest.self, from: data), manifest.kind == Self.kind
    else { throw MediaError(.cannotOpen, "is no shard of an annotated video", file: path) }
    guard manifest.isSound else { throw MediaError(.damaged, "has a manifest that no shard has", file: path) }
    self = manifest
  }

  /// A Boolean value that tells whether the numbers are such as a shard can have: manifests come from other machines.
  private var isSound: Bool {
    let longest = GroupPlan.Lengths.drawing.group
    return shard.isSound && start.timeBase.isPositive
      && (end?.timeBase.isPositive ?? true)
      && groups.allSatisfy { group in
        (1...longest).contains(group.frames) && (0..<longest).contains(group.reorderDepth)
          && group.end.timeBase.isPositive && !group.name.contains("/")
      }
  }

  /// Returns whether a path is that of a shard of an annotation, complete or not.
  static func isShard(_ path: String) -> Bool {
    struct Kind: Decodable { var kind: String? }
    let file = (path as NSString).appendingPathComponent(GroupFolder.manifestName)
    guard let data = FileManager.default.contents(atPath: file) else { return false }
    return (try? JSONDecoder().decode(Kind.self, from: data))?.kind == kind
  }
}

extension AnnotationManifest.Encoding {
  /// The options of the encoder.
  var options: EncoderOptions {
    EncoderOptions(
      codec: codec, crf: crf, preset: preset, pixelFormat: pixelFormat,
      encoderOptions: encoderOptions.map(\.keyAndValue), format: container, copiesAudio: copiesAudio)
  }
}
