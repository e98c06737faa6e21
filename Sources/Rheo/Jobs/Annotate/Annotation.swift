// The main job: decode → analyse and render, on several threads → encode, with short queues between.

import FlowAnalysis
import FlowRendering
import Imaging
import Registration
import VideoIO

/// Draws the motion of a video over it: a video in, an annotated video out.
///
/// Exactly as many frames come out as went in, each with its own time. Frame *t* shows the flow from *t* to *t + 1*;
/// the last one, which has none, shows none, nor does the last one before a cut. Memory is bounded by the frame size.
public struct Annotation: VideoJob {
  /// The input: anything that FFmpeg opens; `-` for standard input.
  public var input: String
  /// The file to write; `-` for standard output, with `encoding.format` set.
  public var output: String
  /// The stream and part of the input to read, and the filters ahead of everything else.
  public var reading: VideoReader.Options
  /// A libavfilter graph for the frames that are analysed, as `hqdn3d`; what is drawn on stays as it is. nil: none.
  public var analysisFilter: String?
  /// The request for the flow; its confidence is computed too when the style shows it.
  public var flow: OpticalFlowRequest
  /// The part of the camera's motion that is taken out of the flow before it is drawn; `identity`: nothing.
  public var compensation: TransformModel
  /// The options for what is drawn over the image.
  public var rendering: RenderingOptions
  /// A `.png` file for moments of the output, evenly spread over it; nil: none.
  public var contactSheet: String?
  /// The number of moments on the contact sheet, 1…100.
  public var momentCount = 9
  /// The encoder, quality and container, and whether an existing file is replaced.
  public var encoding: EncoderOptions
  /// The part of the video to draw: `output` is then a folder, of which ``AnnotationMerge`` makes a video together with
  /// those of all other parts. The container is the one that `encoding.format` names; nil: MP4. nil: the whole video.
  public var shard: Shard?
  /// A Boolean value that tells whether a shard that is there already is kept, if it is complete, of the same work and
  /// as it was written; otherwise it is made anew.
  public var resumes = false
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
    /// The number of pairs of frames; the motion of those with a cut between them was not drawn.
    public var pairs: Int
    /// The time from start to end, in seconds.
    public var seconds: Double
    /// The seconds of work per stage; the stages overlap.
    public var stageSeconds: [PipelineStage: Double]
    /// The gaps of the input.
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
    let monitor = JobMonitor(interruption, progress)
    if let shard { return try run(shard, monitor) }
    return try run(on: VideoSource(input, reading), monitor)
  }

  func run(on source: VideoSource, _ monitor: JobMonitor) throws -> Report {
    let reader = source.reader
    let video = try reader.videoFormat()
    monitor.estimatedFrames = video.estimatedFrameCount
    // What renderers have against the options is to be known before the output is opened.
    let canvasSize = try FlowRenderer(options: rendering, size: video.size, parallelism: .serial).canvasSize
    var sheet = try contactSheet.map { _ in try ContactSheet(momentCount: momentCount, canvasSize: canvasSize) }
    if let contactSheet {
      try OutputFile.check(path: contactSheet, overwrite: encoding.overwrites, inputs: [input])
    }
    let writer = try VideoWriter(output, options: encoding, source: reader, canvasSize: canvasSize)
    let stages = StageGroup()
    let frames = try writer.complete(monitor.interruption) {
      try draw(source, size: video.size, to: writer, stages, monitor, &sheet)
    }
    if let contactSheet, let image = sheet?.image() {
      try StillImage.writePNG(image, to: contactSheet, overwrite: encoding.overwrites)
    }
    return Report(
      frames: frames, pairs: max(0, frames - 1), seconds: monitor.elapsed, stageSeconds: stages.seconds,
      gaps: reader.gaps, notes: writer.notes(on: reader, frames: frames), wasInterrupted: monitor.interruption.isSet)
  }

  /// Runs the stages.
  /// - Parameter groups: The groups of the frames that are drawn; nil: all frames, as one.
  /// - Returns: The number of frames that were drawn.
  func draw(
    _ source: VideoSource, size: PixelSize, to writer: some CanvasSink, groups: FrameGroups? = nil,
    _ stages: StageGroup, _ monitor: JobMonitor, _ sheet: inout ContactSheet?
  ) throws -> Int {
    let (firstFrame, step) = (source.reader.firstFrameNumber, max(1, reading.range.every))
    let decoded = stages.add(BoundedQueue<PairTask>(capacity: 2))
    let drawn = stages.add(BoundedQueue<Handover<Canvas>>(capacity: 2))
    stages.startDecoding(
      source.frames, as: PairSequence(step: reading.range.every, filter: analysisFilter.map(FrameFilter.init)),
      into: decoded, until: monitor.interruption)
    let analysis = PairAnalysis(
      request: drawnFlow, compensation: compensation, size: size, findings: findings, parallelism: parallelism,
      sharedFlow: source.sharedFlow)
    let memory = stages.add(Turnstile(StreamMemory(options: rendering, size: size, groups: groups)))
    let canvasFormat = writer.canvasFormat
    stages.start(.analyse, threadCount: analysis.threadCount, from: decoded, into: drawn) { clock in
      try PairPainter(analysis, options: rendering, canvasFormat: canvasFormat, memory: memory, clock: clock).draw
    }
    return try stages.encode(drawn, to: writer, monitor) { canvas, index in
      let caption = FrameCaption(time: canvas.presentationTime, frame: firstFrame + index * step)
      try sheet?.append(caption) { try StillImage.rgb(of: canvas, size: $0) }
    }
  }

  /// The request for the flow, with what the style needs of it.
  var drawnFlow: OpticalFlowRequest {
    var request = flow
    switch rendering.style {
    case .overlay, .arrows, .confidence: request.measuresConfidence = true
    // What the flow back contradicts is hidden, or the flow is wrong.
    case .occlusion: (request.direction, request.measuresConfidence) = (.both, false)
    case .flowview, .wheel, .magnitude, .sideBySide, .contours, .saliency: break
    }
    if rendering.trails, rendering.style != .occlusion { request.measuresConfidence = true }
    return request
  }

  /// The findings that the style needs besides the flow.
  var findings: PairFindings {
    switch rendering.style {
    case .contours: .contours
    case .saliency: .saliency
    default: .cuts
    }
  }
}
