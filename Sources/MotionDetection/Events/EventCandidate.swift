import Imaging

/// Motion that may become an event. The constants were chosen by hand, where nothing else is said.
struct EventCandidate: Sendable {
  var start: FrameTimestamp
  /// The frame in which the motion itself began.
  var motionStart: FrameTimestamp
  /// The frame in which motion was last seen.
  var lastMotion: FrameTimestamp
  /// The frame in which what arrived was last there, though it need not have moved.
  var lastPresence: FrameTimestamp
  /// The frame in which what arrived and stopped was last there.
  var lastStop: FrameTimestamp?
  /// A Boolean value that tells whether what arrived has shown a sign of life when nothing travelled any more: somebody
  /// who stands, and not what a hand put down.
  var isLiving = false
  /// The frame in which something last travelled.
  var lastTravel: FrameTimestamp
  /// The frame with which the event ends when no more motion comes.
  var end: FrameTimestamp
  var activeFrames = 0
  /// The time in which it moved, without its rests, in seconds.
  var movingSeconds: Double
  /// A Boolean value that tells whether the last frame had motion.
  var isMoving = false
  var event: MotionEvent
  var weight = 0.0
  /// A Boolean value that tells whether the detector has reported that this is an event.
  var isCertain = false

  /// A Boolean value that tells whether most of the cells that it passed have proven to be dynamic background.
  var isDoubtful = false

  /// The result that tells whether it moved before or after a short motion of the camera; nil where there was none.
  var beyondJerk: RuleResult?

  /// The maximum moving part of the image, in percent.
  var largestMotion = 0.0

  /// The check of whether it gets to where its flow says.
  var displacement = DisplacementCheck()

  /// The result that tells whether one thing has gone on, and not many for a moment each: once it has, it is satisfied
  /// for good. See ``PersistenceTracker``.
  private(set) var persistence = PersistenceTracker.nothing

  /// The check of whether it may be an insect close to the lens.
  private var focusCheck = FocusCheck()

  /// Boxes of frames whose number, counted from ``origin``, is no multiple of this are left out.
  private var boxStep = 1

  /// The maximum number of boxes that an event keeps: five minutes of one component at 25 frames a second.
  static let boxLimit = 8192
  /// The minimum number of frames with motion of an event: one frame may be an accident.
  static let minimumFrames = 2
  /// The time after the last travel from which on a sign of life is one of its own, in seconds.
  static let restTime = 0.7
  /// The time between two signs of life of what arrived that do not end an event, in seconds.
  static let presencePause = 2.5
  /// The time between two signs of life that do not end an event where what arrived stopped, in seconds.
  static let stopPause = 12.0
  /// The number of seconds by which differences of times may be rounded.
  static let slack = 1e-6

  /// The number of the first frame of all.
  private let origin: Int

  init(origin: Int, start: FrameTimestamp, motionStart: FrameTimestamp, timestamp: FrameTimestamp) {
    self.origin = origin
    self.start = start
    self.motionStart = motionStart
    (lastMotion, lastPresence, lastTravel) = (timestamp, timestamp, timestamp)
    movingSeconds = timestamp.seconds - motionStart.seconds
    end = timestamp
    event = MotionEvent(
      number: 0, start: start, end: timestamp, peak: timestamp, peakScore: 0, zones: [], boxes: [], u: 0, v: 0)
  }

  /// Returns the two rules that make an event of motion; once both hold they do for good.
  func certainty(_ parameters: EventParameters) -> (frames: RuleResult, duration: RuleResult) {
    (
      RuleResult(.activeFrames, Double(activeFrames), limit: Double(Self.minimumFrames)),
      RuleResult(
        .minimumDuration, lastMotion.seconds - motionStart.seconds + Self.slack, limit: parameters.minimumDuration)
    )
  }

