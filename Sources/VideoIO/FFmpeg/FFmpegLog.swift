// FFmpeg reports details only through its log. This keeps the last error line, so that a thrown error can carry
// it, and hands the lines on to whoever wants to print them.

import CFFmpeg
import Foundation
import Synchronization

/// FFmpeg's log: the last error line goes into thrown errors, all warnings and errors go to the sink of ``send(to:)``.
package enum FFmpegLog {
  private struct State {
    var lastError: String?
    var cutOffInputs: Set<UInt> = []
    var sink: (@Sendable (_ isError: Bool, _ line: String) -> Void)?
    var hidden = HiddenValues()
  }

  private static let state = Mutex(State())

  /// Installs the collector, once per process.
  static let install: Void = {
    av_log_set_level(AV_LOG_WARNING)
    av_log_set_callback { context, level, format, arguments in
      guard level <= AV_LOG_WARNING, let format, let arguments else { return }
      FFmpegLog.collect(context, level, format, arguments)
    }
  }()

  /// Sends FFmpeg's warnings and errors to `sink` from now on; nil keeps them silent.
  package static func send(to sink: (@Sendable (_ isError: Bool, _ line: String) -> Void)?) {
    install
    state.withLock { $0.sink = sink }
  }

  /// Leaves values of options out of all lines from now on.
  static func hide(_ values: [String]) { state.withLock { $0.hidden.insert(values) } }

  /// Sends a line of this module's own to the sink.
  static func note(_ line: String) { state.withLock(\.sink)?(false, line) }

  /// FFmpeg's words for a format or a protocol that is not among those that ``InputAccess`` lists.
  static let refusal = "not on whitelist"

  /// The last error line since the last call, or the first that tells of a refusal; without its line end.
  static func takeLastError() -> String? {
    state.withLock { state in
      defer { state.lastError = nil }
      return state.lastError
    }
  }

  /// Returns whether an input's demuxer has complained, since the last call, that its file ends too early. Matroska's
  /// demuxer says so in the log alone.
  static func takeCutOff(_ input: UnsafeMutableRawPointer) -> Bool {
    let address = UInt(bitPattern: input)
    return state.withLock { $0.cutOffInputs.remove(address) != nil }
  }

  private static func collect(
    _ context: UnsafeMutableRawPointer?, _ level: Int32, _ format: UnsafePointer<CChar>, _ arguments: CVaListPointer
  ) {
    var buffer = [CChar](repeating: 0, count: 1024)
    var printPrefix: Int32 = 1
    av_log_format_line(context, level, format, arguments, &buffer, Int32(buffer.count), &printPrefix)
    var line = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    while let last = line.last, last.isWhitespace { line.removeLast() }
    line = MediaAddress.masking(in: state.withLock(\.hidden).masking(withoutContext(line)))
    // The list of all formats follows.
    if let name = line.firstRange(of: "Format " + refusal) { line = String(line[..<name.upperBound]) }
    guard !line.isEmpty else { return }
    let address = context.map { UInt(bitPattern: $0) }
    let sink = state.withLock { state in
      // What follows from a refusal is the smaller news.
      if level <= AV_LOG_ERROR, state.lastError?.contains(Self.refusal) != true { state.lastError = line }
      if let address, line.contains("ended prematurely") { state.cutOffInputs.insert(address) }
      return state.sink
    }
    sink?(level <= AV_LOG_ERROR, line)
  }

  /// `[h264 @ 0x55d0c0] text` without the address, which differs from run to run.
  private static func withoutContext(_ line: String) -> String {
    guard line.hasPrefix("["), let at = line.range(of: " @ 0x"), let end = line[at.upperBound...].firstIndex(of: "]")
    else { return line }
    return String(line[..<at.lowerBound]) + String(line[end...])
  }
}
