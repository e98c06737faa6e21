import ArgumentParser
import Foundation
import Rheo

struct AnnotateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "annotate",
    abstract: "Draws the motion of a video over it.",
    discussion: """
      Writes as many frames as the input has, each with its own time; frame t shows the motion from t to t + 1. \
      Sound, subtitles and chapters are copied. "-" reads standard input or writes standard output (--format).

      Example: rheo annotate Samples/clip.mp4 flow.mp4 --style arrows --hud
      """)

  @Argument(help: "Any video that FFmpeg opens, or -.")
  var input: String

  @Argument(help: "The video to write, or -.")
  var output: String

  @Option(
    help: ArgumentHelp(
      "Filters for the frames that are analysed, as after ffmpeg's -vf; what is drawn on stays as it is.",
      valueName: "graph"))
  var analysisFilter: String?

  @Option(
    help: ArgumentHelp("A .png to write with moments of the output, evenly spread over it.", valueName: "image"))
  var contactSheet: String?

  @Option(help: ArgumentHelp("How many moments are on the contact sheet, 1…100.", valueName: "n"))
  var moments = 9

  @OptionGroup(title: "Range") var range: RangeOptions
  @OptionGroup(title: "Input") var inputOptions: InputOptions
  @OptionGroup(title: "Flow") var flow: FlowOptions
  @OptionGroup(title: "Flow") var compensation: CompensationOption
  @OptionGroup(title: "Drawing") var render: RenderOptions
  @OptionGroup(title: "Drawing") var caption: CaptionOptions
  @OptionGroup(title: "Encoding") var encode: EncodeOptions
  @OptionGroup(title: "General") var common: CommonOptions

  func validate() throws {
    if let contactSheet, !contactSheet.lowercased().hasSuffix(".png") {
      throw ValidationError("'\(contactSheet)': images are written as .png")
    }
    guard (1...100).contains(moments) else { throw ValidationError("\(moments) moments; a sheet has 1…100") }
  }

  func run() throws {
    OutputFile.protect([input])
    let console = Console(common)
    var rendering = render.options()
    (rendering.hud, rendering.trails) = (caption.hud, caption.trails)
    var annotation = Annotation(
      input: input, output: output, reading: inputOptions.readerOptions(range, common), flow: try flow.request(),
      compensation: compensation.model, rendering: rendering, encoding: encode.encoderOptions(common),
      parallelism: common.parallelism)
    annotation.analysisFilter = analysisFilter
    (annotation.contactSheet, annotation.momentCount) = (contactSheet, moments)
    let job = annotation
    let report = try reportingProgress(common, console) { interruption, progress in
      try job.run(interruption: interruption, progress: progress)
    }
    list(report.gaps, console)
    console.note(report, output)
    try requireWholeWork(gaps: report.gaps, wasInterrupted: report.wasInterrupted)
  }
}