  /// Returns the result that tells whether most of what moved is in focus, or no insect for other reasons.
  /// - Parameter isOver: A Boolean value that tells whether no more is to come.
  func focus(isOver: Bool = false) -> RuleResult {
    focusCheck.ruleResult(movingSeconds: movingSeconds, isCertain: isCertain, isOver: isOver)
  }

  /// Takes note of whether one thing has gone on up to a frame with motion.
  /// - Parameters:
  ///   - result: Nil where it is not known: then nothing is asked, as of who shows signs of life at rest.
  ///   - isRestless: A Boolean value that tells whether so much moves that signs of life tell nothing.
  mutating func note(persistence result: RuleResult?, isRestless: Bool) {
    guard !persistence.isSatisfied else { return }
    guard let result, !isLiving || isRestless else {
      persistence = RuleResult(.persistence, result?.value ?? 0, limit: 0)
      return
    }
    if result.isSatisfied || result.value >= persistence.value { persistence = result }
  }

  /// Returns the result that tells whether motion at a time, in seconds, still belongs to this candidate.
  func pause(at seconds: Double, _ parameters: EventParameters) -> RuleResult {
    // Motion this close to the last one belongs to the same event, since the two would touch.
    let limit = max(parameters.mergeGap, parameters.before + parameters.after)
    // The frame right after motion has no pause before it, however long frames last.
    let pause = isMoving ? 0 : seconds - lastMotion.seconds - Self.slack
    // What arrived, lives, and is still there is one visit.
    let isPresent = isLiving && lastPresence.seconds > lastMotion.seconds
    // Whether it has stopped is known from average to average.
    let isStopped = lastStop.map { $0.seconds > lastMotion.seconds && seconds - $0.seconds <= limit } ?? false
    let presencePause = isStopped ? Self.stopPause : isPresent ? Self.presencePause : 0
    return RuleResult(.mergeGap, pause, limit: max(limit, presencePause))
  }

  /// Returns the result that tells whether the event may go on to `timestamp`; nil without a limit.
  func length(at timestamp: FrameTimestamp, _ parameters: EventParameters) -> RuleResult? {
    parameters.maximumDuration.map {
      RuleResult(.maximumDuration, timestamp.seconds - start.seconds + Self.slack, limit: $0)
    }
  }

  /// Adds what a frame with motion shows.
  /// - Parameter active: The zones that reached their thresholds.
  mutating func add(_ frame: FrameStatistics, _ timestamp: FrameTimestamp, active: [String]) {
    for (index, zone) in frame.zones.enumerated() where zone.score > 0 {
      if zone.score > event.peakScore {
        event.peakScore = zone.score
        event.peak = timestamp
      }
      event.u += zone.u * zone.score
      event.v += zone.v * zone.score
      weight += zone.score
      // Zones may overlap: one component is listed once.
      for box in zone.boxes where timestamp.frame.subtractingSaturated(origin) % boxStep == 0 {
        let entry = MotionEvent.FrameBox(frame: timestamp.frame, box: box)
        if !frame.zones[..<index].contains(where: { $0.boxes.contains(box) }) { event.boxes.append(entry) }
      }
    }
    focusCheck.note(frame)
    for name in active where !event.zones.contains(name) { event.zones.append(name) }
    thinBoxes()
  }

  /// Keeps the memory of an event that does not end in bounds: of every other frame the boxes go.
  private mutating func thinBoxes() {
    while event.boxes.count > Self.boxLimit, boxStep < 1 << 30 {
      boxStep *= 2
      event.boxes.removeAll { $0.frame.subtractingSaturated(origin) % boxStep != 0 }
    }
  }

  /// The event as it is known now.
  /// - Parameter names: The names of all zones, in their order.
  func described(number: Int, names: [String]) -> MotionEvent {
    var event = event
    event.number = number
    event.start = start
    event.end = end
    if weight > 0 {
      event.u /= weight
      event.v /= weight
    }
    event.zones = names.filter { $0 != ZoneSet.imageName && event.zones.contains($0) }
    return event
  }
}
