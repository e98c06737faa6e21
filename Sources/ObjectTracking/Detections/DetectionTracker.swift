// The tracker of what another program finds in each frame.

import FlowAnalysis
import Imaging

/// Gives the boxes of a detector of people, cars or anything numbers that they keep.
///
/// Each object is expected where a Kalman filter has it, and goes along with the camera. In every frame, tracks and
/// detections are assigned so that all together fit best by overlap and colour, in three rounds: first the sure
/// detections, then the unsure ones to what was seen a frame ago (Zhang et al., ECCV 2022,
/// doi:10.1007/978-3-031-20047-2_1, without its detector), at last what is sure and left over to those that are hidden,
/// near where they were heading, if it has their colours. A sure detection that is nobody's begins a track, which is
/// told when it was seen for some frames, and then given back to its beginning. Where an object was hidden its way is
/// filled in when it is seen again.
///
///     let tracker = DetectionTracker(size: size)
///     for (detections, timestamp) in frames { tracker.append(detections, at: timestamp) }
///     print(tracker.tracks)
///
/// Used by one thread; memory: 80 bytes for each position.
public final class DetectionTracker {
  /// The parameters of the search.
  public struct Parameters: Sendable, Hashable, Codable {
    /// The confidence from which on a detection is sure, and may begin a track; nothing is below it by default.
    public var sureConfidence = -Double.infinity
    /// The number of frames in which an object must be seen to be told.
    public var confirmationCount = 3
    /// The time for which an object that is not seen is looked for where it was heading, in seconds.
    public var patience = 2.0

    /// The defaults that the properties name.
    public init() {}
  }

  /// A frame in which detections were made, for their colours.
  public struct Image: Sendable {
    /// Luma, 0…255.
    public var luma: Plane<Float>
    /// The colour of the frame; nil: it is not known.
    public var chrominance: ChrominancePlanes?

    /// An image of luma and colour.
    public init(luma: Plane<Float>, chrominance: ChrominancePlanes? = nil) {
      self.luma = luma
      self.chrominance = chrominance
    }
  }

  /// The size of the frames.
  public let size: PixelSize
  /// The parameters of the search.
  public let parameters: Parameters
  private var live: [DetectedObject] = []
  private var ended: [MotionTrack] = []
  /// Returns the number of a new track.
  private let makeID: () -> Int

  // The constants below were chosen on the errors drawn with the first seeds, see `compare_detections.py`.

  /// The minimum overlaps (IoU) with where an object is expected: of sure detections, of unsure ones, and of sure ones
  /// with what is not told yet.
  private static let (sureOverlap, unsureOverlap, newOverlap) = (0.2, 0.3, 0.3)
  /// The weight of the distance of colours beside that of the overlap, and the distance up to which they are alike.
  private static let (colorWeight, colorLimit) = (0.5, 0.35)
  /// The number of missed frames from which on an object must be alike to be where it is expected; chosen by hand.
  private static let unsureMissCount = 3
  /// The distance from where a hidden object is expected within which it is recognised, as a multiple of the standard
  /// deviation of that, and the range of its height, as a share of the one before.
  private static let (hiddenReach, hiddenHeights) = (4.0, 0.7...1.4)
  /// The overlap with a known object from which on a detection that is left over is a second one of it.
  private static let doubleOverlap = 0.6
  /// The overlap with other detections up to which an object's colours are learned.
  private static let freeOverlap = 0.15
  /// The number of frames in a row in which something new may be missed.
  private static let newPatience = 1

  /// A tracker that has seen nothing.
  /// - Parameters:
  ///   - size: The size of the frames, in pixels.
  ///   - parameters: When tracks begin and end.
  ///   - makeID: Returns the number of a new track; nil: they are counted from 1.
  public init(size: PixelSize, parameters: Parameters = Parameters(), makeID: (() -> Int)? = nil) {
    (self.size, self.parameters) = (size, parameters)
    var count = 0
    self.makeID =
      makeID ?? {
        count += 1
        return count
      }
  }

  /// All tracks so far that are told, by number, but for what ``takeSettledTracks(keeping:)`` took.
  public var tracks: [MotionTrack] {
    (ended + live.compactMap { $0.track(loss: nil) }).sorted { $0.id < $1.id }
  }

