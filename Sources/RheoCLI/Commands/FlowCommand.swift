import ArgumentParser
import Foundation
import Rheo

struct FlowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "flow",
    abstract: "Estimates the flow between two images.",
    discussion: """
      The output's ending, or --format, tells the kind of file, as in rheo convert. With --repeat the engine runs that \
      often on the decoded luma, in one process, and the times are printed as JSON.

      Example: rheo flow frame10.png frame11.png --output flow.flo --accuracy high
      """)

  @Argument(help: "The earlier image: any format that FFmpeg reads.")
  var previous: String

  @Argument(help: "The later image, of the same size.")
  var current: String

  @Option(name: .shortAndLong, help: ArgumentHelp("The flow file to write, or -.", valueName: "file"))
  var output: String?

  @Option(help: "What kind of flow file to write, when the ending does not tell.")
  var format: FlowFormat?

  @Option(name: .customLong("repeat"), help: ArgumentHelp("Time this many runs.", valueName: "n"))
  var repetitions: Int?

  @OptionGroup(title: "Flow") var flow: FlowOptions
  @OptionGroup(title: "Flow") var directionOption: DirectionOption
  @OptionGroup(title: "Flow file") var file: FlowFileOptions
  @OptionGroup(title: "General") var common: CommonOptions

  func validate() throws {
    guard output != nil || repetitions != nil else { throw ValidationError("nothing to do: give --output or --repeat") }
    if let repetitions, repetitions < 1 { throw ValidationError("--repeat is 1 or more, not \(repetitions)") }
    if let output { _ = try FlowFileOptions.format(of: output, format, option: "--format") }
    if output == "-", repetitions != nil { throw ValidationError("--repeat prints to standard output: use a file") }
  }

  func run() throws {
    OutputFile.protect([previous, current])
    let console = Console(common)
    try reportingFailure(console) {
      if let output { try OutputFile.check(path: output, overwrite: common.overwrite, inputs: [previous, current]) }
      let images = (try StillImage.luma(contentsOf: previous), try StillImage.luma(contentsOf: current))
      guard images.0.size == images.1.size else {
        throw AnalysisError(
          code: .sizeMismatch,
          message: "the images need one size: \(previous) has \(images.0.size) pixels, \(current) \(images.1.size)")
      }
      let request = try flow.request(direction: directionOption.direction)
      let handler = SequenceRequestHandler(parallelism: common.parallelism)
      var milliseconds: [Double] = []
      var observation: OpticalFlowObservation?
      for _ in 0..<(repetitions ?? 1) {
        handler.reset()
        let start = ContinuousClock.now
        _ = try handler.perform(request, on: images.0)
        observation = try handler.perform(request, on: images.1)
        milliseconds.append((ContinuousClock.now - start) / .milliseconds(1))
      }
      if repetitions != nil { try printLine(timing(milliseconds)) }
      if let output, let observation {
        let format = try FlowFileOptions.format(of: output, format, option: "--format")
        console.note(try FlowFile.write(observation.flow, to: output, as: format, options: file.writing(common)))
      }
    }
  }

  private func timing(_ milliseconds: [Double]) -> String {
    let list = milliseconds.map { String(format: "%.3f", $0) }.joined(separator: ", ")
    return "{\"milliseconds\": [\(list)], \"minimum\": \(String(format: "%.3f", milliseconds.min() ?? 0)), "
      + "\"threads\": \(common.parallelism.threadCount), \"cpu\": \"\(RheoVersion.processor)\"}"
  }
}
