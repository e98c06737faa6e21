// The analysing stage of tracking: frames in, marks out.

import FlowAnalysis
import FlowRendering
import Imaging
import ObjectTracking
import VideoIO

/// A frame, and where the tracks are in it.
struct MarkedFrame: Sendable {
  var frame: VideoFrame
  var marks: [TrackMark]
}

/// The flow, camera and trackers of one video. Used by one thread at a time.
final class TrackingStage {
  private let task: MotionTracking
  private let handler: SequenceRequestHandler
  private let luma: LumaExtractor
  private var camera: CameraMotionSequence?
  private var tracker: MotionTracker
  /// The tracker of what moves before the background of a camera that stands; nil: none is looked for, or the camera
  /// moves.
  private var objects: ObjectTracker?
  /// The tracker of the boxes of another program; nil: there are none.
  private var detected: DetectionTracker?
  /// The frames that wait until the objects in them are known.
  private var waiting: [MarkedFrame] = []
  private var previous: VideoFrame?
  /// The pace of the frames: cameras often tell a duration that their frames do not have.
  private var pace = FrameGapDetector()
  /// A Boolean value that tells whether the colour of frames counts.
  private let seesColor: Bool
  /// The number of frames.
  private(set) var frames = 0
  /// The number of the first frame; nil when there is none.
  private var firstFrame: Int?
  /// The time base of the frames' times; nil when there is no frame.
  private(set) var timeBase: Rational?
  /// The numbers of the tracks that follow points in textured regions.
  private var texturedPoints: Set<Int> = []

  init(task: MotionTracking, size: PixelSize) throws {
    self.task = task
    handler = SequenceRequestHandler(parallelism: task.parallelism)
    luma = LumaExtractor(parallelism: task.parallelism)
    var tracking = MotionTracker.Parameters()
    tracking.level = task.level
    tracking.boxPatience = task.patience
    tracker = MotionTracker(size: size, parameters: tracking)
    seesColor =
      task.detections != nil || task.targets.contains { if case .box = $0 { true } else { false } }
    if let detections = task.detections {
      var parameters = DetectionTracker.Parameters()
      parameters.patience = task.patience
      parameters.sureConfidence = task.sureConfidence ?? detections.middleConfidence ?? parameters.sureConfidence
      detected = DetectionTracker(size: size, parameters: parameters) { [unowned self] in tracker.takeID() }
      camera = CameraMotionSequence(model: task.compensation, parallelism: task.parallelism)
      return
    }
    guard let search = task.regionSearch else { return }
    if task.compensation == .identity {
      var parameters = ObjectTracker.Parameters()
      parameters.patience = task.patience
      if let speed = search.threshold { parameters.minimumSpeed = speed }
      if let area = search.minimumArea { parameters.minimumArea = area / Double(max(size.area, 1)) }
      objects = try ObjectTracker(size: size, parameters: parameters, parallelism: task.parallelism) { [unowned self] in
        tracker.takeID()
      }
    } else {
      camera = CameraMotionSequence(model: task.compensation, parallelism: task.parallelism)
    }
  }

  /// The share of the frames in which the camera moves from which on the user is told what else to ask for.
  private static let unsettledShare = 0.3

  /// The notes for the user at the end.
  var notes: [String] {
    guard let objects, objects.unsettledShare > Self.unsettledShare else { return [] }
    return [
      "the camera moves, or nearly all changes, in \(Int((100 * objects.unsettledShare).rounded())) % of the frames: "
        + "--compensate homography follows what moves otherwise than the camera"
    ]
  }

  /// The tracks as far as they are settled; all of them after ``finish()``.
  let store = TrackStore()

  /// A Boolean value that tells whether anything is followed by its flow.
  private var needsFlow: Bool {
    let followsPoints = task.targets.contains { if case .point = $0 { true } else { false } }
    let followsBoxes = task.targets.contains { if case .box = $0 { true } else { false } }
    return camera != nil && detected == nil || followsPoints || task.texturedPointCount > 0
      || followsBoxes && task.level == .accurate
  }

  /// The numbers of the frames.
  var frameNumbers: MotionTracking.FrameNumbers {
    .init(first: firstFrame ?? 0, step: task.reading.range.every, count: frames)
  }

  /// Takes the next frame.
  /// - Returns: The frames whose marks are known now, in order.
  func append(_ frame: VideoFrame) throws -> [MarkedFrame] {
    let image = try luma.luma(of: frame)
    var known = pace.interval(at: frame.presentationTime.seconds)?.isGap == true ? interrupt() : []
    let chrominance = seesColor || objects != nil ? try luma.chrominance(of: frame) : nil
    let marked = MarkedFrame(frame: frame, marks: try marks(of: frame, image, chrominance))
    if let objects {
      waiting.append(marked)
      let timestamp = FrameTimestamp(frame: frame.number, time: frame.presentationTime)
      try objects.append(image, chrominance: chrominance, at: timestamp) { known.append(takeWaiting(objects)) }
    } else {
      known.append(marked)
    }
    try storeSettledTracks()
    return known
  }

  /// Ends the search, and all tracks: there are no more frames.
  /// - Returns: The frames that still waited.
  func finish() throws -> [MarkedFrame] {
    let known = workOffWaiting()
    for track in tracker.tracks + (objects?.tracks ?? []) + (detected?.tracks ?? []) { try store.append(track) }
    return known
  }

  private func workOffWaiting() -> [MarkedFrame] {
    var known: [MarkedFrame] = []
    if let objects { objects.finish { known.append(takeWaiting(objects)) } }
    return known
  }

