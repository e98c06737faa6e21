import ArgumentParser
import Foundation
import Rheo

struct StackCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stack",
    abstract: "Makes one image with less noise of a burst.",
    discussion: """
      One input is a video, two or more are images. Each frame is aligned to the reference; frames that do not fit are \
      named and left out. The mean lowers noise most and needs one pass; the median removes what moves; sigma-clip is \
      the mean of the samples within three standard deviations of the median. The last two read the input as often as \
      the samples of all its rows fill 256 MB.

      Example: rheo stack Samples/clip.mp4 --output calm.png --method median --frames 30
      """)

  @Argument(help: ArgumentHelp("A video, or two or more images: anything that FFmpeg reads.", valueName: "input"))
  var inputs: [String]

  @Option(name: .shortAndLong, help: ArgumentHelp("The image to write, or -.", valueName: "png"))
  var output: String

  @Option(help: "The maps from each frame to the reference: translation, euclidean, affine or homography.")
  var model = RegisterCommand.ModelChoice.homography

  @Option(help: "How samples become a pixel: mean, median or sigma-clip.")
  var method = MethodChoice.mean

  @Option(help: ArgumentHelp("Align to the n-th of the frames or images that are used, from 0.", valueName: "n"))
  var reference = 0

  @Option(help: ArgumentHelp("Bits a channel of the output: 8 or 16.", valueName: "bits"))
  var depth = 16

  @OptionGroup(title: "Range") var range: RangeOptions
  @OptionGroup(title: "Input") var inputOptions: InputOptions
  @OptionGroup(title: "General") var common: CommonOptions

  enum MethodChoice: String, CaseIterable, ExpressibleByArgument {
    case mean, median
    case sigmaClip = "sigma-clip"

    var method: Stacking.Method {
      switch self {
      case .mean: .mean
      case .median: .median
      case .sigmaClip: .sigmaClip
      }
    }
  }

  func validate() throws {
    try requirePNG(output)
    guard depth == 8 || depth == 16 else { throw ValidationError("--depth is 8 or 16, not \(depth)") }
    guard reference >= 0, inputs.count == 1 || reference < inputs.count else {
      throw ValidationError("--reference is 0…\(max(inputs.count - 1, 0)), not \(reference)")
    }
  }

  func run() throws {
    OutputFile.protect(inputs)
    let console = Console(common)
    let stacking = Stacking(
      inputs: inputs, output: output, reading: inputOptions.readerOptions(range, common), model: model.model,
      method: method.method, reference: reference, bitDepth: depth, overwrite: common.overwrite,
      parallelism: common.parallelism)
    let report = try reportingProgress(common, console) { interruption, progress in
      try stacking.run(interruption: interruption, progress: progress)
    }
    for text in report.leftOut { console.note(text) }
    console.note(
      "\(output): \(report.size), \(method.rawValue) of \(report.frames) frames, "
        + "\(String(format: "%.2f", report.seconds)) s")
    list(report.gaps, console)
    try requireWholeWork(gaps: report.gaps, wasInterrupted: report.wasInterrupted)
  }
}
