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
    help: """
      copy: without encoding, from the key frame at or before the event's start on; encode: from its first to its last \
      frame exactly.
      """)
  var clipMode = EventOutputs.ClipMode.copy

  @Option(
    help: ArgumentHelp(
      "Write the whole video with boxes, zones, event numbers and what else changes the image.",
      valueName: "video"))
  var annotated: String?

  /// The options of this group, for messages.
  static let names = "--snapshots, --clips and --annotated"

  var areWanted: Bool { snapshots != nil || clips != nil || annotated != nil }

  /// - Parameter stem: The beginning of the file names.
  func outputs(stem: String, _ encode: EncodeOptions, _ common: CommonOptions) -> EventOutputs {
    var outputs = EventOutputs()
    outputs.snapshotFolder = snapshots
    outputs.clipFolder = clips
    outputs.clipMode = clipMode
    outputs.annotated = annotated
    outputs.encoding = encode.encoderOptions(common)
    outputs.stem = stem
    outputs.overwrites = common.overwrite
    return outputs
  }
}

extension EventOutputs.ClipMode: ExpressibleByArgument {}
