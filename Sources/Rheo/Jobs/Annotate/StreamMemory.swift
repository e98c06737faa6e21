// The memory of the frames before one that is drawn.

import FlowRendering
import Imaging

/// The scale of a stream, and the paths of what moved in it; told of the frames in their order.
///
/// Where the frames are cut into groups, each group remembers what came from the beginning of its preparation on, and
/// nothing of what came before: so it is drawn alike whichever frames were seen ahead of that.
struct StreamMemory: Sendable {
  private let fresh: SceneMemory
  private var current: SceneMemory
  /// The memory of the group that is prepared; nil: none is.
  private var next: SceneMemory?
  private var groups: FrameGroups?

  /// The findings of the frames so far about one of them.
  struct Moment: Sendable {
    let range: MotionRange
    let trails: [MotionTrail]
    /// A Boolean value that tells whether the frame is one to draw, not one that is looked at for others.
    var isDrawn = true
  }

  /// - Parameter groups: The groups of the frames; nil: they are one.
  init(options: RenderingOptions, size: PixelSize, groups: FrameGroups? = nil) {
    fresh = SceneMemory(options: options, size: size)
    current = fresh
    self.groups = groups
  }

  /// Takes the next frame.
  /// - Parameters:
  ///   - time: The time at which the frame shows.
  ///   - pair: The frame and the next one; nil when nothing is known of them.
  ///   - flow: The flow that is drawn; nil at cuts and behind the last pair.
  ///   - summary: The summary of the flow.
  mutating func advance(
    at time: MediaTime, pair: AnalysedPair?, flow: FlowField?, summary: MotionSummary?
  ) -> Moment {
    if groups?.isPrepared(at: time) == true, next == nil { next = fresh }
    if groups?.begin(at: time) == true { (current, next) = (next ?? fresh, nil) }
    _ = next?.advance(at: time.seconds, pair: pair, flow: flow, summary: summary)
    var moment = current.advance(at: time.seconds, pair: pair, flow: flow, summary: summary)
    moment.isDrawn = groups?.isInside(time) ?? true
    return moment
  }
}

/// The memory of a stream, or of a group of its frames.
private struct SceneMemory: Sendable {
  private var scale: MotionScale
  /// nil: nobody wants to see them.
  private var trails: MotionTrails?

  init(options: RenderingOptions, size: PixelSize) {
    scale = MotionScale(options: options)
    trails = options.trails ? MotionTrails(size: size) : nil
  }

  mutating func advance(
    at time: Double, pair: AnalysedPair?, flow: FlowField?, summary: MotionSummary?
  ) -> StreamMemory.Moment {
    let moment = StreamMemory.Moment(
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
