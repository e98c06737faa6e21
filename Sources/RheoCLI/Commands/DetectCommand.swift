import ArgumentParser
import Foundation
import Rheo

struct DetectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "detect",
    abstract: "Finds the events of motion in videos.",
    discussion: """
      An event is a time in which something travels: light that changes, branches that wave, noise and a shaking camera \
      make none. Changes of light, motion of the camera and cuts are listed as suppressed. The score is the travelling \
      area in percent of the picture.

      --zones names polygons: {"zones": [{"name": "door", "polygon": [[0.1, 0.2], [0.4, 0.2], [0.4, 0.9]]}]}; also "units" \
      (normalized, pixels), "mode" (include, exclude, privacy), "threshold", "minimumArea", "maximumArea", "directions".

      --statistics keeps what was measured in each frame; --from-statistics finds events in that, with other thresholds and \
      times, without the video.

      Exit status 3 with --fail-without-motion: there is no event.

      Example: rheo detect garden.mp4 --report events.json --zones zones.json
      """)

  @Argument(help: "Videos that FFmpeg opens, or -, one after the other.")
  var inputs: [String] = []

  @Option(help: ArgumentHelp("Write the events here: .csv, else JSON; - for standard output.", valueName: "file"))
  var report: String?

  @Flag(help: "Print each event as a JSON object on a line, as it ends.")
  var jsonLines = false

  @Flag(help: "With --json-lines: print each frame too.")
  var framesToo = false

  @Flag(help: "End with status 3 when there is no event.")
  var failWithoutMotion = false

  @Option(help: ArgumentHelp("Write the measurements of all frames (CSV).", valueName: "file"))
  var statistics: String?

  @Option(help: ArgumentHelp("Find events in these measurements, not in videos.", valueName: "file"))
  var fromStatistics: String?

  @Option(help: ArgumentHelp("Where motion counts (JSON).", valueName: "file"))
  var zones: String?

  @Option(help: "Take the camera's motion out: none, translation or homography.")
  var compensate = CompensationOption.Compensation.homography

  @OptionGroup(title: "Events") var events: EventOptions
  @OptionGroup(title: "Outputs") var outputs: DetectionOutputOptions
  @OptionGroup(title: "Encoding") var encode: EncodeOptions
  @OptionGroup(title: "Range") var range: RangeOptions
  @OptionGroup(title: "Input") var inputOptions: InputOptions
  @OptionGroup(title: "General") var common: CommonOptions

  func validate() throws {
    if fromStatistics == nil, inputs.isEmpty { throw ValidationError("name a video, or --from-statistics") }
    if fromStatistics != nil, !inputs.isEmpty || statistics != nil {
      throw ValidationError("--from-statistics takes the place of videos and of --statistics")
    }
    if statistics != nil, inputs.count > 1 { throw ValidationError("--statistics is for one video") }
    if fromStatistics != nil, outputs.areWanted {
      throw ValidationError("--from-statistics has no pictures: \(DetectionOutputOptions.names) need the video")
    }
    if outputs.annotated != nil, inputs.count > 1 { throw ValidationError("--annotated is for one video") }
    if framesToo, !jsonLines { throw ValidationError("--frames-too goes with --json-lines") }
    if outputs.annotated == "-", jsonLines || report == "-" {
      throw ValidationError("--annotated - and the events both want standard output")
    }
    if jsonLines, report == "-" { throw ValidationError("--json-lines and --report - both want standard output") }
  }

  func run() throws {
    let console = Console(common)
    let watch = InterruptWatch()
    let reports = try reportingFailure(console) {
      let files = try (report: report.map(output), statistics: statistics.map(output))
      let found = try detect(watch.interruption)
      if let file = files.report {
        let text = file.path.lowercased().hasSuffix(".csv") ? Detection.Report.csv(found) : json(found)
        try write(text, to: file)
      }
      if let file = files.statistics, let first = found.first {
        try write(try DetectionStatistics(first, zones: try zoneSet()).text(), to: file)
      }
      return found
    }
    try conclude(reports, console)
  }

  private func output(_ path: String) throws -> OutputFile { try OutputFile(path: path, overwrite: common.overwrite) }

  private func json(_ reports: [Detection.Report]) -> String {
    Detection.Report.json(reports, options: events.parameters).pretty() + "\n"
  }

  private func detect(_ interruption: Interruption) throws -> [Detection.Report] {
    if let fromStatistics {
      var kept = try DetectionStatistics(text: try contents(fromStatistics))
      if zones != nil { kept = try kept.with(zones: try zoneSet()) }
      let printer = printer(kept.source.file, kept.zones)
      return [try kept.detect(events.parameters, news: printer)]
    }
    let zoneSet = try zoneSet()
    var reports: [Detection.Report] = []
    for (input, stem) in zip(inputs, EventOutputs.stems(of: inputs)) where !interruption.isSet {
      var detection = Detection(
        input: input, reading: inputOptions.readerOptions(range, common), zones: zoneSet, events: events.parameters,
        compensation: CompensationOption.model(of: compensate), keepsStatistics: statistics != nil,
        parallelism: common.parallelism)
      detection.outputs = outputs.outputs(stem: stem, encode, common)
      let line = ProgressLine(common)
      var last: Annotation.Progress?
      defer { line.finish(last) }
      reports.append(
        try detection.run(
          interruption: interruption,
          progress: { progress in
            last = progress
            line.show(progress)
          }, news: printer(input, zoneSet)))
    }
    return reports
  }

  private func zoneSet() throws -> ZoneSet {
    guard let zones else { return .everywhere }
    do {
      return try ZoneSet(json: Data(try contents(zones).utf8))
    } catch let error as MotionDetectionError {
      throw MotionDetectionError(error.code, "\(zones): \(error.message)")
    }
  }

  private func contents(_ path: String) throws -> String {
    do {
      return String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
    } catch {
      throw MediaError(.cannotOpen, "cannot be read: \(error.localizedDescription)", file: path)
    }
  }

  private func printer(_ input: String, _ zones: ZoneSet) -> ((Detection.News) throws -> Void)? {
    guard jsonLines else { return nil }
    let names = zones.measuredNames
    return { news in
      switch news {
      case .event(let event, let files):
        printLine(.object([("input", .string(input)), ("event", event.json(files: files))]))
      case .peak: break
      case .frame(let frame):
        if framesToo { printLine(frame.json(zoneNames: names)) }
      case .started: break
      }
    }
  }

  private func printLine(_ text: JSONText) {
    FileHandle.standardOutput.write(Data((text.line + "\n").utf8))
  }

  private func write(_ text: String, to file: OutputFile) throws {
    guard file.path != "-" else {
      FileHandle.standardOutput.write(Data(text.utf8))
      return
    }
    do {
      try Data(text.utf8).write(to: URL(fileURLWithPath: file.workingPath))
    } catch {
      throw MediaError(.cannotWrite, "cannot be written: \(error.localizedDescription)", file: file.path)
    }
    try file.commit()
  }

  private func conclude(_ reports: [Detection.Report], _ console: Console) throws {
    for report in reports {
      for note in report.notes { console.note(note) }
      for gap in report.gaps { console.note("damaged \(gap)") }
      let count = report.events.count == 1 ? "1 event" : "\(report.events.count) events"
      var text = "\(report.source.file): \(count) in \(report.frames) frames"
      if report.seconds > 0 {
        text += String(format: ", %.2f s, %.1f fps", report.seconds, report.framesPerSecond)
        let total = report.stageSeconds.values.reduce(0, +)
        let shares = PipelineStage.allCases.compactMap { stage in
          report.stageSeconds[stage].map { "\(stage.rawValue) \(Int((100 * $0 / max(total, 1e-9)).rounded())) %" }
        }
        text += "; " + shares.joined(separator: ", ")
      }
      console.note(text)
    }
    if reports.contains(where: \.wasInterrupted) { throw ExitCode.interrupted }
    if reports.contains(where: { !$0.gaps.isEmpty }) { throw ExitCode.damagedInput }
    if failWithoutMotion, reports.allSatisfy(\.events.isEmpty) { throw ExitCode.noMotion }
  }
}

