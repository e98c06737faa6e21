// The passes of a stabilisation.

import Imaging
import Registration
import VideoIO

/// The camera's path as far as it is known, and the passes over the video.
struct StabilizationWork {
  private let task: Stabilization
  private let size: PixelSize
  /// The camera's motions: all of them after a pass that measures, else those of the frames written so far.
  private(set) var path: CameraPath
  /// The corrections, one for each frame, when all motions were known before the frames are written; else nil.
  private var corrections: [Homography]?
  private(set) var zoom: Double
  private(set) var frames = 0
  private(set) var cutCount = 0
  private(set) var gapCount = 0
  private(set) var stageSeconds: [PipelineStage: Double] = [:]
  /// A Boolean value that tells whether the motions come from a file.
  private(set) var isRead = false
  /// A Boolean value that tells whether all motions were known before the frames are written.
  var isMeasured: Bool { corrections != nil }

  init(task: Stabilization, size: PixelSize) {
    self.task = task
    self.size = size
    path = CameraPath(size: size, model: task.model, motions: [])
    if case .factor(let factor) = task.effectiveZoom { zoom = factor } else { zoom = Stabilization.pipeZoom }
  }

  private func smoothing(limit: Double?) -> PathSmoothing {
    PathSmoothing(
      model: task.model, window: task.smoothing, zoomLimit: limit, isFixedView: task.isFixedView)
  }

  /// The zoom that corrections must not exceed, when the zoom is fixed.
  private var fixedLimit: Double? { task.isZoomOpen || task.border == .crop ? zoom : nil }

  // MARK: All motions first

  /// Takes motions that are known already.
  mutating func take(_ path: CameraPath) {
    self.path = path
    isRead = true
    cutCount = path.motions.dropFirst().count { $0.startsPath }
    plan()
  }

  /// Decodes and registers the whole video.
  mutating func measure(_ reader: VideoReader, _ monitor: JobMonitor) throws {
    let stages = StageGroup()
    var meter = makeMeter()
    var motions: [CameraMotion] = []
    try stages.forEachFrame(of: reader, until: monitor.interruption, monitor) { frame in
      motions.append(try meter.motion(of: frame))
      return true
    }
    path.motions = motions
    path.frameDigests = meter.frameDigests
    (cutCount, gapCount) = (meter.cutCount, meter.gapCount)
    add(stages.seconds)
    plan()
  }

  /// The share of the frames that an open zoom lets move as they like; the others move as far as it allows.
  private static let freeShare = 0.95

  /// Finds all corrections, and the zoom when it is open.
  private mutating func plan() {
    func corrections(_ limit: Double?) -> [Homography] {
      PathSmoother.corrections(of: path.motions, smoothing(limit: limit), size: size)
    }
    // An open zoom is asked of the path that no border holds: what one frame needs then concerns no other one.
    var found = corrections(task.isZoomOpen ? nil : fixedLimit)
    if task.isZoomOpen {
      let frame = ImageFrame(size)
      let zooms = found.map(frame.requiredZoom).sorted()
      if !zooms.isEmpty {
        let wanted = zooms[min(Int((Self.freeShare * Double(zooms.count)).rounded(.up)), zooms.count - 1)]
        zoom = min(wanted, Stabilization.maximumZoom)
        // A few frames would cost all others their borders.
        if zoom < zooms[zooms.count - 1] { found = corrections(zoom) }
      }
    }
    self.corrections = found
  }

  // MARK: The pass that writes

  private struct CorrectedFrame: Sendable {
    var frame: VideoFrame
    var correction: Homography
  }

  /// The findings of the analysing thread.
  private struct Findings: Sendable {
    var motions: [CameraMotion] = []
    var frameDigests: [String] = []
    var cutCount = 0
    var gapCount = 0
  }

