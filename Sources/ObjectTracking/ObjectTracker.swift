// The tracker of objects that move through the view of a fixed camera, each with a number that it keeps.

import FlowAnalysis
import Imaging
import MotionDetection

/// Finds what moves before the background of a fixed camera, and follows each object.
///
/// Parts stand out from the background. One that a single track expects gives that track its box. Where several tracks
/// meet, each is laid where its usual size, its looks and the foreground fit best, the nearest first (the lower its
/// feet, the nearer). A part that is left over begins a track, which is told when it was seen for some frames, has
/// moved, and a `MotionDetector` saw something travel there: not what sways, and not light. It is then given back to
/// its beginning. Who stands still is still there; who was hidden is found again where they were heading. A box that is
/// wider than one who walks, for longer than a stride takes, is that of two, and becomes two tracks.
///
///     let tracker = try ObjectTracker(size: size)
///     for (image, timestamp) in frames { try tracker.append(image, at: timestamp) }
///     tracker.finish()
///     print(tracker.tracks)
///
/// The first frames, up to four seconds, wait until the background is known. Used by one thread; memory: those in
/// small, and 80 bytes for each position. The constants were chosen on `vtest.avi`, where nothing else is said.
public final class ObjectTracker {
  /// The parameters of the search.
  public struct Parameters: Sendable, Hashable, Codable {
    /// The minimum area of what stands out, as a share of the image.
    public var minimumArea = 0.0008
    /// The time for which an object that is not seen is looked for where it was heading, in seconds.
    public var patience = 2.0
    /// The number of frames in more than which an object must be seen to be told.
    public var confirmationCount = 5
    /// The number of frames in which something must travel where an object is for it to be told.
    public var travelCount = 3
    /// The speed that an object must reach once to be told, in pixels per frame.
    public var minimumSpeed = 0.0
    /// The distance that an object must get to be told, as a multiple of its mean side.
    public var minimumWay = 0.5

    /// The defaults that the properties name.
    public init() {}
  }

  /// The size of the frames.
  public let size: PixelSize
  /// The parameters of the search.
  public let parameters: Parameters
  private let detector: MotionDetector
  private let scaling: ImageScaling
  private var colorReduction = ColorReduction()
  private let analyzedSize: PixelSize
  private var background: BackgroundModel?
  private var sizes = SizeModel()
  /// The number of frames that may wait for the background: less of large ones.
  private let waitingCount: Int
  /// A reduced frame, with what the detector saw in it.
  private struct Frame {
    var image: ObservedImage
    var timestamp: FrameTimestamp
    /// The boxes of what travels, in pixels of the frame.
    var travelling: [BoundingBox]
    /// A Boolean value that tells whether it shows another scene than the frame before.
    var isCut: Bool
    /// A Boolean value that tells whether the camera moved.
    var isCameraMoving = false
  }

  /// The frames that wait for the background.
  private var waiting: [Frame] = []
  private var live: [TrackedObject] = []
  private var ended: [MotionTrack] = []
  private var frameCount = 0
  /// The number of frames in a row in which nearly all stood out.
  private var changedCount = 0
  /// The number of frames in which nearly all stood out, or the camera moved.
  private var unsettledCount = 0
  /// Returns the number of a new track.
  private let makeID: () -> Int

  /// The longest side at which frames are analysed, in pixels.
  private static let analysisSide = 384
  /// The time whose median is the first background, in seconds, and the number of frames that are taken of it.
  private static let (firstTime, medianCount) = (4.0, 20)
  /// The range of the maximum number of frames that wait, which depends on their size.
  private static let firstFrameCount = 8...120
  /// The maximum number of bytes of the first frames where they wait at full size to be drawn.
  private static let waitingByteLimit = 256 << 20
  /// The number of frames after which the usual sizes are fitted anew.
  private static let sizeInterval = 20
  /// The share of the image that stands out when light or view have changed.
  private static let changedShare = 0.4
  /// The number of such frames after which the background is learned anew.
  private static let changedLimit = 3

  /// A tracker that has seen nothing.
  /// - Parameters:
  ///   - size: The size of all frames, in pixels.
  ///   - parameters: When tracks begin and end.
  ///   - parallelism: The number of threads to use; changes no result.
  ///   - makeID: Returns the number of a new track; nil: they are counted from 1.
  /// - Throws: `MotionDetectionError` `invalidOption` for an empty size.
  public init(
    size: PixelSize, parameters: Parameters = Parameters(), parallelism: Parallelism = .init(),
    makeID: (() -> Int)? = nil
  ) throws {
    self.size = size
    detector = try MotionDetector(size: size, options: .init(parallelism: parallelism))
    self.parameters = parameters
    analyzedSize = MotionDetector.analyzedSize(
      of: size, longestSide: min(Self.analysisSide, max(size.width, size.height)))
    scaling = ImageScaling(from: size, to: analyzedSize)
    let fitting = Self.waitingByteLimit / max(1, size.area * 3 / 2)
    waitingCount = min(max(fitting, Self.firstFrameCount.lowerBound), Self.firstFrameCount.upperBound)
    var count = 0
    self.makeID =
      makeID ?? {
        count += 1
        return count
      }
  }

