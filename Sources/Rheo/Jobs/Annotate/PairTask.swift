// Frames, each with the one before it, on their way to the threads that compute flow.

import VideoIO

/// A frame and the one before it.
struct PairTask: Sendable {
  /// Its place among the tasks, from 0: the number of the pair, counted from 1, where there is one.
  let number: Int
  /// Nil for the first frame.
  let previous: VideoFrame?
  /// Nil behind the last frame.
  let current: VideoFrame?
  /// Whether frames are missing between the two.
  let followsGap: Bool
  /// Whether anyone wants the flow from `previous` to `current`.
  var wantsFlow = true
  /// Whether flow to or from `current` is wanted.
  var isAnalysed = true
  /// Where that which was computed of `current` alone will be, and that of `previous`.
  let analysed = PendingValue<AnalysedFrame>()
  let before: PendingValue<AnalysedFrame>?
}

/// Makes tasks of the frames of a video. Used by the thread that reads them.
struct PairSequence {
  /// Of frames, every n-th is read.
  private let step: Int
  private var last: (number: Int, frame: VideoFrame, analysed: PendingValue<AnalysedFrame>)?

  init(step: Int) { self.step = step }

  /// How many pairs there were.
  var pairCount: Int { last?.number ?? 0 }

  /// The task of the next frame.
  mutating func append(_ frame: VideoFrame) -> PairTask {
    let task = PairTask(
      number: last.map { $0.number + 1 } ?? 0, previous: last?.frame, current: frame,
      followsGap: last.map { frame.followsGap(after: $0.frame, step: step) } ?? false, before: last?.analysed)
    last = (task.number, frame, task.analysed)
    return task
  }

  /// The task that holds the last frame as its first; nil when there were no frames.
  func end() -> PairTask? {
    last.map { PairTask(number: $0.number + 1, previous: $0.frame, current: nil, followsGap: false, before: nil) }
  }
}
