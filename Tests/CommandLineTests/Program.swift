import Foundation
import TestSupport

/// The built `rheo` program, which lies beside the test bundle.
enum Program {
  static let path: String = {
    let bundle = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    return bundle.deletingLastPathComponent().appendingPathComponent("rheo").path
  }()

  static func run(
    _ arguments: [String], input: String? = nil, output: String? = nil, environment: [String: String] = [:]
  ) throws -> ChildProcess.Result {
    try ChildProcess.run(path, arguments, input: input, output: output, environment: environment)
  }

  /// Runs a line of the shell in which `$rheo` is the program and `$1`, `$2` … are `arguments`.
  static func shell(_ line: String, _ arguments: [String] = []) throws -> ChildProcess.Result {
    try ChildProcess.run("/bin/sh", ["-c", line, "sh"] + arguments, environment: ["rheo": path])
  }
}
