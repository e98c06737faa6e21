// From statistics to events: thresholds with hysteresis, merging, times before and after.

import Imaging

/// Turns the statistics of frames, in order, into events and suppressed periods. Used by one thread.
///
/// An event begins where a zone's score reaches its threshold, moved back to where what travels there began to move in the
/// zone; it goes on while a zone has at least ``EventParameters/hysteresis`` of its threshold, and ends when there was
/// none for the merge gap. Cuts and gaps end it.
public struct EventDetector: Sendable {
  /// Motion that may become an event.
  private struct Candidate: Sendable {
    var start: FramePlace
    /// Where the motion itself began and was last seen.
    var motionStart: FramePlace
    var lastMotion: FramePlace
    /// Where the event ends when no more motion comes.
    var end: FramePlace
    var activeFrames = 0
    var event: MotionEvent
    var weight = 0.0
  }

  private struct Past: Sendable {
    var place: FramePlace
    /// Whether anything moves in each zone.
    var moves: [Bool]
  }

  /// What makes an event.
  public let parameters: EventParameters
  private let names: [String]
  private let thresholds: [Double]
  private var candidate: Candidate?
  private var past: [Past] = []
  private var count = 0
  /// No event begins before this frame: the end of the one before, or a cut.
  private var earliest = 0
  private var periods: [SuppressedPeriod.Reason: SuppressedPeriod] = [:]
  /// Periods that are over, in the order of their ends.
  public private(set) var suppressed: [SuppressedPeriod] = []

  /// Points are followed back for as long as motion is: see ``MotionParameters/window``.
  private static let pastLimit = 64
  /// Seconds by which differences of times may be rounded.
  private static let slack = 1e-6
  /// Seconds without motion that do not interrupt it: where the light jumps the flow is lost for a frame.
  private static let pause = 0.2
  /// Suppressed periods that are closer than this many seconds are one.
  private static let periodGap = 0.5

  /// A detector that has seen no frame.
  /// - Parameters:
  ///   - zones: Those that the statistics were measured in, with their own thresholds.
  ///   - parameters: Checked before, with ``EventParameters/validate()``.
  public init(zones: ZoneSet, parameters: EventParameters) {
    self.parameters = parameters
    names = zones.measuredNames
    let included = zones.included
    thresholds = included.isEmpty ? [parameters.threshold] : included.map { $0.threshold ?? parameters.threshold }
  }

  /// Takes the next frame.
  ///
  /// - Parameter frame: Measured in the zones of this detector; frames come in the order of their times.
  /// - Returns: The events that are over with it.
  public mutating func append(_ frame: FrameStatistics) -> [MotionEvent] {
    precondition(frame.zones.count == names.count, "\(frame.zones.count) zones instead of \(names.count)")
    let place = FramePlace(frame: frame.frame, time: frame.time)
    var ended: [MotionEvent] = []
    notePeriods(frame, place)
    if frame.state == .cut || frame.state == .gap {
      ended += close()
      past = []
      earliest = frame.frame
    }
    if let open = candidate, place.seconds - open.lastMotion.seconds > joinGap + Self.slack { ended += close() }
    past.append(Past(place: place, moves: frame.zones.map { $0.moving > 0 || $0.score > 0 }))
    trimPast()
    ended += extend(with: frame, place)
    return ended
  }

  /// What is going on after the frames so far; nil when nothing is.
  public var ongoing: OngoingEvent? {
    candidate.map { open in
      OngoingEvent(
        number: count + 1, start: open.start, end: open.end, peak: open.event.peak, peakScore: open.event.peakScore,
        isCertain: isLongEnough(open))
    }
  }

  /// No event that is not certain yet begins before this frame; nil before the first one.
  public var earliestStart: FramePlace? {
    if let open = candidate, !isLongEnough(open) { return open.start }
    return past.first { $0.place.frame >= earliest }?.place ?? past.last?.place
  }

  /// Ends what is still going on with the last frame.
  public mutating func finish() -> [MotionEvent] {
    for reason in SuppressedPeriod.Reason.allCases { endPeriod(reason) }
    return close()
  }

  /// Motion this close to the last one belongs to the same event, since the two would touch.
  private var joinGap: Double { max(parameters.mergeGap, parameters.before + parameters.after) }

  /// Keeps what an event that is noticed now may begin with.
  private mutating func trimPast() {
    while past.count > Self.pastLimit,
      past[1].place.seconds <= past[past.count - Self.pastLimit].place.seconds - parameters.before
    {
      past.removeFirst()
    }
  }

