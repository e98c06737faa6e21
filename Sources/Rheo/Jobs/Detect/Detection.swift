// Motion triggers: decode → analysis → events.

import Foundation
import Imaging
import MotionDetection
import Registration
import VideoIO

/// Finds the events of motion in a video.
///
/// Memory is bounded by the frame size and by what ``retention`` keeps of the events; for clips, packets are kept back
/// to the key frame before the earliest possible start of an event, at most 256 MiB of them.
public struct Detection: Sendable {
  /// A file or an address, as FFmpeg takes them.
  public var input: String
  /// The part of the video that is read, and the filter that it is read through.
  public var reading: VideoReader.Options
  /// The zones in which motion counts.
  public var zones: ZoneSet
  /// The parameters that make motion an event.
  public var events: EventParameters
  /// The model of the camera's motion that is taken out; with `identity` nothing is.
  public var compensation: TransformModel
  /// A Boolean value that tells whether the statistics of all frames are kept for the report: some 4 KB a frame. The
  /// updates of `run(interruption:progress:onUpdate:)` bring them one by one.
  public var keepsStatistics: Bool
  /// The part of the events that stays in memory for the report once they are over. All of it by default: for an input
  /// without an end choose less.
  public var retention = EventRetention.everything
  /// The images and videos that are written of the events; none unless set.
  public var outputs = EventOutputs()
  /// The number of threads to use; it changes no result.
  public var parallelism: Parallelism
  /// The way live inputs are read; files and pipes wait, and none of their frames is left out.
  public var live = LiveOptions()
  /// The time that the analysis of a frame may take before images are analysed at a smaller size, in seconds; nil: no
  /// limit.
  public var deadline: Double?
  /// A closure that is told the progress of a live input, on any thread.
  public var onLiveUpdate: @Sendable (LiveUpdate) -> Void = { _ in }
  /// The position to explain: that of the first frame at or after it. The work stops as soon as it is clear what
  /// becomes of that frame.
  public var explainedPosition: MediaRange.Position?
  /// The evidence of all shards of the video, in any order, as ``DetectionShard`` writes it: it takes the place of the
  /// analysis, and the range is that of the shards. The zones are theirs; their thresholds may be others. None: the
  /// video is analysed.
  public var evidence: [String] = []

  /// Creates a job; `run(interruption:progress:onUpdate:)` does it.
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
    /// The name of the video, as it was given but for passwords and tokens: see `MediaAddress`.
    public var file: String
    /// The width of the upright image, in pixels.
    public var width: Int
    /// The height of the upright image, in pixels.
    public var height: Int
    /// The frames per second, as the headers say.
    public var frameRate: Double?

