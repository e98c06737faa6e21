// The messages on standard error, for people and scripts.

import Foundation
import Logging
import Rheo

/// Messages on standard error: `rheo: …`, one line each.
struct Console: Sendable {
  let logger: Logger
  private let isQuiet: Bool

  init(_ options: CommonOptions) {
    isQuiet = options.quiet
    var logger = Logger(label: "rheo") { _ in ConsoleLogHandler() }
    logger.logLevel = options.quiet ? .error : options.verbose ? .debug : .notice
    self.logger = logger
    if options.verbose {
      FFmpegLog.send { [logger] isError, line in
        logger.log(level: isError ? .warning : .info, "\(line)")
      }
    }
  }

  func note(_ text: String) { logger.notice("\(text)") }
  func error(_ text: String) { logger.error("\(text)") }
  func detail(_ text: String) { logger.info("\(text)") }
}

/// Writes log lines to standard error under the program's name.
struct ConsoleLogHandler: LogHandler {
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.notice

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let text = MediaAddress.masking(in: event.message.description).split(whereSeparator: \.isNewline)
    writeToStandardError(ProgressLine.clear + "rheo: \(shown(text.joined(separator: " ")))\n")
  }
}

/// Writes to standard error as far as that works: messages that nobody can read are no reason to end.
func writeToStandardError(_ text: String) {
  var rest = Array(text.utf8)[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    if count < 0, errno == EINTR { continue }
    guard count > 0 else { return }
    rest = rest.dropFirst(count)
  }
}

/// Sees to it that the three standard descriptors are taken, so that no output gets one of them and messages end up in
/// it. Standard output, where it was closed, stays one that cannot be written to.
func claimStandardDescriptors() {
  for (descriptor, flags) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_WRONLY)]
  where fcntl(descriptor, F_GETFD) < 0 {
    // The lowest free number is taken: all below are by now.
    _ = open("/dev/null", flags)
  }
}
