import Imaging

/// The flow and the tracker of one sequence of frames. Used by one thread at a time.
struct SequenceTracking {
  private let handler: SequenceRequestHandler
  private let request: OpticalFlowRequest
  private(set) var frameCount = 0
  /// The tracker; nil before the first frame.
  var tracker: MotionTracker?

  init(accuracy: OpticalFlowRequest.ComputationAccuracy, parallelism: Parallelism) {
    handler = SequenceRequestHandler(parallelism: parallelism)
    request = OpticalFlowRequest(computationAccuracy: accuracy, direction: .both)
  }

  /// Takes the next frame and carries all tracks along.
  /// - Returns: The frame, and the motion that led to it; of the first frame none.
  mutating func advance(
    to image: Plane<Float>, at time: MediaTime
  ) throws(AnalysisError) -> (timestamp: FrameTimestamp, motion: PairMotion?) {
    let observation = try handler.perform(request, on: image, at: time)
    let timestamp = FrameTimestamp(frame: frameCount, time: time)
    let motion = observation.map { PairMotion(forward: $0.flow, backward: $0.backwardFlow) }
    if let motion {
      try tracker?.advance(by: motion, to: timestamp, image: image)
    } else {
      tracker = MotionTracker(size: image.size)
      tracker?.image = image
    }
    frameCount += 1
    return (timestamp, motion)
  }
}
