// From decoded frames to the statistics that events are made of.

import FlowAnalysis
import Imaging
import MotionDetection
import OpticalFlow
import Registration
import VideoIO

/// Surveys the motion of a video, frame by frame. Used by one thread.
final class MotionSurvey {
  private let handler: SequenceRequestHandler
  private let request: OpticalFlowRequest
  private let camera: RegistrationEngine?
  private var analyzer: MotionAnalyzer
  /// For what is too dim in pictures full of noise.
  private let dim: SlowSurvey
  /// For what is too slow.
  private let slow: SlowSurvey
  /// When noise was last seen that is worth the first, in seconds; nil: it has not been used since.
  private var lastNoise: Double?
  private var meter: ZoneMeter
  private var lines: TripLineMeter
  private let lineCount: Int
  /// Pixels of the scene's first analysed picture to those of the current one.
  private var scene = Homography.identity
  private let parallelism: Parallelism
  private let zoneCount: Int
  private var previous: SurveyedFrame?
  /// Whether the handler's last frame is `previous`.
  private var handlerIsCurrent = false
  private var pace = FramePace()
  /// What the rules for the last picture as a whole came to, in the order in which they were asked.
  private var verdicts: [Verdict] = []
  /// What those for its cells, points and zones came to, if it is to be explained.
  private var explanation: MotionObservation.Explanation?
  private var zoneTallies: [[RuleTally]] = []
  /// When the camera last moved, and when it was last looked at for it, in seconds.
  private var lastCameraMotion = -Double.infinity
  private var lastCameraLook = -Double.infinity
  private let explainedMoment: MediaRange.Position?
  private var wasExplained = false

  /// Flow for pictures of 320 pixels: half size, one level to the octave and few iterations, but patches down to the finest
  /// level and little smoothing, so that what is six pixels wide is not drowned. Tuned on `MotionParameters`'s clips.
  private static let flowParameters = InverseSearchParameters(
    levelsPerOctave: 1, finestLevel: 1, searchOctave: 1, searchIterations: 4, propagations: 1, patchStride: 5,
    innerIterations: 1, sweeps: 3, smoothnessWeight: 8, medians: 0)
  /// A registration less sure than this does not tell how the camera moved.
  private static let leastConfidence = 0.3
  /// Pixels by which a corner of the picture must move before the camera did.
  private static let leastMotion = 0.25
  /// The share of the textured cells that nothing explains from which on a cut is looked for.
  private static let unrelatedShare = 0.5
  /// For so many seconds after it moved the camera may move again.
  private static let cameraMemory = 2.0
  /// Otherwise it is looked at so often, in seconds, where nothing but noise is seen,
  private static let cameraInterval = 0.3
  /// and only if that has this much, in squared grey levels: five times what codecs leave in a still picture.
  private static let leastNoise = 20.0
  /// For so many seconds noise is expected to come again.
  private static let noiseMemory = 2.0

  /// - Parameters:
  ///   - size: Of the full-size frames.
  ///   - analyzedSize: Of those that are surveyed.
  init(_ task: Detection, size: PixelSize, analyzedSize: PixelSize) {
    parallelism = task.parallelism
    handler = SequenceRequestHandler(parallelism: parallelism)
    request = OpticalFlowRequest(algorithm: .dis(Self.flowParameters))
    camera =
      task.compensation > .identity
      ? RegistrationEngine(model: task.compensation, parallelism: parallelism) : nil
    analyzer = MotionAnalyzer(size: analyzedSize)
    let explains = task.explainedMoment != nil
    (dim, slow) = (
      SlowSurvey(frames: 2, request: request, size: analyzedSize, parallelism: parallelism, explains: explains),
      SlowSurvey(frames: 8, request: request, size: analyzedSize, parallelism: parallelism, explains: explains)
    )
    meter = ZoneMeter(zones: task.zones, grid: analyzer.grid, size: size)
    lines = TripLineMeter(zones: task.zones, grid: analyzer.grid, size: size)
    lineCount = task.zones.tripLines.count
    zoneCount = task.zones.measuredNames.count
    explainedMoment = task.explainedMoment
  }

  /// Takes the next frame, and hands on with the statistics what outputs and an explanation need of it.
  func measure(_ frame: SurveyedFrame) throws -> MeasuredFrame {
    let isExplained =
      !wasExplained && explainedMoment?.isReached(frame: frame.number, seconds: frame.time.seconds) == true
    analyzer.explains = isExplained
    wasExplained = wasExplained || isExplained
    let statistics = try survey(frame)
    return MeasuredFrame(
      statistics: statistics, frame: frame.frame, packets: frame.packets, arrival: frame.arrival,
      survey: isExplained ? notes(at: frame.time.seconds) : nil)
  }

  /// What explains the last frame.
  private func notes(at seconds: Double) -> DetectionExplanation.Survey {
    DetectionExplanation.Survey(
      picture: verdicts, motion: explanation, exposures: [dim, slow].compactMap { $0.notes(at: seconds) },
      zones: zoneTallies)
  }