  /// Returns the last positions, up to `count`, of the tracks that are told and were seen in the last frame, by number.
  package func visibleTracks(_ count: Int) -> [(id: Int, positions: [TrackPosition])] {
    live.filter { !$0.isHidden }.compactMap { object in
      object.id.map { ($0, Array(object.positions.suffix(count))) }
    }.sorted { $0.id < $1.id }
  }

  /// Removes and returns what will not change any more, for a stream without end: the tracks that ended, and parts of
  /// those that go on. The parts of a track come in order; together they are what ``tracks`` would have had.
  /// - Parameter count: The number of positions that stay with a track that goes on, at least 1.
  public func takeSettledTracks(keeping count: Int = 64) -> [MotionTrack] {
    var settled = ended
    ended = []
    for index in live.indices {
      guard let id = live[index].id else { continue }
      let positions = live[index].takePositions(keeping: max(count, 1))
      if !positions.isEmpty { settled.append(MotionTrack(id: id, kind: .box, positions: positions)) }
    }
    return settled
  }

  /// Ends all tracks, as where frames are missing.
  public func interrupt() {
    for object in live { end(object, .interrupted) }
    live = []
  }

  /// Takes the detections of the next frame.
  /// - Parameters:
  ///   - detections: The boxes, in any order; those that are empty, or whose sides are no numbers, do not count.
  ///   - timestamp: The frame; later than the one before.
  ///   - image: The frame itself, by whose colours objects are told apart; nil: by their places alone.
  ///   - camera: The map from pixels of the frame before to those of this one; nil: the camera stands.
  public func append(
    _ detections: [DetectedBox], at timestamp: FrameTimestamp, image: Image? = nil, camera: Homography? = nil
  ) {
    for index in live.indices { live[index].predict(camera: camera) }
    let found = detections.filter { Self.isBox($0.box) }
    var frame = Frame(found, image: image, sureConfidence: parameters.sureConfidence)
    let told = live.indices.filter { live[$0].id != nil }
    frame.assign(told, of: live, to: \.isSure) { object, detection in
      Self.overlapCost(object, detection, minimum: Self.sureOverlap)
    }
    frame.assign(told.filter { !live[$0].isHidden }, of: live, to: { !$0.isSure }) { object, detection in
      Self.overlapCost(object, detection, minimum: Self.unsureOverlap)
    }
    frame.assign(live.indices.filter { live[$0].id == nil }, of: live, to: \.isSure) { object, detection in
      Self.overlapCost(object, detection, minimum: Self.newOverlap)
    }
    frame.assign(told.filter { live[$0].isHidden }, of: live, to: \.isSure, Self.hiddenCost)
    takeIn(frame, at: timestamp)
  }

  /// The maximum coordinate, in pixels: no image reaches further.
  private static let maximumCoordinate = 1e9

  private static func isBox(_ box: BoundingBox) -> Bool {
    !box.isEmpty && [box.x, box.y, box.width, box.height].allSatisfy { abs($0) < maximumCoordinate }
  }

  // MARK: A frame

  /// A detection, with what is computed of it.
  private struct Candidate {
    var detection: DetectedBox
    var isSure: Bool
    var colors: ColorHistogram?
    /// The largest overlap with another detection.
    var crowding: Double
    /// The confidence of a position at which an object is seen like this, 0…1; chosen by hand.
    var confidence: Double { isSure ? 0.9 : 0.6 }
  }

  /// The detections of a frame, and whose they are.
  private struct Frame {
    var candidates: [Candidate]
    /// The detections of tracks by the numbers of both.
    var detectionOfTrack: [Int: Int] = [:]
    var taken: Set<Int> = []

    init(_ detections: [DetectedBox], image: Image?, sureConfidence: Double) {
      candidates = detections.enumerated().map { index, detection in
        let crowding = detections.enumerated().filter { $0.offset != index }.map { other in
          detection.box.intersectionOverUnion(other.element.box)
        }.max()
        return Candidate(
          detection: detection, isSure: detection.confidence >= sureConfidence,
          colors: image.flatMap { ColorHistogram(detection.box, luma: $0.luma, colors: $0.chrominance) },
          crowding: crowding ?? 0)
      }
    }

