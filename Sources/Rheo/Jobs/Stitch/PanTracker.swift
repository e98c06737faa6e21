// The key frames of a panning video.

import Foundation
import Imaging
import Registration
import VideoIO

/// Follows the camera through a video and chooses key frames. Used by one thread.
struct PanTracker {
  private let engine: RegistrationEngine
  private let luma: LumaExtractor
  private let parallelism: Parallelism
  private(set) var set = ImageSet()
  /// The numbers of the key frames among the frames that are read.
  private(set) var frameNumbers: [Int] = []
  private var key: Key?
  private var last: Tracked?
  private var lostCount = 0
  private var firstLost: MediaTime?

  /// The maximum length of the longer side of the images in which frames are registered, in pixels.
  private static let maximumSide = 1280
  /// The share of the last key frame that a frame must show: one that shows less becomes a key frame.
  private static let keyOverlap = 0.6
  /// The share of the last key frame below which a video's last frame shows something new.
  private static let endOverlap = 0.97
  /// The minimum confidence of a registration that counts. Chosen by hand.
  private static let minimumConfidence = 0.3
  /// The maximum number of key frames; their placements are adjusted together, which takes the cube of their number.
  private static let maximumKeys = 250

  private struct Key {
    var image: RegistrationImage
    var step: Int
  }

  /// A frame with its map to the last key frame, reduced.
  private struct Tracked {
    var frame: VideoFrame
    var image: RegistrationImage
    var step: Int
    var map: Homography
    /// The map from this frame to the one before it.
    var motion: Homography
    var confidence: Double
  }

  private init(_ path: String, _ task: Stitching) {
    engine = RegistrationEngine(model: task.model, parallelism: task.parallelism)
    luma = LumaExtractor(parallelism: task.parallelism)
    parallelism = task.parallelism
    set.video = path
  }

  /// Reads a video and registers its frames.
  static func images(of path: String, _ task: Stitching, _ monitor: JobMonitor) throws -> ImageSet {
    let reader = try VideoReader(path, options: task.reading)
    // Both passes count.
    monitor.estimatedFrames = try reader.videoFormat().estimatedFrameCount.map { 2 * $0 }
    var tracker = PanTracker(path, task)
    try StageGroup().forEachFrame(of: reader, until: monitor.interruption, monitor) { frame in
      try tracker.append(frame)
      return true
    }
    try tracker.finish(path)
    tracker.set.gaps = reader.gaps
    tracker.closeLoops(until: monitor.interruption)
    let numbers = tracker.frameNumbers
    var set = tracker.set
    set.forEachImage = { wanted, body in
      let keys = Dictionary(uniqueKeysWithValues: wanted.map { (numbers[$0], $0) })
      guard let end = keys.keys.max() else { return }
      try StageGroup().forEachFrame(of: VideoReader(path, options: task.reading), monitor) { frame in
        if let key = keys[frame.number] { try body(key, try StillImage.rgb(of: frame)) }
        return frame.number <= end
      }
    }
    return set
  }

  private mutating func append(_ frame: VideoFrame) throws {
    let whole = try luma.luma(of: frame)
    let step = reductionStep(whole.size, maximumSide: Self.maximumSide)
    let image = engine.prepare(whole.averaged(by: step, parallelism: parallelism))
    guard let key else {
      try addKey(frame, image, step, link: nil)
      last = Tracked(
        frame: frame, image: image, step: step, map: .identity, motion: .identity, confidence: 1)
      return
    }
    if let found = tracked(frame, image, step, by: key.image, expected: last.map { $0.map * $0.motion }) {
      try follow(found)
    } else if let last, last.map != .identity {
      // Not seen from the key frame: the frame before becomes one.
      guard let found = tracked(frame, image, step, by: last.image, expected: last.motion) else {
        return lose(frame)
      }
      try addKey(last.frame, last.image, last.step, link: last)
      try follow(found)
    } else {
      lose(frame)
    }
  }

  private func tracked(
    _ frame: VideoFrame, _ image: RegistrationImage, _ step: Int, by reference: RegistrationImage,
    expected: Homography?
  ) -> Tracked? {
    let candidates = expected.flatMap { $0 == .identity ? nil : [$0.normalized] } ?? []
    let result = engine.estimate(reference: reference, floating: image, candidates: candidates)
    guard result.confidence >= Self.minimumConfidence, result.model > .identity else { return nil }
    return Tracked(
      frame: frame, image: image, step: step, map: result.warpTransform, motion: .identity,
      confidence: result.confidence)
  }

