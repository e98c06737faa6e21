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
  /// Pictures and videos of the events; nothing unless set.
  public var outputs = EventOutputs()
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
    /// What was written of the events, by their numbers.
    public var files: [Int: EventFiles] = [:]
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
    /// The peak of the event that comes next, if ``EventOutputs/tellsPeaks``.
    case peak(PeakPicture)
    /// An event that is over, with its files complete.
    case event(MotionEvent, EventFiles)
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
    let outputs = self.outputs.isEmpty ? nil : try EventOutputStage(self, video: video)
    let stages = StageGroup()
    let decoded = stages.add(BoundedQueue<SurveyedFrame>(capacity: 4))
    let analyzedSize = FrameReduction(size: video.size, parallelism: parallelism).size
    let owned = Handover(reader)
    let keepsFrames = self.outputs.needsFrames
    stages.start(.decode) { clock in
      defer { decoded.finish() }
      let reader = owned.take()
      let reduction = FrameReduction(size: video.size, parallelism: parallelism)
      while !interruption.isSet, let frame = try clock.time({ try reader.nextFrame() }) {
        var surveyed = try clock.time { try reduction.reduce(frame) }
        if keepsFrames { surveyed.frame = frame }
        guard decoded.push(surveyed) else { return }
      }
    }
    let source = Source(
      file: input, width: video.size.width, height: video.size.height, frameRate: video.frameRate?.doubleValue)
    var log = EventLog(source: source, zones: zones, events: events, keepsStatistics: keepsStatistics)
    log.outputs = outputs
    let survey = Handover(MotionSurvey(self, size: video.size, analyzedSize: analyzedSize))
    let measure: @Sendable (SurveyedFrame, StageClock) throws -> MeasuredFrame = { frame, clock in
      let statistics = try clock.time { try survey.take().survey(frame) }
      return MeasuredFrame(statistics: statistics, frame: frame.frame)
    }
    if outputs == nil {
      try stages.runAndWait(.analyse) { clock in
        while let frame = decoded.pop() {
          try log.append(measure(frame, clock), news)
          meter.count(frame.time)
        }
      }
    } else {
      let measured = stages.add(BoundedQueue<MeasuredFrame>(capacity: 3))
      stages.start(.analyse) { clock in
        defer { measured.finish() }
        while let frame = decoded.pop() {
          guard measured.push(try measure(frame, clock)) else { return }
        }
      }
      try stages.runAndWait(.encode) { clock in
        while let frame = measured.pop() {
          try clock.time { try log.append(frame, news) }
          meter.count(frame.statistics.time)
        }
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
  /// Writes pictures and videos; nil: nothing of the kind.
  var outputs: EventOutputStage?

  init(source: Detection.Source, zones: ZoneSet, events: EventParameters, keepsStatistics: Bool) {
    detector = EventDetector(zones: zones, parameters: events)
    report = Detection.Report(source: source, frames: 0, events: [], suppressed: [], gaps: [])
    self.keepsStatistics = keepsStatistics
  }

  mutating func append(_ frame: FrameStatistics, _ news: ((Detection.News) throws -> Void)?) throws {
    try append(MeasuredFrame(statistics: frame), news)
  }

  mutating func append(_ measured: MeasuredFrame, _ news: ((Detection.News) throws -> Void)?) throws {
    report.frames += 1
    if keepsStatistics { report.statistics.append(measured.statistics) }
    try news?(.frame(measured.statistics))
    let ended = detector.append(measured.statistics)
    try add(outputs?.append(measured, ended: ended, ongoing: detector.ongoing) ?? ended.map { .init(event: $0) }, news)
  }

  mutating func finish(gaps: [MediaGap], _ news: ((Detection.News) throws -> Void)?) throws -> Detection.Report {
    let ended = detector.finish()
    try add(outputs?.finish(ended: ended) ?? ended.map { .init(event: $0) }, news)
    report.suppressed = detector.suppressed
    report.gaps = gaps
    return report
  }

  private mutating func add(_ finished: [FinishedEvent], _ news: ((Detection.News) throws -> Void)?) throws {
    for item in finished {
      report.events.append(item.event)
      if item.files != EventFiles() { report.files[item.event.number] = item.files }
      if let peak = item.peak { try news?(.peak(peak)) }
      try news?(.event(item.event, item.files))
    }
  }
}
