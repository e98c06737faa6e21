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

      --shard 3/40 draws the third of 40 parts into the folder OUTPUT, on any machine, for the container --format \
      (mp4); rheo merge makes the video of all parts.

      Example: rheo annotate Samples/clip.mp4 flow.mp4 --style arrows --hud
      """)

  @Argument(help: "Any video that FFmpeg opens, or -.")
  var input: String

  @Argument(help: "The video to write, or -; with --shard a folder.")
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

  @Option(help: ShardArgument.help)
  var shard: ShardArgument?

  @Option(
    help: ArgumentHelp(
      "Draw in this many parts, and join them: the video is the one that rheo merge makes of --shard 1/N … N/N.",
      valueName: "n"))
  var shards: Int?

  @Flag(help: "With --shard, keep a shard that is there, if it is complete and of the same work.")
  var resume = false

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
    if resume, shard == nil { throw ValidationError("--resume is for a --shard") }
    guard shard != nil || shards != nil else { return }
    if shard != nil, shards != nil { throw ValidationError("--shard or --shards, not both") }
    if let shards, !(1...Shard.maximumCount).contains(shards) {
      throw ValidationError("--shards is 1…\(Shard.maximumCount), not \(shards)")
    }
    if output == "-" || input == "-" { throw ValidationError("shards are of a file, and make files") }
    if contactSheet != nil { throw ValidationError("--contact-sheet is made in one run, without shards") }
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
    (annotation.shard, annotation.resumes) = (shard?.shard, resume)
    let job = annotation
    let report = try reportingProgress(common, console) { interruption, progress in
      guard let shards else { return try job.run(interruption: interruption, progress: progress) }
      return try ShardedAnnotation(job, count: shards).run(interruption: interruption, progress: progress)
    }
    if report.wasInterrupted, shard != nil || shards != nil {
      console.note("interrupted; nothing was written")
      throw ExitCode.interrupted
    }
    list(report.gaps, console)
    console.note(report, output)
    try requireWholeWork(gaps: report.gaps, wasInterrupted: report.wasInterrupted)
  }
}
