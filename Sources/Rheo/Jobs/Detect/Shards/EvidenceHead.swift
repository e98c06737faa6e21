// What the evidence of a shard belongs to.

import Foundation
import Imaging
import MotionDetection
import VideoIO

/// The first line of a file of evidence: all that decides what is in the others.
struct EvidenceHead: Codable, ShardDescription {
  static let currentVersion = 3
  static let mark = "# rheo "

  /// The version of the format.
  var evidence = Self.currentVersion
  var generator = "rheo \(RheoVersion.number)"
  var shard: ShardNumber
  var input: ShardInput
  var video: Detection.Source
  var zones: [Zone]
  var tripLines: [TripLine]
  /// The camera's motion that is taken out.
  var compensation: String
  var groups: GroupPlan.Lengths
  /// The parameters of events for the joining of the shards, unless others are given; they change no measurement.
  var events: EventParameters

  init(_ detection: Detection, _ shard: Shard, _ plan: GroupPlan, video: Detection.Source) {
    self.shard = ShardNumber(shard, plan)
    input = ShardInput(detection.input, detection.reading)
    self.video = video
    (zones, tripLines) = (detection.zones.zones, detection.zones.tripLines)
    compensation = detection.compensation.name
    groups = plan.lengths
    events = detection.events
  }

  /// Returns the head that a line holds.
  /// - Throws: `MediaError` `cannotOpen` for what is no evidence, `damaged` for what no shard has.
  init(_ line: String?, of path: String) throws {
    guard let line, line.hasPrefix(Self.mark),
      let head = try? JSONDecoder().decode(EvidenceHead.self, from: Data(line.dropFirst(Self.mark.count).utf8))
    else { throw MediaError(.cannotOpen, "is no evidence of a shard", file: path) }
    guard head.evidence == Self.currentVersion else {
      throw MediaError(
        .cannotOpen, "is evidence of version \(head.evidence), not \(Self.currentVersion)", file: path)
    }
    let sides = 1...1 << 16
    guard head.shard.isSound, sides.contains(head.video.width), sides.contains(head.video.height) else {
      throw MediaError(.damaged, "has a first line that no shard has", file: path)
    }
    self = head
  }

  func difference(from other: EvidenceHead) -> String? {
    if generator != other.generator { return "generator" }
    if let difference = shard.difference(from: other.shard) ?? input.difference(from: other.input) { return difference }
    if zones != other.zones || tripLines != other.tripLines { return "the set of zones" }
    if compensation != other.compensation { return "compensation" }
    if groups != other.groups { return "the length of groups" }
    if events != other.events { return "what makes an event" }
    return video.width != other.video.width || video.height != other.video.height ? "the size of the frames" : nil
  }

  /// The line, with the names of the columns behind it.
  func text() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let columns = DetectionStatistics.columns(try zoneSet()) + ["cells"]
    return Self.mark + String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
      + columns.joined(separator: ",") + "\n"
  }

  func zoneSet() throws -> ZoneSet { try ZoneSet(zones, tripLines: tripLines) }

  /// The grid of the cells.
  var grid: CellGrid {
    let size = PixelSize(width: video.width, height: video.height)
    return CellGrid(size: MotionDetector.analyzedSize(of: size, longestSide: MotionParameters.analysisSide))
  }
}
