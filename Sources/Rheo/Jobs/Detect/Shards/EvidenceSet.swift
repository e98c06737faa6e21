// The evidence of all shards as one.

import MotionDetection
import VideoIO

/// The evidence of all shards of a video, in the order of its frames. Used by one thread.
final class EvidenceSet {
  /// The head of the first shard: but for its number, that of all.
  let head: EvidenceHead
  /// The damage of the video in the frames so far.
  private(set) var gaps: [MediaGap] = []

  private var paths: ArraySlice<String>
  private var reader: EvidenceReader?
  private var last: Int?

  /// - Parameter paths: The files of all shards, in any order.
  /// - Throws: `MediaError` `cannotOpen` when a shard is missing, there twice or of another whole.
  init(_ paths: [String]) throws {
    let parts = try ShardSet.ordered(paths) { try EvidenceReader($0).head }
    head = parts[0].description
    self.paths = parts.map(\.path)[...]
  }

  /// Returns the measurements of the next frame; nil behind the last one of the last shard.
  /// - Throws: `MediaError` `damaged` for what is not as it was written.
  func next() throws -> ZoneAnalyzer.Measurement? {
    while true {
      if let measured = try reader?.next() {
        let number = measured.statistics.frame
        guard last.map({ $0 < number }) ?? true else {
          throw MediaError(.damaged, "frame \(number) follows frame \(last ?? 0)", file: head.input.path)
        }
        last = number
        return measured
      }
      for gap in (reader?.gaps ?? []).map(\.gap) where !gaps.contains(gap) { gaps.append(gap) }
      guard let path = paths.popFirst() else { return nil }
      reader = try EvidenceReader(path)
    }
  }
}

/// The description of a video in its evidence.
package struct MeasuredVideo: Sendable {
  /// The video, where the first shard found it.
  package let input: String
  /// The zones that were measured.
  package let zones: ZoneSet
  /// The parameters of events that the shards were given.
  package let events: EventParameters

  /// - Parameter paths: The files of all shards, in any order.
  /// - Throws: `MediaError` `cannotOpen` when a shard is missing, there twice or of another whole.
  package init(_ paths: [String]) throws {
    let head = try EvidenceSet(paths).head
    (input, zones, events) = (head.input.path, try head.zoneSet(), head.events)
  }

  /// Returns whether a file is the evidence of a shard.
  package static func isEvidence(_ path: String) -> Bool { (try? EvidenceReader(path)) != nil }
}
