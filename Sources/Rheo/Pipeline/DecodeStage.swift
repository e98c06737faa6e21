// The stages that jobs begin and end with.

import Imaging
import VideoIO

#if compiler(<6.2)
  // For the older compiler all metatypes are Sendable, and there is no name for it.
  typealias SendableMetatype = Any
#endif

/// Reads frames in their order. Used by one thread.
protocol FrameReader: AnyObject, SendableMetatype {
  /// Returns the next frame; nil at the end.
  func nextFrame() throws -> VideoFrame?
}

extension VideoReader: FrameReader {}
extension StreamReader: FrameReader {}

/// Makes of the frames that are read what the stages of a job pass on. Used by the thread that reads them.
protocol FrameTransform: SendableMetatype {
  associatedtype Element: Sendable

  /// Takes the next frame.
  mutating func append(_ frame: VideoFrame) throws -> Element
  /// Takes note that no more frames come.
  /// - Parameter isComplete: False when the reading was ended early.
  /// - Returns: The element behind the last frame; nil for nothing.
  mutating func finish(isComplete: Bool) throws -> Element?
}

/// Passes frames on as they are.
struct PlainFrames: FrameTransform {
  func append(_ frame: VideoFrame) -> VideoFrame { frame }
  func finish(isComplete: Bool) -> VideoFrame? { nil }
}

extension StageGroup {
  /// Starts the stage that reads a video. One frame is read at least, so that an output that is stopped early is a
  /// video all the same.
  /// - Parameters:
  ///   - reader: The reader, which no one else uses until the stages have ended.
  ///   - transform: Makes the elements of `queue`.
  ///   - interruption: Ends the reading; nil: the end of the input does.
  func startDecoding<Transform: FrameTransform>(
    _ reader: some FrameReader, as transform: Transform, into queue: BoundedQueue<Transform.Element>,
    until interruption: Interruption?
  ) {
    let owned = Handover((reader, transform))
    start(.decode) { clock in
      defer { queue.finish() }
      var (reader, transform) = owned.take()
      var isComplete = false
      repeat {
        guard let frame = try clock.time({ try reader.nextFrame() }) else {
          isComplete = true
          break
        }
        guard queue.push(try transform.append(frame)) else { return }
      } while interruption?.isSet != true
      if let last = try transform.finish(isComplete: isComplete) { _ = queue.push(last) }
    }
  }

  /// Reads a video on a thread of its own, calls `body` with each frame on this one, and waits for the end.
  /// - Parameters:
  ///   - interruption: Ends the reading; nil: the end of the input or `body` does.
  ///   - monitor: Counts the frames; nil: nobody does.
  ///   - body: Analyses a frame; returns false when it wants neither this frame nor another one.
  func forEachFrame(
    of reader: VideoReader, until interruption: Interruption? = nil, _ monitor: JobMonitor?,
    _ body: (VideoFrame) throws -> Bool
  ) throws {
    let decoded = add(BoundedQueue<VideoFrame>(capacity: 3))
    startDecoding(reader, as: PlainFrames(), into: decoded, until: interruption)
    var isEnough = false
    do {
      try runAndWait(.analyse) { clock in
        while let frame = decoded.pop() {
          guard try clock.time({ try body(frame) }) else {
            isEnough = true
            return decoded.cancel()
          }
          try monitor?.count(frame.presentationTime)
        }
      }
    } catch {
      // What is wrong with frames that are not wanted does not matter.
      if !isEnough { throw error }
    }
  }

  /// Encodes images on this thread as they come, and waits for the end of all stages.
  /// - Parameter look: Called with each image and its index, from 0, before it is encoded.
  /// - Returns: The number of images.
  func encode(
    _ canvases: BoundedQueue<Handover<Canvas>>, to writer: some CanvasSink, _ monitor: JobMonitor,
    _ look: (Canvas, Int) throws -> Void = { _, _ in }
  ) throws -> Int {
    var count = 0
    try runAndWait(.encode) { clock in
      while let canvas = canvases.pop()?.take() {
        try clock.time {
          try look(canvas, count)
          try writer.append(canvas)
        }
        count += 1
        try monitor.count(canvas.presentationTime)
      }
    }
    return count
  }
}

/// A destination of drawn frames, which come in their order. Used by one thread.
protocol CanvasSink {
  /// The layout of the canvases that are taken.
  var canvasFormat: CanvasFormat { get }
  /// Takes the next canvas.
  func append(_ canvas: Canvas) throws
}

extension VideoWriter: CanvasSink {
  /// Does the work that fills this output, then completes it; when something fails, no output is left behind.
  func complete<Result>(_ interruption: Interruption, after work: () throws -> Result) throws -> Result {
    do {
      let result = try work()
      try interruption.checkCancellation()
      try finish()
      return result
    } catch {
      abandon()
      throw error
    }
  }

  /// Returns the notes about an output of as many frames as were read: what was not carried over, frames' times that
  /// were repaired, rounded or moved, and that there was only one frame.
  func notes(on reader: VideoReader, frames: Int) -> [String] {
    var notes = notes + reader.timeNotes
    if roundedTimeCount > 0 {
      notes.append(
        "the output stores times in steps of \(storedTimeBase) s: rounded for \(roundedTimeCount) of \(frames) frames")
    }
    if movedTimeCount > 0 {
      notes.append("frames that were moved to the next time that the output can store: \(movedTimeCount)")
    }
    if frames == 1 { notes.append("the input holds one frame only, so no pair exists: it is copied as it is") }
    return notes
  }
}

extension VideoReader {
  /// The notes about frames' times that were repaired, one line each.
  var timeNotes: [String] {
    guard repairedTimeCount > 0 else { return [] }
    return ["frames without a time of their own, or with one that did not rise: \(repairedTimeCount); repaired"]
  }
}
