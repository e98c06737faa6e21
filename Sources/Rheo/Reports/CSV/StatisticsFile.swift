// The statistics of all frames as a table that thresholds can be tried on.
//
// The first line is a comment with what the table belongs to, as JSON; then come the names of the columns and a line
// for each frame. Numbers have as many digits as name them exactly, so that reading gives what was written.

import Foundation
import Imaging
import MotionDetection
import VideoIO

/// The statistics of a detection, as a file holds them.
public struct DetectionStatistics: Sendable {
  /// The video that the statistics tell of.
  public var source: Detection.Source
  /// The zones that the statistics were measured in.
  public var zones: ZoneSet
  /// The statistics of the frames, one for each frame.
  public var frames: [FrameStatistics]
  /// The gaps of the video.
  public var gaps: [MediaGap]

  /// The line before the table, which says what the table belongs to.
  private struct Header: Codable {
    struct Gap: Codable {
      var seconds: Double?
      var frame: Int
      var reason: String
    }
    var statistics: Int
    var input: Detection.Source
    var zones: [Zone]
    var tripLines: [TripLine]?
    var gaps: [Gap]
  }

  private static let version = 4
  private static let mark = "# rheo "
  static let zoneColumns = [
    "score", "moving", "present", "alive", "stopped", "habitual", "undecided", "insects", "age", "lag", "u", "v",
    "boxes",
  ]

  /// Makes statistics of measurements from elsewhere.
  /// - Parameters:
  ///   - source: The video that was measured.
  ///   - zones: The zones that were measured.
  ///   - frames: The frames in order, each with a measurement for each of `ZoneSet.measuredNames`.
  ///   - gaps: Where frames are missing.
  public init(source: Detection.Source, zones: ZoneSet, frames: [FrameStatistics], gaps: [MediaGap] = []) {
    self.source = source
    self.zones = zones
    self.frames = frames
    self.gaps = gaps
  }

  /// Makes statistics of the findings of a detection with `keepsStatistics`.
  public init(_ report: Detection.Report, zones: ZoneSet) {
    source = report.source
    frames = report.statistics
    gaps = report.gaps
    self.zones = zones
  }

  /// Returns the statistics with other zones' thresholds.
  /// - Throws: `MotionDetectionError` when the zones are not those that were measured.
  public func with(zones other: ZoneSet) throws -> DetectionStatistics {
    try other.requireShape(of: zones)
    var copy = self
    copy.zones = other
    return copy
  }

  /// Finds the events anew.
  /// - Parameters:
  ///   - events: The parameters that make motion an event.
  ///   - position: A position to explain; then the work stops as soon as it is clear what becomes of it.
  ///   - retention: The parts of the events that stay in the report.
  ///   - onUpdate: Takes the updates, in order; what it throws ends the search.
  public func detect(
    _ events: EventParameters, explaining position: MediaRange.Position? = nil,
    retention: EventRetention = .everything, onUpdate: ((Detection.Update) throws -> Void)? = nil
  ) throws -> Detection.Report {
    try events.validate()
    var log = EventLog(source: source, zones: zones, events: events, keepsStatistics: false, retention: retention)
    log.explain(position)
    for frame in frames where !log.isSettled { try log.append(frame, onUpdate) }
    return try log.finish(gaps: gaps, onUpdate)
  }

  // MARK: Text

  /// Returns the text of the whole file.
  public func text() throws -> String {
    var text = try Self.head(source: source, zones: zones, gaps: gaps)
    for frame in frames { text += Self.row(frame, tripLines: zones.tripLines) }
    return text
  }

  /// Returns the lines before those of the frames.
  static func head(source: Detection.Source, zones: ZoneSet, gaps: [MediaGap]) throws -> String {
    let header = Header(
      statistics: version, input: source, zones: zones.zones,
      tripLines: zones.tripLines.isEmpty ? nil : zones.tripLines,
      gaps: gaps.map { Header.Gap(seconds: $0.seconds, frame: $0.frameNumber, reason: $0.reason) })
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return mark + String(decoding: try encoder.encode(header), as: UTF8.self) + "\n"
      + columns(zones).joined(separator: ",") + "\n"
  }

