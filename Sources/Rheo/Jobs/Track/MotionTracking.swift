// Tracks of a video: decode → flow and tracks → draw → encode. Without an output the last two fall away.

import Foundation
import Synchronization

/// Follows points and boxes through a video, or finds what moves by itself.
///
/// A frame's marks show where the tracks are in that very frame: the motion into it is known by then. With an output exactly
/// as many frames come out as went in, each with its own time; sound, subtitles and chapters are copied. Memory: the frames in
/// the queues, and 80 bytes for each position of each track.
public struct MotionTracking: Sendable {
  /// What is followed from the first frame on.
  public enum Target: Sendable, Hashable {
    /// In pixels, pixel centres at whole numbers.
    case point(SIMD2<Double>)
    /// In pixels.
    case box(BoundingBox)
  }

  /// How things that move are found.
  public struct RegionSearch: Sendable, Hashable {
    /// Pixels per frame: slower motion does not count.
    public var threshold = 1.0
    /// Square pixels; nil: a 2000th of the image.
    public var minimumArea: Double?

    /// What ``threshold`` may be, in pixels per frame.
    public static let thresholdRange = 0.05...1000.0
    /// What ``minimumArea`` may be, in square pixels.
    public static let minimumAreaRange = 1.0...1e9
    static let defaultShare = 1.0 / 2000

    /// A search for what moves by a pixel per frame and covers a 2000th of the image.
    public init() {}
  }

  /// Anything that FFmpeg opens; `-` for standard input.
  public var input: String
  /// Nil: no video is written.
  public var output: String?
  /// Which stream and part of the input, and filters ahead of everything else.
  public var reading: VideoReader.Options
  /// Its direction does not matter: both are needed.
  public var flow: OpticalFlowRequest
  /// What of the camera's motion does not count when things that move are looked for. Tracks follow the image itself.
  public var compensation: TransformModel
  /// What is followed from the first frame on.
  public var targets: [Target]
  /// Nil: only `targets` are followed.
  public var regionSearch: RegionSearch?
  /// So many points in textured places are followed; where some are lost, new ones are taken.
  public var texturedPointCount: Int
  /// Encoder, quality, container; whether an existing file is replaced.
  public var encoding: EncoderOptions
  /// Threads of the analysis; changes no track.
  public var parallelism: Parallelism

  /// What ``texturedPointCount`` may be.
  public static let texturedPointRange = 0...10_000

  /// Follows nothing, unless given; the flow is computed in both directions.
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

  /// What came of it.
  public struct Report: Sendable {
    /// All tracks, by number.
    public var tracks: [MotionTrack]
    /// Frames that were read.
    public var frames: Int
    /// The size of the frames.
    public var size: PixelSize
    /// Of the frames' times; nil when there is no frame.
    public var timeBase: Rational?
    /// Seconds from start to end.
    public var seconds: Double
    /// Seconds of work per stage; the stages overlap.
    public var stageSeconds: [PipelineStage: Double]
    /// Damaged places of the input.
    public var gaps: [MediaGap]
    /// What was not carried over or had to be changed, one line each.
    public var notes: [String]
    /// Whether the work was stopped early; everything is valid up to there.
    public var wasInterrupted: Bool

    /// Frames per second over the whole run.
    public var framesPerSecond: Double { seconds > 0 ? Double(frames) / seconds : 0 }
  }

  /// Does the work.
  /// - Parameters:
  ///   - interruption: Setting it stops reading; what is there is then completed.
  ///   - progress: Called after each frame, from this thread.
  /// - Throws: `MediaError`, `AnalysisError` or `RenderingError`; then no output is left behind.
  public func run(
    interruption: Interruption = Interruption(), progress: ((Annotation.Progress) -> Void)? = nil
  ) throws -> Report {
    try validate()
    let meter = ProgressMeter(progress)
    let reader = try VideoReader(input, options: reading)
    let video = try reader.videoFormat()
    try validateTargets(in: video.size)
    meter.estimatedFrames = video.estimatedFrameCount
    let result =
      if let output {
        try write(to: output, reader, size: video.size, interruption, meter)
      } else {
        try follow(reader, size: video.size, interruption, meter)
      }
    return Report(
      tracks: result.outcome.tracks, frames: result.outcome.frames, size: video.size,
      timeBase: result.outcome.timeBase, seconds: meter.elapsed, stageSeconds: result.seconds, gaps: reader.gaps,
      notes: result.notes, wasInterrupted: interruption.isSet)
  }

  private struct Result {
    var outcome: TrackingStage.Outcome
    var seconds: [PipelineStage: Double]
    var notes: [String]
  }

