import ArgumentParser
import Foundation
import Rheo

struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Annotates, exports, measures and watches a video in one pass.",
    discussion: """
      The video is decoded once, and the flow between its frames is computed once where two outputs ask for the same. \
      Each output has the bytes that its own command gives with the same options: rheo annotate, rheo export, rheo \
      export --summary, rheo detect --report. If one of them fails, all do.

      Example: rheo run Samples/clip.mp4 --annotate a.mp4 --export flow.npy --summary s.csv --detect events.html
      """)

  @Argument(help: "Any video that FFmpeg opens, or -.")
  var input: String

  @Option(help: ArgumentHelp("Write the video with its motion drawn over it.", valueName: "video"))
  var annotate: String?

  @Option(help: ArgumentHelp("Write the flow: a folder, or a .npy file.", valueName: "path"))
  var export: String?

  @Option(
    help: ArgumentHelp("Write the events: .json, .csv, .html, or a folder. May be repeated.", valueName: "path"))
  var detect: [String] = []

  @Option(help: SummaryOptions.help)
  var summary: String?

  @Option(help: "The kind of the exported files. (default: flo; of a .npy file npy)")
  var exportFormat: FlowFormat?

  @Option(help: CellSizeArgument.help)
  var grid: CellSizeArgument?

  @Flag(help: "Export and summarise the confidence of each vector too; takes the flow in both directions.")
  var confidence = false

  @OptionGroup var summaryOptions: SummaryOptions
  @OptionGroup(title: "Flow file") var file: FlowFileOptions
  @OptionGroup var zones: ZoneOptions
  @OptionGroup(title: "Events") var events: EventOptions
  @OptionGroup(title: "Range") var range: RangeOptions
  @OptionGroup(title: "Input") var inputOptions: InputOptions
  @OptionGroup(title: "Flow") var flow: FlowOptions
  @OptionGroup(title: "Flow") var compensation: CompensationOption
  @OptionGroup(title: "Drawing") var render: RenderOptions
  @OptionGroup(title: "Drawing") var caption: CaptionOptions
  @OptionGroup(title: "Encoding") var encode: EncodeOptions
  @OptionGroup(title: "General") var common: CommonOptions

  private var target: ExportTarget? { export.map { ExportTarget($0, format: exportFormat) } }

  func validate() throws {
    guard annotate != nil || export != nil || summary != nil || !detect.isEmpty else {
      throw ValidationError("name what to write: --annotate, --export, --summary, --detect")
    }
    if export == nil, exportFormat != nil || grid != nil || file.half || file.bound != nil {
      throw ValidationError("--export-format, --grid, --half and --bound go with --export")
    }
    try target?.validate(file, option: "--export-format")
    let outputs = [annotate, export, summary].compactMap(\.self) + detect
    if outputs.count(where: { $0 == "-" }) > 1 { throw ValidationError("standard output is for one output") }
    if let twice = outputs.first(where: { output in outputs.count { $0 == output } > 1 }) {
      throw ValidationError("'\(twice)' is named twice; each output has a name of its own")
    }
  }

  func run() throws {
    keepFreedMemory()
    zones.protect()
    OutputFile.protect([input])
    let console = Console(common)
    let report = try reportingProgress(common, console) { interruption, progress in
      let set = try zones.zoneSet()
      var run = try videoRun()
      guard !detect.isEmpty else { return try run.run(interruption: interruption, progress: progress) }
      let reports = try ReportFiles(detect, inputs: [input], overwrite: common.overwrite)
      let detection = detection(set, for: reports)
      run.detection = detection
      var notes = ReportNotes(store: ReportStore(), keepsEvents: reports.needBoxes)
      let report = try run.run(interruption: interruption, progress: progress) { try notes.note($0) }
      if let detected = report.detection {
        try reports.write(
          [SearchedInput(outcome: DetectionOutcome(detected), notes: notes)],
          ReportFiles.Settings(events.parameters, detection.compensation, set))
      }
      return report
    }
    try conclude(report, console)
  }

  /// Returns the jobs that need no report.
  private func videoRun() throws -> VideoRun {
    let reading = inputOptions.readerOptions(range, common)
    let request = try flow.request()
    var run = VideoRun(input: input, reading: reading)
    run.annotation = annotate.map { path in
      var rendering = render.options()
      (rendering.hud, rendering.trails) = (caption.hud, caption.trails)
      return Annotation(
        input: input, output: path, reading: reading, flow: request, compensation: compensation.model,
        rendering: rendering, encoding: encode.encoderOptions(common), parallelism: common.parallelism)
    }
    run.export = target.map { target in
      var export = FlowExport(
        input: input, output: target.path, layout: target.layout, format: target.format, reading: reading,
        flow: request, compensation: compensation.model, writing: file.writing(common),
        includesConfidence: confidence, existing: common.overwrite ? .replace : .refuse,
        parallelism: common.parallelism)
      export.cellSize = grid?.side
      return export
    }
    run.table = summary.map { path in
      FlowTable(
        input: input, output: path, reading: reading, flow: request, compensation: compensation.model,
        includesConfidence: confidence, interval: summaryOptions.summaryInterval, overwrites: common.overwrite,
        parallelism: common.parallelism)
    }
    return run
  }

  private func detection(_ zones: ZoneSet, for reports: ReportFiles) -> Detection {
    var detection = Detection(input: input, zones: zones, events: events.parameters, parallelism: common.parallelism)
    detection.outputs.stem = EventOutputs.stems(of: [input])[0]
    detection.outputs.tellsPeaks = reports.needImages
    detection.outputs.tellsHeatMap = reports.needImages
    detection.retention = reports.isEmpty ? .figures : .summaries
    return detection
  }

  private func conclude(_ report: VideoRun.Report, _ console: Console) throws {
    let gaps =
      [report.annotation?.gaps, report.export?.gaps, report.table?.gaps, report.detection?.gaps]
      .compactMap(\.self).first ?? []
    list(gaps, console)
    if let report = report.annotation, let annotate { console.note(report, annotate) }
    if let report = report.export, let target { console.note(report, target) }
    if let report = report.table, let summary { console.note(report, summary) }
    if let report = report.detection { console.note(report) }
    let interruptions = [
      report.annotation?.wasInterrupted, report.export?.wasInterrupted, report.table?.wasInterrupted,
      report.detection?.wasInterrupted,
    ]
    try requireWholeWork(gaps: gaps, wasInterrupted: interruptions.contains(true))
  }
}
