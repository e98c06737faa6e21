// Motion triggers: decode → survey → events.

import Foundation
import Synchronization

/// Finds the events of motion in a video.
///
/// Memory is bounded by the frame size and the events themselves.
public struct Detection: Sendable {
  /// A file or an address, as FFmpeg takes them.
  public var input: String
  /// Which part of the video is read, and through which filter.
  public var reading: VideoReader.Options
  /// Where motion counts.
  public var zones: ZoneSet
  /// What makes an event.
  public var events: EventParameters
  /// What of the camera's motion is taken out; `identity`: nothing.
  public var compensation: TransformModel
  /// Whether the statistics of all frames are kept for the report.
  public var keepsStatistics: Bool
  /// How many threads to use; changes no result.
  public var parallelism: Parallelism

  /// A job; ``run(interruption:progress:news:)`` does it.
  public init(
    input: String, reading: VideoReader.Options = .init(), zones: ZoneSet = .everywhere,
    events: EventParameters = .init(),
    compensation: TransformModel = .homography, keepsStatistics: Bool = false, parallelism: Parallelism = .init()
  ) {
    self.input = input
    self.reading = reading
    self.zones = zones
    self.events = events
    self.compensation = compensation
    self.keepsStatistics = keepsStatistics
    self.parallelism = parallelism
  }

  /// The video that was searched.
  public struct Source: Sendable, Hashable, Codable {
    /// What it was called.
    public var file: String
    /// Pixels of a row, turned upright.
    public var width: Int
    /// Rows, turned upright.
    public var height: Int
    /// Frames per second as the headers say.
    public var frameRate: Double?
  }

  /// What came of it.
  public struct Report: Sendable {
    /// The video that was searched.
    public var source: Source
    /// How many frames were read.
    public var frames: Int
    /// The events in order.
    public var events: [MotionEvent]
    /// Times in which light, camera or a cut changed the picture.
    public var suppressed: [SuppressedPeriod]
    /// Damaged places of the input.
    public var gaps: [MediaGap]
    /// Of each frame, if they were kept.
    public var statistics: [FrameStatistics] = []
    /// Seconds that the work took.
    public var seconds = 0.0
    /// Seconds of work per stage; the stages overlap.
    public var stageSeconds: [PipelineStage: Double] = [:]
    /// Whether the work was stopped early; the report is right up to there.
    public var wasInterrupted = false

    /// Frames read in a second of work.
    public var framesPerSecond: Double { seconds > 0 ? Double(frames) / seconds : 0 }
  }

  /// What is told while the work goes on.
  public enum News: Sendable {
    /// A frame was looked at.
    case frame(FrameStatistics)
    /// An event is over.
    case event(MotionEvent)
  }

  /// Does the work.
  /// - Parameters:
  ///   - interruption: Setting it stops reading.
  ///   - progress: Called after each frame.
  ///   - news: Called with each frame, and with each event as it ends.
  /// - Throws: `MediaError` or `MotionDetectionError`.
  public func run(
    interruption: Interruption = Interruption(), progress: ((Annotation.Progress) -> Void)? = nil,
    news: ((News) throws -> Void)? = nil
  ) throws -> Report {
    try events.validate()
    let meter = ProgressMeter(progress)
    let reader = try VideoReader(input, options: reading)
    let video = try reader.videoFormat()
    meter.estimatedFrames = video.estimatedFrameCount
    let stages = StageGroup()
    let decoded = stages.add(BoundedQueue<SurveyedFrame>(capacity: 4))
    let analyzedSize = FrameReduction(size: video.size, parallelism: parallelism).size
    let owned = Handover(reader)
    stages.start(.decode) { clock in
      defer { decoded.finish() }
      let reader = owned.take()
      let reduction = FrameReduction(size: video.size, parallelism: parallelism)
      while !interruption.isSet,
        let frame = try clock.time({ try reader.nextFrame().map { try reduction.reduce($0) } })
      {
        guard decoded.push(frame) else { return }
      }
    }
    let source = Source(
      file: input, width: video.size.width, height: video.size.height, frameRate: video.frameRate?.doubleValue)
    var log = EventLog(source: source, zones: zones, events: events, keepsStatistics: keepsStatistics)
    try stages.runAndWait(.analyse) { clock in
      let survey = MotionSurvey(self, size: video.size, analyzedSize: analyzedSize)
      while let frame = decoded.pop() {
        let statistics = try clock.time { try survey.survey(frame) }
        try log.append(statistics, news)
        meter.count(frame.time)
      }
    }
    var report = try log.finish(gaps: reader.gaps, news)
    report.seconds = meter.elapsed
    report.stageSeconds = stages.seconds
    report.wasInterrupted = interruption.isSet
    return report
  }
}

/// Collects the events of frames that come one after the other.
struct EventLog {
  private var detector: EventDetector
  private var report: Detection.Report
  private let keepsStatistics: Bool

  init(source: Detection.Source, zones: ZoneSet, events: EventParameters, keepsStatistics: Bool) {
    detector = EventDetector(zones: zones, parameters: events)
    report = Detection.Report(source: source, frames: 0, events: [], suppressed: [], gaps: [])
    self.keepsStatistics = keepsStatistics
  }

  mutating func append(_ frame: FrameStatistics, _ news: ((Detection.News) throws -> Void)?) throws {
    report.frames += 1
    if keepsStatistics { report.statistics.append(frame) }
    try news?(.frame(frame))
    try add(detector.append(frame), news)
  }

  mutating func finish(gaps: [MediaGap], _ news: ((Detection.News) throws -> Void)?) throws -> Detection.Report {
    try add(detector.finish(), news)
    report.suppressed = detector.suppressed
    report.gaps = gaps
    return report
  }

  private mutating func add(_ events: [MotionEvent], _ news: ((Detection.News) throws -> Void)?) throws {
    for event in events {
      report.events.append(event)
      try news?(.event(event))
    }
  }
}
