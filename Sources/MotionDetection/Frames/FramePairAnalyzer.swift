// The analysis of the frames of a stream, pair by pair.

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
  /// The colour differences of the frame, a sample for each cell of ``CellGrid``; nil: not known.
  package var colors: ChrominancePlanes?
  /// The number of the frame that differences and flow were computed from.
  package var comparedNumber: Int?
  /// The differences from that frame; nil: they have not been computed.
  var differences: CellDifferences?
  /// The flow from that frame; nil: it has not been computed.
  package var flow: PairFlow?
  /// A Boolean value that tells whether the stream broke off before the frame.
  package var followsBreak: Bool
  /// The time that it took to make the frame ready, in seconds.
  package var seconds: Double

  package init(
    number: Int, time: MediaTime, image: Plane<Float>, colors: ChrominancePlanes? = nil, flow: PairFlow? = nil,
    followsBreak: Bool = false, seconds: Double = 0
  ) {
    self.number = number
    self.time = time
    self.image = image
    self.colors = colors
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
  var medianResidual: Float = 0
  /// The results of the rules for the image as a whole, in the order in which they were asked.
  var ruleResults: [RuleResult] = []
  /// A Boolean value that tells whether this frame is to be explained.
  var isExplained = false
  /// A Boolean value that tells whether the frame was not looked at: it counts as what the one before showed.
  var isLeftOut = false
  /// A Boolean value that tells whether a frame that is left out repeats the one before.
  var isRepetition = false
  /// The number of frames from the earlier one of the pair to the later one.
  var frameCount = 1
  /// The time that the analysis took, the flow included, in seconds.
  package var seconds = 0.0
}

/// A guess which flow of the next pairs will be needed. A wrong guess costs time and nothing else.
package final class FlowPrediction: Sendable {
  /// The numbers of the kinds that the last pair needed and the one before it, in that order; 0: none.
  private let kinds = Atomic<UInt8>(0)
  private let thins = Atomic<Bool>(false)

  package init() {}

  /// The flow that the last two pairs that were analysed needed; nil: none, or not the same.
  package var expected: PairFlow.Kind? {
    let (last, former) = kinds.load(ordering: .relaxed).quotientAndRemainder(dividingBy: Self.count)
    return last == former ? PairFlow.Kind(rawValue: last) : nil
  }

  /// A Boolean value that tells whether the frames with odd numbers are left out, as after the last pair.
  package var isThinning: Bool { thins.load(ordering: .relaxed) }

  /// Notes whether frames are left out; called by one thread.
  package func note(isThinning: Bool) { thins.store(isThinning, ordering: .relaxed) }

  /// Notes what a pair needed; called by one thread.
  package func note(needed: PairFlow.Kind?) {
    let last = kinds.load(ordering: .relaxed) / Self.count
    kinds.store((needed?.rawValue ?? 0) * Self.count + last, ordering: .relaxed)
  }

  private static let count = UInt8(PairFlow.Kind.allCases.count + 1)
}

