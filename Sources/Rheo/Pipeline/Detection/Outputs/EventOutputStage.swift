// From frames and events to files.

/// An event that is over, with its files complete.
struct FinishedEvent {
  var event: MotionEvent
  var files = EventFiles()
  var peak: PeakPicture?
}

/// A frame with what was measured in it, and what the outputs need.
struct MeasuredFrame: Sendable {
  var statistics: FrameStatistics
  /// Nil when no output needs pictures.
  var frame: VideoFrame?
}

/// Writes what was asked for of each event. Used by one thread.
final class EventOutputStage {
  private let options: EventOutputs
  private let snapshots: EventFileNames?
  private var peaks: PeakPictures?

  /// - Throws: ``MediaError`` when a folder cannot be used.
  init(_ task: Detection, video: VideoFormat) throws {
    options = task.outputs
    let stem = options.stem ?? EventOutputs.stem(of: task.input)
    snapshots = try options.snapshotFolder.map {
      try EventFileNames(folder: $0, stem: stem, overwrites: task.outputs.overwrites)
    }
    try snapshots?.refuseExisting(endings: ["png"])
    let privacy = PrivacyMask(zones: task.zones, size: video.size)
    if options.needsFrames { peaks = PeakPictures(privacy: privacy) }
  }

  /// Takes the next frame.
  /// - Parameters:
  ///   - ended: The events that are over with it.
  ///   - ongoing: What is going on after it.
  /// - Returns: The events whose files are complete.
  func append(_ measured: MeasuredFrame, ended: [MotionEvent], ongoing: OngoingEvent?) throws -> [FinishedEvent] {
    let pictures =
      measured.frame.flatMap {
        peaks?.append($0, measured.statistics, ended: ended, ongoing: ongoing)
      } ?? []
    return try finished(ended, pictures)
  }

  /// Completes what is not complete yet.
  /// - Parameter ended: The events that end with the last frame.
  func finish(ended: [MotionEvent]) throws -> [FinishedEvent] {
    try finished(ended, peaks?.finish(ended) ?? [])
  }

  private func finished(_ ended: [MotionEvent], _ pictures: [PeakPicture]) throws -> [FinishedEvent] {
    try ended.map { event in
      let peak = pictures.first { $0.event == event.number }
      var finished = FinishedEvent(event: event, peak: options.tellsPeaks ? peak : nil)
      if let snapshots, let peak {
        let path = snapshots.path(event: event.number, ending: "png")
        try StillImage.writePNG(peak.image(), to: path, overwrite: snapshots.overwrites)
        finished.files.snapshot = path
      }
      return finished
    }
  }
}