  private mutating func follow(_ found: Tracked) throws {
    var found = found
    if let last, let inverse = last.map.inverse { found.motion = inverse * found.map }
    set.frameCount += 1
    let overlap = found.map.overlap(of: found.image.size, with: key?.image.size ?? found.image.size)
    if overlap < Self.keyOverlap, frameNumbers.count < Self.maximumKeys {
      try addKey(found.frame, found.image, found.step, link: found)
      found.map = .identity
    }
    last = found
  }

  private mutating func addKey(
    _ frame: VideoFrame, _ image: RegistrationImage, _ step: Int, link: Tracked?
  ) throws {
    let number = frameNumbers.count
    if let link {
      set.links.append(
        ImageLink(
          reference: number - 1, floating: number,
          map: link.map.betweenFullSizes(reference: key?.step ?? step, floating: step), confidence: link.confidence))
    } else {
      set.frameCount += 1
    }
    let colors = try StillImage.rgb(of: frame)
    frameNumbers.append(frame.number)
    set.names.append("the frame at \(frame.presentationTime.timecode)")
    set.sizes.append(colors.size)
    set.thumbnails.append(ImageSet.Thumbnail(of: colors, parallelism: parallelism))
    key = Key(image: image, step: step)
  }

  private mutating func lose(_ frame: VideoFrame) {
    lostCount += 1
    if firstLost == nil { firstLost = frame.presentationTime }
  }

  /// Makes the last frame a key frame when it shows what none of the key frames does, and notes the frames left out.
  private mutating func finish(_ path: String) throws {
    if let last, let key, last.map != .identity,
      last.map.overlap(of: last.image.size, with: key.image.size) < Self.endOverlap
    {
      try addKey(last.frame, last.image, last.step, link: last)
    }
    if let firstLost {
      let frames = lostCount == 1 ? "1 frame" : "\(lostCount) frames"
      set.lost.append("\(path): \(frames) from \(firstLost.timecode) on left out: no overlap with the frames before")
    }
  }
}

extension PanTracker {
  /// The minimum share by which key frames that are not neighbours lie on each other to be registered.
  private static let loopOverlap = 0.3
  /// The maximum number of registrations of each key frame with others that are not its neighbours.
  private static let maximumLoops = 3
  /// The minimum confidence of a registration that closes a loop. Chosen by hand.
  private static let minimumLoopConfidence = 0.5
  /// The maximum distance of a registration from the map that the chain of neighbours makes, in parts of the longer
  /// side: chains drift. Chosen by hand.
  private static let maximumMapDistance = 0.1

  /// Registers reduced key frames that come to lie on each other.
  fileprivate mutating func closeLoops(until interruption: Interruption) {
    let count = set.names.count
    guard count > 2, !interruption.isSet else { return }
    let graph = ImageGraph(count: count, links: set.links)
    let placements = graph.placements(around: graph.center(of: graph.components[0]))
    let images = set.thumbnails.map { engine.prepare($0.image.luma) }
    for a in 0..<count where !interruption.isSet {
      let overlaps = (a + 2..<max(count, a + 2)).compactMap { b -> (index: Int, map: Homography, share: Double)? in
        guard let from = placements[b], let inverse = placements[a]?.inverse else { return nil }
        let map = inverse * from
        let share = map.overlap(of: set.sizes[b], with: set.sizes[a])
        return share >= Self.loopOverlap ? (b, map, share) : nil
      }
      for loop in overlaps.sorted(by: { $0.share > $1.share }).prefix(Self.maximumLoops) {
        if let link = loopLink(a, loop.index, loop.map, images) { set.links.append(link) }
      }
    }
  }

  private func loopLink(_ a: Int, _ b: Int, _ map: Homography, _ images: [RegistrationImage]) -> ImageLink? {
    let (steps, sizes) = ((set.thumbnails[a].step, set.thumbnails[b].step), (images[a].size, images[b].size))
    let expected = map.betweenReduced(reference: steps.0, floating: steps.1).normalized
    let result = engine.estimate(reference: images[a], floating: images[b], candidates: [expected])
    let drift = result.warpTransform.distance(from: expected, floating: sizes.1, reference: sizes.0)
    guard result.reason == nil, result.confidence >= Self.minimumLoopConfidence,
      drift <= Self.maximumMapDistance * Double(max(sizes.0.width, sizes.0.height))
    else { return nil }
    return ImageLink(
      reference: a, floating: b, map: result.warpTransform.betweenFullSizes(reference: steps.0, floating: steps.1),
      confidence: result.confidence)
  }
}
