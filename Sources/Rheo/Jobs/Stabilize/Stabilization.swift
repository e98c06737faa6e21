// A steady image: decode → register → even the path out → warp → encode.
//
// Two ways. *Rolling*: one pass; decoded frames wait until the frames of half a window after them are registered.
// *Measured*: when the zoom is to be just large enough, it depends on all frames: a first pass decodes and registers
// only, a second one decodes again, warps and encodes, and no frame waits. A file of transforms takes the first pass's
// place. A pipe cannot be read twice: its zoom is fixed, and the path is kept within it.

import Foundation
import Imaging
import Registration
import VideoIO

/// Steadies the image of a video.
///
/// Exactly as many frames come out as went in, each with its own time. Sound, subtitles and chapters are copied. Cuts
/// and gaps begin a new path. Memory: rolling, the decoded frames of half a window of seconds (at 1920×1080, 4:2:0, 25
/// fps and 3 s: 118 MB) and those in the queues; measured, 0.4 kB for each frame of the video.
public struct Stabilization: VideoJob {
  /// The content beyond the borders of a moved image.
  public enum Border: String, Sendable, CaseIterable {
    /// Nothing: the image is zoomed so far, and the path held back so far, that they never show.
    case crop
    /// Black.
    case black
    /// The nearest pixels.
    case replicate
  }

  /// The enlargement of the image.
  public enum Zoom: Sendable, Hashable {
    /// The smallest enlargement that is enough for 95 of 100 frames, up to ``Stabilization/maximumZoom``; the others
    /// are moved less, so that nothing beyond the borders shows.
    case auto
    /// An enlargement by a factor of 1 (not at all) to 4.
    case factor(Double)
  }

  /// The input: anything that FFmpeg opens; `-` for standard input, which is read once.
  public var input: String
  /// The file to write; `-` for standard output, with `encoding.format` set.
  public var output: String
  /// The stream and part of the input to read, and the filters ahead of everything else.
  public var reading: VideoReader.Options
  /// The family of motions that is estimated and evened out.
  public var model: TransformModel
  /// The window of the smoothing, in seconds: see `PathSmoothing.window`.
  public var smoothing: Double
  /// A Boolean value that tells whether the image stands still, as on a tripod, wherever the borders allow it; each
  /// frame is registered with the first one of its path as well.
  public var isFixedView: Bool
  /// The content beyond the borders of the moved image.
  public var border: Border
  /// The sampling of the moved image: `bicubic` keeps details, `bilinear` softens.
  public var interpolation: Interpolation
  /// The enlargement of the image; nil: `auto` where borders are cropped, else none.
  public var zoom: Zoom?
  /// A `.json` or `.trf` file of the camera's motions: read where it exists, else written.
  public var transforms: String?
  /// The encoder, quality and container, and whether an existing file is replaced.
  public var encoding: EncoderOptions
  /// The threads of registration and warping; they change no byte of the output.
  public var parallelism: Parallelism

  /// The maximum zoom of `auto`: more would cost more sharpness than shaking does.
  public static let maximumZoom = 1.25
  /// The zoom of a pipe, where `auto` would have to know all frames.
  public static let pipeZoom = 1.1

  /// Makes a job with shifts and turns evened out over three seconds, borders cropped, unless given.
  public init(
    input: String, output: String, reading: VideoReader.Options = .init(), model: TransformModel = .euclidean,
    smoothing: Double = 3, isFixedView: Bool = false, border: Border = .crop, zoom: Zoom? = nil,
    interpolation: Interpolation = .bicubic, transforms: String? = nil, encoding: EncoderOptions = .init(),
    parallelism: Parallelism = .init()
  ) {
    self.input = input
    self.output = output
    self.reading = reading
    self.model = model
    self.smoothing = smoothing
    self.isFixedView = isFixedView
    self.border = border
    self.zoom = zoom
    self.interpolation = interpolation
    self.transforms = transforms
    self.encoding = encoding
    self.parallelism = parallelism
  }

