// From two frames to the evidence of motion between them.

import Imaging
import OpticalFlow
import Registration

/// Finds what two frames show of motion. It keeps working memory and the pyramid of the last frame, which change no
/// result. Used by one thread.
final class FramePairComparer {
  private let estimator: PairFlowEstimator
  private let prediction: FlowPrediction
  private let camera: RegistrationEngine?
  private var comparer: CellComparer
  private let warper: ImageWarper
  private let parallelism: Parallelism

  /// The minimum confidence of a registration that tells how the camera moved.
  private static let minimumConfidence = 0.3
  /// The minimum motion of a corner of the image while the camera shakes, in pixels.
  private static let minimumFurtherMotion = 0.05
  /// The share of unexplained cells among the textured ones from which on a cut is looked for, and by how much it must
  /// exceed the usual one.
  private static let (unrelatedShare, unrelatedExcess) = (0.5, 0.25)

  /// - Parameters:
  ///   - analyzedSize: The size of the images.
  ///   - compensation: The camera's motion that is taken out; `identity`: none.
  ///   - prediction: Told whether flow is needed.
  init(
    analyzedSize: PixelSize, compensation: TransformModel, parallelism: Parallelism, prediction: FlowPrediction
  ) {
    self.parallelism = parallelism
    warper = ImageWarper(parallelism: parallelism)
    estimator = PairFlowEstimator(parallelism: parallelism)
    self.prediction = prediction
    var camera = compensation > .identity ? RegistrationEngine(model: compensation, parallelism: parallelism) : nil
    // It takes more than half of the time of all the rest, and no scene needed it: what lights do, the cells tell.
    camera?.asksShading = false
    self.camera = camera
    comparer = CellComparer(grid: CellGrid(size: analyzedSize))
  }

  /// Returns what two frames of a sequence show.
  /// - Parameter prior: What earlier pairs have shown; by default nothing.
  func evidence(
    previous: AnalyzedFrame, current: AnalyzedFrame, prior: EvidencePrior = EvidencePrior()
  ) -> PairEvidence {
    let (preparedDifferences, preparedFlow) =
      current.comparedNumber == previous.number ? (current.differences, current.flow) : (nil, nil)
    let differences =
      preparedDifferences ?? comparer.differences(previous: previous.image, current: current.image)
    let noiseFloor = prior.noiseFloor ?? NoiseFloor(first: differences)
    var evidence = PairEvidence(time: current.time, cells: CellEvidence(differences, noiseFloor: noiseFloor))
    var candidates = comparer.candidates(in: differences, noiseFloor)
    let followsCamera = camera != nil && prior.camera.movedOfLate
    if candidates.isEmpty {
      let isNoisy = differences.medianResidual > FramePairAnalyzer.minimumNoise
      evidence.lookedAtNoise = camera != nil && !followsCamera && prior.camera.mayLook && isNoisy
      guard evidence.lookedAtNoise || followsCamera else {
        prediction.note(needed: nil)
        return evidence
      }
    }
    var pair = ComparedPair(previous: previous.image, current: current.image, differences: differences)
    let kind = PairFlow.Kind(cameraDistance: prior.camera.recentDistance)
    let whole = [PixelRect(whole: comparer.grid.size)]
    var known: FlowField?
    if camera != nil, differences.mayBeCamera(isTurning: followsCamera) {
      // A camera that turns over stripes changes the light of their cells, and no more.
      let flow = self.flow(kind, of: pair, in: whole, ahead: preparedFlow)
      evidence.camera = cameraMotion(pair, flow, prior.camera, &evidence)
      known = flow
    }
    let corrected = evidence.camera == nil ? differences.illuminationCorrected(current.image) : nil
    if let corrected {
      (known, evidence.ruleResults) = (nil, [])
      pair.current = corrected
      pair.differences = comparer.differences(previous: pair.previous, current: corrected)
      pair.differences.keepMeans(of: differences)
      candidates = comparer.candidates(in: pair.differences, noiseFloor)
      guard !candidates.isEmpty || followsCamera else {
        evidence.cells = CellEvidence(pair.differences, noiseFloor: noiseFloor)
        prediction.note(needed: nil)
        return evidence
      }
    }
    prediction.note(needed: corrected == nil ? kind : nil)
    let parts = evidence.lookedAtNoise || known != nil ? [] : comparer.regions(of: pair.differences, for: kind)
    let regions = parts.isEmpty ? whole : parts
    evidence.flowShare =
      Double(regions.map(\.size.area).reduce(0, +)) / Double(max(comparer.grid.size.area, 1))
    var flow = known ?? flow(kind, of: pair, in: regions, ahead: corrected == nil ? preparedFlow : nil)
    if known == nil { evidence.camera = cameraMotion(pair, flow, prior.camera, &evidence) }
    if let map = evidence.camera?.map {
      if regions != whole { flow = self.flow(kind, of: pair, in: whole, ahead: nil) }
      takeOut(map, of: &pair, &flow, keepsMeans: corrected != nil)
      candidates = comparer.candidates(in: pair.differences, noiseFloor)
        .filter { comparer.grid.isSeen($0, movedBy: map) }
    }
    evidence.cells = comparer.evidence(
      of: candidates, in: pair.differences, noiseFloor, previous: pair.previous, current: pair.current, along: flow)
    let limit = max(Self.unrelatedShare, prior.recentUnrelatedShare + Self.unrelatedExcess)
    evidence.isCut =
      evidence.isSatisfied(RuleResult(.unrelated, evidence.cells.unrelatedShare, limit: limit))
      && SceneChange.separates(previous: previous.image, current: current.image, registration: .unknown)
    return evidence
  }

