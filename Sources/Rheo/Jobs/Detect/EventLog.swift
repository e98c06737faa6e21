import Imaging
import MotionDetection
import VideoIO

/// Collects the events of frames that come one after the other.
struct EventLog {
  private var detector: EventDetector
  private var report: Detection.Report
  private let keepsStatistics: Bool
  private let retention: EventRetention
  /// The stage that writes images and videos; nil when none are wanted.
  var outputs: EventOutputStage?
  /// The table that gets the statistics of the frames; nil when none is wanted.
  var table: StatisticsTable?
  private let zoneNames: [String]
  private var watch: ExplanationWatch?

  init(
    source: Detection.Source, zones: ZoneSet, events: EventParameters, keepsStatistics: Bool,
    retention: EventRetention = .everything
  ) {
    detector = EventDetector(zones: zones, parameters: events)
    report = Detection.Report(source: source, frames: 0, events: [], suppressed: [], gaps: [])
    self.keepsStatistics = keepsStatistics
    self.retention = retention
    report.tripLines = zones.tripLines.map(\.name)
    zoneNames = zones.measuredNames
  }

  /// Asks for the explanation of a position; nil for none.
  mutating func explain(_ position: MediaRange.Position?) {
    watch = position.map { ExplanationWatch(position: $0, zoneNames: zoneNames, parameters: detector.parameters) }
  }

  /// A Boolean value that tells whether an explanation was asked for and needs no more frames: those that come are not
  /// taken.
  var isSettled: Bool { watch?.isSettled == true }

  mutating func append(_ frame: FrameStatistics, _ onUpdate: ((Detection.Update) throws -> Void)?) throws {
    try append(Attached(value: ZoneAnalyzer.Measurement(statistics: frame)), onUpdate)
  }

  mutating func append(
    _ frame: Attached<ZoneAnalyzer.Measurement>, _ onUpdate: ((Detection.Update) throws -> Void)?
  ) throws {
    guard !isSettled else { return }
    let measured = frame.value
    report.frames += 1
    if keepsStatistics { report.statistics.append(measured.statistics) }
    try table?.append(measured.statistics)
    try onUpdate?(.frame(measured.statistics))
    let ended = detector.append(measured.statistics)
    if let evaluation = detector.evaluation {
      watch?.note(measured.statistics, evaluation, ended: ended, measured.ruleResults)
    }
    note(measured.statistics)
    let started = detector.started
    let isOver = ended.contains { $0.number == started?.number }
    // An event begins before it ends.
    if let started, isOver { try onUpdate?(.started(started)) }
    try add(outputs?.append(frame, ended: ended, detector: detector) ?? ended.map { .init(event: $0) }, onUpdate)
    if let started, !isOver { try onUpdate?(.started(started)) }
  }

  /// - Parameter lastPackets: The packets that were read after the last frame.
  mutating func finish(
    gaps: [MediaGap], lastPackets: [SourcePacket] = [], _ onUpdate: ((Detection.Update) throws -> Void)?
  ) throws -> Detection.Report {
    let ended = detector.finish()
    watch?.finish(ended)
    noteSuppressed()
    if let started = detector.started { try onUpdate?(.started(started)) }
    try add(outputs?.finish(ended: ended, packets: lastPackets) ?? ended.map { .init(event: $0) }, onUpdate)
    if let map = outputs?.heatMap { try onUpdate?(.heatMap(map)) }
    report.explanation = watch?.explanation
    report.notes = outputs?.notes ?? []
    report.gaps = gaps
    try table?.finish(gaps: gaps)
    return report
  }

  /// Keeps the suppressed periods and crossings of a frame, as far as they are to stay.
  private mutating func note(_ frame: FrameStatistics) {
    noteSuppressed()
    guard retention != .figures else { return }
    let timestamp = FrameTimestamp(frame: frame.frame, time: frame.time)
    report.crossings += frame.crossings.map { Detection.Crossing(crossing: $0, timestamp: timestamp) }
  }

  private mutating func noteSuppressed() {
    let periods = detector.takeSuppressed()
    if retention != .figures { report.suppressed += periods }
  }

  private mutating func add(_ finished: [FinishedEvent], _ onUpdate: ((Detection.Update) throws -> Void)?) throws {
    for item in finished {
      report.keep(item, retention)
      if let peak = item.peak { try onUpdate?(.peak(peak)) }
      try onUpdate?(.event(item.event, item.files))
    }
  }
}
