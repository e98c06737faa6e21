// Points and boxes followed through a stream along its flow.

import Imaging

/// Follows points and boxes from frame to frame, and finds what moves by itself.
///
/// A value: it takes the motion of one pair of frames after the other and keeps the tracks. The same motion gives the
/// same tracks. Images are welcome, to see whether a box still shows what it did; it knows no camera: what is to be
/// found by its motion comes as regions.
///
///     var tracker = MotionTracker(size: size)
///     try tracker.add(box: BoundingBox(x: 40, y: 30, width: 64, height: 48), at: first)
///     try tracker.advance(by: PairMotion(forward: flow, backward: backward), to: next)
///
/// Memory: 80 bytes for each position of each track.
public struct MotionTracker: Sendable {
  /// The parameters that say how patient the tracker is, and how sure it wants to be.
  public struct Parameters: Sendable, Hashable, Codable {
    /// A position that is less certain than this counts as not found, 0…1; ½ is the limit of forward-backward
    /// consistency. Boxes that are looked for in images are found or not whatever their confidence.
    public var minimumConfidence = 0.3
    /// A point, or a box found by its motion, ends when it was not found in this many frames in a row; until then it
    /// goes on with the motion it had.
    public var patience = 6
    /// The level of accuracy at which boxes are followed.
    public var level = TrackingLevel.fast
    /// A box that was given ends when it was not found for longer than this, in seconds; until then it goes on with the
    /// motion it had, and is looked for there.
    public var boxPatience = 2.0
    /// A box ends when less than this share of it is in the image.
    public var minimumVisibleShare = 0.2
    /// Something that moves becomes a track when it was seen in this many frames in a row.
    public var confirmationCount = 5
    /// A track that was found by its motion ends when it did not move for this many frames.
    public var stillPatience = 12

    /// The defaults that the properties name.
    public init() {}
  }

  /// The size of the frames.
  public let size: PixelSize
  /// The parameters that say how patient the tracker is, and how sure it wants to be.
  public let parameters: Parameters
  /// Luma of the frame that the tracks are at. Set it for the first frame; `advance` keeps it up.
  public var image: Plane<Float>?
  /// The colour of the frame that the tracks are at, if it is known. Set it for the first frame; `advance` keeps it up.
  public var chrominance: ChrominancePlanes?
  /// Tracks that ended, in the order of their ends.
  private var ended: [MotionTrack] = []
  private var live: [LiveTrack] = []
  private var lastID = 0

  /// A tracker without tracks.
  public init(size: PixelSize, parameters: Parameters = Parameters()) {
    self.size = size
    self.parameters = parameters
  }

  /// The maximum coordinate, in pixels: no image reaches further.
  private static let maximumCoordinate = 1e9

  /// Removes and returns what will not change any more, for a stream without end, which is to take no more memory than
  /// what is followed at a time: the tracks that ended, and parts of those that go on.
  ///
  /// The parts of a track come in order; together they are what ``tracks`` would have had.
  /// - Parameter count: The number of positions that stay with a track that goes on; those that may be guesses stay,
  ///   too.
  public mutating func takeSettledTracks(keeping count: Int = 64) -> [MotionTrack] {
    defer { ended = [] }
    return ended + live.indices.compactMap { live[$0].takePositions(keeping: count) }
  }

  /// All tracks so far, by number, but for what ``takeSettledTracks(keeping:)`` took.
  public var tracks: [MotionTrack] { (ended + activeTracks).sorted { $0.id < $1.id } }

  /// The tracks that are being followed, by number.
  public var activeTracks: [MotionTrack] { live.compactMap(\.track).sorted { $0.id < $1.id } }

  /// Starts to follow a point. Outside the image it is lost at once.
  /// - Returns: The track's number.
  /// - Throws: ``AnalysisError`` with code `invalidParameters` for a position that is no number.
  @discardableResult
  public mutating func add(point: SIMD2<Double>, at timestamp: FrameTimestamp) throws(AnalysisError) -> Int {
    guard abs(point.x) < Self.maximumCoordinate, abs(point.y) < Self.maximumCoordinate else {
      throw AnalysisError(code: .invalidParameters, message: "a point at \(point.x), \(point.y)")
    }
    return start(
      .point(PointFollower(point: point)), .point, BoundingBox(center: point, width: 1, height: 1), timestamp)
  }

  /// Starts to follow what is in a box.
  /// - Returns: The track's number.
  /// - Throws: ``AnalysisError`` with code `invalidParameters` for a box that is empty or has sides that are no
  ///   numbers.
  @discardableResult
  public mutating func add(box: BoundingBox, at timestamp: FrameTimestamp) throws(AnalysisError) -> Int {
    try Self.check(box)
    return start(.box(BoxFollower(box, level: parameters.level)), .box, box, timestamp)
  }

  static func check(_ box: BoundingBox) throws(AnalysisError) {
    guard !box.isEmpty, [box.x, box.y, box.width, box.height].allSatisfy({ abs($0) < maximumCoordinate }) else {
      throw AnalysisError(
        code: .invalidParameters,
        message: "a box of \(box.width)×\(box.height) pixels at \(box.x), \(box.y) cannot be followed")
    }
  }

  private mutating func start(
    _ follower: LiveTrack.Follower, _ kind: MotionTrack.Kind, _ box: BoundingBox, _ timestamp: FrameTimestamp
  ) -> Int {
    lastID += 1
    let position = TrackPosition(frame: timestamp.frame, time: timestamp.time, box: box, confidence: 1)
    var track = LiveTrack(follower: follower, kind: kind, first: position)
    track.id = lastID
    if visibleShare(box) < parameters.minimumVisibleShare {
      track.positions = [position]
      end(track, .leftImage)
    } else {
      live.append(track)
    }
    return lastID
  }

