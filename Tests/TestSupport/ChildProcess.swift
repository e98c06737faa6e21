// Programs as children of a test: their exit status, what they print, and how much memory they used.

import Foundation

/// A running program. Its output goes to files, so that no pipe can fill up or stay open.
public final class ChildProcess {
  public struct Result: Sendable {
    /// The exit status, or the negative number of the signal that ended the program.
    public var status: Int32
    public var output: Data
    public var errors: String
    /// The most memory that was resident at once, in KiB, as last seen while it ran.
    public var peakMemory: Int

    /// The lines of standard error that are not empty.
    public var errorLines: [String] { errors.split(whereSeparator: \.isNewline).map(String.init) }
    public var text: String { String(decoding: output, as: UTF8.self) }
  }

  public struct LaunchFailure: Error, CustomStringConvertible {
    public var description: String
  }

  private let process: pid_t
  private let folder: URL
  private var peakMemory = 0

  /// - Parameters:
  ///   - input: What standard input reads; nil: nothing.
  ///   - output: Where standard output goes; nil: into the result.
  ///   - environment: Added to the test's own.
  public init(
    _ program: String, _ arguments: [String], input: String? = nil, output: String? = nil,
    environment: [String: String] = [:]
  ) throws {
    folder = try makeTemporaryFolder()
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    let created = O_WRONLY | O_CREAT | O_TRUNC
    posix_spawn_file_actions_addopen(&actions, 0, input ?? "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, output ?? folder.appendingPathComponent("1").path, created, 0o600)
    posix_spawn_file_actions_addopen(&actions, 2, folder.appendingPathComponent("2").path, created, 0o600)
    // A script that another test is writing at this moment could not be run as long as this program had it open.
    for descriptor in 3..<Int32(256) { posix_spawn_file_actions_addclose(&actions, descriptor) }
    var variables = ProcessInfo.processInfo.environment
    variables.merge(environment) { _, new in new }
    var argumentList = ([program] + arguments).map { strdup($0) } + [nil]
    var variableList = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in argumentList + variableList { free(text) } }
    var process: pid_t = 0
    let status = posix_spawnp(&process, program, &actions, nil, &argumentList, &variableList)
    self.process = process
    guard status == 0 else {
      try FileManager.default.removeItem(at: folder)
      throw LaunchFailure(description: "\(program): \(String(cString: strerror(status)))")
    }
  }

  /// Runs a program to its end.
  public static func run(
    _ program: String, _ arguments: [String], input: String? = nil, output: String? = nil,
    environment: [String: String] = [:], seconds: Double = 90
  ) throws -> Result {
    try ChildProcess(program, arguments, input: input, output: output, environment: environment)
      .wait(seconds: seconds)
  }

  public func send(_ signal: Int32) { kill(process, signal) }

  /// The text that the process has printed on standard error so far.
  public var errorsSoFar: String {
    (try? String(contentsOf: folder.appendingPathComponent("2"), encoding: .utf8)) ?? ""
  }

  /// Waits for the end; ends the program by force after `seconds`, with the status −9.
  public func wait(seconds: Double = 90) throws -> Result {
    let deadline = ContinuousClock.now + .seconds(seconds)
    var status: Int32 = 0
    while waitpid(process, &status, WNOHANG) == 0 {
      peakMemory = max(peakMemory, residentPeak())
      if ContinuousClock.now > deadline { kill(process, SIGKILL) }
      usleep(2000)
    }
    return try result(status)
  }

  /// Returns the result once the program has ended; nil before.
  public func result() throws -> Result? {
    var status: Int32 = 0
    if waitpid(process, &status, WNOHANG) == 0 {
      peakMemory = max(peakMemory, residentPeak())
      return nil
    }
    return try result(status)
  }

  private func result(_ status: Int32) throws -> Result {
    let signal = status & 0x7F
    let output = folder.appendingPathComponent("1")
    let result = Result(
      status: signal == 0 ? status >> 8 & 0xFF : -signal,
      output: FileManager.default.fileExists(atPath: output.path) ? try Data(contentsOf: output) : Data(),
      errors: errorsSoFar, peakMemory: peakMemory)
    try FileManager.default.removeItem(at: folder)
    return result
  }

  /// The high-water mark of the program's own memory. What `wait4` reports would count the parent's, too.
  private func residentPeak() -> Int {
    guard let text = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8),
      let line = text.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") })
    else { return 0 }
    return line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0
  }
}

extension ChildProcess {
  /// Returns whether a program can be run at all, which is found out with `option`. Otherwise it tells what is skipped.
  public static func isInstalled(_ name: String, _ option: String) -> Bool {
    let isThere = (try? run(name, [option]))?.status == 0
    if !isThere { print("SKIPPED: whatever needs \(name), which is not installed") }
    return isThere
  }
}