    /// Creates the source of a video of this name, size and rate.
    public init(file: String, width: Int, height: Int, frameRate: Double? = nil) {
      self.file = MediaAddress(file).description
      self.width = width
      self.height = height
      self.frameRate = frameRate
    }
  }

  /// The results of a detection.
  public struct Report: Sendable {
    /// The video that was searched.
    public var source: Source
    /// The number of frames that were read.
    public var frames: Int
    /// The events in order; none with ``EventRetention/figures``.
    public var events: [MotionEvent]
    /// The figures of the events that were not kept.
    public var forgotten = EventFigures()
    /// The files that were written of the events, by the events' numbers.
    public var files: [Int: EventFiles] = [:]
    /// The crossings of the trip lines, in order; none with ``EventRetention/figures``.
    public var crossings: [Crossing] = []
    /// The names of the trip lines.
    public var tripLines: [String] = []
    /// The periods in which light, camera or a cut changed the image; none with ``EventRetention/figures``.
    public var suppressed: [SuppressedPeriod]
    /// The gaps of the input.
    public var gaps: [MediaGap]
    /// The progress of the input; nil unless it was live.
    public var live: LiveStatus?
    /// The notes on everything that was not carried over into videos or had to be changed, one line each.
    public var notes: [String] = []
    /// The statistics of each frame, if they were kept.
    public var statistics: [FrameStatistics] = []
    /// The time that the work took, in seconds.
    public var seconds = 0.0
    /// The time of work per stage, in seconds; the stages overlap.
    public var stageSeconds: [PipelineStage: Double] = [:]
    /// The explanation of the position that was asked for; nil when none was, or when the video ended before.
    public var explanation: DetectionExplanation?
    /// A Boolean value that tells whether the work was stopped early; the report is right up to there.
    public var wasInterrupted = false

    /// The number of events, kept or not.
    public var eventCount: Int { events.count + forgotten.count }
    /// The length of all events together, in seconds.
    public var motionSeconds: Double { events.reduce(forgotten.seconds) { $0 + $1.duration } }
    /// The number of frames read in a second of work.
    public var framesPerSecond: Double { seconds > 0 ? Double(frames) / seconds : 0 }
  }

  /// Something that crossed a trip line, and the frame with which that was known.
  public struct Crossing: Sendable, Hashable {
    /// The line and the direction.
    public var crossing: LineCrossing
    /// The frame with which the crossing was known.
    public var timestamp: FrameTimestamp
  }

  /// A message that is told while the work goes on.
  public enum Update: Sendable {
    /// A frame was looked at.
    case frame(FrameStatistics)
    /// An event became certain, since it lasted long enough. It is told as far as it is known then, once for each
    /// event, before its end.
    case started(MotionEvent)
    /// The peak of the event that comes next, if ``EventOutputs/tellsPeaks``.
    case peak(PeakImage)
    /// An event that is over, with its files complete.
    case event(MotionEvent, EventFiles)
    /// The map of where anything moved, once at the end, if ``EventOutputs/tellsHeatMap``.
    case heatMap(MotionHeatMap)
  }

  /// Does the work.
  /// - Parameters:
  ///   - interruption: Setting it stops reading.
  ///   - progress: Called after each frame.
  ///   - onUpdate: Called with each frame, and with each event as it becomes certain and as it ends.
  /// - Throws: `MediaError` or `MotionDetectionError`.
  public func run(
    interruption: Interruption = Interruption(), progress: ((JobProgress) -> Void)? = nil,
    onUpdate: ((Update) throws -> Void)? = nil
  ) throws -> Report {
    try run(interruption: interruption, table: nil, progress: progress, onUpdate: onUpdate)
  }

  /// Does the work, and writes the statistics of the frames as they come.
  /// - Parameter table: A table that is committed by the caller.
  package func run(
    interruption: Interruption, table: StatisticsTable?, progress: ((JobProgress) -> Void)?,
    onUpdate: ((Update) throws -> Void)?
  ) throws -> Report {
    let monitor = JobMonitor(interruption, progress)
    guard evidence.isEmpty else {
      return try run(on: EvidenceSet(evidence), table, monitor, onUpdate: onUpdate)
    }
    let watch = LiveWatch(tell: onLiveUpdate)
    return try run(
      on: { try openReader(watch, interruption) }, watch, table, monitor, onUpdate: onUpdate)
  }

  /// Does the work on a video that other jobs read, too. There are no packets for clips.
  func run(on source: VideoSource, _ monitor: JobMonitor, onUpdate: ((Update) throws -> Void)?) throws -> Report {
    let reader = StreamReader(source.reader, frames: source.frames.nextFrame)
    return try run(on: { reader }, LiveWatch(tell: onLiveUpdate), nil, monitor, onUpdate: onUpdate)
  }

  private func run(
    on makeReader: () throws -> StreamReader, _ watch: LiveWatch, _ table: StatisticsTable?, _ monitor: JobMonitor,
    onUpdate: ((Update) throws -> Void)?
  ) throws -> Report {
    try events.validate()
    let interruption = monitor.interruption
    let reader = try makeReader()
    let video = try reader.first.videoFormat()
    monitor.estimatedFrames = reader.isLive ? nil : video.estimatedFrameCount
    let source = Source(
      file: input, width: video.size.width, height: video.size.height, frameRate: video.frameRate?.doubleValue)
    let stage = outputs.isEmpty ? nil : try EventOutputStage(self, reader: reader.first)
    var log = EventLog(
      source: source, zones: zones, events: events, keepsStatistics: keepsStatistics, retention: retention)
    log.outputs = stage
    log.table = table
    try table?.begin(source)
    log.explain(explainedPosition)
    let isEnough = Interruption(following: interruption)
    do {
      let stages = StageGroup()
      let lastPackets = try measure(reader, watch, stages, until: isEnough) { frame in
        try log.append(frame, onUpdate)
        if log.isSettled { isEnough.set() }
        if reader.isLive { watch.finish(arrival: frame.attachments.arrival) }
        try monitor.count(frame.value.statistics.time)
      }
      try interruption.checkCancellation()
      var report = try log.finish(gaps: reader.gaps, lastPackets: lastPackets, onUpdate)
      report.seconds = monitor.elapsed
      report.stageSeconds = stages.seconds
      report.wasInterrupted = interruption.isSet
      if reader.isLive { report.live = watch.status }
      return report
    } catch {
      stage?.abandon()
      throw error
    }
  }

  /// Does the work on a thread of its own.
  /// - Parameters:
  ///   - interruption: Setting it stops reading.
  ///   - progress: Called after each frame, on that thread.
  ///   - onUpdate: Called with each frame, and with each event as it becomes certain and as it ends, on that thread.
  /// - Throws: `MediaError`, `MotionDetectionError`, or `CancellationError` when the task is cancelled; then the files
  ///   of events that were over stay.
  public func run(
    interruption: Interruption = Interruption(), progress: (@Sendable (JobProgress) -> Void)? = nil,
    onUpdate: (@Sendable (Update) throws -> Void)? = nil
  ) async throws -> Report {
    try await WorkThread.run("job", interruption) { try run(interruption: $0, progress: progress, onUpdate: onUpdate) }
  }

  private func openReader(_ watch: LiveWatch, _ interruption: Interruption) throws -> StreamReader {
    var reading = reading
    reading.keepsPackets = outputs.needsPackets
    reading.isInterrupted = { interruption.isSet }
    return try StreamReader(input, options: reading, live: live) { watch.note($0) }
  }

  /// The maximum number of frames that are made ready at the same time, whatever the number of threads: each is held in
  /// full size.
  private static let maximumFramesAtATime = 8

  /// Decodes, makes frames ready, analyses pairs, and measures, on threads of their own; where there is nothing to
  /// write, measures on this one.
  /// - Parameter take: Called with each frame, on this thread.
  /// - Returns: The packets that were read after the last frame.
  func measure(
    _ reader: StreamReader, _ watch: LiveWatch, _ stages: StageGroup, until interruption: Interruption,
    _ take: (Attached<ZoneAnalyzer.Measurement>) throws -> Void
  ) throws -> [SourcePacket] {
    let size = try reader.first.videoFormat().size
    let decoded = stages.add(DetectionFrames.queue(isLive: reader.isLive, watch))
    let ready = stages.add(BoundedQueue<Attached<AnalyzedFrame>>(capacity: 3))
    let paired = stages.add(BoundedQueue<Attached<AnalyzedPair>>(capacity: 3))
    let measured = stages.add(BoundedQueue<Attached<ZoneAnalyzer.Measurement>>(capacity: 3))
    let scale = AnalysisScale(deadline: deadline)
    let prediction = FlowPrediction()
    let keepsFrames = outputs.needsFrames
    let lastPackets = SharedValue<[SourcePacket]>([])
    let frames = DetectionFrames(
      reader: reader, watch: watch, scale: scale, keepsPackets: outputs.needsPackets, lastPackets: lastPackets)
    stages.startDecoding(reader, as: frames, into: decoded, until: interruption)
    let threadCount = min(parallelism.threadCount, Self.maximumFramesAtATime)
    stages.start(.analyse, threadCount: threadCount, from: decoded, into: ready) {
      FlowPrefetcher(size: size, prediction: prediction, keepsFrames: keepsFrames).prepare
    }
    stages.start(.analyse) { clock in
      defer { paired.finish() }
      let analyzers = ScaledAnalyzer { pairAnalyzer(analyzedSize: $0, prediction: prediction) }
      while let frame = ready.pop() {
        let analyzer = analyzers.analyzer(for: frame.value.image.size)
        guard paired.push(clock.time { frame.map(analyzer.measure) }) else { return }
      }
    }
    let zones = Handover(ScaledAnalyzer { zoneAnalyzer(size: size, analyzedSize: $0) })
    guard !outputs.isEmpty else {
      try stages.runAndWait(.analyse) { clock in
        let analyzers = zones.take()
        while let pair = paired.pop() { try take(clock.time { try measure(pair, analyzers, scale, watch) }) }
      }
      return []
    }
    stages.start(.analyse) { clock in
      defer { measured.finish() }
      let analyzers = zones.take()
      while let pair = paired.pop() {
        guard measured.push(try clock.time({ try measure(pair, analyzers, scale, watch) })) else { return }
      }
    }
    try stages.runAndWait(.encode) { clock in
      while let frame = measured.pop() { try clock.time { try take(frame) } }
    }
    return lastPackets.value
  }

  private func measure(
    _ pair: Attached<AnalyzedPair>, _ analyzers: ScaledAnalyzer<ZoneAnalyzer>, _ scale: AnalysisScale,
    _ watch: LiveWatch
  ) throws -> Attached<ZoneAnalyzer.Measurement> {
    let begin = ContinuousClock.now
    let measured = pair.map(analyzers.analyzer(for: pair.value.frame.image.size).measure)
    if let mean = scale.note(seconds: pair.value.seconds + (ContinuousClock.now - begin) / .seconds(1)) {
      watch.noteReduction(longestSide: scale.longestSide, milliseconds: 1000 * mean)
    }
    return measured
  }

  /// Returns the analysis of pairs, as this job wants it: by one thread, since the stages before and after it work at
  /// the same time, and threads that wait for stripes of so small images cost more than they save.
  func pairAnalyzer(analyzedSize: PixelSize, prediction: FlowPrediction = FlowPrediction()) -> FramePairAnalyzer {
    FramePairAnalyzer(
      analyzedSize: analyzedSize, compensation: compensation, parallelism: .serial, prediction: prediction,
      isThinned: true,
      isFirstExplained: explainedPosition.map { position in
        { position.isReached(frame: $0.frame, seconds: $0.seconds) }
      })
  }

  /// Returns the measurement of zones, as this job wants it.
  func zoneAnalyzer(size: PixelSize, analyzedSize: PixelSize) -> ZoneAnalyzer {
    ZoneAnalyzer(zones: zones, size: size, analyzedSize: analyzedSize, explains: explainedPosition != nil)
  }
}
