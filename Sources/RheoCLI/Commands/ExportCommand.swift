import ArgumentParser
import Rheo

struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Writes the flow of every pair of a video's frames as files.",
    discussion: """
      The output is a folder of frame_000001.flo … (--format) with manifest.json: times of both frames, size, method \
      and parameters, a check sum for each file. Or, if its name ends in .npy, one array of shape (pairs, height, \
      width, 2), with NAME.manifest.json beside it; numpy.load(…, mmap_mode="r") opens it without reading it.

      --direction both writes backward_000001.flo … too, --confidence confidence_000001.pfm … (.npy beside .npy): how \
      well the opposite flow confirms each vector, 0…1.

      An export that was interrupted, or whose program was killed, goes on with --resume and the same options; the \
      result is the same. Pairs that are there are checked first.

      --summary FILE.csv is a table of the motion, with or without --output: a line for each pair, or with \
      --summary-interval for each second, say: mean vector, percentiles of length, the share that moves by a pixel and \
      more and where to, and how the camera moved.

      --shard 3/40 exports the third of 40 parts, on any machine; rheo merge makes of all parts what one run makes.

      Example: rheo export Samples/clip.mp4 --output clip-flow --format kitti
      """)

  @Argument(help: "Any video that FFmpeg opens, or -.")
  var input: String

  @Option(name: .shortAndLong, help: ArgumentHelp("The folder, or the .npy file, to write.", valueName: "path"))
  var output: String?

  @Option(help: SummaryOptions.help)
  var summary: String?

  @Option(help: "The kind of the files. pictures are pairs of 8-bit PNG. (default: flo; of a .npy file npy)")
  var format: FlowFormat?

  @Flag(help: "Write the confidence of each vector too, and its mean; takes the flow in both directions.")
  var confidence = false

  @Option(help: CellSizeArgument.help)
  var grid: CellSizeArgument?

  @Flag(help: "Go on with an export that was interrupted.")
  var resume = false

  @Option(help: ShardArgument.help)
  var shard: ShardArgument?

  @OptionGroup var summaryOptions: SummaryOptions
  @OptionGroup(title: "Flow file") var file: FlowFileOptions
  @OptionGroup(title: "Range") var range: RangeOptions
  @OptionGroup(title: "Input") var inputOptions: InputOptions
  @OptionGroup(title: "Flow") var flow: FlowOptions
  @OptionGroup(title: "Flow") var compensation: CompensationOption
  @OptionGroup(title: "Flow") var directionOption: DirectionOption
  @OptionGroup(title: "General") var common: CommonOptions

  private var target: ExportTarget? { output.map { ExportTarget($0, format: format) } }

  func validate() throws {
    guard output != nil || summary != nil else { throw ValidationError("name what to write: --output, or --summary") }
    if resume, common.overwrite {
      throw ValidationError("--resume keeps what is there, --overwrite deletes it: one of them")
    }
    if summary != nil, resume || shard != nil {
      throw ValidationError("--summary is made in one run, without --resume and --shard")
    }
    if output == nil, format != nil || grid != nil || resume || shard != nil || file.half || file.bound != nil {
      throw ValidationError("a table alone has no flow files: these options need --output")
    }
    try target?.validate(file, option: "--format")
    if shard != nil, flow.warmStart {
      throw ValidationError("--warm-start lets each flow depend on all before: it cannot be cut into shards")
    }
  }

  func run() throws {
    keepFreedMemory()
    OutputFile.protect([input])
    let console = Console(common)
    let request = try flow.request(direction: directionOption.direction)
    let reading = inputOptions.readerOptions(range, common)
    let export = target.map { target in
      var export = FlowExport(
        input: input, output: target.path, layout: target.layout, format: target.format, reading: reading,
        flow: request, compensation: compensation.model, writing: file.writing(common),
        includesConfidence: confidence, shard: shard?.shard,
        existing: resume ? .resume : common.overwrite ? .replace : .refuse, parallelism: common.parallelism)
      export.cellSize = grid?.side
      return export
    }
    let table = summary.map { path in
      FlowTable(
        input: input, output: path, reading: reading, flow: request, compensation: compensation.model,
        includesConfidence: confidence, interval: summaryOptions.summaryInterval, overwrites: common.overwrite,
        parallelism: common.parallelism)
    }
    let report = try reportingProgress(common, console) { interruption, progress in
      // A table and files of one flow are made together.
      guard table != nil else {
        var report = VideoRun.Report()
        report.export = try export?.run(interruption: interruption, progress: progress)
        return report
      }
      var run = VideoRun(input: input, reading: reading)
      (run.export, run.table) = (export, table)
      return try run.run(interruption: interruption, progress: progress)
    }
    try conclude(report, console)
  }

  private func conclude(_ report: VideoRun.Report, _ console: Console) throws {
    let gaps = report.export?.gaps ?? report.table?.gaps ?? []
    list(gaps, console)
    if let report = report.table, let summary { console.note(report, summary) }
    if let report = report.export, let target { console.note(report, target) }
    if report.export?.wasInterrupted == true { console.note("interrupted; --resume goes on") }
    try requireWholeWork(
      gaps: gaps, wasInterrupted: report.export?.wasInterrupted == true || report.table?.wasInterrupted == true)
  }
}
