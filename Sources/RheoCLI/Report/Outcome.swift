// How a command ends: the exit statuses that scripts rely on.

import ArgumentParser
import Foundation
import Rheo

extension ExitCode {
  /// The status of a command that is done, but whose input was damaged.
  static let damagedInput = ExitCode(2)
  /// The status when `detect --fail-without-motion` found no event.
  static let noMotion = ExitCode(3)
  /// The status of a command that a signal stopped; the output is valid up to there.
  static let interrupted = ExitCode(130)
}

/// Runs a command's work; what it throws becomes one line on standard error and exit status 1, or 64 when an
/// option's value was at fault.
func reportingFailure<Result>(_ console: Console, _ work: () throws -> Result) throws -> Result {
  do {
    return try work()
  } catch let code as ExitCode {
    throw code
  } catch {
    console.error("\(error)")
    if let error = error as? PanoramaError, error.code == .interrupted { throw ExitCode.interrupted }
    if let error = error as? MediaError, error.code == .invalidOption { throw ExitCode.validationFailure }
    if let error = error as? MotionDetectionError, error.code == .invalidOption { throw ExitCode.validationFailure }
    if let error = error as? FlowFormatError, error.code == .invalidOption { throw ExitCode.validationFailure }
    throw ExitCode.failure
  }
}

/// Runs a command's long work under a progress line; a signal ends it early but properly.
func reportingProgress<Result>(
  _ common: CommonOptions, _ console: Console,
  _ work: (Interruption, @escaping (JobProgress) -> Void) throws -> Result
) throws -> Result {
  let watch = InterruptWatch()
  defer { withExtendedLifetime(watch) {} }
  let line = ProgressLine(common)
  return try reportingFailure(console) {
    var last: JobProgress?
    defer { line.finish(last) }
    return try work(watch.interruption) { progress in
      last = progress
      line.show(progress)
    }
  }
}

/// Lists damage.
func list(_ gaps: [MediaGap], _ console: Console) {
  for gap in gaps { console.note("damaged \(gap)") }
  guard !gaps.isEmpty else { return }
  let positions = gaps.count == 1 ? "1 place" : "\(gaps.countText) places"
  console.note("the input is damaged in \(positions); all that could be decoded is in the output")
}

/// Ends with the exit status that an interruption or damage asks for.
func requireWholeWork(gaps: [MediaGap], wasInterrupted: Bool) throws {
  if wasInterrupted { throw ExitCode.interrupted }
  if !gaps.isEmpty { throw ExitCode.damagedInput }
}