  /// Returns the names of the columns.
  static func columns(_ zones: ZoneSet) -> [String] {
    let names = zones.measuredNames.indices.flatMap { index in zoneColumns.map { "\($0)\(index + 1)" } }
    let last = zones.tripLines.isEmpty ? [] : ["crossings"]
    return ["frame", "seconds", "ticks", "timebase", "state", "light", "settling"] + names + last
  }

  /// Returns the line of a frame.
  static func row(_ frame: FrameStatistics, tripLines: [TripLine]) -> String {
    var fields = [
      "\(frame.frame)", "\(frame.time.seconds)", "\(frame.time.value)", "\(frame.time.timeBase)",
      frame.state.rawValue, "\(frame.lightShare)", frame.isSettling ? "1" : "0",
    ]
    for zone in frame.zones {
      let boxes = zone.boxes.map { "\($0.x) \($0.y) \($0.width) \($0.height)" }.joined(separator: ";")
      fields += [
        "\(zone.score)", "\(zone.moving)", "\(zone.present)", "\(zone.alive)", "\(zone.stopped)",
        "\(zone.dynamicBackgroundShare)",
        "\(zone.undecided)", "\(zone.insects)", "\(zone.age)", "\(zone.lag)", "\(zone.u)", "\(zone.v)", boxes,
      ]
    }
    if !tripLines.isEmpty { fields.append(crossings(of: frame, tripLines)) }
    return fields.joined(separator: ",") + "\n"
  }

  /// Returns a frame's crossings as `number:direction;…`, with lines counted from 1.
  private static func crossings(of frame: FrameStatistics, _ tripLines: [TripLine]) -> String {
    frame.crossings.compactMap { crossing in
      tripLines.firstIndex { $0.name == crossing.line }.map { "\($0 + 1):\(crossing.direction.rawValue)" }
    }.joined(separator: ";")
  }

  /// Reads statistics from the text that ``text()`` wrote.
  /// - Throws: `MotionDetectionError` `invalidStatistics` with the number of the line.
  public init(text: String) throws {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: true)
    guard let first = lines.first, first.hasPrefix(Self.mark) else {
      throw MotionDetectionError(.invalidStatistics, "this is no file of statistics: the first line does not say so")
    }
    let header: Header
    do {
      header = try JSONDecoder().decode(Header.self, from: Data(first.dropFirst(Self.mark.count).utf8))
    } catch {
      throw MotionDetectionError(.invalidStatistics, "line 1 cannot be read: \(error)")
    }
    guard header.statistics == Self.version else {
      throw MotionDetectionError(.invalidStatistics, "statistics of version \(header.statistics), not \(Self.version)")
    }
    source = header.input
    // Earlier versions wrote whole addresses.
    source.file = MediaAddress(source.file).description
    zones = try ZoneSet(header.zones, tripLines: header.tripLines ?? [])
    gaps = header.gaps.map { MediaGap(seconds: $0.seconds, frameNumber: $0.frame, reason: $0.reason) }
    let (zoneCount, tripLines) = (zones.measuredNames.count, zones.tripLines)
    frames = []
    for (index, line) in lines.dropFirst(2).enumerated() {
      do {
        let frame = try StatisticsLine.frame(line, zoneCount: zoneCount, tripLines: tripLines)
        if let last = frames.last?.frame, frame.frame <= last {
          throw MotionDetectionError(.invalidStatistics, "frame is \(frame.frame) and follows \(last): numbers rise")
        }
        frames.append(frame)
      } catch let error as MotionDetectionError {
        throw MotionDetectionError(error.code, "line \(index + 3): \(error.message)")
      }
    }
  }
}

extension ZoneSet {
  /// - Throws: `MotionDetectionError` `invalidZones` unless the zones are those of another set, thresholds left out.
  func requireShape(of other: ZoneSet) throws {
    func shape(_ set: ZoneSet) -> [Zone] {
      set.zones.map { zone in
        var copy = zone
        copy.threshold = nil
        return copy
      }
    }
    guard shape(self) == shape(other), tripLines == other.tripLines else {
      throw MotionDetectionError(
        .invalidZones, "the statistics were made with other zones; only thresholds may change without the video")
    }
  }
}
