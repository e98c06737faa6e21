import ArgumentParser
import Foundation
import Rheo

struct PlanCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plan",
    abstract: "Tells where videos are cut into shards.",
    discussion: """
      A video is cut into as few parts as are no longer than --shard-duration on average, or into --shards. The parts \
      have equal numbers of pairs of frames; a cut is moved to the nearest key frame within half a part. Packets are \
      read for that and not decoded. --shard K/N of other commands finds the same cuts for the same range.

      Example: rheo plan day.mkv --shard-duration 60 --index --json
      """)

  @Argument(help: ArgumentHelp("Videos, each a file.", valueName: "video"))
  var videos: [String]

  @Option(help: ArgumentHelp("The length of a shard. (default: 60)", valueName: "seconds"))
  var shardDuration: Double?

  @Option(help: ArgumentHelp("The number of shards of each video, instead of a length.", valueName: "n"))
  var shards: Int?

  @Flag(help: "Print JSON.")
  var json = false

  @OptionGroup(title: "Range") var range: RangeOptions
  @OptionGroup(title: "Input") var inputOptions: InputOptions
  @OptionGroup(title: "General") var common: CommonOptions

  /// The length of a shard unless given, in seconds.
  private static let usualDuration = 60.0

  func validate() throws {
    if shards != nil, shardDuration != nil { throw ValidationError("--shards or --shard-duration, not both") }
    if let shards, !(1...Shard.maximumCount).contains(shards) {
      throw ValidationError("--shards is 1…\(Shard.maximumCount), not \(shards)")
    }
    if let shardDuration, !(shardDuration > 0 && shardDuration.isFinite) {
      throw ValidationError("--shard-duration is above 0, not \(shardDuration)")
    }
  }

  func run() throws {
    // An index (--index) is an output, too.
    OutputFile.protect(videos)
    let console = Console(common)
    try reportingFailure(console) {
      let reading = inputOptions.readerOptions(range, common)
      let plans = try videos.map { video in
        let plan =
          try shards.map { try ShardPlan(of: video, reading: reading, count: $0) }
          ?? ShardPlan(of: video, reading: reading, shardDuration: shardDuration ?? Self.usualDuration)
        return (video, plan)
      }
      if json {
        try printLine(JSONText.object([("videos", .array(plans.map(Self.json)))]).pretty(depth: 5))
      } else {
        try printLine(plans.map(Self.table).joined(separator: "\n\n"))
      }
    }
  }

  private static func json(_ video: String, _ plan: ShardPlan) -> JSONText {
    func json(_ frame: ShardPlan.Frame) -> JSONText {
      .object([
        ("frame", .integer(frame.number)), ("ticks", .integer(Int(frame.time.value))),
        ("timeBase", .string(frame.time.timeBase.description)), ("seconds", .number(frame.time.seconds)),
        ("keyFrame", .bool(frame.isKeyFrame)),
      ])
    }
    return .object([
      ("video", .string(video)), ("frames", .integer(plan.frameCount)),
      ("countedBy", .string(plan.decodingReason == nil ? "packets" : "decoding")),
      (
        "shards",
        .array(
          plan.parts.map { part in
            .object([
              ("shard", .string("\(part.shard)")), ("pairs", .integer(part.pairCount)), ("first", json(part.first)),
              ("last", json(part.last)),
            ])
          })
      ),
    ])
  }

  private static func table(_ video: String, _ plan: ShardPlan) -> String {
    var table = TextTable(isNumeric: true)
    table.add(["shard", "pairs", "first", "last", "from", "to", "begins with"])
    for part in plan.parts {
      table.add([
        "\(part.shard)", "\(part.pairCount)", "\(part.first.number)", "\(part.last.number)", part.first.time.timecode,
        part.last.time.timecode, part.first.isKeyFrame ? "key frame" : "frame",
      ])
    }
    let counting = plan.decodingReason.map { ", counted by decoding: \($0)" } ?? ""
    return "\(shown(video)): \(plan.frameCount) frames\(counting)\n\(table.text)"
  }
}