    /// Assigns what is left of some detections to what is left of some tracks.
    /// - Parameter cost: That of a pair, below 2; nil: it is not allowed.
    mutating func assign(
      _ tracks: [Int], of objects: [DetectedObject], to isMeant: (Candidate) -> Bool,
      _ cost: (DetectedObject, Candidate) -> Double?
    ) {
      let rows = tracks.filter { detectionOfTrack[$0] == nil }
      let columns = candidates.indices.filter { !taken.contains($0) && isMeant(candidates[$0]) }
      var pairs: [LinearAssignment.Pair] = []
      for (row, track) in rows.enumerated() {
        for (column, detection) in columns.enumerated() {
          guard let cost = cost(objects[track], candidates[detection]) else { continue }
          pairs.append(.init(row: row, column: column, cost: cost))
        }
      }
      let assignment = LinearAssignment(
        rowCount: rows.count, columnCount: columns.count, pairs: pairs, aloneCost: 2)
      for (row, column) in assignment.columns.enumerated() {
        guard let column else { continue }
        detectionOfTrack[rows[row]] = columns[column]
        taken.insert(columns[column])
      }
    }
  }

  /// The cost of a detection where an object is expected: how little they overlap, and how far the colours differ.
  private static func overlapCost(_ object: DetectedObject, _ candidate: Candidate, minimum: Double) -> Double? {
    let overlap = object.box.intersectionOverUnion(candidate.detection.box)
    guard overlap >= minimum else { return nil }
    let distance = colorDistance(object, candidate) ?? 0
    // Who was hidden for a while may have turned round, and another be where they were heading.
    guard object.missed.count < unsureMissCount || distance <= colorLimit else { return nil }
    return 1 - overlap + colorWeight * distance
  }

  /// The cost of a detection near where a hidden object was heading.
  private static func hiddenCost(_ object: DetectedObject, _ candidate: Candidate) -> Double? {
    let way = candidate.detection.box.center - object.box.center
    let deviation = object.filter.deviation
    let distance = SIMD2(way.x / deviation.x, way.y / deviation.y).length
    guard distance <= hiddenReach, hiddenHeights.contains(candidate.detection.box.height / object.box.height),
      let colors = colorDistance(object, candidate), colors <= colorLimit
    else { return nil }
    return 0.5 * distance / hiddenReach + colors
  }

  private static func colorDistance(_ object: DetectedObject, _ candidate: Candidate) -> Double? {
    guard let known = object.colors, let seen = candidate.colors else { return nil }
    return known.distance(to: seen)
  }

  private func takeIn(_ frame: Frame, at timestamp: FrameTimestamp) {
    for index in live.indices {
      guard let detection = frame.detectionOfTrack[index] else {
        live[index].miss(at: timestamp)
        continue
      }
      let candidate = frame.candidates[detection]
      live[index].see(
        candidate.detection, colors: candidate.crowding <= Self.freeOverlap ? candidate.colors : nil,
        isSure: candidate.isSure, confidence: candidate.confidence, at: timestamp)
      if live[index].id == nil, live[index].sightingCount >= parameters.confirmationCount {
        live[index].id = makeID()
      }
    }
    endWhatIsGone(at: timestamp)
    let known = live.filter { !$0.isHidden }.map(\.box)
    for (index, candidate) in frame.candidates.enumerated() where candidate.isSure && !frame.taken.contains(index) {
      guard !known.contains(where: { $0.intersectionOverUnion(candidate.detection.box) > Self.doubleOverlap }) else {
        continue
      }
      var object = DetectedObject(
        candidate.detection, colors: candidate.colors, confidence: candidate.confidence, at: timestamp)
      if parameters.confirmationCount <= 1 { object.id = makeID() }
      live.append(object)
    }
  }

  private func endWhatIsGone(at timestamp: FrameTimestamp) {
    var kept: [DetectedObject] = []
    for object in live {
      let hiddenTime = timestamp.time.seconds - object.lastSighting.seconds
      let center = BoundingBox(center: object.box.center, size: SIMD2(1, 1))
      let isLost = object.id == nil ? object.missed.count > Self.newPatience : hiddenTime > parameters.patience
      if object.isHidden, BoundingBox(size).intersection(center).isEmpty {
        end(object, .leftImage)
      } else if object.isHidden, isLost {
        end(object, .notFound)
      } else {
        kept.append(object)
      }
    }
    live = kept
  }

  private func end(_ object: DetectedObject, _ loss: MotionTrack.Loss) {
    if let track = object.track(loss: loss) { ended.append(track) }
  }
}
