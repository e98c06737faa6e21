// One reader, several jobs that get its frames.

import Foundation
import VideoIO

/// Hands each frame of a video to several jobs. A job that is slow makes the others wait, so that memory is bounded.
///
/// SAFETY (unchecked Sendable): `condition` guards the state; the reader is used by the jobs until each has asked for
/// its first frame, then by the thread that decodes, and again by the jobs once that has ended.
final class FrameBroadcast: @unchecked Sendable {
  let reader: VideoReader
  private(set) var followers: [Follower] = []
  private let condition = NSCondition()
  /// The number of followers that have not asked for a frame yet, and have not left.
  private var awaitedCount: Int
  private var failure: (any Error)?

  private static let queueCapacity = 2

  /// - Parameter count: The number of jobs.
  init(_ reader: VideoReader, count: Int) {
    self.reader = reader
    awaitedCount = count
    followers = (0..<count).map { _ in Follower(self, BoundedQueue(capacity: Self.queueCapacity)) }
  }

  /// Decodes to the end, or until `interruption` is set or a job fails.
  ///
  /// After the interruption one more frame goes out: all jobs, which look at it behind each frame, then end as ones
  /// that were interrupted, not as ones whose input was over.
  func decode(until interruption: Interruption) {
    condition.lock()
    while awaitedCount > 0 { condition.wait() }
    condition.unlock()
    do {
      var isLast = false
      while !isLast, let frame = try nextFrame() {
        isLast = interruption.isSet
        for follower in followers { follower.offer(frame) }
      }
    } catch {
      fail(error)
    }
    for follower in followers { follower.finish() }
  }

  /// Ends all jobs with an error; the first one counts.
  func fail(_ error: any Error) {
    condition.lock()
    if failure == nil { failure = error }
    condition.unlock()
    for follower in followers { follower.leave() }
  }

  /// The error that ended the jobs; nil for none.
  var error: (any Error)? {
    condition.lock()
    defer { condition.unlock() }
    return failure
  }

  private func nextFrame() throws -> VideoFrame? { error == nil ? try reader.nextFrame() : nil }

  private func noteArrival() {
    condition.lock()
    awaitedCount -= 1
    condition.broadcast()
    condition.unlock()
  }

  /// The frames for one job. Used by one thread of the job, but for `leave`.
  final class Follower: FrameReader {
    private unowned let broadcast: FrameBroadcast
    private let queue: BoundedQueue<VideoFrame>
    private let arrival = SharedValue(false)

    fileprivate init(_ broadcast: FrameBroadcast, _ queue: BoundedQueue<VideoFrame>) {
      self.broadcast = broadcast
      self.queue = queue
    }

    func nextFrame() throws -> VideoFrame? {
      arrive()
      if let frame = queue.pop() { return frame }
      if let error = broadcast.error { throw error }
      return nil
    }

    /// Wants no more frames: nobody waits for this job any longer.
    func leave() {
      queue.cancel()
      arrive()
    }

    fileprivate func offer(_ frame: VideoFrame) { _ = queue.push(frame) }
    fileprivate func finish() { queue.finish() }

    private func arrive() {
      if !arrival.exchange(true) { broadcast.noteArrival() }
    }
  }
}
