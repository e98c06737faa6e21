// The main job: decode → analyse and render, on several threads → encode, with short queues between.

import FlowAnalysis
import FlowRendering
import Imaging
import Registration
import VideoIO

/// Draws the motion of a video over it: a video in, an annotated video out.
///
/// Exactly as many frames come out as went in, each with its own time. Frame *t* shows the flow from *t* to *t + 1*;
/// the last one, which has none, shows none. Memory is bounded by the frame size.
public struct Annotation: VideoJob {
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
    interruption: Interruption = Interruption(), progress: ((JobProgress) -> Void)? = nil
  ) throws -> Report {
    try run(on: VideoSource(input, reading), JobMonitor(interruption, progress))
  }

  func run(on source: VideoSource, _ monitor: JobMonitor) throws -> Report {
    let reader = source.reader
    let video = try reader.videoFormat()
    monitor.estimatedFrames = video.estimatedFrameCount
    // What renderers have against the options is to be known before the output is opened.
    let canvasSize = try FlowRenderer(options: rendering, size: video.size, parallelism: .serial).canvasSize
    let writer = try VideoWriter(output, options: encoding, source: reader, canvasSize: canvasSize)
    let stages = StageGroup()
    let frames = try writer.complete(monitor.interruption) {
      try write(source, size: video.size, to: writer, stages, monitor)
    }
    return Report(
      frames: frames, pairs: max(0, frames - 1), seconds: monitor.elapsed, stageSeconds: stages.seconds,
      gaps: reader.gaps, notes: writer.notes(on: reader, frames: frames), wasInterrupted: monitor.interruption.isSet)
  }

  /// The request for all that is drawn.
  var drawnFlow: OpticalFlowRequest {
    var request = flow
    if rendering.style.showsConfidence { request.measuresConfidence = true }
    return request
  }

  /// Runs the stages; returns the number of frames.
  private func write(
    _ source: VideoSource, size: PixelSize, to writer: VideoWriter, _ stages: StageGroup, _ monitor: JobMonitor
  ) throws -> Int {
    let decoded = stages.add(BoundedQueue<PairTask>(capacity: 2))
    let drawn = stages.add(BoundedQueue<Handover<Canvas>>(capacity: 2))
    stages.startDecoding(
      source.frames, as: PairSequence(step: reading.range.every), into: decoded, until: monitor.interruption)
    let analysis = PairAnalysis(
      request: drawnFlow, compensation: compensation, size: size, parallelism: parallelism,
      sharedFlow: source.sharedFlow)
    let scale = stages.add(Turnstile(MotionScale(options: rendering)))
    let canvasFormat = writer.canvasFormat
    stages.start(.analyse, threadCount: analysis.threadCount, from: decoded, into: drawn) { clock in
      try PairPainter(analysis, options: rendering, canvasFormat: canvasFormat, scale: scale, clock: clock).draw
    }
    return try stages.encode(drawn, to: writer, monitor)
  }
}
