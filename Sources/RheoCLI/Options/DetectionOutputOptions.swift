import ArgumentParser
import Rheo

/// Pictures and videos of the events.
struct DetectionOutputOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Write a PNG picture of each event's peak into this folder, with thin boxes around what travels.",
      valueName: "folder"))
  var snapshots: String?

  /// The options of this group, for messages.
  static let names = "--snapshots"

  var areWanted: Bool { snapshots != nil }

  func outputs(stem: String, _ common: CommonOptions) -> EventOutputs {
    var outputs = EventOutputs()
    outputs.snapshotFolder = snapshots
    outputs.stem = stem
    outputs.overwrites = common.overwrite
    return outputs
  }
}
