// Damaged flow files by the hundred thousand: no reader may crash, nor allocate much more than the file is long.
// A program of its own, so that a crash is an exit status and its malloc can be counted.

import ArgumentParser
import FlowFormats
import Foundation

FormatFuzz.main()

struct FormatFuzz: ParsableCommand {
  @Option(help: "Damaged files per reader.")
  var count = 100_000

  @Option(help: "Another number makes other files.")
  var seed: UInt64 = 1

  @Option(name: .customLong("reader"), help: "Only this reader; may be given several times.")
  var readers: [String] = []

  func run() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("rheo-fuzz-\(getpid())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var failures = 0
    for reader in try FuzzedReader.all(folder: folder) where readers.isEmpty || readers.contains(reader.name) {
      let outcome = try reader.run(count: count, seed: seed)
      failures += outcome.violations.count
      print(outcome.line)
      fflush(nil)
      for violation in outcome.violations.prefix(5) { print("  \(violation)") }
    }
    if failures > 0 { throw ExitCode.failure }
  }
}
