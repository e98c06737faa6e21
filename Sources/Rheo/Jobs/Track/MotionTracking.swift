// Tracks of a video: decode → flow and tracks → draw → encode. Without an output the last two fall away.

import FlowAnalysis
import FlowRendering
import Imaging
import Registration
import VideoIO

/// Follows points and boxes through a video, or finds what moves by itself.
///
/// A frame's marks show where the tracks are in that very frame: the motion into it is known by then. With an output
/// exactly as many frames come out as went in, each with its own time; sound, subtitles and chapters are copied.
/// Memory: the frames in the queues, and 80 bytes for each position of each track.
public struct MotionTracking: VideoJob {
  /// A point or a box that is followed from the first frame on.
  public enum Target: Sendable, Hashable {
    /// A point in pixels, with pixel centres at whole numbers.
    case point(SIMD2<Double>)
    /// A box in pixels.
    case box(BoundingBox)
  }

  /// The settings of the search for moving regions.
  public struct RegionSearch: Sendable, Hashable {
    /// The speed below which motion does not count, in pixels per frame; nil: any counts where the camera stands, and a
    /// pixel where its motion is taken out.
    public var threshold: Double?
    /// The minimum area of a region, in square pixels; nil: a 2000th of the image.
    public var minimumArea: Double?

    /// The values that ``threshold`` may have, in pixels per frame.
    public static let thresholdRange = 0.05...1000.0
    /// The values that ``minimumArea`` may have, in square pixels.
    public static let minimumAreaRange = 1.0...1e9
    static let defaultShare = 1.0 / 2000
    static let defaultThreshold = 1.0

    /// Makes a search for what covers a 2000th of the image.
    public init() {}
  }

  /// The input: anything that FFmpeg opens; `-` for standard input.
  public var input: String
  /// The video to write; nil: no video is written.
  public var output: String?
  /// The stream and part of the input to read, and the filters ahead of everything else.
  public var reading: VideoReader.Options
  /// The request for the flow. Its direction does not matter: both are needed.
  public var flow: OpticalFlowRequest
  /// The part of the camera's motion that does not count in the search for moving regions. Tracks follow the image
  /// itself.
  public var compensation: TransformModel
  /// The points and boxes that are followed from the first frame on.
  public var targets: [Target]
  /// The search for moving regions; nil: none are looked for.
  public var regionSearch: RegionSearch?
  /// The boxes of another program, which are followed instead of what the search finds; nil: none.
  public var detections: DetectionList?
  /// The confidence from which on a detection may begin a track; nil: that of `DetectionList.middleConfidence`.
  public var sureConfidence: Double?
  /// The plane on which things stand, for the positions and speeds in the report; nil: it is not known.
  public var groundPlane: GroundPlane?
  /// The parameters that say which parabolas the report tells.
  public var trajectories = ParabolicTrajectory.Parameters()
  /// The number of points in textured regions that are followed; where some are lost, new ones are taken.
  public var texturedPointCount: Int
  /// The level of accuracy at which boxes are followed. At `TrackingLevel.fast` no flow is computed for them.
  public var level = TrackingLevel.fast
  /// The time in seconds for which a box of ``targets`` is looked for where it should be when it is not seen.
  public var patience = 2.0
  /// The encoder, quality and container, and whether an existing file is replaced.
  public var encoding: EncoderOptions
  /// The threads of the analysis; they change no track.
  public var parallelism: Parallelism

  /// The values that ``texturedPointCount`` may have.
  public static let texturedPointRange = 0...10_000

  /// The values that ``patience`` may have, in seconds.
  public static let patienceRange = 0.0...3600.0

