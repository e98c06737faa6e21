import ArgumentParser
import Foundation
import Rheo

struct DetectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "detect",
    abstract: "Finds the events of motion in videos.",
    discussion: """
      An event is a time in which something travels: light that changes, branches that wave, noise and a shaking \
      camera make none. Changes of light, motion of the camera, cuts and insects before the lens are listed as \
      suppressed. The score is the travelling area in percent of the image.

      --zones names polygons: {"zones": [{"name": "door", "polygon": [[0.1, 0.2], [0.4, 0.2], [0.4, 0.9]]}]}; also \
      "units" (normalized, pixels), "mode" (include, exclude, privacy), "threshold", "minimumArea", "maximumArea", \
      "directions", "anchor" (picture, or scene: the zone goes with a moving camera). "tripLines": [{"name": "gate", \
      "from": [0.5, 1], "to": [0.5, 0], "direction": "both"}] are events when something crosses them, and are counted: \
      left-to-right and right-to-left for someone who stands at "from" and looks to "to".

      --statistics keeps what was measured in each frame; --from-statistics finds events in that, with other \
      thresholds and times, without the video.

      Inputs may be folders: their videos, not those of their folders, in natural order. Of several inputs those that \
      cannot be read are named; the others are searched. --report FOLDER/ gets a report of each, for \
      programs and for people, and a summary of all. --report FILE.html is a page that needs no other file: a time \
      line, images of the events, and their clips if --clips wrote any.

      --explain prints a table: each rule that was asked about the first frame at or after a point in time, with its \
      number, its limit and whether it was met. Where a rule is asked about many cells, points or components it shows \
      the one that met it best. Nothing is reported then, and the work stops when it is clear what becomes of the \
      frame.

      \(LiveInputOptions.discussion)

      \(ReactionOptions.discussion)

      Exit status 2: a video is damaged, or some of several cannot be read. 3 with --fail-without-motion: there is \
      no event.

      Example: rheo detect Samples/clip.mp4 --report events.html
      """)

  @Argument(help: "Videos, streams and cameras that FFmpeg opens, folders of videos, or -.")
  var inputs: [String] = []

  @Option(
    help: ArgumentHelp(
      """
      Write the events here: .json, .csv, .html (a page for people); - for standard output; a folder for files of each \
      input. May be repeated.
      """,
      valueName: "path"))
  var report: [String] = []

  @Flag(help: "Print each event as a JSON object on a line, not as a row of a table, as it ends.")
  var jsonLines = false

  @Flag(help: "With --json-lines: print each frame too.")
  var framesToo = false

  @Flag(help: "With --json-lines and --webhook: the boxes of all frames of an event too.")
  var boxes = false

  @Flag(help: "End with status 3 when there is no event.")
  var failWithoutMotion = false

  @Option(help: ArgumentHelp("Write the measurements of all frames (CSV).", valueName: "file"))
  var statistics: String?

  @Option(help: ArgumentHelp("Find events in these measurements, not in videos.", valueName: "file"))
  var fromStatistics: String?

  @Option(
    help: ArgumentHelp(
      "Print why the frame at this point is in an event or not: seconds, a frame (123f) or a time code.",
      valueName: "time"))
  var explain: Timestamp?

  @OptionGroup var zones: ZoneOptions

  @Option(help: "Take the camera's motion out: none, translation or homography.")
  var compensate = CompensationOption.Compensation.homography

  @Flag(help: "Print the options in effect as a file for --config, and do nothing else.")
  var dumpConfig = false

  @OptionGroup(title: "Many inputs") var many: ManyInputOptions
  @OptionGroup(title: "Events") var events: EventOptions
  @OptionGroup(title: "Outputs") var outputs: DetectionOutputOptions
  @OptionGroup(title: "Shards") var parts: DetectionShardOptions
  @OptionGroup(title: "Encoding") var encode: EncodeOptions
  @OptionGroup(title: "Reactions") var reactions: ReactionOptions
  @OptionGroup(title: "Live inputs") var live: LiveInputOptions
  @OptionGroup(title: "Range") var range: RangeOptions
  @OptionGroup(title: "Input") var inputOptions: InputOptions
  @OptionGroup(title: "General") var common: CommonOptions

  func validate() throws {
    if fromStatistics == nil, parts.fromEvidence.isEmpty, inputs.isEmpty, many.list == nil, !dumpConfig {
      throw ValidationError("name a video, or --from-statistics")
    }
    try validateParts()
    if fromStatistics != nil, !inputs.isEmpty || many.list != nil || statistics != nil {
      throw ValidationError("--from-statistics takes the place of videos and of --statistics")
    }
    if fromStatistics != nil, outputs.areWanted {
      throw ValidationError("--from-statistics has no images: \(DetectionOutputOptions.names) need the video")
    }
    try outputs.validate()
    if let output = outputs.standardOutputs.first {
      if jsonLines || report.contains("-") {
        throw ValidationError("\(output) and the events both want standard output")
      }
      if outputs.standardOutputs.count > 1 { throw ValidationError("standard output is for one output") }
    }
    if outputs.joined != nil, many.jobs > 1 {
      throw ValidationError("--joined takes the inputs one after the other, not --jobs \(many.jobs)")
    }
    if explain != nil {
      guard inputs.count < 2, many.list == nil else { throw ValidationError("--explain is for one video") }
      guard report.isEmpty, statistics == nil, !jsonLines, !reactions.areAny, !outputs.areWanted else {
        throw ValidationError("--explain goes without reports, statistics, outputs and reactions")
      }
    }
    if many.list == "-", inputs.contains("-") { throw ValidationError("--list - and - both want standard input") }
    if boxes, !jsonLines, reactions.webhook == nil {
      throw ValidationError("--boxes goes with --json-lines or --webhook; reports have the boxes")
    }
    if framesToo, !jsonLines { throw ValidationError("--frames-too goes with --json-lines") }
    if jsonLines, report.contains("-") {
      throw ValidationError("--json-lines and --report - both want standard output")
    }
    if report.count(where: { $0 == "-" }) > 1 { throw ValidationError("standard output is for one report") }
    let named = report + [statistics, outputs.joined].compactMap(\.self) + outputs.outputsOfOneVideo.map(\.path)
    let files = named.filter { $0 != "-" && !$0.hasPrefix("/dev/") }
    if let twice = files.first(where: { file in files.count { $0 == file } > 1 }) {
      throw ValidationError("'\(twice)' is named twice; each output has a name of its own")
    }
  }

  /// Checks the options of videos that are searched in parts.
  private func validateParts() throws {
    guard parts.areWanted else { return }
    guard inputs.count < 2, !inputs.contains("-"), many.list == nil else {
      throw ValidationError("shards are of one file")
    }
    if fromStatistics != nil { throw ValidationError("--from-statistics takes the place of shards") }
    if explain != nil { throw ValidationError("--explain goes without shards") }
    if parts.shard != nil {
      guard !inputs.isEmpty else { throw ValidationError("name the video that the shard is of") }
      guard report.isEmpty, statistics == nil, !jsonLines, !reactions.areAny, !outputs.areWanted else {
        throw ValidationError(
          "--shard goes without reports, statistics, outputs and reactions: those are for --from-evidence")
      }
    }
    if !parts.fromEvidence.isEmpty, range.range != .all || range.index {
      throw ValidationError("the range is that of the shards; --from-evidence has none of its own")
    }
  }

  func run() throws {
    zones.protect()
    OutputFile.protect([fromStatistics, many.list].compactMap(\.self) + parts.fromEvidence)
    if let shard = parts.shard { return try measure(shard.shard) }
    if let explain { return try printExplanation(of: explain.position) }
    let console = Console(common)
    if let line = outputs.note(on: encode) { console.note(line) }
    let watch = InterruptWatch()
    let reactions = Reactions(reactions, includesBoxes: boxes, console)
    let outcomes = try reportingFailure(console) {
      defer { reactions.finish() }
      let measured = try parts.fromEvidence.isEmpty ? nil : MeasuredVideo(parts.fromEvidence)
      let expanded = try InputList.expand(inputs.isEmpty ? measured.map { [$0.input] } ?? [] : inputs, list: many.list)
      let inputs = expanded.names
      OutputFile.protect(inputs)
      if statistics != nil, inputs.count > 1 {
        throw MediaError(.invalidOption, "--statistics is for one video, not \(inputs.count)")
      }
      if let (name, _) = outputs.outputsOfOneVideo.first, inputs.count > 1 {
        throw MediaError(.invalidOption, "\(name) is for one video, not \(inputs.count)")
      }
      let reports = try ReportFiles(report, inputs: inputs + expanded.refused, overwrite: common.overwrite)
      let file = try statistics.map { try OutputFile(path: $0, overwrite: common.overwrite, inputs: inputs) }
      let zones = try self.zones.areGiven ? self.zones.zoneSet() : measured?.zones ?? .everywhere
      let table = try file.map { try StatisticsTable($0, zones: zones) }
      var found = try search(
        inputs, zones, for: reports, table, reactions, console, watch.interruption)
      if found.count == inputs.count { found += refuse(expanded.refused, console) }
      try reports.write(found, ReportFiles.Settings(events.parameters, CompensationOption.model(of: compensate), zones))
      try table?.commit()
      return found.map(\.outcome)
    }
    try conclude(outcomes, console)
  }

  /// Returns the statistics that were kept in a file, with the zones that are asked for.
  func statistics(_ path: String, _ set: ZoneSet) throws -> DetectionStatistics {
    let kept = try DetectionStatistics(path: path)
    return try zones.areGiven ? kept.with(zones: set) : kept
  }

  func detection(_ input: String, _ zones: ZoneSet, _ parallelism: Parallelism) -> Detection {
    var reading = inputOptions.readerOptions(range, common)
    reading.threadCount = parallelism.threadCount
    var detection = Detection(
      input: input, reading: reading, zones: zones, events: events.parameters,
      compensation: CompensationOption.model(of: compensate), parallelism: parallelism)
    live.apply(to: &detection, Console(common))
    return detection
  }
}
