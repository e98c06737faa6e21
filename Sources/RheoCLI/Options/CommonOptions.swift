// Groups of options that several commands share. The names are a contract: scripts run against them.

import ArgumentParser
import Rheo

/// The options for output and threads.
struct CommonOptions: ParsableArguments {
  enum ProgressMode: String, CaseIterable, ExpressibleByArgument {
    case auto, json, none
  }

  @Flag(name: [.customShort("y"), .long], help: "Replace an existing output.")
  var overwrite = false

  @Flag(name: .shortAndLong, help: "Print errors only.")
  var quiet = false

  @Flag(name: .shortAndLong, help: "Print FFmpeg's messages too.")
  var verbose = false

  @Option(help: "How progress is shown on standard error: a bar on a terminal, a JSON object a line, or not at all.")
  var progress = ProgressMode.auto

  @Option(help: "Threads to use; 0: all cores. Never changes the result.")
  var threads = 0

  @Option(
    help: ArgumentHelp(
      "Take options from this TOML file, by their names without dashes. The command line goes before the file.",
      valueName: "file"))
  var config: String?

  func validate() throws {
    guard (0...1024).contains(threads) else { throw ValidationError("--threads is 0…1024, not \(threads)") }
  }

  var parallelism: Parallelism { Parallelism(threadCount: threads) }
}

/// The options for the part of a video to use.
struct RangeOptions: ParsableArguments {
  // What follows is the value even with a dash before it: -5 is refused as a time, not taken for an option.
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Begin here: seconds (12.5), a frame (123f) or a time code (00:01:02.5).", valueName: "time"))
  var start: Timestamp?

  @Option(parsing: .unconditional, help: ArgumentHelp("End before this point.", valueName: "time"))
  var end: Timestamp?

  @Option(parsing: .unconditional, help: ArgumentHelp("Use this much.", valueName: "time"))
  var duration: Timestamp?

  @Option(help: ArgumentHelp("Use at most this many frames.", valueName: "n"))
  var frames: Int?

  @Option(help: ArgumentHelp("Use every n-th frame.", valueName: "n"))
  var every = 1

  @Flag(help: "Keep an index of the packets beside the video, from which --start is found at once.")
  var index = false

  func validate() throws {
    guard every >= 1 else { throw ValidationError("--every is 1 or more, not \(every)") }
    if let frames, frames < 1 { throw ValidationError("--frames is 1 or more, not \(frames)") }
  }

  var range: MediaRange {
    var range = MediaRange(start: start?.position, end: end?.position, frameCount: frames, every: every)
    switch duration?.position {
    case .seconds(let seconds): range.duration = seconds
    // A duration in frames counts source frames, of which every n-th is used.
    case .frame(let count): range.frameCount = min(frames ?? .max, (count + every - 1) / every)
    case nil: break
    }
    return range
  }
}

/// A point in a video as users write it.
struct Timestamp: ExpressibleByArgument {
  let position: MediaRange.Position

  init?(argument: String) {
    if argument.hasSuffix("f") {
      guard argument.dropLast().allSatisfy({ "0123456789".contains($0) }), let frame = Int(argument.dropLast())
      else { return nil }
      position = .frame(frame)
      return
    }
    let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
    guard (1...3).contains(parts.count) else { return nil }
    var seconds = 0.0
    for (index, part) in parts.enumerated() {
      // `Double` alone would also take 0x10, 1e3, +5 and nan.
      guard part.allSatisfy({ "0123456789.".contains($0) }), let value = Double(part), index == 0 || value < 60
      else { return nil }
      guard index == parts.count - 1 || value == value.rounded() else { return nil }
      seconds = seconds * 60 + value
    }
    position = .seconds(seconds)
  }
}

/// The options for reading the input.
struct InputOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The stream to use; by default the best video stream.", valueName: "n"))
  var stream: Int?

  @Option(
    help: ArgumentHelp(
      "A libavfilter graph ahead of everything, as after ffmpeg's -vf; movie and others in it read files.",
      valueName: "graph"))
  var filter: String?

  @Option(help: ProtocolList.help)
  var allowProtocols: ProtocolList?

  @Option(
    help: ArgumentHelp(
      "Refuse images of more pixels.", valueName: "n"))
  var maxPixels = VideoReader.Options.standardPixelLimit

  func validate() throws {
    guard maxPixels >= 1 else { throw ValidationError("--max-pixels is 1 or more, not \(maxPixels)") }
  }

  func readerOptions(_ range: RangeOptions, _ common: CommonOptions) -> VideoReader.Options {
    var options = readerOptions(range.range, common)
    options.keepsPacketIndex = range.index
    return options
  }

  func readerOptions(_ range: MediaRange, _ common: CommonOptions) -> VideoReader.Options {
    var options = VideoReader.Options(stream: stream, filter: filter, range: range, threadCount: common.threads)
    options.allowedProtocols = allowProtocols?.names
    options.maximumPixelCount = maxPixels
    return options
  }
}

/// A list of FFmpeg's names of protocols, with commas between them.
struct ProtocolList: ExpressibleByArgument {
  static let help = ArgumentHelp(
    "FFmpeg's protocols that the input may use. (default: file for a file, those of the network for an address)",
    valueName: "file,http,…")

  let names: [String]

  init?(argument: String) {
    names = argument.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    guard names.allSatisfy({ !$0.isEmpty && $0.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) } }) else {
      return nil
    }
  }
}

/// The options for encoding the output.
struct EncodeOptions: ParsableArguments {
  @Option(help: "FFmpeg's name of the encoder. (default: libx264, or what the container takes)")
  var codec: String?

  @Option(help: "Constant quality: smaller is better. (default: 20)")
  var crf: Double?

  @Option(help: "The encoder's speed. (default: veryfast)")
  var preset: String?

  @Option(help: "FFmpeg's name of the pixel format. (default: yuv420p, or the encoder's nearest)")
  var pixelFormat: String?

  @Option(help: ArgumentHelp("More options of the encoder.", valueName: "key=value:…"))
  var encoderOptions: KeyValueList?

  @Flag(help: "Leave the sound out.")
  var noAudio = false

  @Option(help: "FFmpeg's name of the container, when the ending does not tell.")
  var format: String?

  /// The first option that was given and changes how something is encoded; nil: none.
  var firstGiven: String? {
    let given = [
      ("--codec", codec != nil), ("--crf", crf != nil), ("--preset", preset != nil),
      ("--pixel-format", pixelFormat != nil), ("--encoder-options", encoderOptions != nil), ("--format", format != nil),
    ]
    return given.first { $0.1 }?.0
  }

  func encoderOptions(_ common: CommonOptions) -> EncoderOptions {
    EncoderOptions(
      codec: codec, crf: crf, preset: preset, pixelFormat: pixelFormat, encoderOptions: encoderOptions?.pairs ?? [],
      format: format, copiesAudio: !noAudio, overwrites: common.overwrite)
  }
}

/// A list `KEY=VALUE:KEY=VALUE`, in its order.
struct KeyValueList: ExpressibleByArgument {
  let pairs: [(key: String, value: String)]
  let text: String

  init?(argument: String) {
    text = argument
    var pairs: [(key: String, value: String)] = []
    for part in argument.split(separator: ":") {
      guard let equals = part.firstIndex(of: "="), equals != part.startIndex else { return nil }
      pairs.append((String(part[..<equals]), String(part[part.index(after: equals)...])))
    }
    guard !pairs.isEmpty else { return nil }
    self.pairs = pairs
  }
}
