// A part of an annotated video.

import FlowAnalysis
import FlowRendering
import Imaging
import VideoIO

extension Annotation {
  /// Draws the groups of a shard into a folder.
  /// - Parameter plan: The groups of the whole video; nil: they are to be found.
  func run(_ shard: Shard, of plan: GroupPlan? = nil, _ monitor: JobMonitor) throws -> Report {
    try requireIndependentPairs()
    let plan = try plan ?? GroupPlan(of: input, reading: reading, lengths: .drawing)
    let part = plan.part(plan.groups(of: shard), of: shard)
    let source = try VideoSource(input, part?.cut.reading ?? reading)
    let video = try source.reader.videoFormat()
    let canvasSize = try FlowRenderer(options: rendering, size: video.size, parallelism: .serial).canvasSize
    var manifest = AnnotationManifest(self, shard, plan, canvasSize: canvasSize)
    if resumes, let kept = manifest.kept(in: output) {
      let frames = kept.groups.reduce(0) { $0 + $1.frames }
      return Report(
        frames: frames, pairs: frames, seconds: monitor.elapsed, stageSeconds: [:], gaps: kept.gaps.map(\.gap),
        notes: kept.notes, wasInterrupted: false)
    }
    let folder = try GroupFolder(output, overwrites: encoding.overwrites || resumes, input: input)
    do {
      var report = Report(
        frames: 0, pairs: 0, seconds: 0, stageSeconds: [:], gaps: [], notes: [],
        wasInterrupted: monitor.interruption.isSet)
      if let part {
        monitor.estimatedFrames = part.cut.pairCount
        let writer = try GroupWriter(
          folder, of: source.reader, encoding: manifest.encoding.options, canvasSize: canvasSize, start: plan.start,
          part.groups)
        let stages = StageGroup()
        var sheet: ContactSheet?
        let shardSource = VideoSource(source.reader, ShardReader(source.frames, until: part.cut.end))
        report.frames = try draw(
          shardSource, size: video.size, to: writer, groups: part.groups, stages, monitor, &sheet)
        manifest.groups = try writer.finish()
        manifest.gaps = ShardGap.within(part.groups, of: source.reader.gaps)
        report.stageSeconds = stages.seconds
        report.notes = writer.notes + source.reader.timeNotes
      }
      try monitor.interruption.checkCancellation()
      (report.pairs, report.gaps, report.seconds) = (report.frames, manifest.gaps.map(\.gap), monitor.elapsed)
      report.wasInterrupted = monitor.interruption.isSet
      guard !report.wasInterrupted else {
        folder.discard()
        return report
      }
      manifest.notes = report.notes
      try folder.complete(manifest)
      return report
    } catch {
      folder.discard()
      throw error
    }
  }

  /// - Throws: `MediaError` `invalidOption` where what is drawn depends on all frames before, or needs all frames.
  private func requireIndependentPairs() throws {
    guard FlowPairHandler.serves(flow), findings.servesPairs else {
      throw MediaError(
        .invalidOption,
        flow.startsFromLastFlow
          ? "a flow that starts from the one before depends on all frames: it cannot be cut into shards"
          : "the style \(rendering.style.rawValue) remembers the frames before: it cannot be cut into shards",
        file: input)
    }
    guard contactSheet == nil else {
      throw MediaError(
        .invalidOption, "a contact sheet shows the whole video: it cannot be cut into shards", file: input)
    }
  }
}
