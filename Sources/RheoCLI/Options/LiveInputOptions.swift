import ArgumentParser
import Foundation
import Rheo

/// The options for streams, cameras and pipes as inputs.
struct LiveInputOptions: ParsableArguments {
  /// A time in seconds, or a word for one.
  struct ReconnectionTime: ExpressibleByArgument {
    let seconds: Double

    init?(argument: String) {
      switch argument {
      case "never": seconds = 0
      case "always": seconds = .infinity
      default:
        guard let value = Double(argument), LiveOptions.secondsRange.contains(value) else { return nil }
        seconds = value
      }
    }

    static var allValueStrings: [String] { ["never", "always"] }
    var defaultValueDescription: String { "\(Int(seconds))" }
    init(seconds: Double) { self.seconds = seconds }
  }

  static let discussion = """
    A live input is an address such as rtsp://…, udp://…, http://… without a length, or a camera (/dev/video0). What \
    the analysis has no time for is left out, the oldest first, and counted; a stream that breaks off is connected to \
    again, and its time goes on with the wall clock. The report says "live": received and dropped frames, \
    reconnections, latency.
    """

  @Option(
    help: ArgumentHelp(
      "How long a stream that broke off is tried again, with pauses of 0.5 s to 30 s: seconds, never or always.",
      valueName: "seconds"))
  var reconnect = ReconnectionTime(seconds: LiveOptions().reconnectionTime)

  @Option(help: ArgumentHelp("A stream that sends nothing for so long has broken off.", valueName: "seconds"))
  var patience = LiveOptions().patience

  @Flag(help: "Treat pipes and files as live: leave out what the analysis has no time for.")
  var live = false

  @Option(
    help: ArgumentHelp(
      "Analyse smaller frames where a frame takes longer than this (not reproducible).", valueName: "ms"))
  var deadline: Double?

  @Option(help: ArgumentHelp("FFmpeg's name of the input's format, such as v4l2.", valueName: "name"))
  var inputFormat: String?

  @Option(
    help: ArgumentHelp(
      "Options of FFmpeg's protocol and format: rtsp_transport=udp, video_size=640x480.", valueName: "key=value:…"))
  var inputOptions: KeyValueList?

  func validate() throws {
    if let deadline, !(deadline > 0) { throw ValidationError("--deadline is more than 0 ms, not \(deadline)") }
    guard patience > 0, LiveOptions.secondsRange.contains(patience) else {
      throw ValidationError("--patience is more than 0 and up to 86400 s, not \(patience)")
    }
  }

  /// Lets a detection read its input so.
  func apply(to detection: inout Detection, _ console: Console) {
    detection.live.reconnectionTime = reconnect.seconds
    detection.live.patience = patience
    if live { detection.live.isLive = true }
    detection.deadline = deadline.map { $0 / 1000 }
    detection.reading.format = inputFormat
    detection.reading.inputOptions = (inputOptions?.pairs ?? []).map { InputOption(key: $0.key, value: $0.value) }
    let input = MediaAddress(detection.input)
    detection.onLiveUpdate = { console.tell($0, of: input) }
  }
}

extension Console {
  /// Tells users the progress of a live input.
  func tell(_ update: LiveUpdate, of input: MediaAddress) {
    switch update {
    case .connection(.lost(let frames, let reason)):
      note("\(input): the stream broke off after \(frames) frames (\(reason)); connecting again")
    case .connection(.failed(let reason, let seconds)):
      detail("\(reason); next attempt in \(seconds) s")
    case .connection(.restored(let missing)):
      note("\(input)" + String(format: ": connected again, %.1f s are missing", missing))
    case .connection(.givenUp(let seconds)):
      let text = ": the stream did not come back within %.1f s; what was found so far is reported"
      note("\(input)" + String(format: text, seconds))
    case .status(let status): detail("\(input): \(status.line)")
    case .reduced(let side, let milliseconds):
      let text = ": frames take %.1f ms; analysing %d pixels wide from now on"
      note("\(input)" + String(format: text, milliseconds, side))
    }
  }
}

extension LiveStatus {
  /// The status as a line for people.
  var line: String {
    String(
      format: "%d frames, %d dropped, latency %.0f ms, at most %.0f ms", received, dropped, 1000 * meanLatency,
      1000 * maximumLatency)
  }
}
