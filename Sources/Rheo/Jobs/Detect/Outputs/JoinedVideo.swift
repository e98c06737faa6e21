// One video of all events.

import Imaging
import MotionDetection
import VideoIO

/// A video of all events of one or more inputs, one after the other.
///
/// The video is made like clips, as ``EventOutputs/clipMode`` says, and has the sound of its inputs. Several detections
/// may write into it: set ``EventOutputs/joined`` of each, run them, then call ``finish()``. Events stand in the order
/// in which they begin to be written; detections that run at the same time are safe, but only those that run in turn
/// have a fixed order. All inputs have one format.
///
/// SAFETY (unchecked Sendable): `first`, `writer` and `isOver` are touched under `lock` alone, and so is what `writer`
/// points to: its parts go out as `LockedSink`.
public final class JoinedVideo: @unchecked Sendable {
  /// The path of the file; `-` for standard output.
  public let path: String
  private let overwrites: Bool
  private let inputs: [String]
  private let lock = Lock()
  /// The streams of the first input.
  private var first: CopiedStreams?
  private var writer: JoinedWriter?
  private var isOver = false

  /// Looks whether the file can be written.
  /// - Parameters:
  ///   - path: A file; its ending says which container, unless the options for encoding do. `-`: standard output.
  ///   - overwrites: A Boolean value that tells whether an existing file is replaced.
  ///   - inputs: The inputs, none of which is replaced.
  /// - Throws: `MediaError` `outputExists`, `cannotWrite`, or `invalidOption` for an input.
  public init(_ path: String, overwrites: Bool = false, inputs: [String] = []) throws {
    self.path = path
    self.overwrites = overwrites
    self.inputs = inputs
    try OutputFile.check(path: path, overwrite: overwrites, inputs: inputs)
  }

  /// Checks that inputs can share the file, before work begins. Those that cannot be opened are left out, and so are
  /// those that can be opened only once.
  /// - Throws: `MediaError` `invalidOption` that names the input of another format.
  public func requireOneFormat(_ tasks: [Detection]) throws {
    guard tasks.count > 1 else { return }
    for task in tasks where OutputFile.isRegularFile(task.input) {
      do {
        let reader = try VideoReader(task.input, options: task.reading)
        _ = try reader.videoFormat()
        _ = try streams(reader, task.outputs)
      } catch let error as MediaError where error.code != .invalidOption { continue }
    }
  }

  /// Completes the file.
  /// - Returns: False when there was no event: then there is no file.
  /// - Throws: `MediaError` `cannotWrite`.
  @discardableResult
  public func finish() throws -> Bool {
    try lock.withLock {
      defer { isOver = true }
      guard !isOver, let writer else { return false }
      try writer.finish()
      return true
    }
  }

  /// Gives the file up: nothing of it stays.
  public func abandon() {
    lock.withLock {
      isOver = true
      writer?.abandon()
    }
  }

  /// Returns the streams of an input that fit to those before.
  func streams(_ reader: VideoReader, _ outputs: EventOutputs) throws -> CopiedStreams {
    let streams = try CopiedStreams(reader, includesAudio: outputs.encoding.copiesAudio)
    let encodes = outputs.clipMode == .encode
    try lock.withLock {
      if let first {
        try streams.requireSameFormat(as: first, encodes: encodes)
      } else {
        if !encodes { try streams.requireFit(into: path, format: outputs.encoding.format) }
        first = streams
      }
    }
    return streams
  }

  /// Begins the part of an event; the file, too, with the first one.
  func part(
    of streams: CopiedStreams, from start: MediaTime, _ task: Detection, draw: @escaping (MutableImageView) -> Void
  ) throws -> any ClipSink {
    try lock.withLock {
      guard !isOver else { throw MediaError(.cannotWrite, "is complete: nothing can be added", file: path) }
      let writer = try writer ?? begin(streams, task.outputs)
      self.writer = writer
      return LockedSink(try writer.part(of: streams, from: start, reading: task.reading, draw: draw), lock)
    }
  }

  /// Begins the file. Called while the lock is held.
  private func begin(_ streams: CopiedStreams, _ outputs: EventOutputs) throws -> JoinedWriter {
    var options = outputs.encoding
    options.overwrites = overwrites
    return try JoinedWriter(
      path, streams: first ?? streams, encodes: outputs.clipMode == .encode, options: options, inputs: inputs)
  }
}

/// A part of a joined video that is written under the video's lock.
private final class LockedSink: ClipSink {
  private let sink: any ClipSink
  private let lock: Lock

  init(_ sink: any ClipSink, _ lock: Lock) { (self.sink, self.lock) = (sink, lock) }

  var notes: [String] { lock.withLock { sink.notes } }
  var keepsWholeGroups: Bool { lock.withLock { sink.keepsWholeGroups } }

  func append(_ packet: SourcePacket) throws { try lock.withLock { try sink.append(packet) } }
  func advance(to end: MediaTime) throws { try lock.withLock { try sink.advance(to: end) } }
  func finishVideo() throws { try lock.withLock { try sink.finishVideo() } }
  func finish() throws { try lock.withLock { try sink.finish() } }
  func abandon() { lock.withLock { sink.abandon() } }
}
