// What is told of jobs that are done.

import Foundation
import Rheo

extension Console {
  /// Tells what came of an export.
  func note(_ report: FlowExport.Report, _ target: ExportTarget) {
    for line in report.notes { note(line) }
    if report.clampedVectors > 0 {
      note("\(report.clampedVectors) vectors were longer than \(target.format.rawValue) can hold: clamped")
    }
    if report.lostUnknownVectors > 0 {
      note("\(report.lostUnknownVectors) unknown vectors are no motion in \(target.format.rawValue)")
    }
    note("\(target.path): \(Self.summary(report))")
  }

  private static func summary(_ report: FlowExport.Report) -> String {
    let rate = String(format: "%.2f s, %.1f pairs a second", report.seconds, report.pairsPerSecond)
    let total = report.stageSeconds.values.reduce(0, +)
    let shares = [("decode", PipelineStage.decode), ("analyse", .analyse), ("write", .encode)].map { name, stage in
      "\(name) \(Int((100 * (report.stageSeconds[stage] ?? 0) / max(total, 1e-9)).rounded())) %"
    }
    return switch (report.resumedPairs, report.pairs) {
    case (0, let pairs): "\(pairs) pairs in \(rate); \(shares.joined(separator: ", "))"
    case (let old, let pairs) where old < pairs:
      "\(pairs) pairs, \(old) of them from before, in \(rate); \(shares.joined(separator: ", "))"
    case (_, let pairs): "\(pairs) pairs, all from before"
    }
  }

  /// Tells what came of a table of the motion.
  func note(_ report: FlowTable.Report, _ path: String) {
    for line in report.notes { note(line) }
    note(
      "\(path): \(report.lines) line\(report.lines == 1 ? "" : "s") of \(report.pairs) pairs in "
        + String(format: "%.2f s", report.seconds))
  }

  /// Tells what came of an annotation.
  func note(_ report: Annotation.Report, _ path: String) {
    for line in report.notes { note(line) }
    let total = report.stageSeconds.values.reduce(0, +)
    let shares = PipelineStage.allCases.map { stage in
      "\(stage.rawValue) \(Int((100 * (report.stageSeconds[stage] ?? 0) / max(total, 1e-9)).rounded())) %"
    }
    note(
      "\(path): \(counted(report.frames, "frame")) in \(String(format: "%.2f", report.seconds)) s, "
        + "\(String(format: "%.1f", report.framesPerSecond)) fps; " + shares.joined(separator: ", "))
  }

  /// Tells what came of a detection.
  func note(_ report: Detection.Report) {
    for line in report.notes { note(line) }
    for gap in report.gaps { note("\(report.source.file): damaged \(gap)") }
    var text = "\(report.source.file): \(counted(report.eventCount, "event")) in \(counted(report.frames, "frame"))"
    if report.seconds > 0 {
      text += String(format: ", %.2f s, %.1f fps", report.seconds, report.framesPerSecond)
      let total = report.stageSeconds.values.reduce(0, +)
      let shares = PipelineStage.allCases.compactMap { stage in
        report.stageSeconds[stage].map { "\(stage.rawValue) \(Int((100 * $0 / max(total, 1e-9)).rounded())) %" }
      }
      text += "; " + shares.joined(separator: ", ")
    }
    note(text)
    if let live = report.live { note("live: \(live.line), \(live.reconnections) reconnections") }
  }
}