  /// Two images as they are compared: the current one in the light of the previous one, and as seen from there.
  private struct ComparedPair {
    let previous: Plane<Float>
    var current: Plane<Float>
    var differences: CellDifferences
  }

  /// Takes the camera's motion out of a pair and its flow.
  private func takeOut(_ map: Homography, of pair: inout ComparedPair, _ flow: inout FlowField, keepsMeans: Bool) {
    flow.subtract(motionOf: map, parallelism: parallelism)
    pair.current = warper.warped(pair.current, by: map)
    let before = pair.differences
    pair.differences = comparer.differences(previous: pair.previous, current: pair.current)
    if keepsMeans { pair.differences.keepMeans(of: before) }
  }

  /// Returns the flow of a pair in parts of it; computes it unless that has been done already.
  private func flow(
    _ kind: PairFlow.Kind, of pair: ComparedPair, in regions: [PixelRect], ahead: PairFlow?
  ) -> FlowField {
    if let ahead, ahead.kind == kind, ahead.regions == regions { return ahead.field }
    return estimator.flow(kind, from: pair.previous, to: pair.current, in: regions).field
  }

  /// Returns how the camera moved, when the images tell.
  private func cameraMotion(
    _ pair: ComparedPair, _ flow: FlowField, _ prior: CameraHistory.Prior, _ evidence: inout PairEvidence
  ) -> PairEvidence.CameraMotion? {
    guard let camera, prior.mayRegister else { return nil }
    let isShaking = prior.isShaking
    let (previous, current) = (pair.previous, pair.current)
    let isRaised = GlobalMotionGate.ruleResult(on: flow, of: previous).map { evidence.isSatisfied($0) } ?? false
    guard isRaised || isShaking else { return nil }
    let common = GlobalMotionGate.commonMotion(of: flow, on: previous, isShaking: isShaking)
    if let common {
      guard evidence.isSatisfied(common.ruleResult) else { return nil }
      let votes = CameraMotionValidator.flowRuleResult(
        on: common.map, isMoving: isShaking, previous: previous, current: current)
      guard evidence.isSatisfied(votes) else { return nil }
    }
    let result =
      if let guess = common?.map.inverse {
        camera.estimate(reference: previous, floating: current, near: guess)
      } else {
        camera.estimate(reference: previous, floating: current)
      }
    let confidence = RuleResult(.registration, Double(result.confidence), limit: Self.minimumConfidence)
    guard evidence.isSatisfied(confidence), let map = result.warpTransform.inverse else { return nil }
    let distance = map.largestMotion(of: current.size)
    let minimum = isShaking ? Self.minimumFurtherMotion : PairEvidence.CameraMotion.minimumDistance
    guard evidence.isSatisfied(RuleResult(.cameraMotion, distance, limit: minimum)),
      evidence.isSatisfied(CameraMotionValidator.deformation(of: map, size: current.size)),
      evidence.isSatisfied(
        CameraMotionValidator.ruleResult(on: map, isMoving: isShaking, previous: previous, current: current))
    else { return nil }
    return PairEvidence.CameraMotion(map: map, distance: distance)
  }
}

extension Homography {
  /// Returns how far a corner of an image is moved along an axis at most, in pixels.
  func largestMotion(of size: PixelSize) -> Double {
    let (right, bottom) = (Double(size.width - 1), Double(size.height - 1))
    return [(0, 0), (right, 0), (0, bottom), (right, bottom)].map { x, y in
      let position = apply(x: x, y: y)
      return max(abs(position.x - x), abs(position.y - y))
    }.max() ?? 0
  }
}
