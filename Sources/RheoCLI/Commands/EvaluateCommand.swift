import ArgumentParser
import Foundation
import Rheo

struct EvaluateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "evaluate",
    abstract: "Measures how far a flow file is from the truth.",
    discussion: """
      Prints the figures of the Middlebury and KITTI benchmarks: mean endpoint error (EPE), mean angular error (AAE), \
      the share of pixels beyond 0.5, 1, 2, 3 and 5 pixels (R0.5 …), Fl-all (beyond 3 pixels and 5 %), percentiles.

      Example: rheo evaluate flow.flo flow10.flo --json
      """)

  @Argument(help: "The flow to judge: any flow file that rheo convert reads.")
  var estimate: String

  @Argument(help: "The true flow: any flow file.")
  var truth: String

  @Option(
    help: ArgumentHelp(
      "A picture that splits the figures: where it is white, and where it is black.", valueName: "image"))
  var mask: String?

  @Flag(help: "Print JSON.")
  var json = false

  @OptionGroup(title: "General") var common: CommonOptions

  func run() throws {
    let console = Console(common)
    try reportingFailure(console) {
      let estimated = try FlowFile.read(contentsOf: estimate)
      let real = try FlowFile.read(contentsOf: truth)
      var parts = [("all", try FlowMetrics(estimate: estimated, truth: real))]
      if let mask {
        let picture = try StillImage.luma(contentsOf: mask)
        for (name, isInside) in [("masked", true), ("unmasked", false)] {
          let selection = Plane<UInt8>(width: picture.width, height: picture.height) { x, y in
            (picture[x, y] >= 128) == isInside ? 255 : 0
          }
          parts.append((name, try FlowMetrics(estimate: estimated, truth: real, mask: selection)))
        }
      }
      print(json ? jsonText(parts) : table(parts))
    }
  }

  private func figures(_ metrics: FlowMetrics) -> [(key: String, value: Double)] {
    [("epe", metrics.averageEndpointError), ("aae", metrics.averageAngularError)]
      + zip(FlowMetrics.outlierThresholds, metrics.outlierRatios).map { ("r\($0.formatted())", $1) }
      + [("flAll", metrics.outlierRatio), ("coverage", metrics.coverage)]
      + [0.5, 0.9, 0.95, 0.99].map { ("p\(Int($0 * 100))", metrics.endpointErrorPercentile($0) ?? .nan) }
  }

  private func jsonText(_ parts: [(String, FlowMetrics)]) -> String {
    let objects = parts.map { name, metrics in
      let fields = figures(metrics).map { "\"\($0.key)\": \($0.value.isFinite ? String($0.value) : "null")" }
      return "\"\(name)\": {\"pixels\": \(metrics.pixelCount), " + fields.joined(separator: ", ") + "}"
    }
    return "{" + objects.joined(separator: ", ") + "}"
  }

  private func table(_ parts: [(String, FlowMetrics)]) -> String {
    var lines = ["          " + parts.map { padded($0.0) }.joined()]
    lines.append(row("pixels", parts.map { String($0.1.pixelCount) }))
    for (index, figure) in figures(parts[0].1).enumerated() {
      let isShare = figure.key.hasPrefix("r") || figure.key == "flAll" || figure.key == "coverage"
      let values = parts.map { figures($0.1)[index].value }
      lines.append(
        row(figure.key, values.map { isShare ? String(format: "%.2f %%", 100 * $0) : String(format: "%.4f", $0) }))
    }
    return lines.joined(separator: "\n")
  }

  private func row(_ name: String, _ values: [String]) -> String {
    name + String(repeating: " ", count: max(0, 10 - name.count)) + values.map(padded).joined()
  }

  private func padded(_ text: String) -> String { String(repeating: " ", count: max(1, 12 - text.count)) + text }
}
