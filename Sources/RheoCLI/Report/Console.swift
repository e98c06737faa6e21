// What people and scripts see on standard error.

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
    let text = event.message.description.split(whereSeparator: \.isNewline).joined(separator: " ")
    writeToStandardError(ProgressLine.clear + "rheo: \(text)\n")
  }
}

func writeToStandardError(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