  /// All tracks so far that are told, by number, but for what ``takeSettledTracks(keeping:)`` took.
  public var tracks: [MotionTrack] { (ended + live.compactMap { track(of: $0, loss: nil) }).sorted { $0.id < $1.id } }

  /// The share of the frames, 0…1, in which the camera moved, or so much stood out of the background that nothing was
  /// looked for.
  public var unsettledShare: Double { Double(unsettledCount) / Double(max(frameCount, 1)) }

  /// Removes and returns what will not change any more, for a stream without end, which is to take no more memory than
  /// what is followed at a time: the tracks that ended, and parts of those that go on, which are told.
  ///
  /// The parts of a track come in order; together they are what ``tracks`` would have had.
  /// - Parameter count: The number of positions that stay with a track that goes on; at least 16 do.
  public func takeSettledTracks(keeping count: Int = 64) -> [MotionTrack] {
    var settled = ended
    ended = []
    for index in live.indices {
      if let id = live[index].id {
        let positions = live[index].takePositions(keeping: max(count, 16))
        guard !positions.isEmpty else { continue }
        settled.append(MotionTrack(id: id, kind: .box, positions: positions.map(position)))
      }
    }
    return settled
  }

  /// Returns the last positions, up to `count`, of the tracks that are told and were seen in the last frame, by number.
  package func visibleTracks(_ count: Int) -> [(id: Int, positions: [TrackPosition])] {
    live.filter { $0.sighting != nil }.compactMap { object in
      object.id.map { ($0, object.positions.suffix(count).map(position)) }
    }.sorted { $0.id < $1.id }
  }

  /// Takes the next frame.
  /// - Parameters:
  ///   - luma: `height × width`, 0…255, of the tracker's size.
  ///   - chrominance: The colour of the frame; nil: it is not known. A red car on asphalt stands out by it alone.
  ///   - timestamp: The frame; later than the one before.
  /// - Throws: `MotionDetectionError` `invalidOption` when the size differs; errors of the flow.
  public func append(_ luma: Plane<Float>, chrominance: ChrominancePlanes? = nil, at timestamp: FrameTimestamp) throws {
    try append(luma, chrominance: chrominance, at: timestamp) {}
  }

  /// Takes the next frame; `body` is called after each frame that was worked off, in order.
  package func append(
    _ luma: Plane<Float>, chrominance: ChrominancePlanes?, at timestamp: FrameTimestamp, each body: () throws -> Void
  ) throws {
    let updates = try detector.detect(luma, chrominance: chrominance, at: timestamp.time)
    let image = ObservedImage(
      luma: scaling.scaled(luma), colors: chrominance.map(reducedColors) ?? [])
    var frame = Frame(image: image, timestamp: timestamp, travelling: [], isCut: false)
    for case .frame(let statistics) in updates {
      frame.isCut = statistics.state == .cut
      frame.isCameraMoving = statistics.state == .cameraMoving
      frame.travelling = statistics.zones.flatMap(\.boxes).map { box in
        BoundingBox(x: Double(box.x), y: Double(box.y), width: Double(box.width), height: Double(box.height))
      }
    }
    if frame.isCut { try finish(each: body) }
    guard background == nil else {
      advance(to: frame)
      return try body()
    }
    waiting.append(frame)
    let seconds = timestamp.time.seconds - waiting[0].timestamp.time.seconds
    if waiting.count >= waitingCount || seconds >= Self.firstTime { try workOffWaiting(each: body) }
  }

  /// Works off the frames that still wait: there are no more. `body` is called after each.
  package func finish(each body: () throws -> Void) rethrows {
    if background == nil, !waiting.isEmpty { try workOffWaiting(each: body) }
  }

  /// Works off the frames that still wait: there are no more.
  public func finish() { finish {} }

  /// Returns colour differences at the size of those of an ``ObservedImage``; none where they are stored smaller.
  private func reducedColors(_ chrominance: ChrominancePlanes) -> [Plane<Float>] {
    let reduced = colorReduction.reduce(chrominance, to: ObservedImage.colorSize(of: analyzedSize))
    return reduced.map { [$0.blueDifference, $0.redDifference] } ?? []
  }

  private func workOffWaiting(each body: () throws -> Void) rethrows {
    let count = min(Self.medianCount, waiting.count)
    background = BackgroundModel((0..<count).map { waiting[$0 * waiting.count / count].image })
    let frames = waiting
    waiting = []
    for frame in frames {
      advance(to: frame)
      try body()
    }
  }

  /// Ends all tracks, as where frames are missing; the background stays known.
  public func interrupt() {
    for object in live { end(object, .interrupted) }
    live = []
  }

  // MARK: A frame

