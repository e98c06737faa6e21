// From statistics to events: thresholds with hysteresis, merging, times before and after.

import Imaging

/// Turns the statistics of frames, in order, into events and suppressed periods. Used by one thread.
///
/// An event begins where a zone's score reaches its threshold, moved back to where what travels there began to move in
/// the zone; it goes on while a zone has at least ``EventParameters/hysteresis`` of its threshold, and ends when there
/// was none for the merge gap. Cuts and gaps end it. The constants were chosen by hand.
public struct EventDetector: Sendable {
  private struct Past: Sendable {
    var timestamp: FrameTimestamp
    /// Boolean values that tell for each zone whether anything moves in it.
    var motionMask: [Bool]
  }

  /// The parameters that decide which motion is an event.
  public let parameters: EventParameters
  private let names: [String]
  private let thresholds: [Double]
  private var candidate: EventCandidate?
  private var past: [Past] = []
  private var count = 0
  /// The number of the frame before which no event begins: the one after the last event, or a cut.
  private var earliest = 0
  /// The number of the first frame.
  private var origin: Int?
  private var wasSettling = false
  private var jerk = CameraJerk()
  private var tracker = PersistenceTracker()
  private var periods: [SuppressedPeriod.Reason: SuppressedPeriod] = [:]
  /// The suppressed periods that are over, in the order of their ends.
  public private(set) var suppressed: [SuppressedPeriod] = []
  /// The event that became certain with the last frame, as far as it is known then; at most one does with a frame. Each
  /// event is here once, before it is among those that are over.
  public private(set) var started: MotionEvent?
  /// The results of the rules for the last frame; nil before the first.
  public private(set) var evaluation: EventEvaluation?