  /// Stores what will not change any more.
  private func storeSettledTracks() throws {
    for track in tracker.takeSettledTracks(keeping: TrackRenderer.trailLength) { try store.append(track) }
    for track in detected?.takeSettledTracks(keeping: TrackRenderer.trailLength) ?? [] { try store.append(track) }
    guard let objects else { return }
    for track in objects.takeSettledTracks(keeping: TrackRenderer.trailLength) { try store.append(track) }
  }

  private func interrupt() -> [MarkedFrame] {
    handler.reset()
    tracker.interrupt()
    let known = workOffWaiting()
    objects?.interrupt()
    detected?.interrupt()
    return known
  }

  /// Returns the frame that was worked off, with the marks of its objects.
  private func takeWaiting(_ objects: ObjectTracker) -> MarkedFrame {
    var marked = waiting.removeFirst()
    marked.marks += marks(of: objects.visibleTracks(TrackRenderer.trailLength))
    return marked
  }

  private func marks(of tracks: [(id: Int, positions: [TrackPosition])]) -> [TrackMark] {
    tracks.map { id, positions in
      TrackMark(
        id: id, box: positions.last?.box, trail: positions.map(\.center), confidence: positions.last?.confidence ?? 1)
    }
  }

  /// Returns the marks of what is followed by its flow, or by the boxes of another program.
  private func marks(
    of frame: VideoFrame, _ image: Plane<Float>, _ chrominance: ChrominancePlanes?
  ) throws -> [TrackMark] {
    let timestamp = FrameTimestamp(frame: frame.number, time: frame.presentationTime)
    let observation = needsFlow ? try handler.perform(task.flow, on: image) : nil
    let cameraMotion = camera?.append(image) ?? .identity
    if let observation {
      let motion = PairMotion(forward: observation.flow, backward: observation.backwardFlow)
      try tracker.advance(by: motion, to: timestamp, image: image, chrominance: chrominance)
      if detected == nil, camera != nil, let search = task.regionSearch {
        try tracker.associate(regions: regions(motion, cameraMotion, search), at: timestamp)
      }
    } else if !needsFlow {
      try tracker.advance(by: nil, to: timestamp, image: image, chrominance: chrominance)
    }
    (tracker.image, tracker.chrominance) = (image, chrominance)
    detected?.append(
      task.detections?.detections[frame.number] ?? [], at: timestamp,
      image: .init(luma: image, chrominance: chrominance), camera: cameraMotion.inverse)
    if previous == nil { try start(at: timestamp) }
    try refill(image, at: timestamp)
    previous = frame
    frames += 1
    firstFrame = firstFrame ?? frame.number
    timeBase = timeBase ?? frame.presentationTime.timeBase
    // What is only guessed is not drawn.
    let followed = tracker.activeTracks.filter { ($0.positions.last?.confidence ?? 0) > 0 }.map { track in
      TrackMark(
        id: track.id, box: track.kind == .box ? track.positions.last?.box : nil,
        trail: track.positions.suffix(TrackRenderer.trailLength).map(\.center),
        confidence: track.positions.last?.confidence ?? 1)
    }
    return followed + (detected.map { marks(of: $0.visibleTracks(TrackRenderer.trailLength)) } ?? [])
  }

  private func start(at timestamp: FrameTimestamp) throws {
    for target in task.targets {
      switch target {
      case .point(let point): try tracker.add(point: point, at: timestamp)
      case .box(let box): try tracker.add(box: box, at: timestamp)
      }
    }
  }

  /// Takes new points where there are too few.
  private func refill(_ image: Plane<Float>, at timestamp: FrameTimestamp) throws {
    guard task.texturedPointCount > 0 else { return }
    let active = tracker.activeTracks
    let followed = active.filter { texturedPoints.contains($0.id) }
    texturedPoints = Set(followed.map(\.id))
    // A tenth may be missing, so that the search is not made for every frame.
    guard previous == nil || 10 * followed.count < 9 * task.texturedPointCount else { return }
    let search = TexturedPoints(
      maximumCount: task.texturedPointCount - followed.count, minimumDistance: Self.distance(task, image.size))
    let taken = active.compactMap { $0.kind == .point ? $0.positions.last?.center : nil }
    for point in search.points(in: image, awayFrom: taken, parallelism: task.parallelism) {
      texturedPoints.insert(try tracker.add(point: point, at: timestamp))
    }
  }

  /// Returns half the distance that the points would have if they were spread evenly; at least 6 px.
  private static func distance(_ task: MotionTracking, _ size: PixelSize) -> Double {
    max(6, (Double(size.area) / Double(task.texturedPointCount)).squareRoot() / 2)
  }

  /// Returns the boxes around what moves in the current frame: the backward flow lies on its grid.
  private func regions(
    _ motion: PairMotion, _ cameraMotion: Homography, _ search: MotionTracking.RegionSearch
  ) -> [BoundingBox] {
    guard var flow = motion.backward else { return [] }
    flow.subtract(motionOf: cameraMotion, parallelism: task.parallelism)
    let area = search.minimumArea ?? Double(flow.size.area) * MotionTracking.RegionSearch.defaultShare
    let contours = flow.motionContours(
      threshold: Float(search.threshold ?? MotionTracking.RegionSearch.defaultThreshold), minimumArea: area,
      parallelism: task.parallelism)
    return contours.topLevelContours.map(\.boundingBox)
  }
}
