import FlowAnalysis
import Imaging
import VideoIO

/// Takes some of the tasks, while other threads take others.
final class IndependentPairAnalyzer: PairAnalyzer {
  private let handler: FlowPairHandler
  private let camera: CameraCompensation?
  private let cuts: CutDetector?
  private let luma: LumaExtractor

  init(_ analysis: PairAnalysis, parallelism: Parallelism) throws {
    handler = try FlowPairHandler(analysis.request, size: analysis.size, parallelism: parallelism)
    camera = CameraCompensation(model: analysis.compensation, parallelism: parallelism)
    cuts = analysis.findings == .flow ? nil : CutDetector(size: analysis.size)
    luma = LumaExtractor(parallelism: parallelism)
  }

  func analyse(_ task: PairTask) throws -> AnalysedPair? {
    // Whatever becomes of this frame, nobody waits for it forever.
    defer { task.analysed.settle(nil) }
    guard let frame = task.analysedFrame, task.isAnalysed else { return nil }
    let current = try analyse(frame)
    task.analysed.settle(current)
    guard task.wantsFlow, let previous = task.before?.take() else { return nil }
    let observation = handler.observe(previous: previous.prepared, current: current.prepared)
    var pair = AnalysedPair(observation: observation)
    if let cuts, let before = previous.small, let after = current.small {
      pair.isCut = cuts.separates(before, after, flow: observation.flow)
    }
    if let camera, let before = previous.camera, let after = current.camera {
      pair.cameraMotion = camera.motion(from: before, to: after)
    }
    return pair
  }

  private func analyse(_ frame: VideoFrame) throws -> AnalysedFrame {
    let image = try luma.luma(of: frame)
    return AnalysedFrame(
      prepared: try handler.prepare(image), camera: camera?.prepare(image), small: cuts?.reduce(image))
  }
}
