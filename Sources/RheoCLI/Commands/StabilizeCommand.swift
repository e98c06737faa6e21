import ArgumentParser
import Foundation
import Rheo

struct StabilizeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stabilize",
    abstract: "Steadies a shaken video.",
    discussion: """
      Registers each frame with the one before and replaces the camera's path by one of parts that rest, move steadily \
      or speed up steadily; where the camera only shakes, the image stands still. Cuts and gaps begin a new path. \
      Writes as many frames as the input has, each with its own time; sound, subtitles and chapters are copied. With \
      --zoom auto a file is read twice, since the zoom follows from the whole path (at most 1.25); a pipe is read \
      once, at a zoom of 1.1. "-" reads standard input or writes standard output (--format).

      --transforms keeps the camera's motions: .json holds them exactly (warpTransform: pixels of a frame to pixels of \
      the frame before), .trf is vid.stab's text format, which holds fields that moved by whole pixels: made from the \
      motion when written, fitted when read, without times and cuts.

      Example: rheo stabilize Samples/clip.mp4 steady.mp4 --smoothing 4 --border black
      """)

  @Argument(help: "Any video that FFmpeg opens, or -.")
  var input: String

  @Argument(help: "The video to write, or -.")
  var output: String

  @Option(
    help: ArgumentHelp("Even the path out over this much, 0…20; half of it is the look-ahead.", valueName: "seconds"))
  var smoothing = 3.0

  @Flag(help: "Let the image stand still wherever the borders allow it: each frame is aligned with the first one.")
  var tripod = false

  @Option(help: "The motions to follow: translation, euclidean, affine or homography.")
  var model = RegisterCommand.ModelChoice.euclidean

  @Option(
    help: """
      Beyond the image's borders: crop (they never show: the path keeps within the zoom), black, or replicate (the \
      nearest pixels).
      """)
  var border = BorderChoice.crop

  @Option(
    help: ArgumentHelp(
      """
      Enlarge by this factor, 1…4, or auto: just enough for 95 of 100 frames; the others are moved less, so that no \
      border shows. (default: auto with crop, else 1)
      """,
      valueName: "auto|n"))
  var zoom: ZoomChoice?

  @Option(help: "How the moved image is sampled: bicubic keeps details, bilinear is softer.")
  var interpolation = InterpolationChoice.bicubic

  @Option(
    help: ArgumentHelp(
      "The camera's motions as .json or .trf: read if the file exists, else written.", valueName: "file"))
  var transforms: String?

  @OptionGroup(title: "Range") var range: RangeOptions
  @OptionGroup(title: "Input") var inputOptions: InputOptions
  @OptionGroup(title: "Encoding") var encode: EncodeOptions
  @OptionGroup(title: "General") var common: CommonOptions

  enum BorderChoice: String, CaseIterable, ExpressibleByArgument {
    case crop, black, replicate

    var border: Stabilization.Border {
      switch self {
      case .crop: .crop
      case .black: .black
      case .replicate: .replicate
      }
    }
  }

  enum InterpolationChoice: String, CaseIterable, ExpressibleByArgument {
    case bicubic, bilinear

    var interpolation: Interpolation {
      switch self {
      case .bicubic: .bicubic
      case .bilinear: .bilinear
      }
    }
  }

  struct ZoomChoice: ExpressibleByArgument {
    let zoom: Stabilization.Zoom

    init?(argument: String) {
      if argument == "auto" {
        zoom = .auto
        return
      }
      guard argument.allSatisfy({ "0123456789.".contains($0) }), let factor = Double(argument),
        PathSmoothing.zoomRange.contains(factor)
      else { return nil }
      zoom = .factor(factor)
    }
  }

  func validate() throws {
    guard PathSmoothing.windowRange.contains(smoothing) else {
      throw ValidationError("--smoothing is 0…20 seconds, not \(smoothing)")
    }
    if let transforms, ![".json", ".trf"].contains(where: { transforms.lowercased().hasSuffix($0) }) {
      throw ValidationError("--transforms is a .json or .trf file, not '\(transforms)'")
    }
  }

  func run() throws {
    OutputFile.protect([input])
    let console = Console(common)
    let stabilization = Stabilization(
      input: input, output: output, reading: inputOptions.readerOptions(range, common), model: model.model,
      smoothing: smoothing, isFixedView: tripod, border: border.border, zoom: zoom?.zoom,
      interpolation: interpolation.interpolation, transforms: transforms,
      encoding: encode.encoderOptions(common), parallelism: common.parallelism)
    let report = try reportingProgress(common, console) { interruption, progress in
      try stabilization.run(interruption: interruption, progress: progress)
    }
    for note in report.notes { console.note(note) }
    list(report.gaps, console)
    console.note(summary(report))
    try requireWholeWork(gaps: report.gaps, wasInterrupted: report.wasInterrupted)
  }

  private func summary(_ report: Stabilization.Report) -> String {
    let total = report.stageSeconds.values.reduce(0, +)
    let shares = PipelineStage.allCases.map { stage in
      "\(stage.rawValue) \(Int((100 * (report.stageSeconds[stage] ?? 0) / max(total, 1e-9)).rounded())) %"
    }
    var text = "\(output): \(counted(report.frames, "frame")) in \(String(format: "%.2f", report.seconds)) s, "
    text += "\(String(format: "%.1f", report.framesPerSecond)) fps; zoom \(String(format: "%.4f", report.zoom))"
    if report.cuts > 0 { text += ", cuts \(report.cuts)" }
    if report.timeGaps > 0 { text += ", gaps \(report.timeGaps)" }
    return text + "; " + shares.joined(separator: ", ")
  }
}
