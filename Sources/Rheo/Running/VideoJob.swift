/// A job of some length that makes files, mostly out of a video.
///
/// There are two ways to run one. `run(interruption:progress:)` without `await` blocks the thread that calls it. With
/// `await` the work is done on a thread of its own, and the task is free meanwhile.
///
/// Both end early in two ways. After ``Interruption/set()`` the output is completed with what is there, and the report
/// says so. When the task is cancelled, `CancellationError` is thrown, and what is left behind is what a failure would
/// leave: nothing but the files that were complete already.
public protocol VideoJob: Sendable {
  /// The result of the work.
  associatedtype Report: Sendable

  /// Does the work on this thread.
  /// - Parameters:
  ///   - interruption: Setting it ends the work early but properly.
  ///   - progress: Called on this thread as frames are done.
  /// - Throws: The errors of the job; `CancellationError` when this thread works for a task that was cancelled.
  func run(interruption: Interruption, progress: ((JobProgress) -> Void)?) throws -> Report
}

extension VideoJob {
  /// Does the work on a thread of its own.
  /// - Parameters:
  ///   - interruption: Setting it ends the work early but properly.
  ///   - progress: Called on that thread as frames are done.
  /// - Throws: The errors of the job; `CancellationError` when the task is cancelled, and then at once.
  public func run(
    interruption: Interruption = Interruption(), progress: (@Sendable (JobProgress) -> Void)? = nil
  ) async throws -> Report {
    try await WorkThread.run("job", interruption) { try run(interruption: $0, progress: progress) }
  }
}
