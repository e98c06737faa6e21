import ArgumentParser
import Foundation
import Rheo

struct MergeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge",
    abstract: "Joins the outputs of all shards of a video.",
    discussion: """
      Takes the folders or .npy files that rheo export --shard 1/N … N/N wrote, in any order. The output is, byte for \
      byte, that of one run without --shard. All shards have to be of one video, with the same options; what they hold \
      is checked against its check sums.

      Of the folders that rheo annotate --shard 1/N … N/N wrote it makes the video, the same for any N. Sound, \
      subtitles and chapters come from the video that was annotated: --input tells where it lies now.

      Of what rheo detect --shard 1/N … N/N --evidence FILE wrote it makes a report (.json, .csv, .html, or a folder). \
      rheo detect --from-evidence has all other outputs, and thresholds.

      Example: rheo merge parts/* --output garden-flow
      """)

  @Argument(help: ArgumentHelp("The outputs of all shards, in any order.", valueName: "part"))
  var parts: [String]

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The folder, the .npy file, the video or the report to write.", valueName: "path"))
  var output: String

  @Option(help: ArgumentHelp("The video that the shards are of, where it was moved since.", valueName: "video"))
  var input: String?

  @OptionGroup(title: "General") var common: CommonOptions

  func validate() throws {
    if output == "-" { throw ValidationError("what is merged is a file or a folder; it cannot go to standard output") }
  }

  func run() throws {
    OutputFile.protect(parts)
    let console = Console(common)
    if let part = parts.first, AnnotationMerge.isShard(part) { return try mergeAnnotation(console) }
    if let part = parts.first, MeasuredVideo.isEvidence(part) { return try mergeEvidence() }
    if input != nil { throw ValidationError("--input is for the shards of rheo annotate and detect") }
    let merge = ExportMerge(shards: parts, output: output, overwrites: common.overwrite)
    let report = try reportingProgress(common, console) { interruption, progress in
      try merge.run(interruption: interruption, progress: progress)
    }
    guard !report.wasInterrupted else { throw interrupted(console) }
    for note in report.notes { console.note(note) }
    list(report.gaps, console)
    let seconds = String(format: "%.2f s", report.seconds)
    console.note("\(output): \(report.pairs) pairs of \(parts.count) shards in \(seconds)")
    if !report.gaps.isEmpty { throw ExitCode.damagedInput }
  }

  private func mergeAnnotation(_ console: Console) throws {
    let merge = AnnotationMerge(shards: parts, output: output, input: input, overwrites: common.overwrite)
    let report = try reportingProgress(common, console) { interruption, progress in
      try merge.run(interruption: interruption, progress: progress)
    }
    guard !report.wasInterrupted else { throw interrupted(console) }
    list(report.gaps, console)
    console.note(report, output)
    try requireWholeWork(gaps: report.gaps, wasInterrupted: false)
  }

  private func mergeEvidence() throws {
    let video = input.map { [$0] } ?? []
    var command = try DetectCommand.parse(video + ["--report=" + output, "--from-evidence"] + parts)
    command.common = common
    command.events.parameters = try reportingFailure(Console(common)) { try MeasuredVideo(parts).events }
    try command.run()
  }

  private func interrupted(_ console: Console) -> ExitCode {
    console.note("interrupted; nothing was written")
    return ExitCode.interrupted
  }
}
