import ArgumentParser
import Foundation
import Rheo

struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Writes the flow of every pair of a video's frames as files.",
    discussion: """
      The output is a folder of frame_000001.flo … (--format) with manifest.json: times of both frames, size, method and \
      parameters, a check sum for each file. Or, if its name ends in .npy, one array of shape (pairs, height, width, 2), \
      with NAME.manifest.json beside it; numpy.load(…, mmap_mode="r") opens it without reading it.

      --direction both writes backward_000001.flo … too, --confidence confidence_000001.pfm … (.npy beside .npy): how well \
      the opposite flow confirms each vector, 0…1.

      An export that was interrupted, or whose program was killed, goes on with --resume and the same options; the result \
      is the same. Pairs that are there are checked first.

      --shard 3/40 exports the third of 40 parts, on any machine; rheo merge makes of all parts what one run makes.

      Example: rheo export Samples/clip.mp4 --output clip-flow --format kitti
      """)

  @Argument(help: "Any video that FFmpeg opens, or -.")
  var input: String

  @Option(name: .shortAndLong, help: ArgumentHelp("The folder, or the .npy file, to write.", valueName: "path"))
  var output: String

  @Option(help: "The kind of the files. pictures are pairs of 8-bit PNG. (default: flo; of a .npy file npy)")
  var format: FlowFormat?

  @Flag(help: "Write the confidence of each vector too; takes the flow in both directions.")
  var confidence = false

  @Flag(help: "Go on with an export that was interrupted.")
  var resume = false

  @Option(help: ShardArgument.help)
  var shard: ShardArgument?

  @OptionGroup(title: "Flow file") var file: FlowFileOptions
  @OptionGroup(title: "Range") var range: RangeOptions
  @OptionGroup(title: "Input") var inputOptions: InputOptions
  @OptionGroup(title: "Flow") var flow: FlowOptions
  @OptionGroup(title: "Flow") var compensation: CompensationOption
  @OptionGroup(title: "Flow") var directionOption: DirectionOption
  @OptionGroup(title: "General") var common: CommonOptions

  private var isStack: Bool { output.lowercased().hasSuffix(".npy") }
  private var chosenFormat: FlowFormat { format ?? (isStack ? .npy : .flo) }

  func validate() throws {
    if resume, common.overwrite {
      throw ValidationError("--resume keeps what is there, --overwrite deletes it: one of them")
    }
    if output == "-" { throw ValidationError("an export is a folder or a .npy file; it cannot go to standard output") }
    let ending = URL(fileURLWithPath: output).pathExtension.lowercased()
    if !output.hasSuffix("/"), ["flo", "flo5", "pfm", "png"].contains(ending) {
      throw ValidationError(
        "an export is a folder with a file for each pair, or one .npy file, not '\(output)'; --format tells the kind "
          + "of its files, and rheo flow writes a single one")
    }
    if isStack, chosenFormat != .npy {
      throw ValidationError("'\(output)' holds all pairs as npy; --format \(chosenFormat.rawValue) needs a folder")
    }
    if shard != nil, flow.warmStart {
      throw ValidationError("--warm-start lets each flow depend on all before: it cannot be cut into shards")
    }
    if file.half, chosenFormat != .npy { throw ValidationError("--half is for npy, not \(chosenFormat.rawValue)") }
    if file.bound != nil, chosenFormat != .images {
      throw ValidationError("--bound is for pictures, not \(chosenFormat.rawValue)")
    }
  }

  func run() throws {
    keepFreedMemory()
    let console = Console(common)
    let export = FlowExport(
      input: input, output: output, layout: isStack ? .stack : .folder, format: chosenFormat,
      reading: inputOptions.readerOptions(range, common), flow: try flow.request(direction: directionOption.direction),
      compensation: compensation.model, writing: file.writing(common), includesConfidence: confidence,
      shard: shard?.shard, existing: resume ? .resume : common.overwrite ? .replace : .refuse,
      parallelism: common.parallelism)
    let report = try reportingProgress(common, console) { interruption, progress in
      try export.run(interruption: interruption, progress: progress)
    }
    try conclude(report, console)
  }

  private func conclude(_ report: FlowExport.Report, _ console: Console) throws {
    for note in report.notes { console.note(note) }
    if report.clampedVectors > 0 {
      console.note("\(report.clampedVectors) vectors were longer than \(chosenFormat.rawValue) can hold: clamped")
    }
    if report.lostUnknownVectors > 0 {
      console.note("\(report.lostUnknownVectors) unknown vectors are no motion in \(chosenFormat.rawValue)")
    }
    list(report.gaps, console)
    console.note("\(output): \(summary(report))")
    if report.wasInterrupted {
      console.note("interrupted; --resume goes on")
      throw ExitCode.interrupted
    }
    if !report.gaps.isEmpty { throw ExitCode.damagedInput }
  }

  private func summary(_ report: FlowExport.Report) -> String {
    let rate = String(format: "%.2f s, %.1f pairs a second", report.seconds, report.pairsPerSecond)
    let total = report.stageSeconds.values.reduce(0, +)
    let shares = [("decode", PipelineStage.decode), ("analyse", .analyse), ("write", .encode)].map { name, stage in
      "\(name) \(Int((100 * (report.stageSeconds[stage] ?? 0) / max(total, 1e-9)).rounded())) %"
    }
    return switch (report.resumedPairs, report.pairs) {
    case (0, let pairs): "\(pairs) pairs in \(rate); \(shares.joined(separator: ", "))"
    case (let old, let pairs) where old < pairs:
      "\(pairs) pairs, \(old) of them from before, in \(rate); \(shares.joined(separator: ", "))"
    case (_, let pairs): "\(pairs) pairs, all from before"
    }
  }
}
