// Events of a video whose frames were measured elsewhere.

import Imaging
import MotionDetection
import VideoIO

extension Detection {
  /// Finds the events in evidence. The video is read only where outputs want its frames or packets.
  func run(
    on evidence: EvidenceSet, _ table: StatisticsTable?, _ monitor: JobMonitor, onUpdate: ((Update) throws -> Void)?
  ) throws -> Report {
    try events.validate()
    let head = evidence.head
    try zones.requireShape(of: head.zoneSet())
    var source = head.video
    source.file = MediaAddress(input).description
    var log = EventLog(
      source: source, zones: zones, events: events, keepsStatistics: keepsStatistics, retention: retention)
    log.table = table
    try table?.begin(source)
    log.explain(explainedPosition)
    func take(_ frame: Attached<ZoneAnalyzer.Measurement>) throws {
      try log.append(frame, onUpdate)
      try monitor.count(frame.value.statistics.time)
    }
    var (lastPackets, stageSeconds): ([SourcePacket], [PipelineStage: Double]) = ([], [:])
    if outputs.isEmpty {
      while !monitor.interruption.isSet, !log.isSettled, let measured = try evidence.next() {
        try take(Attached(value: measured))
      }
    } else {
      let reader = try openReader(of: head, monitor.interruption)
      let stage = try EventOutputStage(self, reader: reader.first)
      log.outputs = stage
      do {
        (lastPackets, stageSeconds) = try join(evidence, reader, monitor.interruption, take)
      } catch {
        stage.abandon()
        throw error
      }
    }
    try monitor.interruption.checkCancellation()
    do {
      var report = try log.finish(gaps: evidence.gaps, lastPackets: lastPackets, onUpdate)
      (report.seconds, report.stageSeconds) = (monitor.elapsed, stageSeconds)
      report.wasInterrupted = monitor.interruption.isSet
      return report
    } catch {
      log.outputs?.abandon()
      throw error
    }
  }

  private func openReader(of head: EvidenceHead, _ interruption: Interruption) throws -> StreamReader {
    if let bytes = ShardInput.size(of: input), let measured = head.input.bytes, bytes != measured {
      throw MediaError(
        .invalidOption, "is not the video that the shards are of: it has \(bytes) bytes, not \(measured)", file: input)
    }
    var reading = head.input.reading
    reading.threadCount = self.reading.threadCount
    reading.allowedProtocols = self.reading.allowedProtocols
    reading.maximumPixelCount = self.reading.maximumPixelCount
    reading.keepsPackets = outputs.needsPackets
    return try StreamReader(input, options: reading)
  }

  /// Hands on each measurement, with the frame that it is of.
  /// - Returns: The packets that were read after the last frame, and the time of work per stage.
  private func join(
    _ evidence: EvidenceSet, _ reader: StreamReader, _ interruption: Interruption,
    _ take: (Attached<ZoneAnalyzer.Measurement>) throws -> Void
  ) throws -> ([SourcePacket], [PipelineStage: Double]) {
    let stages = StageGroup()
    let watch = LiveWatch { _ in }
    let decoded = stages.add(DetectionFrames.queue(isLive: false, watch))
    let lastPackets = SharedValue<[SourcePacket]>([])
    let frames = DetectionFrames(
      reader: reader, watch: watch, scale: AnalysisScale(deadline: nil), keepsPackets: outputs.needsPackets,
      lastPackets: lastPackets)
    stages.startDecoding(reader, as: frames, into: decoded, until: Interruption(following: interruption))
    try stages.runAndWait(.encode) { clock in
      var measured = try evidence.next()
      var packets: [SourcePacket] = []
      while let next = decoded.pop() {
        next.image.settle(nil)
        let time = next.frame.presentationTime
        packets += next.packets
        // Frames that can be decoded behind a seek only have no image.
        while let lost = measured, lost.statistics.time < time {
          try clock.time { try take(Attached(value: lost)) }
          measured = try evidence.next()
        }
        guard let value = measured, value.statistics.time == time else { continue }
        let attachments = FrameAttachments(frame: outputs.needsFrames ? next.frame : nil, packets: packets)
        packets = []
        try clock.time { try take(Attached(value: value, attachments: attachments)) }
        measured = try evidence.next()
      }
      lastPackets.value = packets + lastPackets.value
      while !interruption.isSet, let lost = measured {
        try clock.time { try take(Attached(value: lost)) }
        measured = try evidence.next()
      }
    }
    return (lastPackets.value, stages.seconds)
  }
}
