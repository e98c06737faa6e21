import ArgumentParser
import Foundation
import Rheo

struct InfoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Tells what a video or a flow file holds.",
    discussion: """
      Of a video: container, streams, sizes, rates, time bases, colours, rotation, chapters, as its headers say. Of a \
      photograph: the same, with the orientation of its EXIF data. Of a flow file: size, share of unknown \
      vectors, range, mean and percentiles of the motion in pixels.

      Example: rheo info Samples/clip.mp4 --json
      """)

  @Argument(help: "A video, a flow file, or - for a video on standard input.")
  var file: String

  @Flag(help: "Print JSON.")
  var json = false

  @Option(help: ProtocolList.help)
  var allowProtocols: ProtocolList?

  @OptionGroup(title: "General") var common: CommonOptions

  func run() throws {
    let console = Console(common)
    try reportingFailure(console) {
      let format = FlowFormat(path: file)
      if let format, format != .kitti { return try describeFlow(format) }
      let info = try MediaInfo(contentsOf: file, allowedProtocols: allowProtocols?.names)
      // Of images, those of KITTI's kind have three channels of 16 bits.
      if format == .kitti, info.streams.first?.video?.pixelFormat.hasPrefix("rgb48") == true {
        return try describeFlow(.kitti)
      }
      let report = MediaReport(file: file, info: info)
      try printLine(json ? report.json.pretty() : report.table)
    }
  }

  private func describeFlow(_ format: FlowFormat) throws {
    let count = try FlowFile.fieldCount(ofPath: file, as: format)
    var statistics = FlowStatistics()
    var size: PixelSize?
    for field in 0..<count {
      let flow = try FlowFile.read(
        contentsOf: file, as: format, options: FlowReadingOptions(field: format == .npy ? field : nil))
      statistics.add(flow)
      size = flow.size
    }
    let report = FlowReport(file: file, format: format.rawValue, size: size, statistics: statistics)
    try printLine(json ? report.json.pretty() : report.table)
  }
}
