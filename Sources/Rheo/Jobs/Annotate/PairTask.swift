// Frames, each with the one before it, on their way to the threads that compute flow.

import VideoIO

/// A frame and the one before it.
struct PairTask: Sendable {
  /// The task's index among all tasks, from 0: the number of the pair, counted from 1, where there is one.
  let number: Int
  /// The frame before; nil for the first frame.
  let previous: VideoFrame?
  /// The frame itself; nil behind the last frame.
  let current: VideoFrame?
  /// The frame itself as it is analysed; nil behind the last frame.
  let analysedFrame: VideoFrame?
  /// A Boolean value that tells whether frames are missing between the two.
  let followsGap: Bool
  /// A Boolean value that tells whether anyone wants the flow from `previous` to `current`.
  var wantsFlow = true
  /// A Boolean value that tells whether flow to or from `current` is wanted.
  var isAnalysed = true
  /// The store for the results that are computed of `current` alone.
  var analysed = PendingValue<AnalysedFrame>()
  /// The store for the results that are computed of `previous` alone.
  var before: PendingValue<AnalysedFrame>?
}

/// Makes tasks of the frames of a video. Used by the thread that reads them.
struct PairSequence: FrameTransform {
  /// The step between the frames that are read: of all frames, every n-th.
  private let step: Int
  /// The filter of the frames that are analysed; nil: they are analysed as they are.
  private let filter: FrameFilter?
  private var last: (number: Int, frame: VideoFrame, analysed: PendingValue<AnalysedFrame>)?

  init(step: Int, filter: FrameFilter? = nil) {
    self.step = step
    self.filter = filter
  }

  /// The number of pairs there were.
  var pairCount: Int { last?.number ?? 0 }

  /// Returns the task of the next frame.
  /// - Throws: `MediaError` when the filter does not work.
  mutating func append(_ frame: VideoFrame) throws -> PairTask {
    let task = PairTask(
      number: last.map { $0.number + 1 } ?? 0, previous: last?.frame, current: frame,
      analysedFrame: try filter?.filtered(frame) ?? frame,
      followsGap: last.map { frame.followsGap(after: $0.frame, step: step) } ?? false, before: last?.analysed)
    last = (task.number, frame, task.analysed)
    return task
  }

  /// Returns the task that holds the last frame as its first; nil when there were no frames.
  func finish(isComplete: Bool) -> PairTask? {
    last.map {
      PairTask(
        number: $0.number + 1, previous: $0.frame, current: nil, analysedFrame: nil, followsGap: false, before: nil)
    }
  }
}
