// Damaged flow files by the hundred thousand: no reader may crash, nor take much more memory than the file is long.
// A program of its own, so that a crash is an exit status and the memory of the process is that of the readers.

import ArgumentParser
import FlowFormats
import Foundation

// glibc reads its settings as a program begins. With these, requests from 64 KiB on are mapped one by one and returned
// when freed, so that free memory in the heap conceals none of them.
if getenv("GLIBC_TUNABLES") == nil {
  setenv("GLIBC_TUNABLES", "glibc.malloc.mmap_threshold=65536:glibc.malloc.arena_max=1", 1)
  execv("/proc/self/exe", CommandLine.unsafeArgv)
  perror("the program cannot be started anew")
  exit(EXIT_FAILURE)
}
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