  /// Takes the next frame.
  func survey(_ frame: SurveyedFrame) throws -> FrameStatistics {
    let before = previous
    previous = frame
    verdicts = []
    let isGap = holds(pace.gap(at: frame.time.seconds)) == true || frame.followsBreak
    guard let before, !isGap else {
      handlerIsCurrent = false
      analyzer.restart(newScene: before == nil)
      analyzer.start(seconds: frame.time.seconds)
      restartSlow(newScene: before == nil)
      return statistics(frame, before == nil ? .first : .gap)
    }
    let differs = analyzer.compare(previous: before.image, current: frame.image)
    guard differs || needsCamera(seconds: frame.time.seconds) else {
      handlerIsCurrent = false
      let still = analyzer.advance(
        previous: before.image, current: frame.image, flow: nil, seconds: frame.time.seconds)
      return statistics(frame, .normal, try completed(still, frame))
    }
    let relit = analyzer.relit(frame.image)
    if relit != nil { _ = analyzer.compare(previous: before.image, current: relit ?? frame.image, isRelit: true) }
    if !handlerIsCurrent || relit != nil {
      handler.reset()
      _ = try handler.perform(request, on: before.image)
    }
    handlerIsCurrent = relit == nil
    guard let flow = try handler.perform(request, on: relit ?? frame.image)?.flow else {
      return statistics(frame, .first)
    }
    return try surveyPair(frame, before.image, relit ?? frame.image, flow, isRelit: relit != nil)
  }

  /// Whether the camera may move although nothing stands out of the noise: what shakes for long is the noise of all places.
  private func needsCamera(seconds: Double) -> Bool {
    guard camera != nil else { return false }
    if seconds - lastCameraMotion < Self.cameraMemory { return true }
    guard analyzer.commonDifference > Self.leastNoise, seconds - lastCameraLook >= Self.cameraInterval else {
      return false
    }
    lastCameraLook = seconds
    return true
  }

  /// What a frame shows against the one before, with what it shows against earlier ones.
  private func completed(
    _ observation: MotionObservation, _ frame: SurveyedFrame, camera: Homography? = nil
  ) throws -> MotionObservation {
    let (image, seconds) = (frame.image, frame.time.seconds)
    var seen = observation
    if analyzer.commonDifference > Self.leastNoise { lastNoise = seconds }
    if let noisy = lastNoise {
      if seconds - noisy < Self.noiseMemory {
        seen = try dim.complete(seen, image: image, camera: camera, seconds: seconds)
      } else {
        lastNoise = nil
        dim.restart(newScene: true)
      }
    }
    return try slow.complete(seen, image: image, camera: camera, seconds: seconds)
  }

  private func restartSlow(newScene: Bool) {
    dim.restart(newScene: newScene)
    slow.restart(newScene: newScene)
  }

  private func surveyPair(
    _ frame: SurveyedFrame, _ previous: Plane<Float>, _ current: Plane<Float>, _ flow: FlowField, isRelit: Bool
  ) throws -> FrameStatistics {
    let seconds = frame.time.seconds
    let motion = cameraMotion(previous, current, flow)
    let observation: MotionObservation
    if let motion, let inverse = motion.inverse {
      lastCameraMotion = seconds
      scene = motion * scene
      meter.follow(scene)
      var own = flow
      own.subtract(motionOf: motion, parallelism: parallelism)
      let aligned = current.warped(
        by: inverse, size: current.size, interpolation: .bicubic, border: .replicate, fill: 0, parallelism: parallelism)
      _ = analyzer.compare(previous: previous, current: aligned, isRelit: isRelit)
      observation = analyzer.advance(
        previous: previous, current: aligned, flow: own, camera: motion, seconds: seconds)
    } else {
      observation = analyzer.advance(previous: previous, current: current, flow: flow, seconds: seconds)
    }
    if holds(Verdict(.unrelated, observation.unrelatedShare, limit: Self.unrelatedShare)),
      SceneChange.separates(previous: previous, current: frame.image, registration: .unknown)
    {
      analyzer.restart(newScene: true)
      analyzer.start(seconds: seconds)
      restartSlow(newScene: true)
      scene = .identity
      meter.follow(scene)
      lines.reset()
      return statistics(frame, .cut)
    }
    return statistics(
      frame, motion == nil ? .normal : .cameraMoving, try completed(observation, frame, camera: motion))
  }

  /// Pixels of `previous` to pixels of `current`, when the camera moved and the pictures tell how.
  private func cameraMotion(_ previous: Plane<Float>, _ current: Plane<Float>, _ flow: FlowField) -> Homography? {
    guard let camera, holds(CameraSuspicion.verdict(on: flow, of: previous)) == true else { return nil }
    let result = camera.estimate(reference: previous, floating: current)
    guard holds(Verdict(.registration, Double(result.confidence), limit: Self.leastConfidence)),
      let map = result.warpTransform.inverse
    else { return nil }
    let (right, bottom) = (Double(current.width - 1), Double(current.height - 1))
    let moved = [(0, 0), (right, 0), (0, bottom), (right, bottom)].map { x, y in
      let place = map.apply(x: x, y: y)
      return max(abs(place.x - x), abs(place.y - y))
    }
    guard holds(Verdict(.cameraMotion, moved.max() ?? 0, limit: Self.leastMotion)),
      holds(CameraVote.verdict(on: map, previous: previous, current: current))
    else { return nil }
    return map
  }

  /// Whether a rule is met; what it came to is kept.
  private func holds(_ verdict: Verdict) -> Bool {
    verdicts.append(verdict)
    return verdict.holds
  }

  /// The same for a rule that may have nothing to go by.
  private func holds(_ verdict: Verdict?) -> Bool? { verdict.map { holds($0) } }

  private func statistics(
    _ frame: SurveyedFrame, _ state: FrameState, _ observation: MotionObservation? = nil
  ) -> FrameStatistics {
    explanation = observation?.explanation
    zoneTallies =
      analyzer.explains
      ? (observation.map(meter.explain) ?? []) + Array(repeating: [], count: lineCount) : []
    let crossed = lines.measure(observation, seconds: frame.time.seconds)
    let zones = observation.map(meter.measure) ?? Array(repeating: .none, count: zoneCount - lineCount)
    return FrameStatistics(
      frame: frame.number, time: frame.time, state: state, lightShare: observation?.lightShare ?? 0,
      zones: zones + crossed.motions, crossings: crossed.crossings)
  }
}
