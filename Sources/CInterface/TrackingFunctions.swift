// rheo_tracker: boxes and points that are followed, and what moves before the background of a fixed camera.

import CRheo
import FlowAnalysis
import Imaging
import ObjectTracking

private struct TrackingOptions: Options {
  var objects: Bool?
  var level: String?
  var accuracy: String?
  var patience: Double?
  var color: Bool?
  var threads: Int?

  enum CodingKeys: String, OptionKey {
    case objects, level, accuracy, patience, color, threads

    var kind: OptionKind {
      switch self {
      case .objects, .color: .flag
      case .level, .accuracy: .text
      case .patience: .number
      case .threads: .whole
      }
    }
  }
}

/// The object behind rheo_tracker.
private final class Tracker {
  private enum Target {
    case box(BoundingBox)
    case point(SIMD2<Double>)
  }

  private let size: PixelSize
  private let parallelism: Parallelism
  private let handler: SequenceRequestHandler
  private let request: OpticalFlowRequest
  private let level: TrackingLevel
  private let seesColor: Bool
  private var tracker: MotionTracker
  private var objects: ObjectTracker?
  /// Targets that were given before the first frame.
  private var targets: [Target] = []
  private var hasPoints = false
  private var hasBoxes = false
  private var last: FrameTimestamp?
  private var frameCount = 0
  private var times = RisingTimes()
  private var isFinished = false

  /// The range of the patience, in seconds.
  private static let patienceRange = 0.0...3600.0

  init(_ size: PixelSize, _ options: TrackingOptions) throws {
    self.size = size
    parallelism = try CInterface.parallelism(options.threads)
    handler = SequenceRequestHandler(parallelism: parallelism)
    request = OpticalFlowRequest(computationAccuracy: try accuracyLevel(options.accuracy), direction: .both)
    level = try choice(options.level, "level", ["fast": .fast, "accurate": .accurate]) ?? .fast
    seesColor = options.color ?? true
    var parameters = MotionTracker.Parameters()
    parameters.level = level
    if let patience = options.patience {
      guard Self.patienceRange.contains(patience) else {
        throw InvalidArgument("patience \(patience): it is 0…\(Self.patienceRange.upperBound) seconds")
      }
      parameters.boxPatience = patience
    }
    tracker = MotionTracker(size: size, parameters: parameters)
    guard options.objects ?? false else { return }
    var search = ObjectTracker.Parameters()
    search.patience = parameters.boxPatience
    objects = try ObjectTracker(size: size, parameters: search, parallelism: parallelism) { [unowned self] in
      tracker.takeID()
    }
  }

  /// Starts to follow a box.
  func add(box: BoundingBox) throws -> Int {
    guard !box.isEmpty, [box.x, box.y, box.width, box.height].allSatisfy(\.isFinite) else {
      throw InvalidArgument("a box of \(box.width)×\(box.height) pixels at \(box.x), \(box.y) cannot be followed")
    }
    hasBoxes = true
    return try add(.box(box))
  }

  /// Starts to follow a point.
  func add(point: SIMD2<Double>) throws -> Int {
    guard point.x.isFinite, point.y.isFinite else { throw InvalidArgument("a point at \(point.x), \(point.y)") }
    guard last == nil || hasPoints || needsFlow else {
      throw InvalidArgument("the first point is added before the first frame: points are followed by the flow")
    }
    hasPoints = true
    return try add(.point(point))
  }

  private func add(_ target: Target) throws -> Int {
    guard let last else {
      targets.append(target)
      return targets.count
    }
    return try start(target, at: last)
  }

  private func start(_ target: Target, at timestamp: FrameTimestamp) throws -> Int {
    switch target {
    case .box(let box): try tracker.add(box: box, at: timestamp)
    case .point(let point): try tracker.add(point: point, at: timestamp)
    }
  }

  private var needsFlow: Bool { hasPoints || hasBoxes && level == .accurate }

