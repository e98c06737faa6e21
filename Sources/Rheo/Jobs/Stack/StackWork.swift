// The passes of a stack.

import Imaging
import Registration
import VideoIO

/// The maps of a stack's frames, and the passes over them. Used by one thread.
struct StackWork {
  private let task: Stacking
  private let engine: RegistrationEngine
  private let luma: LumaExtractor
  /// The map of each frame, from its pixels to those of the reference; nil where that is not known.
  private var maps: [Homography?] = []
  private var reference: RegistrationImage?
  private var referenceLuma: Plane<Float>?
  /// The reference with its keypoints, once they are asked for.
  private var referenceKeypoints: KeypointImage?
  private var lost: [(name: String, reason: String)] = []
  private(set) var passCount = 0
  private(set) var gaps: [MediaGap] = []
  var frameCount: Int { maps.count { $0 != nil } }

  /// The minimum confidence of a registration that counts. Chosen by hand.
  private static let minimumConfidence = 0.3
  /// The maximum number of lines about frames of a video: more would tell no more.
  private static let maximumLines = 5

  init(task: Stacking) {
    self.task = task
    engine = RegistrationEngine(model: task.model, parallelism: task.parallelism)
    luma = LumaExtractor(parallelism: task.parallelism)
  }

  /// The notes about what was not stacked, one line each.
  var leftOut: [String] {
    let lines = lost.map { "\($0.name): left out, \($0.reason)" }
    guard task.inputs.count == 1, lines.count > Self.maximumLines else { return lines }
    return lines.prefix(Self.maximumLines) + ["\(lines.count - Self.maximumLines) more frames are left out"]
  }

  mutating func stacked(_ monitor: JobMonitor) throws -> Plane<RGB16> {
    let task = task
    if task.reference > 0 { try findReference(monitor.interruption) }
    var mean: RunningMean?
    try forEachFrame(monitor) { work, number, frame in
      if monitor.interruption.isSet, number > 1 { return false }
      let map = try work.register(frame, number, monitor.interruption)
      work.maps.append(map)
      guard let map, task.method == .mean else { return true }
      if mean == nil { mean = RunningMean(size: work.size, parallelism: task.parallelism) }
      mean?.add(try StillImage.rgb16(of: frame), map)
      return true
    }
    guard task.reference < maps.count || monitor.interruption.isSet else {
      throw MediaError(
        .invalidOption, "there is no frame \(task.reference): the last one is \(maps.count - 1)", file: task.inputs[0])
    }
    guard frameCount > 1 else {
      if monitor.interruption.isSet {
        try monitor.interruption.checkCancellation()
        throw PanoramaError(.interrupted, "interrupted before a frame was registered; nothing is written")
      }
      throw PanoramaError(.tooFewConnected, "no frame fits the reference: there is nothing to stack")
    }
    if let mean { return mean.image }
    return try combined(monitor)
  }

  private var size: PixelSize { referenceLuma?.size ?? PixelSize(width: 0, height: 0) }

  // MARK: Reading

  /// Reads the input once; `body` says whether to go on.
  private mutating func forEachFrame(
    _ monitor: JobMonitor?, _ body: (inout StackWork, Int, VideoFrame) throws -> Bool
  ) throws {
    passCount += 1
    if task.inputs.count > 1 {
      if monitor?.estimatedFrames == nil { monitor?.estimatedFrames = task.inputs.count }
      for (number, path) in task.inputs.enumerated() {
        guard try body(&self, number, try StillImage.frame(contentsOf: path)) else { return }
        try monitor?.countImage()
      }
      return
    }
    let reader = try VideoReader(task.inputs[0], options: task.reading)
    let format = try reader.videoFormat()
    if monitor?.estimatedFrames == nil { monitor?.estimatedFrames = format.estimatedFrameCount }
    // The index among the frames that are used, wherever the range begins.
    var number = 0
    try StageGroup().forEachFrame(of: reader, monitor) { frame in
      defer { number += 1 }
      return try body(&self, number, frame)
    }
    if monitor != nil, gaps.isEmpty { gaps = reader.gaps }
  }

