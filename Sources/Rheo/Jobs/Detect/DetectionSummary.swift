// The results of many inputs in figures.

import MotionDetection
import VideoIO

/// The result of one of several inputs: a report or the reason why there is none.
public struct DetectionOutcome: Sendable {
  /// The name of the input, as it was given but for passwords and tokens: see `MediaAddress`.
  public var input: String
  /// The report; nil when the input could not be read.
  public var report: Detection.Report?
  /// The reason why there is no report.
  public var failure: String?

  /// Creates the outcome of an input that was searched.
  public init(_ report: Detection.Report) {
    input = report.source.file
    self.report = report
  }

  /// Creates the outcome of an input that could not be read.
  public init(input: String, failure: String) {
    self.input = MediaAddress(input).description
    self.failure = failure
  }
}

/// The figures of many inputs: a line each, and all together.
package struct DetectionSummary: Sendable {
  /// An input and the file that its report is in.
  package struct Line: Sendable {
    package var outcome: DetectionOutcome
    package var reportFile: String?

    package init(_ outcome: DetectionOutcome, reportFile: String? = nil) {
      self.outcome = outcome
      self.reportFile = reportFile
    }
  }

  package let lines: [Line]

  package init(_ lines: [Line]) { self.lines = lines }

  private var reports: [Detection.Report] { lines.compactMap(\.outcome.report) }

  /// The figures of all inputs together.
  var totals: JSONText {
    .object([
      ("files", .integer(lines.count)), ("failed", .integer(lines.count - reports.count)),
      ("events", .integer(reports.reduce(0) { $0 + $1.eventCount })),
      ("motionSeconds", .number(reports.reduce(0) { $0 + $1.motionSeconds })),
      ("suppressed", .integer(reports.reduce(0) { $0 + $1.suppressed.count })),
      ("gaps", .integer(reports.reduce(0) { $0 + $1.gaps.count })),
      ("frames", .integer(reports.reduce(0) { $0 + $1.frames })),
    ])
  }

  /// `{"version": 1, …, "totals": {…}, "files": [{…}, …]}`.
  package func json(options: EventParameters) -> JSONText {
    .object([
      ("version", .integer(1)), ("generator", .string("rheo \(RheoVersion.number)")), ("options", options.json),
      ("totals", totals), ("files", .array(lines.map(\.json))),
    ])
  }

  /// The lines as a table.
  package var csv: String {
    let rows = lines.map { line in
      let report = line.outcome.report
      let figures = report.map {
        ["\($0.eventCount)", "\($0.motionSeconds)", "\($0.suppressed.count)", "\($0.gaps.count)", "\($0.frames)"]
      }
      let fields =
        [line.outcome.input, line.reportFile ?? ""] + (figures ?? Array(repeating: "", count: 5))
        + [line.outcome.failure ?? ""]
      return fields.map(Detection.Report.quoted).joined(separator: ",")
    }
    return (["input,report,events,motion_seconds,suppressed,gaps,frames,error"] + rows).joined(separator: "\n") + "\n"
  }
}

extension DetectionSummary.Line {
  fileprivate var json: JSONText {
    guard let report = outcome.report else {
      return .object([("input", .string(outcome.input)), ("error", .string(outcome.failure ?? "unknown"))])
    }
    return .object([
      ("input", .string(outcome.input)), ("report", .optional(reportFile, JSONText.string)),
      ("events", .integer(report.eventCount)), ("motionSeconds", .number(report.motionSeconds)),
      ("suppressed", .integer(report.suppressed.count)), ("gaps", .integer(report.gaps.count)),
      ("frames", .integer(report.frames)),
    ])
  }
}
