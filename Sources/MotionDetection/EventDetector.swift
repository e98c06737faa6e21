// From statistics to events: thresholds with hysteresis, merging, times before and after.

import Imaging

/// Turns the statistics of frames, in order, into events and suppressed periods. Used by one thread.
///
/// An event begins where a zone's score reaches its threshold, moved back to where what travels there began to move in the
/// zone; it goes on while a zone has at least ``EventParameters/hysteresis`` of its threshold, and ends when there was
/// none for the merge gap. Cuts and gaps end it.
public struct EventDetector: Sendable {
  private struct Past: Sendable {
    var place: FramePlace
    /// Whether anything moves in each zone.
    var moves: [Bool]
  }

  /// What makes an event.
  public let parameters: EventParameters
  private let names: [String]
  private let thresholds: [Double]
  private var candidate: EventCandidate?
  private var past: [Past] = []
  private var count = 0
  /// No event begins before this frame: the end of the one before, or a cut.
  private var earliest = 0
  private var periods: [SuppressedPeriod.Reason: SuppressedPeriod] = [:]
  /// Periods that are over, in the order of their ends.
  public private(set) var suppressed: [SuppressedPeriod] = []
  /// The event that became certain with the last frame, as far as it is known then; at most one does with a frame. Each
  /// event is here once, before it is among those that are over.
  public private(set) var started: MotionEvent?
  /// What the rules came to for the last frame; nil before the first.
  public private(set) var judgement: EventJudgement?

  /// An event begins at most this many frames before the one with which it is noticed, and the time before that was asked
  /// for: points are followed for as long, see ``MotionParameters/window``.
  public static let reach = 64
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
    thresholds = zones.thresholds(parameters)
  }

  /// Takes the next frame.
  ///
  /// - Parameter frame: Measured in the zones of this detector; frames come in the order of their times.
  /// - Returns: The events that are over with it.
  public mutating func append(_ frame: FrameStatistics) -> [MotionEvent] {
    precondition(frame.zones.count == names.count, "\(frame.zones.count) zones instead of \(names.count)")
    let place = FramePlace(frame: frame.frame, time: frame.time)
    var judgement = judge(frame)
    started = nil
    var ended: [MotionEvent] = []
    notePeriods(frame, place, judgement.lighting)
    if frame.state == .cut || frame.state == .gap {
      ended += close()
      past = []
      earliest = frame.frame
    }
    judgement.pause = candidate?.pause(at: place, parameters)
    if judgement.pause?.holds == false { ended += close() }
    past.append(Past(place: place, moves: frame.zones.map { $0.moving > 0 || $0.score > 0 }))
    trimPast()
    judgement.length = candidate?.length(at: place, parameters)
    if judgement.length?.holds == false { ended += close() }
    extend(with: frame, place, &judgement)
    self.judgement = judgement
    return ended
  }

  private func judge(_ frame: FrameStatistics) -> EventJudgement {
    let zones = zip(frame.zones, thresholds).map { zone, threshold in
      EventJudgement.Zone(
        begins: Verdict(.threshold, zone.score, limit: threshold),
        goesOn: Verdict(.hysteresis, zone.score, limit: parameters.hysteresis * threshold))
    }
    return EventJudgement(
      frame, zones: zones, lighting: Verdict(.lighting, frame.lightShare, limit: parameters.lightShare))
  }

  /// What is going on after the frames so far; nil when nothing is.
  public var ongoing: OngoingEvent? {
    candidate.map { open in
      OngoingEvent(
        number: count + 1, start: open.start, end: open.end, peak: open.event.peak, peakScore: open.event.peakScore,
        isCertain: open.isCertain)
    }
  }

  /// Hands out the periods that are over, and forgets them.
  public mutating func takeSuppressed() -> [SuppressedPeriod] {
    defer { suppressed = [] }
    return suppressed
  }

  /// No event that is not certain yet begins before this frame; nil before the first one.
  public var earliestStart: FramePlace? {
    if let open = candidate, !open.isCertain { return open.start }
    return past.first { $0.place.frame >= earliest }?.place ?? past.last?.place
  }

  /// Ends what is still going on with the last frame.
  public mutating func finish() -> [MotionEvent] {
    for reason in SuppressedPeriod.Reason.allCases { endPeriod(reason) }
    return close()
  }

  /// Keeps what an event that is noticed now may begin with.
  private mutating func trimPast() {
    while past.count > Self.reach,
      past[1].place.seconds <= past[past.count - Self.reach].place.seconds - parameters.before
    {
      past.removeFirst()
    }
  }

  /// Lets the motion of a frame begin an event or go on with it.
  private mutating func extend(with frame: FrameStatistics, _ place: FramePlace, _ judgement: inout EventJudgement) {
    let active = frame.zones.indices.filter { judgement.zones[$0].begins.holds }
    if candidate == nil, !active.isEmpty { open(frame, place, active) }
    guard var open = candidate else { return }
    if place.seconds - open.lastMotion.seconds <= parameters.after + EventCandidate.slack { open.end = place }
    open.isMoving = judgement.zones.contains(where: \.goesOn.holds)
    if open.isMoving {
      open.lastMotion = place
      open.end = place
      open.activeFrames += 1
      open.add(frame, place, active: active.map { names[$0] })
    }
    (judgement.activeFrames, judgement.duration) = open.certainty(parameters)
    (judgement.start, judgement.end, judgement.number) = (open.start, open.end, count + 1)
    if !open.isCertain, judgement.isCertain {
      open.isCertain = true
      started = open.described(number: count + 1, names: names)
    }
    candidate = open
  }

  private mutating func open(_ frame: FrameStatistics, _ place: FramePlace, _ active: [Int]) {
    var motion = place
    for zone in active {
      var seen = place
      for moment in past.suffix(frame.zones[zone].age + 1).reversed() {
        guard seen.seconds - moment.place.seconds <= Self.pause, moment.place.frame >= earliest else { break }
        if moment.moves[zone] { seen = moment.place }
      }
      seen = earlier(than: seen, by: frame.zones[zone].lag)
      if seen.frame < motion.frame { motion = seen }
    }
    let first = motion.seconds - parameters.before - EventCandidate.slack
    let start = past.first { $0.place.frame >= earliest && $0.place.seconds >= first }?.place ?? motion
    candidate = EventCandidate(start: start, motionStart: motion, place: place)
  }

  /// The place so many frames before another, as far as an event may reach back.
  private func earlier(than place: FramePlace, by frames: Int) -> FramePlace {
    guard let index = past.firstIndex(where: { $0.place.frame >= place.frame }) else { return place }
    return past[..<index].suffix(frames).first { $0.place.frame >= earliest }?.place ?? place
  }

  /// Ends the candidate; an event if it was certain.
  private mutating func close() -> [MotionEvent] {
    guard let open = candidate else { return [] }
    candidate = nil
    guard open.isCertain else { return [] }
    count += 1
    earliest = open.end.frame + 1
    return [open.described(number: count, names: names)]
  }

  // MARK: What is no motion

  private mutating func notePeriods(_ frame: FrameStatistics, _ place: FramePlace, _ lighting: Verdict) {
    note(.lighting, lighting.holds, place)
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
