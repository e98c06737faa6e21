import ArgumentParser
import Rheo

/// The options for the table of a video's motion.
struct SummaryOptions: ParsableArguments {
  static let help = ArgumentHelp(
    "Write a table of the motion here (CSV), a line for each pair of frames.", valueName: "file")

  @Option(
    help: ArgumentHelp(
      "With --summary: a line for each interval of this length. (default: for each pair of frames)",
      valueName: "seconds"))
  var summaryInterval = 0.0

  func validate() throws {
    guard FlowTable.intervalRange.contains(summaryInterval) else {
      throw ValidationError("--summary-interval is 0…86400, not \(summaryInterval)")
    }
  }
}