  func append(_ frame: rheo_image, _ time: MediaTime) throws {
    guard !isFinished else { throw InvalidArgument("the tracker is finished") }
    let image = try frame.luma("the frame", parallelism)
    guard image.size == size else { throw InvalidArgument("a frame of \(image.size) among frames of \(size)") }
    try times.check(time)
    let chrominance = seesColor ? try frame.chrominance("the frame") : nil
    let timestamp = FrameTimestamp(frame: frameCount, time: time)
    try follow(image, chrominance, to: timestamp)
    try objects?.append(image, chrominance: chrominance, at: timestamp)
    last = timestamp
    frameCount += 1
  }

  private func follow(_ image: Plane<Float>, _ chrominance: ChrominancePlanes?, to timestamp: FrameTimestamp) throws {
    let observation = needsFlow ? try handler.perform(request, on: image) : nil
    if last != nil {
      let motion = observation.map { PairMotion(forward: $0.flow, backward: $0.backwardFlow) }
      try tracker.advance(by: motion, to: timestamp, image: image, chrominance: chrominance)
    }
    (tracker.image, tracker.chrominance) = (image, chrominance)
    for target in targets { _ = try start(target, at: timestamp) }
    targets = []
  }

  func finish() {
    guard !isFinished else { return }
    isFinished = true
    objects?.finish()
  }

  /// A track with the keys of `rheo track --report`.
  private struct Outcome: Encodable {
    struct Position: Encodable {
      var frame: Int
      var seconds: Double
      var box: [Double]
      var confidence: Double
    }

    var id: Int
    var kind: String
    var loss: String?
    var positions: [Position]

    init(_ track: MotionTrack) {
      id = track.id
      kind = track.kind.rawValue
      loss = track.loss?.rawValue
      positions = track.positions.map {
        Position(
          frame: $0.frame, seconds: $0.time.seconds, box: [$0.box.x, $0.box.y, $0.box.width, $0.box.height],
          confidence: $0.confidence)
      }
    }
  }

  func text() throws -> String {
    let tracks = (tracker.tracks + (objects?.tracks ?? [])).sorted { $0.id < $1.id }
    return try json(tracks.map(Outcome.init))
  }
}

@_cdecl("rheo_tracker_create")
public func trackerCreate(
  _ width: Int64, _ height: Int64, _ options: UnsafePointer<CChar>?,
  _ tracker: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
  make(tracker, error) { try Tracker(try checkedSize(width, height), TrackingOptions(options)) }
}

@_cdecl("rheo_tracker_add_box")
public func trackerAddBox(
  _ tracker: OpaquePointer?, _ x: Double, _ y: Double, _ width: Double, _ height: Double,
  _ id: UnsafeMutablePointer<Int64>?, _ error: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
  status(error) {
    let box = BoundingBox(x: x, y: y, width: width, height: height)
    let number = try object(tracker, as: Tracker.self).add(box: box)
    id?.pointee = Int64(number)
  }
}

@_cdecl("rheo_tracker_add_point")
public func trackerAddPoint(
  _ tracker: OpaquePointer?, _ x: Double, _ y: Double, _ id: UnsafeMutablePointer<Int64>?,
  _ error: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
  status(error) {
    let number = try object(tracker, as: Tracker.self).add(point: SIMD2(x, y))
    id?.pointee = Int64(number)
  }
}

@_cdecl("rheo_tracker_append")
public func trackerAppend(
  _ tracker: OpaquePointer?, _ frame: UnsafePointer<rheo_image>?, _ time: rheo_time,
  _ error: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
  status(error) {
    try object(tracker, as: Tracker.self).append(try required(frame, "the frame").pointee, try time.checked())
  }
}

@_cdecl("rheo_tracker_finish")
public func trackerFinish(
  _ tracker: OpaquePointer?, _ error: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
  status(error) { try object(tracker, as: Tracker.self).finish() }
}

@_cdecl("rheo_tracker_tracks")
public func trackerTracks(
  _ tracker: OpaquePointer?, _ tracks: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ error: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
  status(error) { give(try object(tracker, as: Tracker.self).text(), to: tracks) }
}

@_cdecl("rheo_tracker_free")
public func trackerFree(_ tracker: OpaquePointer?) { release(tracker, Tracker.self) }