  /// The share of what travels, or of an object, that must be common to both for the object to travel.
  private static let travelShare = 0.2
  /// The ratio of height to width of what tells the usual heights.
  private static let uprightRange = 1.5...5.0
  /// The minimum speed of what tells them, in pixels of the analysed image per frame.
  private static let minimumSpeed = 0.3

  private func advance(to frame: Frame) {
    let (image, timestamp) = (frame.image, frame.timestamp)
    if frame.isCut {
      interrupt()
      background?.restart(with: image)
    }
    guard var foreground = background?.foreground(of: image) else { return }
    if foreground.share > Self.changedShare {
      changedCount += 1
      if changedCount >= Self.changedLimit { background?.restart(with: image) }
      foreground = BitMask(size: analyzedSize)
    } else {
      changedCount = 0
    }
    if changedCount > 0 || frame.isCameraMoving { unsettledCount += 1 }
    for index in live.indices { live[index].sighting = nil }
    var search = ObjectSearch(image, foreground: foreground, sizes: sizes)
    search.sight(&live)
    let found = search.beginnings(
      besides: &live, minimumArea: parameters.minimumArea * Double(analyzedSize.area), at: timestamp)
    for index in live.indices { carryOn(&live[index], in: frame, foreground) }
    let parted = live.partWide(sizes, image, foreground)
    for object in live.takeFragments(sizes) + live.takeDoubles() { end(object, .merged) }
    live += found + parted
    learn(image)
    endWhatIsGone(at: timestamp)
  }

  private func carryOn(_ object: inout TrackedObject, in frame: Frame, _ foreground: BitMask) {
    if let box = object.sighting.map({ fullSize($0.box) }),
      frame.travelling.contains(where: { $0.intersection(box).area > Self.travelShare * min($0.area, box.area) })
    {
      object.travelCount += 1
    }
    object.advance(to: frame.timestamp, image: frame.image, foreground: foreground)
    if case .alone(let box)? = object.sighting, !object.isCut, !object.isYoung,
      Self.uprightRange.contains(box.height / box.width), object.velocity.length > Self.minimumSpeed
    {
      sizes.add(box)
    }
    if object.id == nil {
      if isTold(object) { object.id = makeID() } else { object.forgetBeginning() }
    }
  }

  private func learn(_ image: ObservedImage) {
    frameCount += 1
    if frameCount % Self.sizeInterval == 0 { sizes.fit() }
    background?.learn(
      image,
      occupied: live.map { object in
        BackgroundModel.Occupied(
          pixels: object.box.pixels(of: analyzedSize, marginX: 3, marginY: 3),
          isStill: object.sightingCount > 50 && object.relativeWay < 0.1)
      })
  }

  private func isTold(_ object: TrackedObject) -> Bool {
    object.sightingCount > parameters.confirmationCount && object.travelCount >= parameters.travelCount
      // What may be a part or a double of another track waits until it is clear.
      && object.fragmentCount == 0 && object.sharedCount == 0
      && object.topSpeed * Double(size.width) / Double(analyzedSize.width) >= parameters.minimumSpeed
      && object.relativeWay >= parameters.minimumWay
  }

  private func endWhatIsGone(at timestamp: FrameTimestamp) {
    var kept: [TrackedObject] = []
    for object in live {
      let isOutside =
        object.center.x < 0 || object.center.y < 0 || object.center.x > Double(analyzedSize.width)
        || object.center.y > Double(analyzedSize.height)
      let hiddenTime = timestamp.time.seconds - object.lastSighting.time.seconds
      let isKnown = object.sightingCount > parameters.confirmationCount
      if object.missedCount > 0, isOutside || object.isCut && object.missedCount > 2 {
        end(object, .leftImage)
      } else if object.missedCount > 1, !isKnown || hiddenTime > parameters.patience {
        end(object, .notFound)
      } else {
        kept.append(object)
      }
    }
    live = kept
  }

  private func end(_ object: TrackedObject, _ loss: MotionTrack.Loss) {
    if let track = track(of: object, loss: loss) { ended.append(track) }
  }

  // MARK: Tracks

  /// Returns the track of an object, with a position for each frame from its first to its last; nil until it is told.
  private func track(of object: TrackedObject, loss: MotionTrack.Loss?) -> MotionTrack? {
    guard let id = object.id else { return nil }
    return MotionTrack(id: id, kind: .box, positions: object.positionsInView.map(position), loss: loss)
  }

  private func position(_ position: TrackedObject.Position) -> TrackPosition {
    TrackPosition(
      frame: position.timestamp.frame, time: position.timestamp.time, box: fullSize(position.box),
      confidence: position.confidence)
  }

  /// Returns a box of the analysed image in pixels of the frame.
  private func fullSize(_ box: BoundingBox) -> BoundingBox {
    let (sx, sy) = (
      Double(size.width) / Double(analyzedSize.width), Double(size.height) / Double(analyzedSize.height)
    )
    return BoundingBox(x: box.x * sx, y: box.y * sy, width: box.width * sx, height: box.height * sy)
  }
}