  /// The result of the work.
  public struct Report: Sendable {
    /// The number of frames in the output.
    public var frames: Int
    /// The factor by which the image was enlarged.
    public var zoom: Double
    /// The number of cuts, and gaps in the times, after which the path began anew.
    public var cuts: Int
    /// The number of gaps in the times after which the path began anew.
    public var timeGaps: Int
    /// The time from start to end with both passes, in seconds.
    public var seconds: Double
    /// The seconds of work per stage; the stages overlap.
    public var stageSeconds: [PipelineStage: Double]
    /// The gaps of the input.
    public var gaps: [MediaGap]
    /// The notes about what was not carried over or had to be changed, one line each.
    public var notes: [String]
    /// A Boolean value that tells whether the work was stopped early; the output is valid up to there.
    public var wasInterrupted: Bool

    /// The number of frames of the output per second over the whole run.
    public var framesPerSecond: Double { seconds > 0 ? Double(frames) / seconds : 0 }
  }

  /// Steadies the video and writes the output.
  /// - Parameters:
  ///   - interruption: Setting it stops reading; the output is then completed with what is there.
  ///   - progress: Called after each frame that was registered in a pass of its own, and after each written one; the
  ///     frames of both are counted.
  /// - Throws: `MediaError`; then no output is left behind.
  public func run(
    interruption: Interruption = Interruption(), progress: ((JobProgress) -> Void)? = nil
  ) throws -> Report {
    try validate()
    let monitor = JobMonitor(interruption, progress)
    let reader = try VideoReader(input, options: reading)
    let video = try reader.videoFormat()
    var work = StabilizationWork(task: self, size: video.size)
    if let transforms, FileManager.default.fileExists(atPath: transforms) {
      work.take(
        try CameraPath.read(
          transforms, model: model, size: video.size, frameRate: video.frameRate?.doubleValue ?? 25))
    } else if isZoomOpen, canReadTwice {
      monitor.estimatedFrames = video.estimatedFrameCount.map { 2 * $0 }
      try work.measure(try VideoReader(input, options: reading), monitor)
    }
    if monitor.estimatedFrames == nil { monitor.estimatedFrames = video.estimatedFrameCount }
    let writer = try VideoWriter(output, options: encoding, source: reader)
    try writer.complete(interruption) {
      try work.write(from: reader, to: writer, monitor)
      if let transforms, !work.isRead, !interruption.isSet {
        try work.path.write(transforms, firstFrame: reader.firstFrameNumber, step: reading.range.every)
      }
    }
    var notes = writer.notes(on: reader, frames: work.frames)
    if isZoomOpen, !work.isMeasured {
      notes.append("a pipe cannot be read twice: the zoom is \(Self.pipeZoom), and the path is kept within it")
    }
    if work.isRead, work.path.frameDigests.isEmpty {
      notes.append("the transforms do not say by which images their video is known: it may be another one")
    }
    if video.isInterlaced {
      notes.append("the input is interlaced: moved frames mix its fields; --filter yadif takes them apart first")
    }
    return Report(
      frames: work.frames, zoom: work.zoom, cuts: work.cutCount, timeGaps: work.gapCount, seconds: monitor.elapsed,
      stageSeconds: work.stageSeconds, gaps: reader.gaps, notes: notes, wasInterrupted: interruption.isSet)
  }

  private func validate() throws {
    guard PathSmoothing.windowRange.contains(smoothing) else {
      throw MediaError(.invalidOption, "the smoothing is 0…20 seconds, not \(smoothing)")
    }
    if case .factor(let factor)? = zoom, !PathSmoothing.zoomRange.contains(factor) {
      throw MediaError(.invalidOption, "the zoom is 1…4, not \(factor)")
    }
    if let transforms { try CameraPath.validate(path: transforms) }
  }

  /// A Boolean value that tells whether the zoom follows from the path.
  var isZoomOpen: Bool { effectiveZoom == .auto }

  var effectiveZoom: Zoom { zoom ?? (border == .crop ? .auto : .factor(1)) }

  /// A Boolean value that tells whether the input is a regular file.
  private var canReadTwice: Bool {
    var status = stat()
    return input != "-" && stat(input, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }
}