  /// Carries all tracks along the motion from the frame they are at to `timestamp`.
  /// - Parameters:
  ///   - motion: From the frame that the tracks are at to the next one; nil: not known. Points then stay where they are
  ///     expected and count as not found; boxes are found by what they show.
  ///   - timestamp: The next frame.
  ///   - image: Luma of the frame at `timestamp`, by which boxes are recognised; nil: motion alone counts.
  ///   - chrominance: The colour of the frame at `timestamp`, which tells boxes apart that are equally bright.
  /// - Throws: ``AnalysisError`` with code `sizeMismatch`; then the tracks are as they were.
  public mutating func advance(
    by motion: PairMotion?, to timestamp: FrameTimestamp, image: Plane<Float>? = nil,
    chrominance: ChrominancePlanes? = nil
  ) throws(AnalysisError) {
    for (name, other) in [
      ("motion", motion?.size ?? size), ("image", image?.size ?? size), ("last image", self.image?.size ?? size),
    ]
    where other != size {
      throw AnalysisError(code: .sizeMismatch, message: "the \(name) is \(other), the tracker's frames are \(size)")
    }
    let previous = self.image.map { AppearanceImage(luma: $0, chrominance: self.chrominance) }
    let next = image.map { AppearanceImage(luma: $0, chrominance: chrominance) }
    defer { (self.image, self.chrominance) = (image, chrominance) }
    var kept: [LiveTrack] = []
    for var track in live {
      let confidence = track.advance(motion, from: previous, into: next)
      let box = track.box
      track.positions.append(
        TrackPosition(frame: timestamp.frame, time: timestamp.time, box: box, confidence: confidence))
      let isFound = track.isFound ?? (confidence >= parameters.minimumConfidence)
      track.missedCount = isFound ? 0 : track.missedCount + 1
      if visibleShare(box) < parameters.minimumVisibleShare {
        track.positions.removeLast()
        track.missedCount = max(0, track.missedCount - 1)
        end(track, .leftImage)
      } else if isLost(track) {
        end(track, .notFound)
      } else {
        kept.append(track)
      }
    }
    live = kept
  }

  /// Returns whether a track was not found for too long.
  private func isLost(_ track: LiveTrack) -> Bool {
    guard track.kind == .box, !track.isFoundByMotion else { return track.missedCount >= parameters.patience }
    guard track.missedCount > 0 else { return false }
    let found = track.positions[max(0, track.positions.count - 1 - track.missedCount)]
    let now = track.positions[track.positions.count - 1]
    return now.time.seconds - found.time.seconds > parameters.boxPatience
  }

  /// Returns a number for a track that is followed elsewhere.
  package mutating func takeID() -> Int {
    lastID += 1
    return lastID
  }

  /// Ends all tracks, as where frames are missing.
  public mutating func interrupt() {
    for track in live { end(track, .interrupted) }
    live = []
  }

  /// Takes the regions that move in the frame the tracks are at: each that no track covers becomes one when it is seen
  /// in several frames in a row, and tracks that came about like this end when they stand still.
  ///
  /// Tracks are drawn a little to the regions they match (Bewley et al., "Simple online and realtime tracking", ICIP
  /// 2016, doi:10.1109/ICIP.2016.7533003, with motion instead of a detector), so that their boxes fit as objects come
  /// nearer and turn. A region that several tracks share, as when people meet, moves only a track that it clearly
  /// matches.
  /// - Throws: ``AnalysisError`` with code `invalidParameters` for a region that is empty or has sides that are no
  ///   numbers.
  public mutating func associate(regions: [BoundingBox], at timestamp: FrameTimestamp) throws(AnalysisError) {
    for region in regions { try Self.check(region) }
    let matches = RegionMatches(tracks: live.map(\.box), regions: regions)
    var kept: [LiveTrack] = []
    for (index, var track) in live.enumerated() {
      if track.isFoundByMotion {
        track.observe(
          matches.region(ofTrack: index).map { regions[$0] }, isMoving: matches.isCovered(track: index),
          in: image)
        if kept.contains(where: { $0.isSame(as: track) }) {
          end(track, .merged)
          continue
        }
        if track.stillCount > (track.id == nil ? 0 : parameters.stillPatience) {
          track.positions.removeLast(min(track.stillCount, track.positions.count - 1))
          end(track, .stoodStill)
          continue
        }
        if track.id == nil, track.seenCount >= parameters.confirmationCount {
          lastID += 1
          track.id = lastID
        }
      }
      kept.append(track)
    }
    live = kept
    for region in matches.unclaimedRegions {
      let first = TrackPosition(frame: timestamp.frame, time: timestamp.time, box: regions[region], confidence: 1)
      var track = LiveTrack(follower: .box(BoxFollower(regions[region])), kind: .box, first: first)
      track.isFoundByMotion = true
      live.append(track)
    }
  }

  /// Puts a track among those that ended, without what was only guessed. One that was never confirmed is forgotten.
  private mutating func end(_ track: LiveTrack, _ loss: MotionTrack.Loss) {
    guard var result = track.track else { return }
    result.positions.removeLast(min(track.missedCount, result.positions.count - 1))
    result.loss = loss
    ended.append(result)
  }

  private func visibleShare(_ box: BoundingBox) -> Double {
    box.area > 0 ? box.intersection(BoundingBox(size)).area / box.area : 0
  }
}
