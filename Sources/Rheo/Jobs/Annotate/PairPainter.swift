// The flow of a pair, drawn over its first frame by the thread that computed it.

import FlowAnalysis
import FlowRendering
import Imaging
import VideoIO

/// Draws the flow of pairs of frames. Used by one thread, while others draw other pairs.
///
/// A flow field, five times as large as its frame, then never waits in a queue, and is drawn while it is in the cache.
final class PairPainter {
  private let analyzer: any PairAnalyzer
  private let parallelism: Parallelism
  private let renderer: FlowRenderer
  private let maker: CanvasMaker
  private let memory: Turnstile<StreamMemory>
  private let clock: StageClock

  /// Makes a painter.
  /// - Parameters:
  ///   - memory: The memory of the stream, for all threads.
  ///   - clock: The clock that is told how long analysis and drawing take.
  init(
    _ analysis: PairAnalysis, options: RenderingOptions, canvasFormat: CanvasFormat, memory: Turnstile<StreamMemory>,
    clock: StageClock
  ) throws {
    analyzer = try analysis.makeAnalyzer()
    parallelism = analysis.threadParallelism
    renderer = try FlowRenderer(options: options, size: analysis.size, parallelism: parallelism)
    maker = CanvasMaker(format: canvasFormat)
    self.memory = memory
    self.clock = clock
  }

  /// Draws the first frame of a task with its flow; returns nil when the task has none, when it is there for others
  /// only, or when the work was cancelled.
  func draw(_ task: PairTask) throws -> Handover<Canvas>? {
    let (pair, observation) = try clock.time { try self.observe(task) }
    let flow = observation?.flow
    guard let frame = task.previous else { return nil }
    let summary = clock.time(as: .render) { flow.map { renderer.summary(of: $0) } }
    let moment = memory.pass(as: task.number - 1) {
      $0.advance(at: frame.presentationTime, pair: pair, flow: flow, summary: summary)
    }
    guard let moment, moment.isDrawn else { return nil }
    return try clock.time(as: .render) {
      let canvas = try maker.canvas(for: frame)
      let caption = FrameCaption(time: frame.presentationTime, frame: frame.number)
      try canvas.withMutableImage {
        try renderer.render(
          flow, confidence: pair?.saliency ?? observation?.confidence, contours: pair?.contours, trails: moment.trails,
          summary: summary, range: moment.range, caption: caption, over: $0)
      }
      try maker.pad(canvas)
      return Handover(canvas)
    }
  }

  /// Analyses a pair; its observation, without the camera's motion, is nil at a cut.
  private func observe(_ task: PairTask) throws -> (pair: AnalysedPair?, observation: OpticalFlowObservation?) {
    guard let pair = try analyzer.analyse(task) else { return (nil, nil) }
    guard !pair.isCut else { return (pair, nil) }
    return (
      pair, pair.observation.subtracting(cameraMotion: pair.cameraMotion ?? .identity, parallelism: parallelism)
    )
  }
}