  /// Makes a job that follows nothing, unless given; the flow is computed in both directions.
  public init(
    input: String, output: String? = nil, reading: VideoReader.Options = .init(), flow: OpticalFlowRequest = .init(),
    compensation: TransformModel = .identity, targets: [Target] = [], regionSearch: RegionSearch? = nil,
    texturedPointCount: Int = 0, encoding: EncoderOptions = .init(), parallelism: Parallelism = .init()
  ) {
    self.input = input
    self.output = output
    self.reading = reading
    self.flow = flow
    self.flow.direction = .both
    self.compensation = compensation
    self.targets = targets
    self.regionSearch = regionSearch
    self.texturedPointCount = texturedPointCount
    self.encoding = encoding
    self.parallelism = parallelism
  }

  /// A track without its positions.
  public struct TrackSummary: Sendable, Hashable {
    /// The number of the track, unique among those of one run.
    public var id: Int
    /// The kind of what is followed.
    public var kind: MotionTrack.Kind
    /// The reason why it ended before the video did; nil: it did not.
    public var loss: MotionTrack.Loss?
    /// The number of positions.
    public var count: Int
  }

  /// The numbers of frames of which every n-th was read.
  public struct FrameNumbers: RandomAccessCollection, Sendable, Hashable {
    let first: Int
    let step: Int
    /// The number of frames.
    public let count: Int

    public var startIndex: Int { 0 }
    public var endIndex: Int { count }
    public subscript(index: Int) -> Int { first + index * step }
  }

  /// The result of the work.
  public struct Report: Sendable {
    /// All tracks without their positions, by number.
    public var summaries: [TrackSummary] { store.summaries }
    /// The positions of the tracks, out of memory.
    let store: TrackStore
    /// The number of frames that were read.
    public var frames: Int { frameNumbers.count }
    /// The numbers of the frames that were read.
    public var frameNumbers: FrameNumbers
    /// The size of the frames.
    public var size: PixelSize
    /// The time base of the frames' times; nil when there is no frame.
    public var timeBase: Rational?
    /// The time from start to end, in seconds.
    public var seconds: Double
    /// The seconds of work per stage; the stages overlap.
    public var stageSeconds: [PipelineStage: Double]
    /// The gaps of the input.
    public var gaps: [MediaGap]
    /// The notes about what was not carried over or had to be changed, one line each.
    public var notes: [String]
    /// A Boolean value that tells whether the work was stopped early; everything is valid up to there.
    public var wasInterrupted: Bool

    /// Returns all tracks with their positions, by number. Those of a long stream may fill the memory; see
    /// ``forEachTrack(_:)``.
    /// - Throws: `MediaError` `cannotWrite` when the temporary file in which they wait cannot be read.
    public func tracks() throws -> [MotionTrack] { try summaries.map(store.track) }

    /// Calls a function with each track, by number; one of them is in memory at a time.
    /// - Throws: What `body` throws; `MediaError` `cannotWrite` when the temporary file cannot be read.
    public func forEachTrack(_ body: (MotionTrack) throws -> Void) throws {
      for summary in summaries { try body(store.track(summary)) }
    }

    /// The number of frames per second over the whole run.
    public var framesPerSecond: Double { seconds > 0 ? Double(frames) / seconds : 0 }
  }

  /// Follows the tracks, and writes the output if there is one.
  /// - Parameters:
  ///   - interruption: Setting it stops reading; what is there is then completed.
  ///   - progress: Called after each frame, from this thread.
  /// - Throws: `MediaError`, `AnalysisError` or `RenderingError`; then no output is left behind.
  public func run(
    interruption: Interruption = Interruption(), progress: ((JobProgress) -> Void)? = nil
  ) throws -> Report {
    try validate()
    let monitor = JobMonitor(interruption, progress)
    let reader = try VideoReader(input, options: reading)
    let video = try reader.videoFormat()
    try validateTargets(in: video.size)
    monitor.estimatedFrames = video.estimatedFrameCount
    let stage = try TrackingStage(task: self, size: video.size)
    let stages = StageGroup()
    var notes: [String] = []
    if let output {
      let renderer = try TrackRenderer(size: video.size)
      let writer = try VideoWriter(output, options: encoding, source: reader)
      _ = try writer.complete(interruption) { try write(reader, to: writer, stage, renderer, stages, monitor) }
      notes = writer.notes(on: reader, frames: stage.frames)
    } else {
      try stages.forEachFrame(of: reader, until: interruption, monitor) { frame in
        _ = try stage.append(frame)
        return true
      }
      _ = try stage.finish()
    }
    return Report(
      store: stage.store, frameNumbers: stage.frameNumbers, size: video.size,
      timeBase: stage.timeBase, seconds: monitor.elapsed, stageSeconds: stages.seconds, gaps: reader.gaps,
      notes: notes + stage.notes, wasInterrupted: interruption.isSet)
  }