/// Analyses the pairs of frames of a stream: has each looked at, and remembers what they showed. Used by one thread.
package final class FramePairAnalyzer {
  private let comparer: FramePairComparer
  private var memory: MotionMemory
  private var camera = CameraHistory()
  private var overlay: OverlayMap
  /// The mean over about a second of the share of the textured cells that nothing explains, 0…1.
  private var recentUnrelatedShare = 0.0
  private var pace = FrameGapDetector()
  /// The choice of frames; nil: all are looked at.
  private var thinning: FrameThinning?
  /// The search for frames that are shown more than once; nil: all are looked at.
  private var repetition: FrameRepetition?
  private let prediction: FlowPrediction
  /// The time of the last frame that was looked at, in seconds, and the number of those left out since.
  private var (lookedAt, leftOutCount) = (0.0, 0)
  /// A Boolean value that tells whether one of those shows something else.
  private var hasThinned = false
  /// The frame to compare with: the last one that was looked at, or one that repeats it.
  private var previous: AnalyzedFrame?
  private let isFirstExplained: ((FrameTimestamp) -> Bool)?
  private var wasExplained = false

  /// Flow for images of 320 pixels: half size, one level to the octave and few iterations, but patches down to the
  /// finest level and little smoothing, so that what is six pixels wide is not drowned. Tuned on `MotionParameters`'s
  /// clips. The tolerance, chosen by hand, is a third of what a thing of a pixel and a contrast of 20 grey levels
  /// makes of a patch. With one warp of the coarse levels a detection takes a twentieth less, and pans fire.
  package static func flowParameters(_ kind: PairFlow.Kind) -> InverseSearchParameters {
    InverseSearchParameters(
      levelsPerOctave: 1, finestLevel: 1, searchOctave: 1, searchTolerance: 1, searchIterations: 4, propagations: 1,
      patchStride: 5, planes: kind == .cameraInMotion ? 8 : 0, innerIterations: 1, relaxationIterations: 3,
      smoothnessWeight: 8, medianFilterPasses: 0)
  }

  /// The noise above which the camera's motion is looked for where nothing but noise is seen, in squared grey levels:
  /// five times that which codecs leave in a still image.
  static let minimumNoise = 20.0 as Float

  /// - Parameters:
  ///   - analyzedSize: The size of the images.
  ///   - compensation: The camera's motion that is taken out; `identity`: none.
  ///   - prediction: Told whether flow is needed.
  ///   - isThinned: Whether frames that repeat the one before are left out, and, where frames follow each other closely
  ///     and much moves, those with odd numbers, unless the camera does: then what it does in between matters.
  ///   - isFirstExplained: Tells whether a frame is the one to explain, asked until one is; nil: none.
  package init(
    analyzedSize: PixelSize, compensation: TransformModel, parallelism: Parallelism,
    prediction: FlowPrediction = FlowPrediction(), isThinned: Bool = false,
    isFirstExplained: ((FrameTimestamp) -> Bool)? = nil
  ) {
    comparer = FramePairComparer(
      analyzedSize: analyzedSize, compensation: compensation, parallelism: parallelism, prediction: prediction)
    memory = MotionMemory(grid: CellGrid(size: analyzedSize))
    overlay = OverlayMap(grid: CellGrid(size: analyzedSize))
    self.isFirstExplained = isFirstExplained
    self.prediction = prediction
    (thinning, repetition) = isThinned ? (FrameThinning(), FrameRepetition()) : (nil, nil)
  }

  /// Takes the next frame.
  package func measure(_ frame: AnalyzedFrame) -> AnalyzedPair {
    let begin = ContinuousClock.now
    let isExplained =
      !wasExplained && isFirstExplained?(FrameTimestamp(frame: frame.number, time: frame.time)) == true
    memory.explains = isExplained
    wasExplained = wasExplained || isExplained
    var pair = analyze(frame, mayLeaveOut: !isExplained)
    pair.isExplained = isExplained
    pair.seconds = frame.seconds + (ContinuousClock.now - begin) / .seconds(1)
    return pair
  }

  private func analyze(_ frame: AnalyzedFrame, mayLeaveOut: Bool) -> AnalyzedPair {
    let seconds = frame.time.seconds
    let gap = pace.interval(at: seconds).map { RuleResult(.gap, $0.elapsed, limit: $0.limit) }
    guard let previous, gap?.isSatisfied != true, !frame.followsBreak else {
      defer { lookAt(frame) }
      // Both outlast a cut: they tell of the stream.
      recentUnrelatedShare = 0
      repetition?.reset()
      restart(newScene: previous == nil, seconds: seconds)
      return AnalyzedPair(frame: frame, state: previous == nil ? .first : .gap, ruleResults: gap.map { [$0] } ?? [])
    }
    let isRepetition = repetition?.isRepetition(frame.image) == true
    if mayLeaveOut, isRepetition {
      if !hasThinned { self.previous = frame }
      leftOutCount += 1
      return AnalyzedPair(frame: frame, state: .normal, isLeftOut: true, isRepetition: true)
    }
    if mayLeaveOut, leftOutCount == 0, repetition?.isExpected != true,
      thinning?.leavesOut(frame.number, interval: seconds - previous.time.seconds) == true
    {
      (leftOutCount, hasThinned) = (1, true)
      return AnalyzedPair(frame: frame, state: .normal, isLeftOut: true)
    }
    defer { lookAt(frame) }
    let prior = EvidencePrior(
      noiseFloor: memory.noiseFloor, camera: camera.prior(at: seconds), recentUnrelatedShare: recentUnrelatedShare)
    let evidence = comparer.evidence(previous: previous, current: frame, prior: prior)
    let weight = min(max(seconds - lookedAt, 0), 1)
    recentUnrelatedShare += weight * (evidence.cells.unrelatedShare - recentUnrelatedShare)
    let frameCount = leftOutCount + 1
    var pair = remember(evidence, of: frame, interval: (seconds - lookedAt) / Double(frameCount))
    pair.ruleResults = [gap].compactMap(\.self) + evidence.ruleResults
    pair.frameCount = frameCount
    return pair
  }

  private func lookAt(_ frame: AnalyzedFrame) {
    (previous, lookedAt, leftOutCount, hasThinned) = (frame, frame.time.seconds, 0, false)
  }

  /// Takes the evidence of a pair into memory.
  /// - Parameter interval: The time from frame to frame, in seconds.
  private func remember(_ evidence: PairEvidence, of frame: AnalyzedFrame, interval: Double) -> AnalyzedPair {
    let seconds = evidence.time.seconds
    camera.note(evidence)
    noteThinning(evidence, interval: interval)
    let map = evidence.camera?.map
    overlay.advance(frame.image, camera: map, seconds: seconds)
    var cells = evidence.cells
    cells.removeMotions(in: overlay.isOverlay)
    let observation = memory.advance(cells, camera: map, seconds: seconds)
    guard !evidence.isCut else {
      restart(newScene: true, seconds: seconds)
      return AnalyzedPair(frame: frame, state: .cut)
    }
    return AnalyzedPair(
      frame: frame, state: map == nil ? .normal : .cameraMoving, observation: observation, camera: map,
      medianResidual: evidence.cells.medianResidual)
  }

  private func noteThinning(_ evidence: PairEvidence, interval: Double) {
    let seconds = evidence.time.seconds
    let cameraMoves =
      PairFlow.Kind(cameraDistance: camera.prior(at: seconds).recentDistance) == .cameraInMotion
    thinning?.note(flowShare: evidence.flowShare, cameraMoves: cameraMoves, seconds: seconds)
    prediction.note(
      isThinning: thinning?.leavesOutSome(interval: interval) == true && repetition?.isExpected != true)
  }

  private func restart(newScene: Bool, seconds: Double) {
    camera.reset()
    overlay.reset()
    thinning?.reset()
    memory.restart(newScene: newScene)
    memory.start(seconds: seconds)
  }
}
