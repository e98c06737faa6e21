// Options of the commands that read and write flow files.

import ArgumentParser
import Foundation
import Rheo

extension FlowFormat: ExpressibleByArgument {}

/// The options for writing a flow file.
struct FlowFileOptions: ParsableArguments {
  @Flag(help: "Write .npy with 16-bit floats.")
  var half = false

  @Option(
    help: ArgumentHelp(
      """
      What the levels 0 and 255 of a pair of images stand for: -bound and bound. (default: \
      \(FlowWritingOptions.usualImageBound.formatted()) in writing, what the JSON says in reading)
      """, valueName: "pixels"))
  var bound: Float?

  func validate() throws {
    if let bound, !(bound > 0 && bound <= 1e6) {
      throw ValidationError("--bound is above 0 and at most 1e6, not \(bound)")
    }
  }

  func writing(_ common: CommonOptions) -> FlowWritingOptions {
    FlowWritingOptions(
      halfPrecision: half, imageBound: bound ?? FlowWritingOptions.usualImageBound, overwrites: common.overwrite)
  }

  /// Returns the kind of file that `path` names, unless `format` says so.
  static func format(of path: String, _ format: FlowFormat?, option: String) throws -> FlowFormat {
    if let format = format ?? FlowFormat(path: path) { return format }
    let reason =
      path == "-" ? "with - for the file," : "'\(path)': no ending of a flow file (\(FlowFormat.endings));"
    throw ValidationError("\(reason) \(option) says what kind it is: \(FlowFormat.names)")
  }
}

extension FlowFormat {
  static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }
}

extension Console {
  /// Tells what did not fit into a file.
  func note(_ report: FlowWritingReport) {
    func vectors(_ count: Int, _ kind: String = "") -> String { "\(count) \(kind)vector\(count == 1 ? "" : "s")" }
    let name = report.files.first ?? ""
    if report.clampedVectorCount > 0 {
      note("\(name): clamped what does not fit: \(vectors(report.clampedVectorCount))")
    }
    if report.lostUnknownCount > 0 {
      note(
        "\(name): zero motion stands for \(vectors(report.lostUnknownCount, "unknown ")): levels cannot say \"unknown\""
      )
    }
  }
}
