import ArgumentParser
import Rheo

/// The options for many inputs at once.
struct ManyInputOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Also the files that this text file names, one a line; - for standard input.", valueName: "file")
  )
  var list: String?

  @Option(
    help: "Inputs to work on at once, each on its share of the threads; 0: one a thread. Never changes the result.")
  var jobs = 0

  func validate() throws {
    guard (0...1024).contains(jobs) else { throw ValidationError("--jobs is 0…1024, not \(jobs)") }
  }
}
