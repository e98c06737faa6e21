// Reports of motion for programs.

import Foundation
import Imaging
import MotionDetection
import VideoIO

extension FrameTimestamp {
  /// `{"frame": …, "seconds": …, "timecode": …}`.
  var json: JSONText {
    .object([("frame", .integer(frame)), ("seconds", .number(seconds)), ("timecode", .string(time.timecode))])
  }
}

extension MotionEvent {
  /// Returns one event of a report, with the files that were written of it.
  /// - Parameter includesBoxes: A Boolean value that tells whether the boxes of all frames are part of it.
  package func json(files: EventFiles, includesBoxes: Bool = true) -> JSONText {
    .object(
      [
        ("number", .integer(number)), ("start", start.json), ("end", end.json), ("duration", .number(duration)),
        (
          "peak",
          .object([
            ("frame", .integer(peak.frame)), ("seconds", .number(peak.seconds)), ("score", .number(peakScore)),
          ])
        ),
        ("zones", .array(zones.map(JSONText.string))),
      ] + (includesBoxes ? [("boxes", .array(boxes.map(\.json)))] : [])
        + [("meanMotion", .object([("u", .number(u)), ("v", .number(v))]))] + files.json(from: nil))
  }
}

extension EventFiles {
  /// Returns the fields for the files that there are.
  /// - Parameter folder: The folder of the report, from which paths go; nil: paths stay as they are.
  func json(from folder: String?) -> [(String, JSONText)] {
    let files = relative(to: folder)
    return [("snapshot", files.snapshot), ("clip", files.clip)].compactMap { name, path in
      path.map { (name, JSONText.string($0)) }
    }
  }

  /// Returns the files as they are found from a folder; nil: as they are.
  func relative(to folder: String?) -> EventFiles {
    guard let folder else { return self }
    var files = EventFiles()
    files.snapshot = snapshot.map { RelativePath.path($0, from: folder) }
    files.clip = clip.map { RelativePath.path($0, from: folder) }
    return files
  }
}

/// An event that is over, as JSON without its files, and these: where they are depends on the report.
package struct StoredEvent: Sendable {
  private let text: StoredBytes
  private let files: EventFiles

  /// Keeps an event in a store.
  package init(_ event: MotionEvent, files: EventFiles, in store: ReportStore) throws {
    text = try store.keep(Data(event.json(files: EventFiles()).line.utf8))
    self.files = files
  }

  fileprivate func line(from folder: String?) throws -> String {
    let line = String(decoding: try text.bytes(), as: UTF8.self)
    let fields = files.json(from: folder).map { ", \(JSONText.quoted($0.0)): \($0.1.line)" }
    return line.dropLast() + fields.joined() + "}"
  }
}

extension MotionEvent {
  /// The known data of an event that has just become certain: number, start, score and zones.
  package var startJSON: JSONText {
    .object([
      ("number", .integer(number)), ("start", start.json),
      ("score", .number(peakScore)), ("zones", .array(zones.map(JSONText.string))),
    ])
  }
}

extension MotionEvent.FrameBox {
  var json: JSONText {
    .object([
      ("frame", .integer(frame)), ("x", .integer(box.x)), ("y", .integer(box.y)), ("width", .integer(box.width)),
      ("height", .integer(box.height)),
    ])
  }
}

extension FrameStatistics {
  /// Returns one frame of an input, as a line of its own.
  package func json(zoneNames: [String], input: String) -> JSONText {
    .object([
      ("type", .string("frame")), ("input", .string(input)),
      ("frame", .integer(frame)), ("seconds", .number(time.seconds)), ("timecode", .string(time.timecode)),
      ("state", .string(state.rawValue)), ("light", .number(lightShare)),
      (
        "zones",
        .object(
          zip(zoneNames, zones).map { name, zone in
            (name, .object([("score", .number(zone.score)), ("moving", .number(zone.moving))]))
          })
      ),
    ])
  }
}

extension EventParameters {
  var json: JSONText {
    .object([
      ("threshold", .number(threshold)), ("hysteresis", .number(hysteresis)),
      ("minimumDuration", .number(minimumDuration)), ("mergeGap", .number(mergeGap)), ("before", .number(before)),
      ("after", .number(after)), ("maximumDuration", .optional(maximumDuration, JSONText.number)),
      ("presenceLimit", .number(presenceLimit)), ("lightShare", .number(lightShare)),
    ])
  }
}

extension Detection.Report {
  /// The fields of the report after the events.
  private var rest: [(String, JSONText)] {
    let suppressed = self.suppressed.map { period in
      JSONText.object([
        ("start", period.start.json), ("end", period.end.json), ("reason", .string(period.reason.rawValue)),
      ])
    }
    let gaps = self.gaps.map { gap in
      JSONText.object([
        ("seconds", .optional(gap.seconds, JSONText.number)), ("frame", .integer(gap.frameNumber)),
        ("reason", .string(gap.reason)),
      ])
    }
    return [("suppressed", .array(suppressed)), ("gaps", .array(gaps)), ("frames", .integer(frames))]
      + (tripLines.isEmpty ? [] : [("crossings", .array(tripLines.map(crossings)))])
      + (live.map { [("live", $0.json)] } ?? [])
  }

