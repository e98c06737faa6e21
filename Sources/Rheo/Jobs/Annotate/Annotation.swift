// The main job: decode → analyse and render, on several threads → encode, with short queues between.

import Foundation
import Synchronization

/// Draws the motion of a video over it: a video in, an annotated video out.
///
/// Exactly as many frames come out as went in, each with its own time. Frame *t* shows the flow from *t* to *t + 1*;
/// the last one, which has none, shows none. Memory is bounded by the frame size.
public struct Annotation: Sendable {
  /// Anything that FFmpeg opens; `-` for standard input.
  public var input: String
  /// The file to write; `-` for standard output, with `encoding.format` set.
  public var output: String
  /// Which stream and part of the input, and filters ahead of everything else.
  public var reading: VideoReader.Options
  /// How the flow is computed; its confidence too when the style shows it.
  public var flow: OpticalFlowRequest
  /// What of the camera's motion is taken out of the flow before it is drawn; `identity`: nothing.
  public var compensation: TransformModel
  /// What is drawn over the image.
  public var rendering: RenderingOptions
  /// Encoder, quality, container; whether an existing file is replaced.
  public var encoding: EncoderOptions
  /// Threads of the analysis and the drawing; changes no byte of the output.
  public var parallelism: Parallelism

  /// The whole video with the overlay, by dense inverse search of medium accuracy, nothing replaced, unless given.
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

  /// How far the work is.
  public struct Progress: Sendable {
    /// Frames that are done, those of an earlier run among them.
    public var frames: Int
    /// A guess at the number of frames; nil when nothing is known.
    public var estimatedFrames: Int?
    /// Presentation time of the last written frame, in seconds.
    public var mediaSeconds: Double
    /// Seconds since the start.
    public var elapsed: Double
    /// Frames that were there at the start, when work is resumed.
    public var framesBefore = 0

    /// Frames of this run per second since its start; 0 at the start.
    public var framesPerSecond: Double { elapsed > 0 ? Double(frames - framesBefore) / elapsed : 0 }
    /// 0…1, nil when the length is unknown.
    public var share: Double? { estimatedFrames.map { min(1, Double(frames) / Double(max($0, 1))) } }
  }

  /// What came of it.
  public struct Report: Sendable {
    /// Frames in the output.
    public var frames: Int
    /// Pairs of frames whose motion was drawn.
    public var pairs: Int
    /// Seconds from start to end.
    public var seconds: Double
    /// Seconds of work per stage; the stages overlap.
    public var stageSeconds: [PipelineStage: Double]
    /// Damaged places of the input.
    public var gaps: [MediaGap]
    /// What was not carried over or had to be changed, one line each.
    public var notes: [String]
    /// Whether the work was stopped early; the output is valid up to there.
    public var wasInterrupted: Bool

    /// Frames per second over the whole run.
    public var framesPerSecond: Double { seconds > 0 ? Double(frames) / seconds : 0 }
  }

  /// Does the work.
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

  /// What became of the frames' times.
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
  /// One that is not set.
  public init() {}
  /// Asks for the end; it cannot be taken back.
  public func set() { flag.store(true, ordering: .relaxed) }
  /// Whether the end has been asked for.
  public var isSet: Bool { flag.load(ordering: .relaxed) }
}

/// Carries something that is not Sendable to the one thread that will use it from then on.
///
/// SAFETY (unchecked Sendable): the giver lets go of the value until that thread has ended.
final class Handover<Value>: @unchecked Sendable {
  private let value: Value
  init(_ value: Value) { self.value = value }
  func take() -> Value { value }
}
