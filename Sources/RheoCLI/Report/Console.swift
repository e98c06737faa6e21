// The messages on standard error, for people and scripts.

import Foundation
import Rheo

/// Messages on standard error: `rheo: …`, one line each.
struct Console: Sendable {
  private let isQuiet: Bool
  private let isVerbose: Bool

  init(_ options: CommonOptions) {
    isQuiet = options.quiet
    isVerbose = options.verbose && !options.quiet
    if isVerbose { FFmpegLog.send { _, line in writeMessage(line) } }
  }

  func note(_ text: String) { if !isQuiet { writeMessage(text) } }
  func error(_ text: String) { writeMessage(text) }
  func detail(_ text: String) { if isVerbose { writeMessage(text) } }
}

/// Writes one line to standard error under the program's name.
func writeMessage(_ text: String) {
  let text = MediaAddress.masking(in: text).split(whereSeparator: \.isNewline)
  writeToStandardError(ProgressLine.clear + "rheo: \(shown(text.joined(separator: " ")))\n")
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
