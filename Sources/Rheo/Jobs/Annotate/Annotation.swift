// The main job: decode → analyse and render, on several threads → encode, with short queues between.

import Foundation
import Synchronization

/// Draws the motion of a video over it: a video in, an annotated video out.
///
/// Exactly as many frames come out as went in, each with its own time. Frame *t* shows the flow from *t* to *t + 1*;
/// the last one, which has none, shows none. Memory is bounded by the frame size.
public struct Annotation: Sendable {
  /// The input: anything that FFmpeg opens; `-` for standard input.
  public var input: String
  /// The file to write; `-` for standard output, with `encoding.format` set.
  public var output: String
  /// The stream and part of the input to read, and the filters ahead of everything else.
  public var reading: VideoReader.Options
  /// The request for the flow; its confidence is computed too when the style shows it.
  public var flow: OpticalFlowRequest
  /// The part of the camera's motion that is taken out of the flow before it is drawn; `identity`: nothing.
  public var compensation: TransformModel
  /// The options for what is drawn over the image.
  public var rendering: RenderingOptions
  /// The encoder, quality and container, and whether an existing file is replaced.
  public var encoding: EncoderOptions
  /// The threads of the analysis and the drawing; they change no byte of the output.
  public var parallelism: Parallelism

  /// Makes a job for the whole video with the overlay, by dense inverse search of medium accuracy, nothing replaced,
  /// unless given.
  public init(
    input: String, output: String, reading: VideoReader.Options = .init(), flow: OpticalFlowRequest = .init(),
    compensation: TransformModel = .identity, rendering: RenderingOptions = .init(),
    encoding: EncoderOptions = .init(), parallelism: Parallelism = .init()
  ) {
    self.input = input
    self.output = output
    self.reading = reading
    self.flow = flow
    self.compensation = compensation
    self.rendering = rendering
    self.encoding = encoding
    self.parallelism = parallelism
  }

  /// The progress of the work.
  public struct Progress: Sendable {
    /// The number of frames that are done, those of an earlier run among them.
    public var frames: Int
    /// A guess at the number of frames; nil when nothing is known.
    public var estimatedFrames: Int?
    /// The presentation time of the last written frame, in seconds.
    public var mediaSeconds: Double
    /// The time since the start, in seconds.
    public var elapsed: Double
    /// The number of frames that were there at the start, when work is resumed.
    public var framesBefore = 0

    /// The number of frames of this run per second since its start; 0 at the start.
    public var framesPerSecond: Double { elapsed > 0 ? Double(frames - framesBefore) / elapsed : 0 }
    /// The share of the work that is done, 0…1; nil when the length is unknown.
    public var share: Double? { estimatedFrames.map { min(1, Double(frames) / Double(max($0, 1))) } }
  }

  /// The result of the work.
  public struct Report: Sendable {
    /// The number of frames in the output.
    public var frames: Int
    /// The number of pairs of frames whose motion was drawn.
    public var pairs: Int
    /// The time from start to end, in seconds.
    public var seconds: Double
    /// The seconds of work per stage; the stages overlap.
    public var stageSeconds: [PipelineStage: Double]
    /// The damaged places of the input.
    public var gaps: [MediaGap]
    /// The notes about what was not carried over or had to be changed, one line each.
    public var notes: [String]
    /// A Boolean value that tells whether the work was stopped early; the output is valid up to there.
    public var wasInterrupted: Bool

    /// The number of frames per second over the whole run.
    public var framesPerSecond: Double { seconds > 0 ? Double(frames) / seconds : 0 }
  }

