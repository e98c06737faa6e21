// Tracks that turn out to follow parts of an object, one object twice, or two objects as one.

import Imaging

extension [TrackedObject] {
  /// Joins tracks of parts with those of their objects: legs of the background's brightness come apart from their body.
  /// - Returns: Those that end.
  mutating func takeFragments(_ sizes: SizeModel) -> [TrackedObject] {
    var joined: Set<Int> = []
    for index in indices where self[index].sighting != nil {
      let whole = indices.first { other in
        other != index && !joined.contains(other) && self[index].isFragment(of: self[other], sizes)
      }
      self[index].fragmentCount = whole == nil ? 0 : self[index].fragmentCount + 1
      guard let whole, self[index].fragmentCount >= TrackedObject.fragmentLimit else { continue }
      self[whole].grow(to: self[index].box)
      joined.insert(index)
    }
    return take(joined, dropping: TrackedObject.fragmentLimit)
  }

  /// Ends the younger of two tracks that have had the same box for some frames.
  /// - Returns: Those that end.
  mutating func takeDoubles() -> [TrackedObject] {
    var doubles: Set<Int> = []
    for index in indices where self[index].sighting != nil {
      let isShared = indices.contains { other in
        other != index && self[other].sighting != nil
          && (self[other].sightingCount, other) > (self[index].sightingCount, index)
          && self[other].box.intersectionOverUnion(self[index].box) > TrackedObject.sharedOverlap
      }
      self[index].sharedCount = isShared ? self[index].sharedCount + 1 : 0
      if self[index].sharedCount >= TrackedObject.sharedLimit { doubles.insert(index) }
    }
    return take(doubles, dropping: TrackedObject.sharedLimit)
  }

  /// Parts tracks that have been too wide for one walker for some time.
  /// - Returns: The second one of each two.
  mutating func partWide(_ sizes: SizeModel, _ image: ObservedImage, _ foreground: BitMask) -> [TrackedObject] {
    indices.compactMap { index in
      guard let start = self[index].startOfTwo(sizes), let aspect = sizes.aspect else { return nil }
      return self[index].part(from: start, aspect: aspect, image, foreground)
    }
  }

  /// Takes some out, without their last positions.
  private mutating func take(_ chosen: Set<Int>, dropping count: Int) -> [TrackedObject] {
    let taken = chosen.sorted().map { index in
      var object = self[index]
      object.dropPositions(count)
      return object
    }
    self = indices.filter { !chosen.contains($0) }.map { self[$0] }
    return taken
  }
}

extension TrackedObject {
  /// The share of the area of an object below which another one may be a part of it, the share that lies in it, and the
  /// maximum difference of their motions as a share of the motion; at least half a pixel per frame. These constants and
  /// those below were chosen on `vtest.avi`.
  private static let (fragmentShare, insideShare, fragmentMotion) = (0.5, 0.7, 0.3)
  /// The number of frames in a row after which a part is one.
  fileprivate static let fragmentLimit = 8
  /// The overlap above which two tracks have the same object, and the number of frames in a row for which they may.
  fileprivate static let (sharedOverlap, sharedLimit) = (0.6, 5)

  /// The ratio of height to width from which on an object may be a walker, and of a walker the share of its area below
  /// which a leg lies, the height up to which legs reach, and the width within which they are beside it. Chosen on
  /// `tud_campus.mp4` and the tuning half of the drawn scenes.
  private static let (uprightRatio, legShare, legHeight, legGap) = (1.5, 0.3, 0.5, 0.15)

  fileprivate func isFragment(of whole: TrackedObject, _ sizes: SizeModel) -> Bool {
    if isLeg(of: whole) || isHead(of: whole) { return true }
    guard whole.sighting != nil, box.area < Self.fragmentShare * whole.box.area,
      (velocity - whole.velocity).length <= max(0.5, Self.fragmentMotion * whole.velocity.length)
    else { return false }
    if box.intersection(whole.box).area > Self.insideShare * box.area { return true }
    let union = box.union(whole.box)
    return box.isStacked(with: whole.box)
      && union.height <= 1.3 * (sizes.height(foot: union.bottom) ?? 1.3 * whole.box.height)
  }

  /// Returns whether it may be a leg that comes apart from a walker: its motion is not that of the walker, whom it does
  /// not leave all the same.
  private func isLeg(of whole: TrackedObject) -> Bool {
    let walker = whole.box
    return whole.sighting != nil && walker.height >= Self.uprightRatio * walker.width
      && box.area < Self.legShare * walker.area && box.y > walker.bottom - Self.legHeight * walker.height
      && box.gap(to: walker) <= Self.legGap * walker.width
  }

  /// The share of the area of a walker below which a head lies, and the distance from the walker's top at which it may
  /// end, as a share of its height.
  private static let (headShare, headGap) = (0.1, 0.15)

  /// Returns whether it may be a head that comes apart from a walker and goes the same way.
  private func isHead(of whole: TrackedObject) -> Bool {
    let walker = whole.box
    return whole.sighting != nil && walker.height >= Self.uprightRatio * walker.width
      && box.area < Self.headShare * walker.area && box.commonWidth(walker) > 0.5 * box.width
      && abs(box.bottom - walker.y) <= Self.headGap * walker.height
      && (velocity - whole.velocity).length < max(velocity.length, whole.velocity.length)
  }
}