  /// `{"name": …, "left-to-right": 1, "right-to-left": 0, "list": [{"direction": …, "frame": …, …}]}`.
  private func crossings(of line: String) -> JSONText {
    let own = crossings.filter { $0.crossing.line == line }
    let counts = LineCrossing.Direction.allCases.map { direction in
      (direction.rawValue, JSONText.integer(own.count { $0.crossing.direction == direction }))
    }
    let list = own.map { item in
      JSONText.object([
        ("direction", .string(item.crossing.direction.rawValue)), ("frame", .integer(item.timestamp.frame)),
        ("seconds", .number(item.timestamp.seconds)), ("timecode", .string(item.timestamp.time.timecode)),
      ])
    }
    return .object([("name", .string(line))] + counts + [("list", .array(list))])
  }

  fileprivate var input: JSONText {
    .object([
      ("file", .string(source.file)), ("width", .integer(source.width)), ("height", .integer(source.height)),
      ("frameRate", .optional(source.frameRate, JSONText.number)),
    ])
  }

  /// Writes the report of one input, or of several one after the other (`reports`), with those that failed.
  ///
  /// - Parameters:
  ///   - inputs: The outcome of each input, with its events.
  ///   - folder: The folder that the report lies in: paths in it go from there. Nil: they stay as they are.
  ///   - put: Takes the next piece of the text. No more than an event is in memory at a time.
  package static func writeJSON(
    _ inputs: [(outcome: DetectionOutcome, events: [StoredEvent])], options: EventParameters, folder: String? = nil,
    to put: @escaping (String) throws -> Void
  ) throws {
    var stream = JSONStream(put)
    try stream.object { file in
      try file.field("version", .integer(1))
      try file.field("generator", .string("rheo \(RheoVersion.number)"))
      if inputs.count == 1, let report = inputs[0].outcome.report {
        try file.field("input", report.input)
        try file.field("options", options.json)
        return try report.write(inputs[0].events, folder, to: &file)
      }
      try file.field("options", options.json)
      try file.field("totals", DetectionSummary(inputs.map { DetectionSummary.Line($0.outcome) }).totals)
      try file.list("reports") { list in
        for input in inputs { try list.object { try input.outcome.write(input.events, folder, to: &$0) } }
      }
    }
    try put("\n")
  }

  fileprivate func write(_ events: [StoredEvent], _ folder: String?, to object: inout JSONStream) throws {
    try object.list("events") { list in
      for event in events { try list.element(event.line(from: folder)) }
    }
    for (name, value) in rest { try object.field(name, value) }
  }

  /// Returns the events of all inputs as a table.
  /// - Parameter folder: The folder that the table lies in: paths go from there. Nil: they stay as they are.
  package static func csv(_ reports: [Detection.Report], folder: String? = nil) -> String {
    var text =
      "input,number,start_frame,start_seconds,start_timecode,end_frame,end_seconds,end_timecode,duration,"
      + "peak_frame,peak_seconds,peak_score,zones,mean_u,mean_v,snapshot,clip\n"
    for report in reports {
      for event in report.events {
        let files = report.files[event.number]?.relative(to: folder)
        let fields = [
          quoted(report.source.file), "\(event.number)", "\(event.start.frame)", "\(event.start.seconds)",
          event.start.time.timecode, "\(event.end.frame)", "\(event.end.seconds)", event.end.time.timecode,
          "\(event.duration)", "\(event.peak.frame)", "\(event.peak.seconds)", "\(event.peakScore)",
          quoted(event.zones.joined(separator: ";")), "\(event.u)", "\(event.v)",
          quoted(files?.snapshot ?? ""), quoted(files?.clip ?? ""),
        ]
        text += fields.joined(separator: ",") + "\n"
      }
    }
    return text
  }

  /// Returns a text as a field of RFC 4180, quoted where it must be. An apostrophe goes before what spreadsheets would
  /// take for a formula (OWASP, CSV injection); a lone sign, such as `-` for standard input, is none.
  static func quoted(_ text: String) -> String {
    let isFormula = text.utf8.count > 1 && text.utf8.first.map { "=+-@\t\r".utf8.contains($0) } == true
    let field = isFormula ? "'" + text : text
    guard isFormula || field.contains(where: { ",\"\n\r".contains($0) }) else { return field }
    return "\"" + field.replacing("\"", with: "\"\"") + "\""
  }
}

extension DetectionOutcome {
  /// Writes one of several reports, or the reason why there is none.
  fileprivate func write(_ events: [StoredEvent], _ folder: String?, to object: inout JSONStream) throws {
    guard let report else {
      try object.field("input", .object([("file", .string(input))]))
      return try object.field("error", .string(failure ?? "unknown"))
    }
    try object.field("input", report.input)
    try report.write(events, folder, to: &object)
  }
}