  /// Follows the tracks and writes a video that shows them; returns the number of frames.
  private func write(
    _ reader: VideoReader, to writer: VideoWriter, _ stage: TrackingStage, _ renderer: TrackRenderer,
    _ stages: StageGroup, _ monitor: JobMonitor
  ) throws -> Int {
    let (stage, renderer) = (Handover(stage), Handover(renderer))
    let canvasFormat = writer.canvasFormat
    let decoded = stages.add(BoundedQueue<VideoFrame>(capacity: 3))
    let marked = stages.add(BoundedQueue<MarkedFrame>(capacity: 3))
    let drawn = stages.add(BoundedQueue<Handover<Canvas>>(capacity: 3))
    stages.startDecoding(reader, as: PlainFrames(), into: decoded, until: monitor.interruption)
    stages.start(.analyse, from: decoded, expandingInto: marked) {
      let stage = stage.take()
      return { try $0.map(stage.append) ?? stage.finish() }
    }
    stages.start(.render, from: marked, into: drawn) {
      let (renderer, maker) = (renderer.take(), CanvasMaker(format: canvasFormat))
      return { Handover(try draw($0, renderer, maker)) }
    }
    return try stages.encode(drawn, to: writer, monitor)
  }

  private func draw(_ item: MarkedFrame, _ renderer: TrackRenderer, _ maker: CanvasMaker) throws -> Canvas {
    let canvas = try maker.canvas(for: item.frame)
    try canvas.withMutableImage { try renderer.render(item.marks, over: $0) }
    try maker.pad(canvas)
    return canvas
  }

  // MARK: Checks

  private func validate() throws {
    guard !targets.isEmpty || regionSearch != nil || detections != nil || texturedPointCount > 0 else {
      throw MediaError(.invalidOption, "nothing to follow: give boxes, points, a number of points, or look for motion")
    }
    guard Self.texturedPointRange.contains(texturedPointCount) else {
      throw MediaError(.invalidOption, "the number of points is 0…10000, not \(texturedPointCount)")
    }
    guard Self.patienceRange.contains(patience) else {
      throw MediaError(.invalidOption, "the patience is 0…3600 s, not \(patience)")
    }
    try trajectories.validate()
    guard let regionSearch else { return }
    if let threshold = regionSearch.threshold, !RegionSearch.thresholdRange.contains(threshold) {
      throw MediaError(.invalidOption, "the motion threshold is 0.05…1000 px, not \(threshold)")
    }
    if let area = regionSearch.minimumArea, !RegionSearch.minimumAreaRange.contains(area) {
      throw MediaError(.invalidOption, "the minimum area is 1 px² or more, not \(area)")
    }
  }

  private func validateTargets(in size: PixelSize) throws {
    for target in targets {
      switch target {
      case .point(let point):
        guard BoundingBox(center: point, width: 1, height: 1).intersection(BoundingBox(size)).area > 0 else {
          throw MediaError(
            .invalidOption, "the point \(point.x),\(point.y) is outside the image of \(size)", file: input)
        }
      case .box(let box):
        guard !box.isEmpty, box.intersection(BoundingBox(size)).area >= box.area / 4 else {
          throw MediaError(
            .invalidOption,
            "the box \(box.x),\(box.y),\(box.width),\(box.height) is empty, or lies outside the "
              + "image of \(size) by more than three quarters", file: input)
        }
      }
    }
  }
}
