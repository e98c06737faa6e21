// From frames and events to files.

import MotionDetection
import VideoIO

/// An event that is over, with its files complete.
struct FinishedEvent {
  var event: MotionEvent
  var files = EventFiles()
  var peak: PeakImage?
}

/// Writes the images and videos that were asked for of each event. Used by one thread.
final class EventOutputStage {
  private let input: String
  private let options: EventOutputs
  private let snapshots: EventFileNames?
  private let clips: ClipRecorder?
  private let joined: ClipRecorder?
  private let annotator: EventAnnotator?
  private let mask: MaskVideo?
  private var heat: HeatMapRecorder?
  private var peaks: PeakImages?
  /// The events that are over but for their clips, in order.
  private var pending: [FinishedEvent] = []

  /// - Parameter reader: The reader of the input, which no other thread uses meanwhile.
  /// - Throws: ``MediaError`` when a folder cannot be used, ``MotionDetectionError`` `invalidOption`.
  init(_ task: Detection, reader: VideoReader) throws {
    (input, options) = (task.input, task.outputs)
    try options.validate(zones: task.zones)
    let stem = options.stem ?? EventOutputs.stem(of: task.input)
    func names(_ folder: String) throws -> EventFileNames {
      try EventFileNames(folder: folder, stem: stem, overwrites: task.outputs.overwrites)
    }
    snapshots = try options.snapshotFolder.map(names)
    try snapshots?.refuseExisting(endings: ["png"])
    let size = try reader.videoFormat().size
    let privacy = PrivacyMask(zones: task.zones, size: size)
    if options.needsHeatMap { heat = HeatMapRecorder(size: size, privacy: privacy) }
    if let path = options.heatMap {
      try OutputFile.check(path: path, overwrite: options.overwrites, inputs: [task.input])
    }
    if options.needsPeaks { peaks = PeakImages(privacy: privacy) }
    clips = try options.clipFolder.map { folder in
      try ClipRecorder(
        names: names(folder), mode: task.outputs.clipMode,
        streams: CopiedStreams(reader, includesAudio: task.outputs.encoding.copiesAudio), reading: task.reading,
        encoding: task.outputs.encoding
      ) { privacy?.blank($0) }
    }
    joined = try options.joined.map { video in
      let streams = try video.streams(reader, task.outputs)
      return ClipRecorder(streams: streams, isExact: task.outputs.clipMode == .encode, label: "joined") { _, start in
        (video.path, try video.part(of: streams, from: start, task) { privacy?.blank($0) })
      }
    }
    // The last ones: they begin to write.
    mask = try options.maskVideo.map { try MaskVideo($0, outputs: task.outputs, reader: reader) }
    annotator = try options.annotated.map { try EventAnnotator($0, task: task, reader: reader, privacy: privacy) }
  }

  /// The notes that users should know, one line each.
  var notes: [String] {
    let clipNotes = clips?.notes ?? []
    // Where there are clips, the joined video mostly has the same notes.
    return clipNotes + (joined?.notes ?? []).filter { !clipNotes.contains($0) } + videoNotes
  }

  /// The notes on whole videos, each once.
  private var videoNotes: [String] {
    let notes = annotator?.video.notes ?? []
    return notes + (mask?.video.notes ?? []).filter { !notes.contains($0) }
  }

  /// The map of where anything moved, if it was asked for.
  var heatMap: MotionHeatMap? { options.tellsHeatMap ? heat?.map : nil }

  /// Takes the next frame.
  /// - Parameter ended: The events that are over with it.
  /// - Returns: The events whose files are complete.
  func append(
    _ next: Attached<ZoneAnalyzer.Measurement>, ended: [MotionEvent], detector: EventDetector
  ) throws -> [FinishedEvent] {
    let (measured, attachments) = (next.value, next.attachments)
    let ongoing = detector.ongoing
    let images =
      attachments.frame.flatMap {
        peaks?.append($0, measured.statistics, ended: ended, ongoing: ongoing)
      } ?? []
    pending += try describe(ended, images)
    if let frame = attachments.frame {
      heat?.append(frame, measured, ended: ended, detector)
      try annotator?.append(frame, measured.statistics, ongoing: ongoing)
      try mask?.append(frame, measured.counted)
    }
    let written = try clips?.append(
      attachments.packets, ended: ended, ongoing: ongoing, earliestStart: detector.earliestStart)
    _ = try joined?.append(
      attachments.packets, ended: ended, ongoing: ongoing, earliestStart: detector.earliestStart)
    return complete(written ?? [:])
  }

  /// Completes the files that are not complete yet.
  /// - Parameters:
  ///   - ended: The events that end with the last frame.
  ///   - packets: The packets that were read after it.
  func finish(ended: [MotionEvent], packets: [SourcePacket]) throws -> [FinishedEvent] {
    pending += try describe(ended, peaks?.finish(ended) ?? [])
    let written = try clips?.finish(packets, ended: ended)
    _ = try joined?.finish(packets, ended: ended)
    heat?.finish(ended)
    if let path = options.heatMap, let map = heat?.map {
      try StillImage.writePNG(map.image(), to: path, overwrite: options.overwrites)
    }
    try annotator?.video.finish()
    try mask?.video.finish()
    return complete(written ?? [:])
  }

  /// Gives up the files that are not complete.
  func abandon() {
    clips?.abandon()
    joined?.abandon()
    annotator?.video.abandon()
    mask?.video.abandon()
  }

  /// Writes the snapshots of events.
  private func describe(_ ended: [MotionEvent], _ images: [PeakImage]) throws -> [FinishedEvent] {
    try ended.map { event in
      let peak = images.first { $0.event == event.number }
      var finished = FinishedEvent(event: event, peak: options.tellsPeaks ? peak : nil)
      if let snapshots, let peak {
        let path = snapshots.path(event: event.number, ending: "png")
        try OutputFile.requireDifferent(path, from: [input])
        try StillImage.writePNG(peak.image(), to: path, overwrite: snapshots.overwrites)
        finished.files.snapshot = path
      }
      return finished
    }
  }

  /// Takes the events that nothing is missing of any more, in order.
  private func complete(_ written: [Int: String]) -> [FinishedEvent] {
    for index in pending.indices {
      if let path = written[pending[index].event.number] { pending[index].files.clip = path }
    }
    let count = pending.firstIndex { clips?.isWriting(event: $0.event.number) == true } ?? pending.count
    defer { pending.removeFirst(count) }
    return Array(pending[..<count])
  }
}
