// Programs that are run when something happens.

import Foundation
import Rheo

/// Runs a program to its end. Its standard input is empty; what it prints goes to standard error, since standard output
/// holds the command's own data.
enum CommandRun {
  /// The reason why a program did not do what it should.
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  /// Seconds between looks at a program that runs.
  private static let pause: UInt32 = 5000
  /// The time that a program has to end when it is asked to, in seconds.
  private static let grace = 1.0

  /// - Parameters:
  ///   - arguments: The program, looked up in `PATH`, and its arguments.
  ///   - seconds: After this, and when the interruption is set, it is ended together with what it started.
  /// - Throws: ``Failure`` when it cannot be started, takes too long or ends with another status than 0.
  static func run(_ arguments: [String], seconds: Double, _ interruption: Interruption) throws {
    let process = try start(arguments)
    let deadline = ContinuousClock.now + .seconds(seconds)
    var status: Int32 = 0
    var endedAt: ContinuousClock.Instant?
    while true {
      let result = waitpid(process, &status, WNOHANG)
      if result == process { break }
      guard result == 0 || errno == EINTR else { throw Failure(description: String(cString: strerror(errno))) }
      if let endedAt, ContinuousClock.now - endedAt > .seconds(grace) {
        kill(-process, SIGKILL)
      } else if endedAt == nil, interruption.isSet || ContinuousClock.now > deadline {
        endedAt = .now
        kill(-process, SIGTERM)
      }
      usleep(pause)
    }
    if endedAt != nil {
      throw Failure(description: "was ended: commands may take \(JSONText.number(seconds).line) s (--reaction-limit)")
    }
    let signal = status & 0x7F
    guard signal == 0 else { throw Failure(description: "was ended by signal \(signal)") }
    let code = status >> 8 & 0xFF
    guard code == 0 else { throw Failure(description: "failed with status \(code)") }
  }

  /// Starts a program in a process group of its own, so that the terminal's Ctrl-C does not reach it.
  private static func start(_ arguments: [String]) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // What this program ignores or blocks is no business of its children.
    var (all, none) = (sigset_t(), sigset_t())
    sigfillset(&all)
    sigemptyset(&none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
    var words = arguments.map { strdup($0) } + [nil]
    var variables = ProcessInfo.processInfo.environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in words + variables { free(text) } }
    var process: pid_t = 0
    let status = posix_spawnp(&process, arguments[0], &actions, &attributes, &words, &variables)
    guard status == 0 else { throw Failure(description: "cannot be started: \(String(cString: strerror(status)))") }
    return process
  }
}
