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
  private let scale: Turnstile<MotionScale>
  private let clock: StageClock

  /// Makes a painter.
  /// - Parameters:
  ///   - scale: The scale of the stream, for all threads.
  ///   - clock: The clock that is told how long analysis and drawing take.
  init(
    _ analysis: PairAnalysis, options: RenderingOptions, canvasFormat: CanvasFormat, scale: Turnstile<MotionScale>,
    clock: StageClock
  ) throws {
    analyzer = try analysis.makeAnalyzer()
    parallelism = analysis.threadParallelism
    renderer = try FlowRenderer(options: options, size: analysis.size, parallelism: parallelism)
    maker = CanvasMaker(format: canvasFormat)
    self.scale = scale
    self.clock = clock
  }

  /// Draws the first frame of a task with its flow; returns nil when the task has none, or when the work was cancelled.
  func draw(_ task: PairTask) throws -> Handover<Canvas>? {
    let observation = try clock.time { try self.observation(of: task) }
    let flow = observation?.flow
    guard let frame = task.previous else { return nil }
    let summary = clock.time(as: .render) { flow.map { renderer.summary(of: $0) } }
    guard let range = scale.pass(as: task.number - 1, { $0.next(summary) }) else { return nil }
    return try clock.time(as: .render) {
      let canvas = try maker.canvas(for: frame)
      let caption = FrameCaption(time: frame.presentationTime, frame: frame.number)
      try canvas.withMutableImage {
        try renderer.render(
          flow, confidence: observation?.confidence, summary: summary, range: range, caption: caption, over: $0)
      }
      try maker.pad(canvas)
      return Handover(canvas)
    }
  }

  private func observation(of task: PairTask) throws -> OpticalFlowObservation? {
    try analyzer.analyse(task).map {
      $0.observation.subtracting(cameraMotion: $0.cameraMotion ?? .identity, parallelism: parallelism)
    }
  }
}
