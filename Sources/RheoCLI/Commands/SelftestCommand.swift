import ArgumentParser
import Rheo

struct SelftestCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "selftest",
    abstract: "Computes built-in scenes and prints digests of the results.",
    discussion: """
      Flow of all methods, registrations, drawings and detection, each with the SHA-256 of all its numbers. The \
      digests of one version are the same on every processor, for any RHEO_CPU and any --threads: compare them by \
      diff.

      Example: rheo selftest --threads 1 | sha256sum
      """)

  @OptionGroup(title: "General") var common: CommonOptions

  func run() throws {
    try reportingFailure(Console(common)) {
      try SelfTest(parallelism: common.parallelism).run { try printLine("\($0.digest)  \($0.name)") }
    }
  }
}
