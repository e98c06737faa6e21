import FlowAnalysis
import Imaging
import VideoIO

/// Takes all tasks in their order: the flow of a pair may depend on those before it.
final class SuccessivePairAnalyzer: PairAnalyzer {
  private let request: OpticalFlowRequest
  private let findings: PairFindings
  private let cuts: CutDetector?
  private var small: Plane<Float>?
  private let parallelism: Parallelism
  private let handler: SequenceRequestHandler
  private let luma: LumaExtractor
  private var camera: CameraMotionSequence?

  init(_ analysis: PairAnalysis, parallelism: Parallelism) {
    request = analysis.request
    findings = analysis.findings
    cuts = findings == .flow ? nil : CutDetector(size: analysis.size)
    self.parallelism = parallelism
    handler = SequenceRequestHandler(parallelism: parallelism)
    luma = LumaExtractor(parallelism: parallelism)
    camera = CameraMotionSequence(model: analysis.compensation, parallelism: parallelism)
  }

  func analyse(_ task: PairTask) throws -> AnalysedPair? {
    guard let frame = task.analysedFrame else { return nil }
    if task.followsGap { handler.forgetMotion() }
    let image = try luma.luma(of: frame)
    let found = try perform(on: image)
    let motion = camera?.append(image)
    let (before, after) = (small, cuts?.reduce(image))
    small = after
    guard task.wantsFlow, var pair = found else { return nil }
    pair.cameraMotion = motion
    if let cuts, let before, let after { pair.isCut = cuts.separates(before, after, flow: pair.observation.flow) }
    return pair
  }

  /// Performs the requests on the next frame; returns nil for the first one.
  private func perform(on image: Plane<Float>) throws -> AnalysedPair? {
    let accuracy = request.computationAccuracy ?? .medium
    switch findings {
    case .flow, .cuts: return try handler.perform(request, on: image).map { AnalysedPair(observation: $0) }
    case .contours:
      var contours = DetectMotionContoursRequest(computationAccuracy: accuracy)
      contours.regionOfInterest = request.regionOfInterest
      let (flow, found) = try handler.perform(request, contours, on: image)
      return flow.map { AnalysedPair(observation: $0, contours: found?.contours) }
    case .saliency:
      var saliency = GenerateMotionSaliencyRequest(computationAccuracy: accuracy)
      saliency.regionOfInterest = request.regionOfInterest
      let (flow, found) = try handler.perform(request, saliency, on: image)
      return flow.map {
        AnalysedPair(observation: $0, saliency: found?.fullSizeHeatMap(parallelism: parallelism))
      }
    }
  }
}