  // MARK: Registration

  /// Reads as far as the reference.
  private mutating func findReference(_ interruption: Interruption) throws {
    try forEachFrame(nil) { work, number, frame in
      guard !interruption.isSet else { return false }
      guard number == work.task.reference else { return true }
      try work.take(frame)
      return false
    }
  }

  private mutating func take(_ frame: VideoFrame) throws {
    let image = try luma.luma(of: frame)
    referenceLuma = image
    reference = engine.prepare(image)
  }

  /// - Parameter interruption: Asked before each step that takes long; then the map is that of the steps before.
  private mutating func register(
    _ frame: VideoFrame, _ number: Int, _ interruption: Interruption
  ) throws -> Homography? {
    if number == task.reference {
      if reference == nil { try take(frame) }
      return .identity
    }
    guard let reference, let referenceLuma else { return nil }
    let image = try luma.luma(of: frame)
    // Frames of a burst lie near the one before.
    let candidates = maps.last.flatMap { $0 }.flatMap { $0 == .identity ? nil : [$0] } ?? []
    var result = engine.estimate(reference: reference, floating: engine.prepare(image), candidates: candidates)
    if !isSure(result), task.inputs.count > 1 { result = byFeatures(image, referenceLuma, interruption) ?? result }
    // A burst of a sky or a wall lies as it is: there is nothing that says otherwise.
    if !isSure(result), StillScene.holds(reference: referenceLuma, floating: image) { return .identity }
    guard isSure(result) else {
      let name =
        task.inputs.count > 1
        ? MediaAddress(task.inputs[number]).description : "the frame at \(frame.presentationTime.timecode)"
      lost.append((name, result.reason?.explanation ?? "it does not fit the reference"))
      return nil
    }
    return result.warpTransform
  }

  private func isSure(_ result: RegistrationResult) -> Bool {
    result.confidence >= Self.minimumConfidence && result.model > .identity
  }

  /// Registers an image by features: images may be farther apart than frames.
  private mutating func byFeatures(
    _ image: Plane<Float>, _ reference: Plane<Float>, _ interruption: Interruption
  ) -> RegistrationResult? {
    guard !interruption.isSet else { return nil }
    let keypoints = referenceKeypoints ?? KeypointImage(reference, parallelism: task.parallelism)
    referenceKeypoints = keypoints
    guard !interruption.isSet else { return nil }
    let floating = KeypointImage(image, parallelism: task.parallelism)
    guard !interruption.isSet else { return nil }
    let found = FeatureRegistration().estimate(
      reference: keypoints, floating: floating, model: task.model, parallelism: task.parallelism
    ) { !interruption.isSet }
    guard isSure(found) else { return nil }
    let refined = engine.estimate(reference: reference, floating: image, candidates: [found.warpTransform])
    return isSure(refined) ? refined : found
  }

  // MARK: Combination

  /// Returns the median or the clipped mean, combined in as many rows at a time as fit into memory.
  private mutating func combined(_ monitor: JobMonitor) throws -> Plane<RGB16> {
    let (maps, size, task) = (maps, size, task)
    let rows = SampleStripe.rows(size: size, frameCount: frameCount, memory: Stacking.sampleMemory)
    let starts = stride(from: 0, to: size.height, by: rows)
    monitor.estimatedFrames = maps.count * (starts.reduce(0) { count, _ in count + 1 } + 1)
    var image = Plane<RGB16>(size: size)
    for start in starts {
      let range = start..<min(start + rows, size.height)
      let stripe = SampleStripe(rows: range, width: size.width, frameCount: frameCount, parallelism: task.parallelism)
      try forEachFrame(monitor) { _, number, frame in
        guard number < maps.count else { return false }
        if let map = maps[number] { stripe.add(try StillImage.rgb16(of: frame), map) }
        return true
      }
      image.withMutableView { stripe.combine(task.method, into: $0) }
    }
    return image
  }
}
