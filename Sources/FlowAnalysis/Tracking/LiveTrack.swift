// The state of a track while a tracker follows it.

import Imaging

/// Follows a point along the flow.
struct PointFollower: Sendable {
  /// The share of a new motion in the motion that is gone on with where none is known, 0…1;
  /// chosen by hand.
  private static let velocityShare = 0.5

  private(set) var point: SIMD2<Double>
  private var velocity = SIMD2(0.0, 0.0)

  init(point: SIMD2<Double>) { self.point = point }

  /// - Returns: The confidence, 0…1; below ½ the backward motion contradicts the forward one.
  mutating func advance(_ motion: PairMotion?) -> Double {
    guard let sample = motion?.sample(point) else {
      point += velocity
      return 0
    }
    point += sample.displacement
    velocity += (sample.displacement - velocity) * Self.velocityShare
    return sample.confidence
  }
}

/// A track that is being followed.
struct LiveTrack: Sendable {
  enum Follower: Sendable {
    case point(PointFollower)
    case box(BoxFollower)
  }

  /// The overlap (IoU) of the boxes of two tracks above which they follow the same component; chosen by
  /// hand.
  private static let sameOverlap = 0.6
  /// The share of the way that a box goes to the region it matches. Tuned on `vtest.avi` and the scene `walkers`: much
  /// more makes boxes jump with their regions, much less lets them drift.
  private static let adoptedShare = 0.25

  /// The number of positions that are taken out at a time; chosen by hand.
  private static let positionBlock = 512

  private var follower: Follower
  let kind: MotionTrack.Kind
  /// The number of the track; nil until it is confirmed.
  var id: Int?
  var positions: [TrackPosition]
  /// The number of frames in a row in which the track was not found.
  var missedCount = 0
  var isFoundByMotion = false
  /// The number of frames in which a region moved there.
  private(set) var seenCount = 1
  /// The number of frames in a row in which no region moved there.
  private(set) var stillCount = 0

  init(follower: Follower, kind: MotionTrack.Kind, first: TrackPosition) {
    self.follower = follower
    self.kind = kind
    positions = [first]
  }

  /// The box of what is followed; of a point the pixel around it.
  var box: BoundingBox {
    switch follower {
    case .point(let follower): BoundingBox(center: follower.point, width: 1, height: 1)
    case .box(let follower): follower.box
    }
  }

  /// A Boolean value that tells whether a box was seen in the last image; nil when no box was looked for.
  var isFound: Bool? {
    guard case .box(let follower) = follower else { return nil }
    return follower.isFound
  }

  /// The track as others see it; nil until it is confirmed.
  var track: MotionTrack? { id.map { MotionTrack(id: $0, kind: kind, positions: positions) } }

  /// Removes the earlier positions, and returns them as a track; nil while it is not confirmed, or there are fewer than
  /// a block beyond those that stay.
  mutating func takePositions(keeping count: Int) -> MotionTrack? {
    // The last ones may be guesses, which go when the track ends.
    let kept = max(count, 1) + missedCount + stillCount
    guard let id, positions.count >= kept + Self.positionBlock else { return nil }
    defer { positions.removeFirst(positions.count - kept) }
    return MotionTrack(id: id, kind: kind, positions: Array(positions.dropLast(kept)))
  }

  /// Follows the motion between two images, which may be unknown; returns the confidence.
  mutating func advance(_ motion: PairMotion?, from previous: AppearanceImage?, into image: AppearanceImage?) -> Double
  {
    switch follower {
    case .point(var point):
      defer { follower = .point(point) }
      return point.advance(motion)
    case .box(var box):
      defer { follower = .box(box) }
      if let previous, !box.isSeen { box.look(at: previous) }
      return box.advance(motion, into: image)
    }
  }

  /// Takes what moves where it is: the region that matches it alone, and whether any does.
  mutating func observe(_ region: BoundingBox?, isMoving: Bool, in image: Plane<Float>?) {
    stillCount = isMoving ? 0 : stillCount + 1
    if stillCount > 1 { positions[positions.count - 1].confidence = 0 }
    seenCount += isMoving ? 1 : 0
    guard let region, case .box(var box) = follower else { return }
    box.correct(towards: region, share: Self.adoptedShare)
    if let image { box.look(at: AppearanceImage(luma: image)) }
    follower = .box(box)
    positions[positions.count - 1].box = box.box
    missedCount = 0
  }

  /// Returns whether this track, the older one, follows the same component as another.
  func isSame(as other: LiveTrack) -> Bool {
    kind == .box && id != nil && box.intersectionOverUnion(other.box) > Self.sameOverlap
  }
}

/// The assignment of moving regions to tracks. The constants were chosen by hand.
struct RegionMatches {
  /// The minimum overlap (IoU) of a track and its region.
  private static let minimumOverlap = 0.2
  /// The overlap (IoU) from which on the region is the track's even when other tracks have a part in it.
  private static let sureOverlap = 0.55
  /// The minimum share of a track that lies in regions while it moves; a region is new when no more than this share of
  /// it, or of a track, lies in both.
  private static let minimumCover = 0.3

  private var regionOfTrack: [Int: Int] = [:]
  private var covered: Set<Int> = []
  /// Regions that no track covers.
  private(set) var unclaimedRegions: [Int] = []

  init(tracks: [BoundingBox], regions: [BoundingBox]) {
    var tracksOfRegion = [[Int]](repeating: [], count: regions.count)
    var pairs: [LinearAssignment.Pair] = []
    for (region, box) in regions.enumerated() {
      var isClaimed = false
      for (track, other) in tracks.enumerated() {
        let common = box.intersection(other).area
        guard common > 0 else { continue }
        if common >= Self.minimumCover * min(other.area, box.area) { isClaimed = true }
        if common >= Self.minimumCover * other.area {
          covered.insert(track)
          tracksOfRegion[region].append(track)
        }
        let overlap = box.intersectionOverUnion(other)
        if overlap >= Self.minimumOverlap { pairs.append(.init(row: track, column: region, cost: 1 - overlap)) }
      }
      if !isClaimed { unclaimedRegions.append(region) }
    }
    // So that all together overlap most.
    let assignment = LinearAssignment(rowCount: tracks.count, columnCount: regions.count, pairs: pairs, aloneCost: 1)
    let taken = Set(assignment.columns.compactMap(\.self))
    for (track, region) in assignment.columns.enumerated() {
      guard let region else { continue }
      let overlap = tracks[track].intersectionOverUnion(regions[region])
      if tracksOfRegion[region].count <= 1 || overlap >= Self.sureOverlap { regionOfTrack[track] = region }
    }
    // Who comes in is first seen as a sliver at the border, in a region that outgrows the track's box faster than it
    // follows: what nobody else has a part in is that track's, however much larger it is.
    for (region, tracks) in tracksOfRegion.enumerated() where tracks.count == 1 && !taken.contains(region) {
      if regionOfTrack[tracks[0]] == nil { regionOfTrack[tracks[0]] = region }
    }
  }

  /// The region that this track follows.
  func region(ofTrack track: Int) -> Int? { regionOfTrack[track] }

  /// Returns whether something moves where the track is.
  func isCovered(track: Int) -> Bool { covered.contains(track) }
}
