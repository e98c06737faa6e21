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
  private let meter: ZoneMeter
  private let parallelism: Parallelism
  private let zoneCount: Int
  private var previous: SurveyedFrame?
  /// Whether the handler's last frame is `previous`.
  private var handlerIsCurrent = false
  private var pace = FramePace()

  /// Flow for pictures of 320 pixels: half size, one level to the octave and few iterations, but patches down to the finest
  /// level and little smoothing, so that what is six pixels wide is not drowned. Tuned on `MotionParameters`'s clips.
  private static let flowParameters = InverseSearchParameters(
    levelsPerOctave: 1, finestLevel: 1, searchOctave: 1, searchIterations: 4, propagations: 1, patchStride: 5,
    innerIterations: 1, sweeps: 3, smoothnessWeight: 8, medians: 0)
  /// A registration less sure than this does not tell how the camera moved.
  private static let leastConfidence = 0.3
  /// Pixels by which a corner of the picture must move before the camera did.
  private static let leastMotion = 0.15
  /// The share of the textured cells that nothing explains from which on a cut is looked for.
  private static let unrelatedShare = 0.5

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
    meter = ZoneMeter(zones: task.zones, grid: analyzer.grid, size: size)
    zoneCount = task.zones.measuredNames.count
  }

  /// Takes the next frame, and hands on with the statistics what outputs need of it.
  func measure(_ frame: SurveyedFrame) throws -> MeasuredFrame {
    MeasuredFrame(statistics: try survey(frame), frame: frame.frame, packets: frame.packets)
  }

  /// Takes the next frame.
  func survey(_ frame: SurveyedFrame) throws -> FrameStatistics {
    let before = previous
    previous = frame
    let isGap = pace.isGap(at: frame.time.seconds)
    guard let before, !isGap else {
      handlerIsCurrent = false
      analyzer.restart(newScene: before == nil)
      analyzer.start(seconds: frame.time.seconds)
      return statistics(frame, before == nil ? .first : .gap)
    }
    guard analyzer.compare(previous: before.image, current: frame.image) else {
      handlerIsCurrent = false
      let still = analyzer.advance(
        previous: before.image, current: frame.image, flow: nil, seconds: frame.time.seconds)
      return statistics(frame, .normal, still)
    }
    if !handlerIsCurrent {
      handler.reset()
      _ = try handler.perform(request, on: before.image)
      handlerIsCurrent = true
    }
    guard let flow = try handler.perform(request, on: frame.image)?.flow else { return statistics(frame, .first) }
    return surveyPair(frame, before.image, flow)
  }

  private func surveyPair(_ frame: SurveyedFrame, _ previous: Plane<Float>, _ flow: FlowField) -> FrameStatistics {
    let (current, seconds) = (frame.image, frame.time.seconds)
    let motion = cameraMotion(previous, current, flow)
    let observation: MotionObservation
    if let motion, let inverse = motion.inverse {
      var own = flow
      own.subtract(motionOf: motion, parallelism: parallelism)
      let aligned = current.warped(
        by: inverse, size: current.size, interpolation: .bicubic, border: .replicate, fill: 0, parallelism: parallelism)
      _ = analyzer.compare(previous: previous, current: aligned)
      observation = analyzer.advance(
        previous: previous, current: aligned, flow: own, camera: motion, seconds: seconds)
    } else {
      observation = analyzer.advance(previous: previous, current: current, flow: flow, seconds: seconds)
    }
    if observation.unrelatedShare > Self.unrelatedShare,
      SceneChange.separates(previous: previous, current: current, registration: .unknown)
    {
      analyzer.restart(newScene: true)
      analyzer.start(seconds: seconds)
      return statistics(frame, .cut)
    }
    return statistics(frame, motion == nil ? .normal : .cameraMoving, observation)
  }

  /// Pixels of `previous` to pixels of `current`, when the camera moved and the pictures tell how.
  private func cameraMotion(_ previous: Plane<Float>, _ current: Plane<Float>, _ flow: FlowField) -> Homography? {
    guard let camera, CameraSuspicion.isRaised(by: flow, on: previous) else { return nil }
    let result = camera.estimate(reference: previous, floating: current)
    guard result.confidence >= Self.leastConfidence, let map = result.warpTransform.inverse else { return nil }
    let (right, bottom) = (Double(current.width - 1), Double(current.height - 1))
    let moved = [(0, 0), (right, 0), (0, bottom), (right, bottom)].contains { x, y in
      let place = map.apply(x: x, y: y)
      return max(abs(place.x - x), abs(place.y - y)) > Self.leastMotion
    }
    guard moved, CameraVote.isWon(by: map, previous: previous, current: current) else { return nil }
    return map
  }

  private func statistics(
    _ frame: SurveyedFrame, _ state: FrameState, _ observation: MotionObservation? = nil
  ) -> FrameStatistics {
    FrameStatistics(
      frame: frame.number, time: frame.time, state: state, lightShare: observation?.lightShare ?? 0,
      zones: observation.map(meter.measure) ?? Array(repeating: .none, count: zoneCount))
  }
}
