import ArgumentParser
import Rheo

extension DetectCommand {
  /// Prints why one frame is in an event or not.
  func printExplanation(of position: MediaRange.Position) throws {
    let report = try reportingProgress(common, Console(common)) { interruption, progress in
      if let fromStatistics {
        return try statistics(fromStatistics, try zones.zoneSet()).detect(events.parameters, explaining: position)
      }
      let inputs = try InputList.expand(inputs, list: nil).names
      guard inputs.count == 1 else {
        throw MediaError(.invalidOption, "--explain is for one video, not \(inputs.count)")
      }
      var detection = detection(inputs[0], try zones.zoneSet(), common.parallelism)
      detection.explainedPosition = position
      return try detection.run(interruption: interruption, progress: progress)
    }
    if report.wasInterrupted { throw ExitCode.interrupted }
    try reportingFailure(Console(common)) {
      if let start = range.start?.position, isBefore(position, start) {
        throw MediaError(.invalidOption, "--explain is before --start: no such frame is read", file: report.source.file)
      }
      guard let explanation = report.explanation else {
        throw MediaError(
          .invalidOption, "there are \(report.frames) frames, all before the one to be explained",
          file: report.source.file)
      }
      try printLine(ExplanationReport(explanation, input: report.source.file).text)
    }
  }

  /// Returns whether a position surely lies before another one: frames and seconds are not compared.
  private func isBefore(_ position: MediaRange.Position, _ start: MediaRange.Position) -> Bool {
    switch (position, start) {
    case (.frame(let number), .frame(let first)): number < first
    case (.seconds(let seconds), .seconds(let first)): seconds < first
    default: false
    }
  }
}