  /// Draws the motion and writes the output.
  /// - Parameters:
  ///   - interruption: Setting it stops reading; the output is then completed with what is there.
  ///   - progress: Called from the encoding thread after each frame.
  /// - Throws: `MediaError`, `AnalysisError` or `RenderingError`; then no output is left behind.
  public func run(
    interruption: Interruption = Interruption(), progress: ((Progress) -> Void)? = nil
  ) throws -> Report {
    let start = ContinuousClock.now
    let reader = try VideoReader(input, options: reading)
    let video = try reader.videoFormat()
    // What renderers have against the options is to be known before the output is opened.
    let canvasSize = try FlowRenderer(options: rendering, size: video.size, parallelism: .serial).canvasSize
    let writer = try VideoWriter(output, options: encoding, source: reader, canvasSize: canvasSize)

    let stages = StageGroup()
    let decoded = stages.add(BoundedQueue<PairTask>(capacity: 2))
    let drawn = stages.add(BoundedQueue<Canvas?>(capacity: 2))
    startDecoding(reader, into: decoded, stages, interruption)
    var request = flow
    if rendering.style.showsConfidence { request.measuresConfidence = true }
    let analysis = PairAnalysis(
      request: request, compensation: compensation, size: video.size, parallelism: parallelism)
    let scale = stages.add(Turnstile(MotionScale(options: rendering)))
    let canvasFormat = writer.canvasFormat
    stages.start(.analyse, threadCount: analysis.threadCount, from: decoded, into: drawn) { clock in
      try PairPainter(analysis, options: rendering, canvasFormat: canvasFormat, scale: scale, clock: clock).draw
    }
    var frames = 0
    do {
      try stages.runAndWait(.encode) { clock in
        while let next = drawn.pop() {
          guard let canvas = next else { continue }
          try clock.time { try writer.append(canvas) }
          frames += 1
          progress?(
            Progress(
              frames: frames, estimatedFrames: video.estimatedFrameCount,
              mediaSeconds: canvas.presentationTime.seconds, elapsed: (ContinuousClock.now - start) / .seconds(1)))
        }
      }
      try writer.finish()
    } catch {
      writer.abandon()
      throw error
    }
    return Report(
      frames: frames, pairs: max(0, frames - 1), seconds: (ContinuousClock.now - start) / .seconds(1),
      stageSeconds: stages.seconds, gaps: reader.gaps, notes: writer.notes + Self.timeNotes(reader, writer, frames),
      wasInterrupted: interruption.isSet)
  }

  private func startDecoding(
    _ reader: VideoReader, into decoded: BoundedQueue<PairTask>, _ stages: StageGroup, _ interruption: Interruption
  ) {
    let ownedReader = Handover(reader)
    stages.start(.decode) { clock in
      defer { decoded.finish() }
      let reader = ownedReader.take()
      var pairs = PairSequence(step: reader.options.range.every)
      while !interruption.isSet, let frame = try clock.time({ try reader.nextFrame() }) {
        guard decoded.push(pairs.append(frame)) else { return }
      }
      if let last = pairs.end() { _ = decoded.push(last) }
    }
  }

  /// Returns notes about the frames' times, where they were repaired, rounded or moved, and about a single frame.
  static func timeNotes(_ reader: VideoReader, _ writer: VideoWriter, _ frames: Int) -> [String] {
    var notes: [String] = []
    if reader.repairedTimeCount > 0 {
      notes.append(
        "frames without a time of their own, or with one that did not rise: \(reader.repairedTimeCount); repaired")
    }
    if writer.roundedTimeCount > 0 {
      notes.append(
        "the output stores times in steps of \(writer.storedTimeBase) s: rounded for \(writer.roundedTimeCount) "
          + "of \(frames) frames")
    }
    if writer.movedTimeCount > 0 {
      notes.append("frames that were moved to the next time that the output can store: \(writer.movedTimeCount)")
    }
    if frames == 1 { notes.append("the input holds one frame only, so no pair exists: it is copied as it is") }
    return notes
  }
}

/// A request to stop early. Set it from anywhere, also from a signal's handler queue.
public final class Interruption: Sendable {
  private let flag = Atomic<Bool>(false)
  /// Makes a request that is not set.
  public init() {}
  /// Asks for the end; this cannot be taken back.
  public func set() { flag.store(true, ordering: .relaxed) }
  /// A Boolean value that tells whether the end has been asked for.
  public var isSet: Bool { flag.load(ordering: .relaxed) }
}

/// Carries a value that is not Sendable to the one thread that will use it from then on.
///
/// SAFETY (unchecked Sendable): the giver lets go of the value until that thread has ended.
final class Handover<Value>: @unchecked Sendable {
  private let value: Value
  init(_ value: Value) { self.value = value }
  func take() -> Value { value }
}
