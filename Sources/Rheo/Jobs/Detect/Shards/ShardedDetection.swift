// A video that is searched part by part on one machine.

import Foundation
import VideoIO

/// Measures all shards of a video one after the other, then finds its events: they are those that many machines find,
/// whatever the number of shards.
public struct ShardedDetection: Sendable {
  /// The detection of the whole video.
  public var detection: Detection
  /// The number of shards.
  public var count: Int
  /// The duration of a group, in seconds.
  public var groupDuration = DetectionShard.usualGroupDuration

  /// Makes a job of `count` shards.
  public init(_ detection: Detection, count: Int) {
    self.detection = detection
    self.count = count
  }

  /// Measures, and finds the events.
  /// - Parameters:
  ///   - interruption: Setting it ends the work; then there are no events.
  ///   - progress: Called after each frame that is measured.
  ///   - onUpdate: Called with each frame, and with each event as it becomes certain and as it ends.
  /// - Throws: As ``DetectionShard`` and ``Detection`` do.
  public func run(
    interruption: Interruption = Interruption(), progress: ((JobProgress) -> Void)? = nil,
    onUpdate: ((Detection.Update) throws -> Void)? = nil
  ) throws -> Detection.Report {
    try run(interruption: interruption, table: nil, progress: progress, onUpdate: onUpdate)
  }

  /// Does the work, and writes the statistics of the frames as they come.
  /// - Parameter table: A table that is committed by the caller.
  package func run(
    interruption: Interruption, table: StatisticsTable?, progress: ((JobProgress) -> Void)?,
    onUpdate: ((Detection.Update) throws -> Void)?
  ) throws -> Detection.Report {
    let monitor = JobMonitor(interruption, progress)
    let folder = try ShardFolder(beside: (NSTemporaryDirectory() as NSString).appendingPathComponent("rheo"))
    defer { folder.remove() }
    var part = DetectionShard(detection, shard: try Shard(number: 1, of: count), output: "")
    part.groupDuration = groupDuration
    let plan = try part.plan()
    monitor.estimatedFrames = plan.frameCount
    var whole = detection
    for number in 1...max(1, count) {
      part.shard = try Shard(number: number, of: count)
      part.output = folder.file("\(number)")
      guard try !part.run(of: plan, monitor).wasInterrupted else { break }
      whole.evidence.append(part.output)
    }
    guard !interruption.isSet else {
      // What was measured of a video that was not seen to its end is of no use.
      let source = Detection.Source(file: detection.input, width: 0, height: 0)
      var report = Detection.Report(source: source, frames: 0, events: [], suppressed: [], gaps: [])
      (report.seconds, report.wasInterrupted) = (monitor.elapsed, true)
      return report
    }
    return try whole.run(interruption: interruption, table: table, progress: nil, onUpdate: onUpdate)
  }
}
