// What moves from frame to frame.

import FlowAnalysis
import Imaging
import OpticalFlow
import Registration
import Synchronization

/// A frame's number, time and luma at the size of the analysis.
package struct AnalyzedFrame: Sendable {
  /// The number of the frame in its stream.
  package var number: Int
  /// The time at which the frame shows.
  package var time: MediaTime
  /// The luma of the frame, 0…255.
  package var image: Plane<Float>
  /// The flow from the frame before, in pixels of the analysed size; nil: it has not been computed.
  package var flow: FlowField?
  /// A Boolean value that tells whether the stream broke off before the frame.
  package var followsBreak: Bool
  /// The time that it took to make the frame ready, in seconds.
  package var seconds: Double

  package init(
    number: Int, time: MediaTime, image: Plane<Float>, flow: FlowField? = nil, followsBreak: Bool = false,
    seconds: Double = 0
  ) {
    self.number = number
    self.time = time
    self.image = image
    self.flow = flow
    self.followsBreak = followsBreak
    self.seconds = seconds
  }
}

/// The evidence of motion that a frame gives against the one before.
package struct AnalyzedPair: Sendable {
  /// The later frame of the pair.
  package var frame: AnalyzedFrame
  var state: FrameState
  /// The cells that move; nil where there is nothing to compare with.
  var observation: MotionObservation?
  /// The map from pixels of the image before to those of this one; nil: the camera stood still.
  var camera: Homography?
  /// The median over the cells of the difference that no light explains, in squared grey levels.
  var medianResidual = 0.0
  /// The results of the rules for the image as a whole, in the order in which they were asked.
  var ruleResults: [RuleResult] = []
  /// A Boolean value that tells whether this frame is to be explained.
  var isExplained = false
  /// The time that the analysis took, the flow included, in seconds.
  package var seconds = 0.0
}

/// A guess whether the flow of the next pairs will be needed. A wrong guess costs time and nothing else.
package final class FlowPrediction: Sendable {
  private let flag = Atomic<Bool>(false)

  package init() {}

  /// A Boolean value that tells whether the last pair that was analysed needed flow.
  package var isExpected: Bool { flag.load(ordering: .relaxed) }

  package func note(isNeeded: Bool) { flag.store(isNeeded, ordering: .relaxed) }
}

