import ArgumentParser
import Foundation
import Rheo

struct EvaluateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "evaluate",
    abstract: "Measures how far a flow file is from the truth.",
    discussion: """
      Prints the figures of the Middlebury, KITTI and Sintel benchmarks. Endpoint error: mean (epe), standard \
      deviation (epeSD), share of pixels beyond 0.5, 1, 2, 3 and 5 pixels (r0.5 …), percentiles (p50, p75 and p95 are \
      Middlebury's A50, A75 and A95). Angular error: the same under aae. Outliers beyond 3 pixels and 5 %: of all \
      pixels (flAll), of those with an estimate (flEst). Endpoint error where the truth moves less than 10 pixels \
      (s0-10), 10 to 40 and more than 40.

      Pixels without truth do not count. Pixels without an estimate are outliers at every threshold and in no mean; \
      they are not filled first, as KITTI's development kit does. coverage is the share that has an estimate.

      Example: rheo evaluate flow.flo flow10.flo --mask occlusions.png --json
      """)

  @Argument(help: "The flow to judge: any flow file that rheo convert reads.")
  var estimate: String

  @Argument(help: "The true flow: any flow file.")
  var truth: String

  @Option(
    help: ArgumentHelp(
      "An image that splits the figures, as into hidden and visible: where it is white (masked), where it is black "
        + "(unmasked).", valueName: "image"))
  var mask: String?

  @Flag(help: "Print JSON.")
  var json = false

  @OptionGroup(title: "General") var common: CommonOptions

  func run() throws {
    let console = Console(common)
    try reportingFailure(console) {
      let estimated = try FlowFile.read(contentsOf: estimate)
      let real = try FlowFile.read(contentsOf: truth)
      var parts = [EvaluationReport(name: "all", metrics: try FlowMetrics(estimate: estimated, truth: real))]
      if let mask {
        let image = try StillImage.luma(contentsOf: mask)
        for (name, isInside) in [("masked", true), ("unmasked", false)] {
          let selection = Plane<UInt8>(width: image.width, height: image.height) { x, y in
            (image[x, y] >= 128) == isInside ? 255 : 0
          }
          parts.append(
            EvaluationReport(
              name: name, metrics: try FlowMetrics(estimate: estimated, truth: real, mask: selection)))
        }
      }
      try printLine(json ? EvaluationReport.json(parts) : EvaluationReport.table(parts))
    }
  }
}