  /// The maximum number of frames from an event's beginning, without the time before it, to the frame with which it is
  /// noticed: points are followed for as long, see ``MotionParameters/window``.
  public static let maximumLeadInFrames = 64
  /// The time without motion that does not interrupt it, in seconds: where the light jumps the flow is lost for a
  /// frame.
  private static let pause = 0.2
  /// The maximum time between two suppressed periods that are one, in seconds.
  private static let periodGap = 0.5
  /// The time for which an event that is over may turn out to go on, in seconds: what is noticed now began earlier.
  private static let noticeTime = 1.0
  /// The share of dynamic background in the zones of an early event from which on it was no more than sway.
  private static let dynamicBackgroundLimit = 0.5

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
    let timestamp = FrameTimestamp(frame: frame.frame, time: frame.time)
    origin = origin ?? frame.frame
    var evaluation = judge(frame)
    started = nil
    var ended: [MotionEvent] = []
    notePeriods(frame, timestamp, evaluation.lighting)
    jerk.note(frame.state, seconds: timestamp.seconds)
    if frame.state == .cut || frame.state == .gap {
      ended += close()
      past = []
      earliest = frame.frame
      tracker.reset()
    }
    tracker.note(frame)
    evaluation.pause = candidate?.pause(at: timestamp.seconds, parameters)
    if let pause = evaluation.pause, pause.value > pause.limit + Self.noticeTime, !mayGoOn, !isContinued {
      ended += close()
    }
    takeBack(frame)
    takeBackInsect(frame, timestamp)
    past.append(
      Past(timestamp: timestamp, motionMask: frame.zones.map { $0.moving > 0 && $0.insects == 0 || $0.score > 0 }))
    trimPast()
    evaluation.length = candidate?.length(at: timestamp, parameters)
    if evaluation.length?.isSatisfied == false { ended += close() }
    ended += extend(with: frame, timestamp, &evaluation)
    self.evaluation = evaluation
    return ended
  }

  private func judge(_ frame: FrameStatistics) -> EventEvaluation {
    let zones = zip(frame.zones, thresholds).map { zone, threshold in
      EventEvaluation.Zone(
        begins: RuleResult(.threshold, zone.score, limit: threshold),
        goesOn: RuleResult(.hysteresis, zone.score, limit: parameters.hysteresis * threshold))
    }
    return EventEvaluation(
      frame, zones: zones, lighting: RuleResult(.lighting, frame.lightShare, limit: parameters.lightShare))
  }

  /// The motion that is going on after the frames so far; nil when there is none.
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
  public var earliestStart: FrameTimestamp? {
    if let open = candidate, !open.isCertain { return open.start }
    return past.first { $0.timestamp.frame >= earliest }?.timestamp ?? past.last?.timestamp
  }

  /// Ends what is still going on with the last frame.
  public mutating func finish() -> [MotionEvent] {
    started = nil
    // What is over now may prove to be an insect, which is listed.
    let ended = close()
    for reason in SuppressedPeriod.Reason.allCases { endPeriod(reason) }
    return ended
  }

  /// Keeps what an event that is noticed now may begin with.
  private mutating func trimPast() {
    while past.count > Self.maximumLeadInFrames,
      past[1].timestamp.seconds <= past[past.count - Self.maximumLeadInFrames].timestamp.seconds - parameters.before
    {
      past.removeFirst()
    }
  }

  /// Takes back an early event whose zones have proven to be dynamic background.
  private mutating func takeBack(_ frame: FrameStatistics) {
    defer { wasSettling = frame.isSettling }
    guard wasSettling, let open = candidate, !open.isCertain else { return }
    let zones = frame.zones.indices.filter { open.event.zones.contains(names[$0]) }.map { frame.zones[$0] }
    let isSway = !zones.isEmpty && zones.allSatisfy { $0.dynamicBackgroundShare >= Self.dynamicBackgroundLimit }
    candidate?.isDoubtful = isSway
    if isSway, !frame.isSettling { candidate = nil }
  }

  /// Takes back an event that was an insect close to the lens, and notes for how long there is one.
  private mutating func takeBackInsect(_ frame: FrameStatistics, _ timestamp: FrameTimestamp) {
    let zones = frame.zones.indices.filter { frame.zones[$0].insects > 0 }
    if let open = candidate, !open.isCertain, !open.focus().isSatisfied,
      zones.contains(where: { open.event.zones.contains(names[$0]) })
    {
      note(.insect, true, timestamp, since: open.start)
      candidate = nil
      earliest = frame.frame
    }
    note(.insect, !zones.isEmpty, timestamp)
  }

  /// Lets the motion of a frame begin an event or go on with it.
  /// - Returns: The event that is over, where another begins.
  private mutating func extend(
    with frame: FrameStatistics, _ timestamp: FrameTimestamp, _ evaluation: inout EventEvaluation
  ) -> [MotionEvent] {
    let active = frame.zones.indices.filter { evaluation.zones[$0].begins.isSatisfied }
    var ended: [MotionEvent] = []
    if evaluation.pause?.isSatisfied == false, let open = candidate {
      // What began close behind the event belongs to it, however late it is noticed.
      guard !active.isEmpty else { return [] }
      let begun = begun(frame, timestamp, active)
      if !open.pause(at: begun.motionStart.seconds, parameters).isSatisfied, !isContinued { ended += close() }
    }
    if candidate == nil, !active.isEmpty { candidate = begun(frame, timestamp, active) }
    forgetWhatIsOver(timestamp)
    guard var open = candidate else { return ended }
    if timestamp.seconds - open.lastMotion.seconds <= parameters.after + EventCandidate.slack { open.end = timestamp }
    let stays = timestamp.seconds - open.lastTravel.seconds <= parameters.presenceLimit
    func reaches(_ area: KeyPath<ZoneMotion, Double>) -> Bool {
      stays && frame.zones.indices.contains { frame.zones[$0][keyPath: area] >= thresholds[$0] }
    }
    // What comes to nothing makes no event any longer: leaves fall where somebody passed.
    let counts = !open.isCertain || tracker.goesOn || open.isLiving && reaches(\.present)
    let travels = counts && evaluation.zones.contains(where: \.goesOn.isSatisfied)
    if travels {
      open.lastTravel = timestamp
      open.displacement.note(frame, interval: interval)
    }
    let wasMoving = open.isMoving
    open.isMoving = travels || reaches(\.alive)
    if wasMoving, open.isMoving { open.movingSeconds += timestamp.seconds - open.lastMotion.seconds }
    if reaches(\.present) { open.lastPresence = timestamp }
    if reaches(\.stopped) { open.lastStop = timestamp }
    if !travels, open.isMoving, timestamp.seconds - open.lastTravel.seconds >= EventCandidate.restTime {
      open.isLiving = true
    }
    if open.isMoving {
      open.lastMotion = timestamp
      open.end = timestamp
      open.activeFrames += 1
      open.add(frame, timestamp, active: active.map { names[$0] })
    }
    (evaluation.activeFrames, evaluation.duration) = open.certainty(parameters)
    if open.isMoving { open.note(persistence: tracker.ruleResult, isRestless: tracker.isRestless) }
    evaluation.persistence = open.persistence
    evaluation.displacement = open.displacement.ruleResult()
    evaluation.focus = open.focus()
    open.beyondJerk =
      jerk.ruleResult(from: open.motionStart.seconds, to: open.lastMotion.seconds) ?? open.beyondJerk
    evaluation.beyondJerk = open.beyondJerk
    holdBackOnset(&open, frame, &evaluation)
    (evaluation.start, evaluation.end, evaluation.number) = (open.start, open.end, count + 1)
    if !open.isCertain, !frame.isSettling, evaluation.isCertain { tell(&open) }
    candidate = open
    return ended
  }

  /// Holds a candidate back that may be the view of a camera that begins to turn.
  private func holdBackOnset(
    _ open: inout EventCandidate, _ frame: FrameStatistics, _ evaluation: inout EventEvaluation
  ) {
    guard !open.isCertain else { return }
    open.largestMotion = max(open.largestMotion, frame.zones.map(\.moving).max() ?? 0)
    evaluation.beyondOnset = onsetResult(of: open)
    evaluation.mayBeOnset =
      evaluation.beyondOnset == nil
      && CameraJerk.mayBeOnset(
        from: open.motionStart.seconds, to: open.lastTravel.seconds, area: open.largestMotion)
  }

  private func onsetResult(of open: EventCandidate) -> RuleResult? {
    jerk.onsetResult(from: open.motionStart.seconds, to: open.lastTravel.seconds, area: open.largestMotion)
  }

  /// Lets a candidate that is not certain yet begin with what goes on: what came to nothing before is no part of it.
  private mutating func forgetWhatIsOver(_ timestamp: FrameTimestamp) {
    guard let open = candidate, !open.isCertain, !open.isLiving, let begin = tracker.origin,
      begin - open.motionStart.seconds > parameters.mergeGap
    else { return }
    let motion = past.first { $0.timestamp.seconds >= begin }?.timestamp ?? timestamp
    candidate = candidate(motionStart: motion, timestamp)
  }

  /// The time from the frame before to the last one, in seconds; 0 after a cut or a gap.
  private var interval: Double {
    past.count < 2 ? 0 : past[past.count - 1].timestamp.seconds - past[past.count - 2].timestamp.seconds
  }

  /// Makes a candidate an event.
  private mutating func tell(_ open: inout EventCandidate) {
    open.isCertain = true
    started = open.described(number: count + 1, names: names)
  }

  /// Returns the motion that begins with a frame, or began before it.
  private func begun(
    _ frame: FrameStatistics, _ timestamp: FrameTimestamp, _ active: [Int]
  ) -> EventCandidate {
    var motion = timestamp
    for zone in active {
      // Statistics may come from anywhere: so may numbers of frames.
      let age = max(0, min(frame.zones[zone].age, past.count))
      let first = motionStart(in: zone, before: timestamp, frames: age + 1)
      let seen = earlier(than: first, by: frame.zones[zone].lag)
      if seen.frame < motion.frame { motion = seen }
    }
    return candidate(motionStart: motion, timestamp)
  }

  /// Returns a candidate whose motion began at one frame and is seen at another.
  private func candidate(motionStart motion: FrameTimestamp, _ timestamp: FrameTimestamp) -> EventCandidate {
    let first = motion.seconds - parameters.before - EventCandidate.slack
    let start = past.first { $0.timestamp.frame >= earliest && $0.timestamp.seconds >= first }?.timestamp ?? motion
    return EventCandidate(
      origin: origin ?? timestamp.frame, start: start, motionStart: motion, timestamp: timestamp)
  }

  /// Returns the first frame of the motion in a zone that goes on without a pause until a frame.
  /// - Parameter frames: The number of frames that are looked at, from the last one back.
  private func motionStart(in zone: Int, before timestamp: FrameTimestamp, frames: Int) -> FrameTimestamp {
    var seen = timestamp
    for record in past.suffix(frames).reversed() {
      guard seen.seconds - record.timestamp.seconds <= Self.pause, record.timestamp.frame >= earliest else { break }
      if record.motionMask[zone] { seen = record.timestamp }
    }
    return seen
  }

  /// A Boolean value that tells whether something moves in a zone since so soon after the last motion that it would go
  /// on with it if it proved to travel.
  private var mayGoOn: Bool {
    guard let open = candidate, let last = past.last else { return false }
    return names.indices.contains { zone in
      let first = motionStart(in: zone, before: last.timestamp, frames: Self.maximumLeadInFrames)
      return open.pause(at: first.seconds, parameters).isSatisfied
    }
  }

  /// A Boolean value that tells whether something that travels began so soon after the last motion of an event that it
  /// will go on with it if it goes on itself.
  private var isContinued: Bool {
    guard let open = candidate, open.isCertain else { return false }
    // A chain counts the interval before its first frame.
    return tracker.beginnings(after: open.lastMotion.seconds)
      .contains { open.pause(at: $0 + interval, parameters).isSatisfied }
  }

  /// Returns the frame so many frames before another, as far as an event may reach back.
  private func earlier(than timestamp: FrameTimestamp, by frames: Int) -> FrameTimestamp {
    guard let index = past.firstIndex(where: { $0.timestamp.frame >= timestamp.frame }) else { return timestamp }
    return past[..<index].suffix(max(0, min(frames, index))).first { $0.timestamp.frame >= earliest }?.timestamp
      ?? timestamp
  }

  /// Ends the candidate; an event if it was certain.
  private mutating func close() -> [MotionEvent] {
    guard var open = candidate else { return [] }
    candidate = nil
    let certainty = open.certainty(parameters)
    // What was over while the scene was settling did not go on as sway does.
    let isJerk = open.beyondJerk?.isSatisfied == false && !jerk.goesOn(at: past.last?.timestamp.seconds ?? .infinity)
    let isOnset = onsetResult(of: open)?.isSatisfied == false
    let isEnough =
      [certainty.frames, certainty.duration, open.displacement.ruleResult(isOver: true), open.persistence]
      .allSatisfy(\.isSatisfied)
    let mayBeTold = !open.isCertain && !open.isDoubtful && !isJerk && !isOnset && isEnough
    if mayBeTold, open.focus(isOver: true).isSatisfied {
      tell(&open)
    } else if mayBeTold {
      noteInsect(open)
    }
    guard open.isCertain else { return [] }
    count += 1
    earliest = open.end.frame.addingSaturated(1)
    return [open.described(number: count, names: names)]
  }

  // MARK: What is no motion

  private mutating func notePeriods(_ frame: FrameStatistics, _ timestamp: FrameTimestamp, _ lighting: RuleResult) {
    note(.lighting, lighting.isSatisfied, timestamp)
    note(.camera, frame.state == .cameraMoving, timestamp)
    note(.cut, frame.state == .cut, timestamp)
  }

  private mutating func note(
    _ reason: SuppressedPeriod.Reason, _ isOn: Bool, _ timestamp: FrameTimestamp, since first: FrameTimestamp? = nil
  ) {
    if let period = periods[reason], timestamp.seconds - period.end.seconds > Self.periodGap { endPeriod(reason) }
    guard isOn else { return }
    let start = periods[reason]?.start ?? first ?? timestamp
    periods[reason] = SuppressedPeriod(start: start, end: timestamp, reason: reason)
  }

  /// Lists a candidate that was taken for an insect when it was over.
  private mutating func noteInsect(_ open: EventCandidate) {
    if let period = periods[.insect], period.end.seconds >= open.lastMotion.seconds { return }
    note(.insect, true, open.lastMotion, since: open.motionStart)
  }

  private mutating func endPeriod(_ reason: SuppressedPeriod.Reason) {
    guard let period = periods.removeValue(forKey: reason) else { return }
    // One frame is no phase of the camera's, and no insect: something large may have passed, or have blurred edges.
    guard reason != .camera && reason != .insect || period.start != period.end else { return }
    suppressed.append(period)
  }
}
