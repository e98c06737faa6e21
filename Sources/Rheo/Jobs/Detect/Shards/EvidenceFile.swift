// The evidence of a shard: what its frames show, as a table that events are found in.
//
// Compressed as by gzip. The first line tells what the table belongs to, as JSON; then come the names of the columns
// and a line for each frame: those of the statistics, and the cells through which something travels that counts. The
// last line tells the damage, and that nothing is missing.

import Foundation
import Imaging
import MotionDetection
import VideoIO

/// The first line of a file of evidence: all that decides what is in the others.
struct EvidenceHead: Codable, ShardDescription {
  static let currentVersion = 1
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
  /// What makes an event for who joins the shards, unless told otherwise; no part of what was measured.
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

/// The last line of a file of evidence.
private struct EvidenceTail: Codable {
  static let mark = "# end "

  var frames: Int
  var gaps: [ShardGap]
}

/// Writes the evidence of a shard. Used by one thread.
final class EvidenceWriter {
  private let text: GzipTextWriter
  private let tripLines: [TripLine]
  private(set) var frameCount = 0

  /// - Throws: `MediaError` `cannotWrite`.
  init(_ file: OutputFile, _ head: EvidenceHead) throws {
    text = try GzipTextWriter(file)
    tripLines = head.tripLines
    try text.append(head.text())
  }

  /// Adds a frame.
  func append(_ measured: ZoneAnalyzer.Measurement) throws {
    let row = DetectionStatistics.row(measured.statistics, tripLines: tripLines).dropLast()
    try text.append("\(row),\(measured.counted.map(Self.runs) ?? "-")\n")
    frameCount += 1
  }

  /// Adds the last line, and gives the complete file its name.
  func commit(gaps: [ShardGap]) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let tail = try encoder.encode(EvidenceTail(frames: frameCount, gaps: gaps))
    try text.append(EvidenceTail.mark + String(decoding: tail, as: UTF8.self) + "\n")
    try text.commit()
  }

  /// Returns the lengths of runs of cells that are out, in, out …, up to the last one that is in.
  private static func runs(_ mask: CellMask) -> String {
    var lengths: [Int] = []
    var (isIn, length) = (false, 0)
    for cell in mask.contains {
      if cell != isIn {
        lengths.append(length)
        (isIn, length) = (cell, 0)
      }
      length += 1
    }
    if isIn { lengths.append(length) }
    return lengths.map(String.init).joined(separator: " ")
  }
}

/// Reads the evidence of a shard. Used by one thread.
final class EvidenceReader {
  let head: EvidenceHead
  /// The damage of the video within the shard; known behind the last frame.
  private(set) var gaps: [ShardGap] = []
  private(set) var frameCount = 0

  private let path: String
  private let text: GzipTextReader
  private let zoneCount: Int
  private let grid: CellGrid
  private var isOver = false

  /// - Throws: `MediaError` `cannotOpen` for what is no evidence.
  init(_ path: String) throws {
    self.path = path
    text = try GzipTextReader(path)
    head = try EvidenceHead(try text.nextLine(), of: path)
    zoneCount = try head.zoneSet().measuredNames.count
    grid = head.grid
    _ = try text.nextLine()
  }

  /// Returns the measurements of the next frame; nil behind the last one.
  /// - Throws: `MediaError` `damaged` for what is not as it was written.
  func next() throws -> ZoneAnalyzer.Measurement? {
    guard !isOver else { return nil }
    guard let line = try text.nextLine() else { throw damage("its last line is missing") }
    if line.hasPrefix(EvidenceTail.mark) {
      let tail = Data(line.dropFirst(EvidenceTail.mark.count).utf8)
      guard let tail = try? JSONDecoder().decode(EvidenceTail.self, from: tail), tail.frames == frameCount else {
        throw damage("its last line does not fit the others")
      }
      (gaps, isOver) = (tail.gaps, true)
      return nil
    }
    guard let comma = line.lastIndex(of: ",") else { throw damage("line \(frameCount + 3) is none of a frame") }
    do {
      let statistics = try StatisticsLine.frame(line[..<comma], zoneCount: zoneCount, tripLines: head.tripLines)
      frameCount += 1
      return ZoneAnalyzer.Measurement(statistics: statistics, counted: try mask(line[line.index(after: comma)...]))
    } catch let error as MotionDetectionError {
      throw damage("line \(frameCount + 3): \(error.message)")
    }
  }

  private func mask(_ text: Substring) throws -> CellMask? {
    guard text != "-" else { return nil }
    var mask = CellMask(grid: grid)
    var (position, isIn) = (0, false)
    for field in text.split(separator: " ") {
      guard let length = Int(field), (0...grid.count - position).contains(length) else {
        throw MotionDetectionError(.invalidStatistics, "cells are none of the grid")
      }
      if isIn { for cell in position..<position + length { mask.contains[cell] = true } }
      position += length
      isIn.toggle()
    }
    return mask
  }

  private func damage(_ what: String) -> MediaError {
    MediaError(.damaged, "is not as it was written; detect the shard anew: \(what)", file: path)
  }
}

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

/// What the evidence of a video says of it.
package struct MeasuredVideo: Sendable {
  /// The video, where the first shard found it.
  package let input: String
  /// The zones that were measured.
  package let zones: ZoneSet
  /// What makes an event, as the shards were told.
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