  /// Writes the steady video.
  mutating func write(from reader: VideoReader, to writer: VideoWriter, _ monitor: JobMonitor) throws {
    let stages = StageGroup()
    let decoded = stages.add(BoundedQueue<VideoFrame>(capacity: 3))
    let corrected = stages.add(BoundedQueue<CorrectedFrame>(capacity: 3))
    let drawn = stages.add(BoundedQueue<Handover<Canvas>>(capacity: 3))
    let findings = SharedValue(Findings())
    stages.startDecoding(reader, as: PlainFrames(), into: decoded, until: monitor.interruption)
    let analysis = self
    stages.start(.analyse) { clock in
      defer { corrected.finish() }
      if let corrections = analysis.corrections {
        try analysis.assign(corrections, to: decoded, into: corrected)
      } else {
        findings.value = try analysis.roll(decoded, into: corrected, clock: clock)
      }
    }
    let canvasFormat = writer.canvasFormat
    stages.start(.render, from: corrected, into: drawn) {
      let maker = CanvasMaker(format: canvasFormat)
      let warper = ImageWarper(
        interpolation: analysis.task.interpolation, parallelism: analysis.task.parallelism)
      return { Handover(try analysis.draw($0, maker: maker, warper: warper)) }
    }
    frames = try stages.encode(drawn, to: writer, monitor)
    add(stages.seconds)
    guard corrections == nil else { return }
    let found = findings.value
    (path.motions, cutCount, gapCount) = (found.motions, found.cutCount, found.gapCount)
    path.frameDigests = found.frameDigests
  }

  /// Registers frames and lets each wait until its correction is known.
  private func roll(
    _ decoded: BoundedQueue<VideoFrame>, into corrected: BoundedQueue<CorrectedFrame>, clock: StageClock
  ) throws -> Findings {
    var meter = makeMeter()
    var smoother = PathSmoother(smoothing(limit: fixedLimit), size: size)
    var findings = Findings()
    var waiting: [VideoFrame] = []
    func release() -> Bool {
      while let correction = clock.time({ smoother.next() }) {
        guard corrected.push(CorrectedFrame(frame: waiting.removeFirst(), correction: correction)) else {
          return false
        }
      }
      return true
    }
    while let frame = decoded.pop() {
      let motion = try clock.time { try meter.motion(of: frame) }
      // Motions are kept for the file only: 0.2 kB a frame.
      if task.transforms != nil { findings.motions.append(motion) }
      smoother.append(motion)
      waiting.append(frame)
      guard release() else { return findings }
    }
    smoother.finish()
    _ = release()
    (findings.cutCount, findings.gapCount) = (meter.cutCount, meter.gapCount)
    findings.frameDigests = meter.frameDigests
    return findings
  }

  /// Gives each frame the correction of its number.
  private func assign(
    _ corrections: [Homography], to decoded: BoundedQueue<VideoFrame>, into corrected: BoundedQueue<CorrectedFrame>
  ) throws {
    var count = 0
    let extractor = LumaExtractor(parallelism: task.parallelism)
    while let frame = decoded.pop() {
      guard count < corrections.count else { throw mismatch("fewer frames, \(corrections.count), than the video") }
      if path.hasTimes, abs(path.motions[count].seconds - frame.presentationTime.seconds) > 0.001 {
        throw mismatch(
          "frame \(count) at \(path.motions[count].seconds) s, the video at \(frame.presentationTime.seconds) s")
      }
      if isRead, count < path.frameDigests.count {
        guard CameraPath.digest(of: try extractor.luma(of: frame)) == path.frameDigests[count] else {
          throw mismatch("frame \(count) with another image than the video")
        }
      }
      guard corrected.push(CorrectedFrame(frame: frame, correction: corrections[count])) else { return }
      count += 1
    }
  }

  private func mismatch(_ what: String) -> MediaError {
    MediaError(
      .cannotOpen, "has \(what): it belongs to another video or range; remove it to register anew",
      file: isRead ? task.transforms : task.input)
  }

  private func draw(_ item: CorrectedFrame, maker: CanvasMaker, warper: ImageWarper) throws -> Canvas {
    let canvas = try maker.canvas(for: item.frame)
    let map = item.correction * ImageFrame(size).zoom(zoom)
    try canvas.withMutableImage { image in
      warper.warp(
        image.cropped(x: 0, y: 0, size: size), by: map, border: task.border == .black ? .constant : .replicate)
    }
    try maker.pad(canvas)
    return canvas
  }

  // MARK: What both passes share

  private func makeMeter() -> MotionMeter {
    MotionMeter(
      model: task.model, isFixedView: task.isFixedView, parallelism: task.parallelism)
  }

  private mutating func add(_ seconds: [PipelineStage: Double]) {
    stageSeconds.merge(seconds) { $0 + $1 }
  }
}
