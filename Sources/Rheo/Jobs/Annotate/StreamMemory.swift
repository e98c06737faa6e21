// The memory of the frames before one that is drawn.

import FlowRendering
import Imaging

/// The scale of a stream, and the paths of what moved in it; told of the frames in their order.
struct StreamMemory: Sendable {
  private var scale: MotionScale
  /// nil: nobody wants to see them.
  private var trails: MotionTrails?

  /// The findings of the frames so far about one of them.
  struct Moment: Sendable {
    let range: MotionRange
    let trails: [MotionTrail]
  }

  init(options: RenderingOptions, size: PixelSize) {
    scale = MotionScale(options: options)
    trails = options.trails ? MotionTrails(size: size) : nil
  }

  /// Takes the next frame.
  /// - Parameters:
  ///   - time: When the frame shows, in seconds.
  ///   - pair: The frame and the next one; nil when nothing is known of them.
  ///   - flow: The flow that is drawn; nil at cuts and behind the last pair.
  ///   - summary: The summary of the flow.
  mutating func advance(
    at time: Double, pair: AnalysedPair?, flow: FlowField?, summary: MotionSummary?
  ) -> Moment {
    let moment = Moment(
      range: scale.next(summary),
      trails: trails?.advance(
        at: time, flow: flow, confidence: pair?.observation.confidence,
        camera: pair?.cameraMotion?.inverse ?? .identity) ?? [])
    if pair?.isCut == true {
      scale.startScene()
      trails?.startScene()
    }
    return moment
  }
}
