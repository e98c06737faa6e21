import ArgumentParser
import Rheo

/// The options for videos that are searched in parts.
struct DetectionShardOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Measure the K-th of N parts of the video only, and write --evidence.", valueName: "K/N"))
  var shard: ShardArgument?

  @Option(help: ArgumentHelp("With --shard, the file to write.", valueName: "file"))
  var evidence: String?

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "Find the events in the evidence of all shards, in any order; the video is read for images and clips only.",
      valueName: "file"))
  var fromEvidence: [String] = []

  @Option(
    help: ArgumentHelp("Measure in this many parts: the events are those of --shard 1/N … N/N.", valueName: "n"))
  var shards: Int?

  @Option(
    help: ArgumentHelp(
      "With --shard and --shards: what is known of a place begins anew after this time, wherever the cuts are.",
      valueName: "seconds"))
  var groupDuration = DetectionShard.usualGroupDuration

  @Flag(help: "With --shard, keep evidence that is there, if it is complete and of the same work.")
  var resume = false

  var areWanted: Bool { shard != nil || shards != nil || !fromEvidence.isEmpty }

  func validate() throws {
    guard [shard != nil, shards != nil, !fromEvidence.isEmpty].count(where: \.self) < 2 else {
      throw ValidationError("--shard, --shards or --from-evidence, one of them")
    }
    if (shard != nil) != (evidence != nil) { throw ValidationError("--shard and --evidence go together") }
    if resume, shard == nil { throw ValidationError("--resume is for a --shard") }
    if let shards, !(1...Shard.maximumCount).contains(shards) {
      throw ValidationError("--shards is 1…\(Shard.maximumCount), not \(shards)")
    }
    guard (DetectionShard.minimumGroupDuration...1e9).contains(groupDuration) else {
      throw ValidationError(
        "--group-duration is \(DetectionShard.minimumGroupDuration) or more, not \(groupDuration)")
    }
    if groupDuration != DetectionShard.usualGroupDuration, shard == nil, shards == nil {
      throw ValidationError("--group-duration is for --shard and --shards")
    }
  }
}
