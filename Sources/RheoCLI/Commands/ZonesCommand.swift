import ArgumentParser
import Foundation
import Rheo

struct ZonesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "zones",
    abstract: "Lets zones and trip lines be drawn on a frame, for rheo detect.",
    discussion: """
      Prints the address of a page on this machine, which other machines cannot reach. Open it in a browser: click the \
      corners of zones and the ends of trip lines, drag them, name them, and save. "Save and close" ends the program; \
      Ctrl-C ends it without saving (status 130).

      The zones of --zones are there to begin with, or with -y those of the output. What is in pixels becomes \
      fractions of the image's sides, cut at its edges.

      The address holds a secret: who does not know it can neither look nor save. --open hands it to the browser, and \
      other users of this machine may see it then in the list of processes.

      Example: rheo zones Samples/clip.mp4 --at 1.5 --output zones.json
      """)

  @Argument(help: "A video: anything that FFmpeg reads.")
  var video: String

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The zones file to write. (default: that of --zones, or zones.json)", valueName: "file"))
  var output: String?

  @Option(help: ArgumentHelp("Begin with the zones of this file.", valueName: "file"))
  var zones: String?

  @Option(
    help: ArgumentHelp(
      "Show the frame at this point: seconds, a frame (123f) or a time code; by default the first.", valueName: "time"))
  var at: Timestamp?

  @Option(help: ArgumentHelp("The port to listen to; 0: a free one.", valueName: "n"))
  var port: UInt16 = 0

  @Flag(help: "Open the page in the desktop's browser.")
  var open = false

  @OptionGroup(title: "Input") var inputOptions: InputOptions
  @OptionGroup(title: "General") var common: CommonOptions

  /// The name of the zones file unless another is given.
  private static let usualName = "zones.json"

  private var outputPath: String { output ?? zones ?? Self.usualName }

  func validate() throws {
    if output == "-" { throw ValidationError("zones are saved as often as you like: name a file, not -") }
  }

  func run() throws {
    let console = Console(common)
    let watch = InterruptWatch()
    let isClosed = try reportingFailure(console) {
      let document = try document()
      let server = try ZoneServer(port: port, ZonePageHandler(document))
      try printLine(server.address)
      console.note("open this page in a browser; Ctrl-C ends without saving")
      if open { try Browser.open(server.address) { console.note($0) } }
      try server.run { document.isClosed || watch.interruption.isSet }
      return document.isClosed
    }
    guard isClosed else { throw ExitCode.interrupted }
    console.note("\(outputPath): saved")
  }

  private func document() throws -> ZoneDocument {
    let path = outputPath
    try OutputFile.check(path: path, overwrite: common.overwrite, inputs: [video])
    let beginning = zones ?? (FileManager.default.fileExists(atPath: path) ? path : nil)
    let zones = try beginning.map(ZoneSet.init(path:)) ?? .everywhere
    let range = MediaRange(start: at?.position, frameCount: 1)
    let frame = try ZoneFrame(path: video, options: inputOptions.readerOptions(range, common))
    return try ZoneDocument(
      input: video, output: path, frame: frame, zones: zones, overwrite: common.overwrite)
  }
}