  private mutating func extend(with frame: FrameStatistics, _ place: FramePlace) -> [MotionEvent] {
    let active = frame.zones.indices.filter { frame.zones[$0].score >= thresholds[$0] }
    let isWeak = frame.zones.indices.contains { frame.zones[$0].score >= parameters.hysteresis * thresholds[$0] }
    var ended: [MotionEvent] = []
    if let open = candidate, let limit = parameters.maximumDuration,
      place.seconds - open.start.seconds >= limit - Self.slack
    {
      ended += close()
    }
    if candidate == nil, !active.isEmpty { open(frame, place, active) }
    guard var open = candidate else { return ended }
    if place.seconds - open.lastMotion.seconds <= parameters.after + Self.slack { open.end = place }
    if isWeak {
      open.lastMotion = place
      open.end = place
      open.activeFrames += 1
      add(frame, place, active, to: &open)
    }
    candidate = open
    return ended
  }

  private mutating func open(_ frame: FrameStatistics, _ place: FramePlace, _ active: [Int]) {
    var motion = place
    for zone in active {
      var seen = place
      for moment in past.suffix(frame.zones[zone].age + 1).reversed() {
        guard seen.seconds - moment.place.seconds <= Self.pause, moment.place.frame >= earliest else { break }
        if moment.moves[zone] { seen = moment.place }
      }
      if seen.frame < motion.frame { motion = seen }
    }
    let start =
      past.first { $0.place.frame >= earliest && $0.place.seconds >= motion.seconds - parameters.before - Self.slack }?
      .place
      ?? motion
    candidate = Candidate(
      start: start, motionStart: motion, lastMotion: place, end: place,
      event: MotionEvent(
        number: 0, start: start, end: place, peak: place, peakScore: 0, zones: [], boxes: [], u: 0, v: 0))
  }

  private func add(_ frame: FrameStatistics, _ place: FramePlace, _ active: [Int], to open: inout Candidate) {
    for (index, zone) in frame.zones.enumerated() where zone.score > 0 {
      if zone.score > open.event.peakScore {
        open.event.peakScore = zone.score
        open.event.peak = place
      }
      open.event.u += zone.u * zone.score
      open.event.v += zone.v * zone.score
      open.weight += zone.score
      // Zones may overlap: one thing is listed once.
      for box in zone.boxes {
        let entry = MotionEvent.FrameBox(frame: place.frame, box: box)
        if !frame.zones[..<index].contains(where: { $0.boxes.contains(box) }) { open.event.boxes.append(entry) }
      }
    }
    for zone in active where !open.event.zones.contains(names[zone]) { open.event.zones.append(names[zone]) }
  }

  /// Whether it is an event even if it ended now.
  private func isLongEnough(_ open: Candidate) -> Bool {
    open.activeFrames >= 2
      && open.lastMotion.seconds - open.motionStart.seconds >= parameters.minimumDuration - Self.slack
  }

  /// Ends the candidate; an event if it lasted long enough.
  private mutating func close() -> [MotionEvent] {
    guard let open = candidate else { return [] }
    candidate = nil
    guard isLongEnough(open) else { return [] }
    count += 1
    earliest = open.end.frame + 1
    var event = open.event
    event.number = count
    event.end = open.end
    if open.weight > 0 {
      event.u /= open.weight
      event.v /= open.weight
    }
    event.zones = names.filter { $0 != ZoneSet.pictureName && open.event.zones.contains($0) }
    return [event]
  }

  // MARK: What is no motion

  private mutating func notePeriods(_ frame: FrameStatistics, _ place: FramePlace) {
    note(.lighting, frame.lightShare >= parameters.lightShare, place)
    note(.camera, frame.state == .cameraMoving, place)
    note(.cut, frame.state == .cut, place)
  }

  private mutating func note(_ reason: SuppressedPeriod.Reason, _ isOn: Bool, _ place: FramePlace) {
    if let period = periods[reason], place.seconds - period.end.seconds > Self.periodGap { endPeriod(reason) }
    guard isOn else { return }
    let start = periods[reason]?.start ?? place
    periods[reason] = SuppressedPeriod(start: start, end: place, reason: reason)
  }

  private mutating func endPeriod(_ reason: SuppressedPeriod.Reason) {
    guard let period = periods.removeValue(forKey: reason) else { return }
    // One frame is no phase of the camera's: something large may have passed.
    guard reason != .camera || period.start != period.end else { return }
    suppressed.append(period)
  }
}
