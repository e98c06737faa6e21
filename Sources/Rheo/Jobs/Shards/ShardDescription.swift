// What shards that are made of groups of frames say of themselves, and how they are held against each other.

import Foundation
import Imaging
import VideoIO

/// The description of a shard of some kind.
protocol ShardDescription {
  /// Its place among all shards.
  var shard: ShardNumber { get }
  /// Returns the name of the first thing in which two shards differ that are of one whole; nil: there is none.
  func difference(from other: Self) -> String?
}

/// The place of a shard among all of them.
struct ShardNumber: Codable, Equatable {
  var number: Int
  var count: Int
  /// The digest of the times of all frames.
  var plan: String

  init(_ shard: Shard, _ plan: GroupPlan) {
    (number, count, self.plan) = (shard.number, shard.count, plan.digest)
  }

  /// A Boolean value that tells whether there is such a shard: descriptions come from other machines.
  var isSound: Bool { (try? Shard(number: number, of: count)) != nil }

  func difference(from other: ShardNumber) -> String? {
    if count != other.count { return "the number of shards" }
    return plan != other.plan ? "the frames of the input" : nil
  }
}

/// The video that shards are of, and how it is read.
struct ShardInput: Codable, Equatable {
  var path: String
  var bytes: Int?
  var stream: Int?
  var filter: String?
  var analysisFilter: String?
  var format: String?
  var options: [String]
  var start: String?
  var end: String?
  var duration: Double?
  var frames: Int?
  var every: Int

  init(_ path: String, _ reading: VideoReader.Options, analysisFilter: String? = nil) {
    self.path = path
    bytes = Self.size(of: path)
    (stream, filter, self.analysisFilter, format) = (reading.stream, reading.filter, analysisFilter, reading.format)
    options = reading.inputOptions.map { "\($0.key)=\($0.value)" }
    let range = reading.range
    (start, end, duration) = (range.start?.text, range.end?.text, range.duration)
    (frames, every) = (range.frameCount, range.every)
  }

  /// The options for reading the whole.
  var reading: VideoReader.Options {
    var reading = VideoReader.Options(
      stream: stream, filter: filter, format: format,
      range: MediaRange(
        start: start.flatMap(MediaRange.Position.init(text:)), end: end.flatMap(MediaRange.Position.init(text:)),
        duration: duration, frameCount: frames, every: max(1, every)))
    reading.inputOptions = options.map(\.keyAndValue).map { InputOption(key: $0.key, value: $0.value) }
    return reading
  }

  /// A moved input is the same input.
  func difference(from other: ShardInput) -> String? {
    var (mine, its) = (self, other)
    mine.path = (path as NSString).lastPathComponent
    its.path = (other.path as NSString).lastPathComponent
    return mine != its ? "input" : nil
  }

  /// Returns the length of a file in bytes; nil: there is none.
  static func size(of path: String) -> Int? {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : nil
  }
}

/// Damage of the video within a shard.
struct ShardGap: Codable, Equatable {
  var seconds: Double?
  var frame: Int
  var reason: String

  var gap: MediaGap { MediaGap(seconds: seconds, frameNumber: frame, reason: reason) }

  /// Returns the damage that lies within groups: what comes before is told by the shard before.
  static func within(_ groups: FrameGroups, of gaps: [MediaGap]) -> [ShardGap] {
    let begin = groups.groups.first?.number == 0 ? -.infinity : groups.groups.first?.begin.seconds ?? -.infinity
    let end = groups.end?.seconds ?? .infinity
    return gaps.filter { gap in
      let seconds = gap.seconds ?? -.infinity
      return seconds >= begin && seconds < end
    }.map { ShardGap(seconds: $0.seconds, frame: $0.frameNumber, reason: $0.reason) }
  }
}

/// All shards of a video.
enum ShardSet {
  /// Returns shards in their order.
  /// - Parameters:
  ///   - paths: The shards, in any order.
  ///   - read: Returns the description of a shard.
  /// - Throws: `MediaError` `cannotOpen` when a shard is missing, there twice or of another whole, and the errors of
  ///   `read`.
  static func ordered<Description: ShardDescription>(
    _ paths: [String], read: (String) throws -> Description
  ) throws -> [(path: String, description: Description)] {
    guard let first = paths.first else { throw MediaError(.cannotOpen, "there are no shards to merge") }
    let reference = try read(first)
    var parts: [Int: (path: String, description: Description)] = [:]
    for path in paths {
      let description = try read(path)
      if let difference = description.difference(from: reference) {
        throw MediaError(
          .cannotOpen, "is no shard of the video that \(first) is of: \(difference) is not the same", file: path)
      }
      let shard = description.shard
      if let other = parts[shard.number] {
        throw MediaError(.cannotOpen, "is shard \(shard.number)/\(shard.count), as \(other.path) is", file: path)
      }
      parts[shard.number] = (path, description)
    }
    let count = reference.shard.count
    let missing = (1...max(1, count)).filter { parts[$0] == nil }
    guard missing.isEmpty else {
      let list = missing.prefix(8).map(String.init).joined(separator: ", ") + (missing.count > 8 ? ", …" : "")
      throw MediaError(.cannotOpen, "of \(count) shards \(missing.count) are missing: \(list)")
    }
    return parts.sorted { $0.key < $1.key }.map(\.value)
  }
}

extension String {
  /// The two sides of the first `=`.
  var keyAndValue: (key: String, value: String) {
    let parts = split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    return (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
  }
}

extension MediaRange.Position {
  /// Seconds as a number, frames as one with an `f` behind.
  fileprivate var text: String {
    switch self {
    case .seconds(let seconds): "\(seconds)"
    case .frame(let number): "\(number)f"
    }
  }

  fileprivate init?(text: String) {
    if text.hasSuffix("f"), let number = Int(text.dropLast()) {
      self = .frame(number)
    } else if let seconds = Double(text) {
      self = .seconds(seconds)
    } else {
      return nil
    }
  }
}
