// A video that is annotated part by part on one machine.

import Foundation
import Imaging
import VideoIO

/// Draws all shards of a video one after the other, and joins them: the output is, byte for byte, the one that many
/// machines make, whatever the number of shards.
public struct ShardedAnnotation: VideoJob {
  /// The drawing, without a shard.
  public var annotation: Annotation
  /// The number of shards.
  public var count: Int

  /// Makes a job of `count` shards.
  public init(_ annotation: Annotation, count: Int) {
    self.annotation = annotation
    self.count = count
  }

  /// Draws and joins.
  /// - Parameters:
  ///   - interruption: Setting it ends the work; then there is no output.
  ///   - progress: Called as frames are drawn.
  /// - Throws: As ``Annotation`` and ``AnnotationMerge`` do. Then no output is left behind.
  public func run(
    interruption: Interruption = Interruption(), progress: ((JobProgress) -> Void)? = nil
  ) throws -> Annotation.Report {
    let monitor = JobMonitor(interruption, progress)
    let output = annotation.output
    try OutputFile.check(path: output, overwrite: annotation.encoding.overwrites, inputs: [annotation.input])
    let container = try VideoWriter.containerName(of: output, format: annotation.encoding.format)
    let folder = try ShardFolder(beside: output)
    defer { folder.remove() }
    var seconds: [PipelineStage: Double] = [:]
    let plan = try GroupPlan(of: annotation.input, reading: annotation.reading, lengths: .drawing)
    monitor.estimatedFrames = plan.frameCount
    var parts: [String] = []
    for number in 1...max(1, count) {
      var part = annotation
      part.output = folder.file("\(number)")
      part.encoding.format = container
      let done = monitor.framesDone
      let partMonitor = JobMonitor(interruption) { step in
        while monitor.framesDone < done + step.frames { monitor.tally(seconds: step.mediaSeconds) }
      }
      let report = try part.run(try Shard(number: number, of: count), of: plan, partMonitor)
      seconds.merge(report.stageSeconds, uniquingKeysWith: +)
      guard !report.wasInterrupted else { return report }
      parts.append(part.output)
    }
    var report = try AnnotationMerge(
      shards: parts, output: output, input: annotation.input, overwrites: annotation.encoding.overwrites
    ).run(interruption: interruption)
    (report.stageSeconds, report.seconds) = (seconds, monitor.elapsed)
    return report
  }
}