  /// Tracks only.
  private func follow(
    _ reader: VideoReader, size: PixelSize, _ interruption: Interruption, _ meter: ProgressMeter
  ) throws -> Result {
    let stages = StageGroup()
    let decoded = stages.add(BoundedQueue<VideoFrame>(capacity: 3))
    startDecoding(reader, into: decoded, stages, interruption)
    var stage = TrackingStage(task: self, size: size)
    try stages.runAndWait(.analyse) { clock in
      while let frame = decoded.pop() {
        _ = try clock.time { try stage.marks(of: frame) }
        meter.count(frame.presentationTime)
      }
    }
    return Result(outcome: stage.outcome, seconds: stages.seconds, notes: [])
  }

  private struct MarkedFrame: Sendable {
    var frame: VideoFrame
    var marks: [TrackMark]
  }

  /// Tracks, and a video that shows them.
  private func write(
    to output: String, _ reader: VideoReader, size: PixelSize, _ interruption: Interruption, _ meter: ProgressMeter
  ) throws -> Result {
    let renderer = Handover(try TrackRenderer(size: size))
    let writer = try VideoWriter(output, options: encoding, source: reader)
    let stages = StageGroup()
    let decoded = stages.add(BoundedQueue<VideoFrame>(capacity: 3))
    let marked = stages.add(BoundedQueue<MarkedFrame>(capacity: 3))
    let drawn = stages.add(BoundedQueue<Canvas>(capacity: 3))
    let outcome = OutcomeBox()
    startDecoding(reader, into: decoded, stages, interruption)
    stages.start(.analyse) { clock in
      defer { marked.finish() }
      var stage = TrackingStage(task: self, size: size)
      while let frame = decoded.pop() {
        let marks = try clock.time { try stage.marks(of: frame) }
        guard marked.push(MarkedFrame(frame: frame, marks: marks)) else { return }
      }
      outcome.set(stage.outcome)
    }
    stages.start(.render) { clock in
      defer { drawn.finish() }
      let renderer = renderer.take()
      let maker = CanvasMaker(format: writer.canvasFormat)
      while let item = marked.pop() {
        let canvas = try clock.time { try draw(item, renderer, maker) }
        guard drawn.push(canvas) else { return }
      }
    }
    do {
      try stages.runAndWait(.encode) { clock in
        while let canvas = drawn.pop() {
          try clock.time { try writer.append(canvas) }
          meter.count(canvas.presentationTime)
        }
      }
      try writer.finish()
    } catch {
      writer.abandon()
      throw error
    }
    let found = outcome.get()
    return Result(
      outcome: found, seconds: stages.seconds,
      notes: writer.notes + Annotation.timeNotes(reader, writer, found.frames))
  }

  private func draw(_ item: MarkedFrame, _ renderer: TrackRenderer, _ maker: CanvasMaker) throws -> Canvas {
    let canvas = try maker.canvas(for: item.frame)
    try canvas.withMutableImage { try renderer.render(item.marks, over: $0) }
    try maker.pad(canvas)
    return canvas
  }

  private func startDecoding(
    _ reader: VideoReader, into decoded: BoundedQueue<VideoFrame>, _ stages: StageGroup, _ interruption: Interruption
  ) {
    let owned = Handover(reader)
    stages.start(.decode) { clock in
      defer { decoded.finish() }
      let reader = owned.take()
      while !interruption.isSet, let frame = try clock.time({ try reader.nextFrame() }) {
        guard decoded.push(frame) else { return }
      }
    }
  }

  // MARK: Checks

  private func validate() throws {
    guard !targets.isEmpty || regionSearch != nil || texturedPointCount > 0 else {
      throw MediaError(.invalidOption, "nothing to follow: give boxes, points, a number of points, or look for motion")
    }
    guard Self.texturedPointRange.contains(texturedPointCount) else {
      throw MediaError(.invalidOption, "the number of points is 0…10000, not \(texturedPointCount)")
    }
    guard let regionSearch else { return }
    guard RegionSearch.thresholdRange.contains(regionSearch.threshold) else {
      throw MediaError(.invalidOption, "the motion threshold is 0.05…1000 px, not \(regionSearch.threshold)")
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
            .invalidOption, "the point \(point.x),\(point.y) is outside the picture of \(size)", file: input)
        }
      case .box(let box):
        guard !box.isEmpty, box.intersection(BoundingBox(size)).area >= box.area / 4 else {
          throw MediaError(
            .invalidOption,
            "the box \(box.x),\(box.y),\(box.width),\(box.height) is empty, or lies outside the "
              + "picture of \(size) by more than three quarters", file: input)
        }
      }
    }
  }
}

/// Carries what the analysing thread found to the one that waits for it.
private final class OutcomeBox: Sendable {
  private let value = Mutex(TrackingStage.Outcome())
  func set(_ outcome: TrackingStage.Outcome) { value.withLock { $0 = outcome } }
  func get() -> TrackingStage.Outcome { value.withLock { $0 } }
}
