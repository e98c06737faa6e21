// `rheo detect` of a video in parts.

import ArgumentParser
import Rheo

extension DetectCommand {
  /// Writes the evidence of a shard.
  func measure(_ shard: Shard) throws {
    OutputFile.protect(inputs)
    let console = Console(common)
    let report = try reportingProgress(common, console) { interruption, progress in
      let input = try InputList.expand(inputs, list: nil).names
      guard input.count == 1 else { throw MediaError(.invalidOption, "shards are of one file, not \(input.count)") }
      var job = DetectionShard(
        detection(input[0], try zones.zoneSet(), common.parallelism), shard: shard, output: parts.evidence ?? "")
      (job.groupDuration, job.overwrites, job.resumes) = (parts.groupDuration, common.overwrite, parts.resume)
      return try job.run(interruption: interruption, progress: progress)
    }
    guard !report.wasInterrupted else {
      console.note("interrupted; nothing was written")
      throw ExitCode.interrupted
    }
    list(report.gaps, console)
    console.note("\(parts.evidence ?? ""): \(report.frames) frames of shard \(shard)")
    if !report.gaps.isEmpty { throw ExitCode.damagedInput }
  }
}
