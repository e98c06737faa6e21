import Foundation
import TestSupport
import Testing

@Suite struct DamagedFilesTests {
  /// The program is built beside the tests. It does not run inside them: a crash is an exit status there, and its
  /// malloc, which counts, is its own.
  @Test func noReaderCrashesOrAllocatesMuchMoreThanTheFile() throws {
    let bundle = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    let program = bundle.deletingLastPathComponent().appendingPathComponent("FormatFuzz").path
    let count = ProcessInfo.processInfo.environment["RHEO_FUZZ_COUNT"] ?? "100000"
    let result = try ChildProcess.run(program, ["--count", count], seconds: 900)
    #expect(result.status == 0, "\(result.text)\(result.errors)")
    print(result.text)
  }
}
