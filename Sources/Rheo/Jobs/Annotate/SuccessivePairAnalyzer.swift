import FlowAnalysis
import Imaging
import VideoIO

/// Takes all tasks in their order: the flow of a pair may depend on those before it.
final class SuccessivePairAnalyzer: PairAnalyzer {
  private let request: OpticalFlowRequest
  private let handler: SequenceRequestHandler
  private let luma: LumaExtractor
  private var camera: CameraMotionSequence?

  init(_ analysis: PairAnalysis, parallelism: Parallelism) {
    request = analysis.request
    handler = SequenceRequestHandler(parallelism: parallelism)
    luma = LumaExtractor(parallelism: parallelism)
    camera = CameraMotionSequence(model: analysis.compensation, parallelism: parallelism)
  }

  func analyse(_ task: PairTask) throws -> AnalysedPair? {
    guard let frame = task.current else { return nil }
    if task.followsGap { handler.forgetMotion() }
    let image = try luma.luma(of: frame)
    let observation = try handler.perform(request, on: image)
    let motion = camera?.append(image)
    guard task.wantsFlow, let observation else { return nil }
    return AnalysedPair(observation: observation, cameraMotion: motion)
  }
}