/// What makes an event.
struct EventOptions: ParsableArguments {
  private static let standard = EventParameters()

  @Option(help: "Percent of the picture that must travel for an event.")
  var threshold = EventOptions.standard.threshold

  @Option(help: ArgumentHelp("Shorter motion is no event.", valueName: "seconds"))
  var minDuration = EventOptions.standard.minimumDuration

  @Option(help: ArgumentHelp("Motion that begins within this time belongs to the event before.", valueName: "seconds"))
  var mergeGap = EventOptions.standard.mergeGap

  @Option(help: ArgumentHelp("Include this much before the motion.", valueName: "seconds"))
  var before = EventOptions.standard.before

  @Option(help: ArgumentHelp("And this much after it.", valueName: "seconds"))
  var after = EventOptions.standard.after

  @Option(help: ArgumentHelp("Cut longer events into several.", valueName: "seconds"))
  var maxDuration: Double?

  var parameters: EventParameters {
    var parameters = Self.standard
    parameters.threshold = threshold
    parameters.minimumDuration = minDuration
    parameters.mergeGap = mergeGap
    parameters.before = before
    parameters.after = after
    parameters.maximumDuration = maxDuration
    return parameters
  }

  func validate() throws {
    do {
      try parameters.validate()
    } catch let error as MotionDetectionError {
      throw ValidationError(error.message)
    }
  }
}
