import Imaging

/// Counts what a job has done, tells its progress, and ends it when its task is cancelled. Used by one thread.
final class JobMonitor {
  /// The request to stop early.
  let interruption: Interruption
  /// A guess at the number of frames; nil when nothing is known.
  var estimatedFrames: Int?
  /// The number of frames that were there at the start, when work is resumed.
  var framesBefore = 0

  private let start = ContinuousClock.now
  private let tell: ((JobProgress) -> Void)?
  private var frames = 0

  init(_ interruption: Interruption, _ tell: ((JobProgress) -> Void)?) {
    self.interruption = interruption
    self.tell = tell
  }

  /// The number of frames that were counted.
  var framesDone: Int { frames }

  /// The time since the start, in seconds.
  var elapsed: Double { (ContinuousClock.now - start) / .seconds(1) }

  /// Counts a frame.
  /// - Throws: `CancellationError` when the task was cancelled.
  func count(_ time: MediaTime) throws { try count(seconds: time.seconds) }

  /// Counts an image that belongs to no video.
  /// - Throws: `CancellationError` when the task was cancelled.
  func countImage() throws { try count(seconds: 0) }

  /// Tells that all is done, where fewer frames were counted than were expected: what nobody saw needed no work.
  func finish() {
    guard let estimatedFrames, framesBefore + frames < estimatedFrames else { return }
    frames = estimatedFrames - framesBefore
    tell?(
      JobProgress(
        frames: estimatedFrames, estimatedFrames: estimatedFrames, mediaSeconds: 0, elapsed: elapsed,
        framesBefore: framesBefore))
  }

  /// Counts a frame at this presentation time.
  /// - Throws: `CancellationError` when the task was cancelled.
  func count(seconds: Double) throws {
    tally(seconds: seconds)
    try interruption.checkCancellation()
  }

  /// Counts a frame that another monitor has counted, which looks whether the task was cancelled.
  func tally(seconds: Double) {
    frames += 1
    tell?(
      JobProgress(
        frames: framesBefore + frames, estimatedFrames: estimatedFrames, mediaSeconds: seconds, elapsed: elapsed,
        framesBefore: framesBefore))
  }
}
