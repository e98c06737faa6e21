import ArgumentParser
import Foundation
import Rheo

struct InfoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Tells what a video or a flow file holds.",
    discussion: """
      Of a video: container, streams, sizes, rates, time bases, colours, rotation, chapters, as its headers say. Of a flow \
      file: size, share of unknown vectors, range, mean and percentiles of the motion in pixels.

      Example: rheo info flow10.flo --json
      """)

  @Argument(help: "A video, a flow file, or - for a video on standard input.")
  var file: String

  @Flag(help: "Print JSON.")
  var json = false

  @OptionGroup(title: "General") var common: CommonOptions

  func run() throws {
    let console = Console(common)
    try reportingFailure(console) {
      if file.lowercased().hasSuffix(".flo") { return try describeFlow("flo") }
      let info = try MediaInfo(contentsOf: file)
      // A flow file of KITTI's kind is the only picture with 16 bits a channel that has no opacity and means motion.
      if file.lowercased().hasSuffix(".png"), info.streams.first?.video?.pixelFormat.hasPrefix("rgb48") == true {
        return try describeFlow("kitti")
      }
      let report = MediaReport(file: file, info: info)
      print(json ? report.json.pretty() : report.table)
    }
  }

  private func describeFlow(_ format: String) throws {
    let flow = try FlowFile.read(contentsOf: file)
    var statistics = FlowStatistics()
    statistics.add(flow)
    let report = FlowReport(file: file, format: format, size: flow.size, statistics: statistics)
    print(json ? report.json.pretty() : report.table)
  }
}