/// Analyses the pairs of frames of a video. Used by one thread.
package final class FramePairAnalyzer {
  private let handler: SequenceRequestHandler
  private let prediction: FlowPrediction
  private let camera: RegistrationEngine?
  private var analyzer: MotionAnalyzer
  private let parallelism: Parallelism
  private var previous: AnalyzedFrame?
  /// A Boolean value that tells whether the handler's last frame is `previous`.
  private var handlerIsCurrent = false
  private var pace = FrameGapDetector()
  /// The results of the rules for the last image as a whole.
  private var ruleResults: [RuleResult] = []
  /// The times at which the camera moved of late, in seconds.
  private var cameraMotions: [Double] = []
  /// The time of the last look for the camera's motion where nothing but noise was seen, in seconds.
  private var lastCameraLook = -Double.infinity
  private let isFirstExplained: ((FrameTimestamp) -> Bool)?
  private var wasExplained = false

  /// Flow for images of 320 pixels: half size, one level to the octave and few iterations, but patches down to the
  /// finest level and little smoothing, so that what is six pixels wide is not drowned. Tuned on `MotionParameters`'s
  /// clips.
  package static let flowParameters = InverseSearchParameters(
    levelsPerOctave: 1, finestLevel: 1, searchOctave: 1, searchIterations: 4, propagations: 1, patchStride: 5,
    innerIterations: 1, relaxationIterations: 3, smoothnessWeight: 8, medianFilterPasses: 0)
  package static let request = OpticalFlowRequest(algorithm: .dis(flowParameters))
  /// The minimum confidence of a registration that tells how the camera moved.
  private static let minimumConfidence = 0.3
  /// The minimum motion of a corner of the image from which on the camera moved, in pixels.
  private static let minimumMotion = 0.25
  /// The number of recent motions of the camera from which on ``minimumFurtherMotion`` is enough: what is left of a
  /// shake adds up.
  private static let shakeCount = 3
  /// The minimum motion of a corner of the image while the camera shakes, in pixels.
  private static let minimumFurtherMotion = 0.05
  /// The share of unexplained cells among the textured ones from which on a cut is looked for.
  private static let unrelatedShare = 0.5
  /// The time for which the camera may move again after it moved, in seconds.
  private static let cameraMemory = 2.0
  /// The minimum time between two looks for the camera's motion where nothing but noise is seen and it has not moved of
  /// late, in seconds.
  private static let cameraInterval = 0.3
  /// The noise above which the camera's motion is looked for where nothing but noise is seen, in squared grey levels:
  /// five times that which codecs leave in a still image.
  static let minimumNoise = 20.0

  /// - Parameters:
  ///   - analyzedSize: The size of the images.
  ///   - compensation: The camera's motion that is taken out; `identity`: none.
  ///   - prediction: Told whether flow is needed.
  ///   - isFirstExplained: Tells whether a frame is the one to explain, asked until one is; nil: none.
  package init(
    analyzedSize: PixelSize, compensation: TransformModel, parallelism: Parallelism,
    prediction: FlowPrediction = FlowPrediction(), isFirstExplained: ((FrameTimestamp) -> Bool)? = nil
  ) {
    self.parallelism = parallelism
    handler = SequenceRequestHandler(parallelism: parallelism)
    self.prediction = prediction
    camera = compensation > .identity ? RegistrationEngine(model: compensation, parallelism: parallelism) : nil
    analyzer = MotionAnalyzer(size: analyzedSize)
    self.isFirstExplained = isFirstExplained
  }

  /// Takes the next frame.
  package func measure(_ frame: AnalyzedFrame) throws -> AnalyzedPair {
    let begin = ContinuousClock.now
    let isExplained =
      !wasExplained && isFirstExplained?(FrameTimestamp(frame: frame.number, time: frame.time)) == true
    analyzer.explains = isExplained
    wasExplained = wasExplained || isExplained
    ruleResults = []
    var pair = try analyze(frame)
    pair.medianResidual = analyzer.medianResidual
    pair.ruleResults = ruleResults
    pair.isExplained = isExplained
    pair.seconds = frame.seconds + (ContinuousClock.now - begin) / .seconds(1)
    return pair
  }

  private func analyze(_ frame: AnalyzedFrame) throws -> AnalyzedPair {
    let before = previous
    previous = frame
    let isGap = isSatisfied(pace.gap(at: frame.time.seconds)) == true || frame.followsBreak
    guard let before, !isGap else {
      handlerIsCurrent = false
      cameraMotions = []
      analyzer.restart(newScene: before == nil)
      analyzer.start(seconds: frame.time.seconds)
      return AnalyzedPair(frame: frame, state: before == nil ? .first : .gap)
    }
    let differs = analyzer.compare(previous: before.image, current: frame.image)
    guard differs || needsCamera(seconds: frame.time.seconds) else {
      prediction.note(isNeeded: false)
      handlerIsCurrent = false
      let still = analyzer.advance(
        previous: before.image, current: frame.image, flow: nil, seconds: frame.time.seconds)
      return AnalyzedPair(frame: frame, state: .normal, observation: still)
    }
    let illuminationCorrected = analyzer.illuminationCorrected(frame.image)
    if illuminationCorrected != nil {
      _ = analyzer.compare(
        previous: before.image, current: illuminationCorrected ?? frame.image, isIlluminationCorrected: true)
    }
    prediction.note(isNeeded: illuminationCorrected == nil)
    let flow = try flow(from: before.image, to: frame, illuminationCorrected)
    return analyze(
      frame, before.image, illuminationCorrected ?? frame.image, flow,
      isIlluminationCorrected: illuminationCorrected != nil)
  }

  /// Returns the flow of a pair; computes it unless that has been done already.
  private func flow(
    from previous: Plane<Float>, to current: AnalyzedFrame, _ illuminationCorrected: Plane<Float>?
  ) throws -> FlowField {
    if let ahead = current.flow, illuminationCorrected == nil {
      handlerIsCurrent = false
      return ahead
    }
    if !handlerIsCurrent || illuminationCorrected != nil {
      handler.reset()
      _ = try handler.perform(Self.request, on: previous)
    }
    handlerIsCurrent = illuminationCorrected == nil
    guard let observation = try handler.perform(Self.request, on: illuminationCorrected ?? current.image) else {
      preconditionFailure("the second frame of a pair has no flow")
    }
    return observation.flow
  }

  /// Returns whether the camera may move although nothing stands out of the noise: what shakes for long is the noise of
  /// all places.
  private func needsCamera(seconds: Double) -> Bool {
    guard camera != nil else { return false }
    if let last = cameraMotions.last, seconds - last < Self.cameraMemory { return true }
    guard analyzer.medianResidual > Self.minimumNoise, seconds - lastCameraLook >= Self.cameraInterval else {
      return false
    }
    lastCameraLook = seconds
    return true
  }

  private func analyze(
    _ frame: AnalyzedFrame, _ previous: Plane<Float>, _ current: Plane<Float>, _ flow: FlowField,
    isIlluminationCorrected: Bool
  ) -> AnalyzedPair {
    let seconds = frame.time.seconds
    let motion = cameraMotion(previous, current, flow, seconds: seconds)
    let observation: MotionObservation
    if let motion, let inverse = motion.inverse {
      var own = flow
      own.subtract(motionOf: motion, parallelism: parallelism)
      let aligned = current.warped(
        by: inverse, size: current.size, interpolation: .bicubic, border: .replicate, fill: 0, parallelism: parallelism)
      _ = analyzer.compare(previous: previous, current: aligned, isIlluminationCorrected: isIlluminationCorrected)
      observation = analyzer.advance(
        previous: previous, current: aligned, flow: own, camera: motion, seconds: seconds)
    } else {
      observation = analyzer.advance(previous: previous, current: current, flow: flow, seconds: seconds)
    }
    if isSatisfied(RuleResult(.unrelated, observation.unrelatedShare, limit: Self.unrelatedShare)),
      SceneChange.separates(previous: previous, current: frame.image, registration: .unknown)
    {
      cameraMotions = []
      analyzer.restart(newScene: true)
      analyzer.start(seconds: seconds)
      return AnalyzedPair(frame: frame, state: .cut)
    }
    return AnalyzedPair(
      frame: frame, state: motion == nil ? .normal : .cameraMoving, observation: observation, camera: motion)
  }

  /// Returns the map from pixels of `previous` to pixels of `current`, when the camera moved and the images tell how.
  private func cameraMotion(
    _ previous: Plane<Float>, _ current: Plane<Float>, _ flow: FlowField, seconds: Double
  ) -> Homography? {
    cameraMotions.removeAll { seconds - $0 >= Self.cameraMemory }
    let isMoving = cameraMotions.count >= Self.shakeCount
    guard let camera, isSatisfied(GlobalMotionGate.ruleResult(on: flow, of: previous)) == true || isMoving else {
      return nil
    }
    let result = camera.estimate(reference: previous, floating: current)
    guard isSatisfied(RuleResult(.registration, Double(result.confidence), limit: Self.minimumConfidence)),
      let map = result.warpTransform.inverse
    else { return nil }
    let (right, bottom) = (Double(current.width - 1), Double(current.height - 1))
    let moved = [(0, 0), (right, 0), (0, bottom), (right, bottom)].map { x, y in
      let position = map.apply(x: x, y: y)
      return max(abs(position.x - x), abs(position.y - y))
    }
    let distance = moved.max() ?? 0
    let minimum = isMoving ? Self.minimumFurtherMotion : Self.minimumMotion
    guard isSatisfied(RuleResult(.cameraMotion, distance, limit: minimum)),
      isSatisfied(CameraMotionValidator.ruleResult(on: map, isMoving: isMoving, previous: previous, current: current))
    else { return nil }
    if distance >= Self.minimumMotion { cameraMotions.append(seconds) }
    return map
  }

  /// Returns whether a rule is met, and keeps its result.
  private func isSatisfied(_ ruleResult: RuleResult) -> Bool {
    ruleResults.append(ruleResult)
    return ruleResult.isSatisfied
  }

  /// Returns whether a rule is met, and keeps its result; nil for a rule that has nothing to go by.
  private func isSatisfied(_ ruleResult: RuleResult?) -> Bool? { ruleResult.map { isSatisfied($0) } }
}
