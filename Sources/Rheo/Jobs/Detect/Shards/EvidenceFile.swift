// The evidence of a shard: what its frames show, as a table that events are found in.
//
// Compressed as by gzip. The first line tells what the table belongs to, as JSON; then come the names of the columns
// and a line for each frame: those of the statistics, and the cells through which something travels that counts. The
// last line tells the damage, and that nothing is missing.

import Foundation
import Imaging
import MotionDetection
import VideoIO

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
