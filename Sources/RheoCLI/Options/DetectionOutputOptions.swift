import ArgumentParser
import Rheo

/// The options for the images and videos of the events.
struct DetectionOutputOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Write a PNG image of each event's peak into this folder, with thin boxes around what travels.",
      valueName: "folder"))
  var snapshots: String?

  @Option(help: ArgumentHelp("Write a video of each event into this folder.", valueName: "folder"))
  var clips: String?

  @Option(
    help: ArgumentHelp(
      "Write one video of all events of all inputs, one after the other.", valueName: "video"))
  var joined: String?

  @Option(
    help: """
      Of clips and the joined video: copy: without encoding, from the key frame at or before the event's start on; \
      encode: from its first to its last frame exactly.
      """)
  var clipMode = EventOutputs.ClipMode.copy

  @Option(
    help: ArgumentHelp(
      "Write the whole video with boxes, zones, event numbers and what else changes the image.",
      valueName: "video"))
  var annotated: String?

  @Option(
    help: ArgumentHelp(
      "Write a video that is white where something travels that counts, and black elsewhere.", valueName: "video"))
  var maskVideo: String?

  @Option(
    help: ArgumentHelp(
      "Write a PNG image that shows for how long something travelled in events, place by place.", valueName: "image"))
  var heatMap: String?

  /// The options of this group, for messages.
  static let names = "--snapshots, --clips, --joined, --annotated, --mask-video and --heat-map"

  var areWanted: Bool { snapshots != nil || clips != nil || joined != nil || !outputsOfOneVideo.isEmpty }

  /// The options whose outputs show one video, with their values.
  var outputsOfOneVideo: [(name: String, path: String)] {
    [("--annotated", annotated), ("--mask-video", maskVideo), ("--heat-map", heatMap)].compactMap { name, path in
      path.map { (name, $0) }
    }
  }

  /// The options that want standard output.
  var standardOutputs: [String] {
    (outputsOfOneVideo + (joined.map { [("--joined", $0)] } ?? [])).filter { $0.path == "-" }.map { $0.name + " -" }
  }

  /// Checks the names of the outputs.
  func validate() throws {
    if let clips { try ExportTarget.requireFolderName(clips, "--clips") }
    if let snapshots { try ExportTarget.requireFolderName(snapshots, "--snapshots") }
    if let heatMap, heatMap.contains("."), !heatMap.lowercased().hasSuffix(".png"), !heatMap.hasPrefix("/dev/") {
      throw ValidationError("--heat-map is a .png file, not '\(heatMap)'")
    }
  }

  /// Returns a line about an option that nothing follows; nil where something does, or none is given.
  func note(on encode: EncodeOptions) -> String? {
    let encodes = annotated != nil || maskVideo != nil || clipMode == .encode && (clips != nil || joined != nil)
    guard areWanted, !encodes, let name = encode.firstGiven else { return nil }
    return "\(name) is for what is encoded: --annotated, --mask-video, and --clips or --joined with --clip-mode encode"
  }

  /// - Parameter stem: The beginning of the file names.
  func outputs(stem: String, _ encode: EncodeOptions, _ common: CommonOptions) -> EventOutputs {
    var outputs = EventOutputs()
    outputs.snapshotFolder = snapshots
    outputs.clipFolder = clips
    outputs.clipMode = clipMode
    outputs.annotated = annotated
    outputs.maskVideo = maskVideo
    outputs.heatMap = heatMap
    outputs.encoding = encode.encoderOptions(common)
    outputs.stem = stem
    outputs.overwrites = common.overwrite
    return outputs
  }
}

extension EventOutputs.ClipMode: ExpressibleByArgument {}
