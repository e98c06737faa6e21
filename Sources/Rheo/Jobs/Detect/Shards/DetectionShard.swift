// What the frames of a part of a video show, for events that are found elsewhere.

import Imaging
import MotionDetection
import VideoIO

/// Measures the motion in the frames of a shard.
///
/// The video is cut into groups of frames, at the same frames for any number of shards; a shard has whole groups.
/// The knowledge of a place (its noise, its sway, who stands there) begins anew with each group, some seconds ahead of
/// it. So the evidence does not depend on the number of shards, nor on what measures which.
public struct DetectionShard: VideoJob {
  /// The detection; its outputs and thresholds have no part in it.
  public var detection: Detection
  /// The part of the video.
  public var shard: Shard
  /// The file to write.
  public var output: String
  /// The duration of a group, in seconds.
  public var groupDuration = Self.usualGroupDuration
  /// A Boolean value that tells whether an existing file is replaced.
  public var overwrites = false
  /// A Boolean value that tells whether evidence that is there already is kept, if it is complete and of the same work.
  public var resumes = false

  /// The duration of a group unless given, in seconds.
  public static let usualGroupDuration = 600.0
  /// The duration of a group at the least, in seconds.
  public static let minimumGroupDuration = 10.0
  /// The time by which a group is prepared, in seconds: a thirtieth of a usual group.
  static let preparationDuration = 20.0

  /// Makes the measurement of a shard.
  public init(_ detection: Detection, shard: Shard, output: String) {
    self.detection = detection
    self.shard = shard
    self.output = output
  }

  /// The result of the work.
  public struct Report: Sendable {
    /// The number of frames that were measured.
    public var frames: Int
    /// The points of the shard at which the input could not be decoded.
    public var gaps: [MediaGap]
    /// The time that the work took, in seconds.
    public var seconds: Double
    /// A Boolean value that tells whether the work was stopped early; then nothing was written.
    public var wasInterrupted: Bool
  }

  /// Measures the frames.
  /// - Throws: `MediaError`, `MotionDetectionError`; then nothing is written.
  public func run(
    interruption: Interruption = Interruption(), progress: ((JobProgress) -> Void)? = nil
  ) throws -> Report {
    try run(of: plan(), JobMonitor(interruption, progress))
  }

  /// Returns the groups of the video.
  func plan() throws -> GroupPlan {
    guard (Self.minimumGroupDuration...1e9).contains(groupDuration) else {
      throw MediaError(
        .invalidOption, "groups of \(groupDuration) s; they have at least \(Self.minimumGroupDuration)")
    }
    return try GroupPlan(
      of: detection.input, reading: detection.reading, seconds: groupDuration,
      preparationSeconds: Self.preparationDuration)
  }

  /// Measures the frames.
  /// - Parameter plan: The groups of the whole video.
  func run(of plan: GroupPlan, _ monitor: JobMonitor) throws -> Report {
    var task = detection
    (task.outputs, task.explainedPosition, task.deadline) = (EventOutputs(), nil, nil)
    let format = try VideoReader(task.input, options: task.reading).videoFormat()
    let source = Detection.Source(
      file: task.input, width: format.size.width, height: format.size.height,
      frameRate: format.frameRate?.doubleValue)
    let head = EvidenceHead(task, shard, plan, video: source)
    if resumes, let kept = kept(head) {
      return Report(
        frames: kept.frameCount, gaps: kept.gaps.map(\.gap), seconds: monitor.elapsed, wasInterrupted: false)
    }
    let file = try OutputFile(path: output, overwrite: overwrites || resumes, inputs: [task.input])
    let writer = try EvidenceWriter(file, head)
    monitor.estimatedFrames = monitor.estimatedFrames ?? plan.frameCount(of: shard)
    var gaps: [ShardGap] = []
    for group in plan.groups(of: shard) {
      guard !monitor.interruption.isSet, let part = plan.part(group..<group + 1, of: shard) else { break }
      for gap in try task.measure(part, into: writer, monitor) where !gaps.contains(gap) { gaps.append(gap) }
    }
    try monitor.interruption.checkCancellation()
    let isWhole = !monitor.interruption.isSet
    if isWhole { try writer.commit(gaps: gaps) }
    return Report(
      frames: writer.frameCount, gaps: gaps.map(\.gap), seconds: monitor.elapsed, wasInterrupted: !isWhole)
  }

  /// Returns the evidence that is there, read to its end, if it is that of this work.
  private func kept(_ head: EvidenceHead) -> EvidenceReader? {
    guard let reader = try? EvidenceReader(output), reader.head.shard == head.shard,
      reader.head.difference(from: head) == nil
    else { return nil }
    do {
      while try reader.next() != nil {}
      return reader
    } catch {
      return nil
    }
  }
}

extension Detection {
  /// Measures the frames of a group, after those by which it is prepared.
  /// - Returns: The damage within it.
  fileprivate func measure(
    _ part: GroupPlan.Part, into writer: EvidenceWriter, _ monitor: JobMonitor
  ) throws -> [ShardGap] {
    let reader = try VideoReader(input, options: part.cut.reading)
    let frames = ShardReader(reader, until: part.cut.end)
    let stream = StreamReader(reader, frames: frames.nextFrame)
    _ = try measure(stream, LiveWatch { _ in }, StageGroup(), until: Interruption(following: monitor.interruption)) {
      frame in
      guard part.groups.isInside(frame.value.statistics.time) else { return }
      try writer.append(frame.value)
      try monitor.count(frame.value.statistics.time)
    }
    return ShardGap.within(part.groups, of: reader.gaps)
  }
}
