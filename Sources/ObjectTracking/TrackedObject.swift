import FlowAnalysis
import Imaging

/// An object that is followed, in pixels of the analysed image. The constants were chosen on `vtest.avi`.
struct TrackedObject {
  /// The way in which an object was found in a frame.
  enum Sighting: Hashable {
    /// The object stood alone: its box is that of what stands out.
    case alone(BoundingBox)
    /// The object touches others: its usual box was laid where it fits best, with how well it fits, 0…1.
    case placed(BoundingBox, fit: Double)

    var box: BoundingBox {
      switch self {
      case .alone(let box), .placed(let box, _): box
      }
    }

    var isAlone: Bool {
      if case .alone = self { true } else { false }
    }
  }

  /// A position at which it was seen.
  struct Position: Hashable {
    var timestamp: FrameTimestamp
    var box: BoundingBox
    var confidence: Double
    /// A Boolean value that tells whether less than half of the object is in the image.
    var isSliver = false
  }

  /// The number of the track; nil until it is confirmed.
  var id: Int?
  private(set) var center: SIMD2<Double>
  /// The filters of the centre's coordinates.
  private var (filterX, filterY): (ScalarKalmanFilter, ScalarKalmanFilter)
  /// The motion in pixels per frame.
  var velocity: SIMD2<Double> { SIMD2(filterX.motion, filterY.motion) }
  /// The motions of the last sightings at which it was seen whole, the oldest first.
  private var wholeMotions: [SIMD2<Double>] = []
  /// The number of sightings since then.
  private var partialCount = 0
  /// The maximum speed so far, in pixels per frame.
  private(set) var topSpeed = 0.0
  /// The usual width and height.
  private(set) var size: SIMD2<Double>
  /// The width and height when it was last seen whole; nil: it never was.
  private var wholeSize: SIMD2<Double>?
  private(set) var appearance: ObjectAppearance
  private(set) var positions: [Position]
  /// The ends of the way that it has come, as the corners of a box.
  private var (minimumCenter, maximumCenter): (SIMD2<Double>, SIMD2<Double>)
  /// The frame in which it was last seen.
  var lastSighting: FrameTimestamp { positions[positions.count - 1].timestamp }
  /// The number of frames in a row in which it was not seen.
  var missedCount: Int { missed.count }
  /// The frames in a row in which it was not seen.
  private var missed: [FrameTimestamp] = []
  /// The number of frames in which it was seen.
  private(set) var sightingCount = 1
  /// A Boolean value that tells whether it touched the border of the image when it was last seen alone.
  private(set) var isCut: Bool
  /// The sighting in the frame that is looked at; nil when it was not seen.
  var sighting: Sighting?
  /// The number of frames in which the motion detector saw something travel in its box.
  var travelCount = 0
  /// The number of frames in a row in which it looked like a part of another object.
  var fragmentCount = 0
  /// The number of frames in a row in which another track had the same box.
  var sharedCount = 0

  /// The number of sightings below which an object is young: it may grow as it comes into view.
  static let youth = 8
  /// The deviations of a sighting's place, of the motion that is not known yet and of its change from frame to frame,
  /// as shares of the height of the box, and the factor on the first for a box that was laid. Chosen among ten by
  /// the means over seven versions of both clips of people (half and double size, half the frame rate, darker with
  /// noise, mirrored, without colour, coded coarsely): single clips jump by 0.1 and more from one to the next.
  private static let (placeDeviation, firstMotionDeviation, motionChange, placedDoubt) = (0.03, 0.05, 0.009, 4.0)
  /// The share of a new size in the usual size, 0…1.
  private static let sizeShare = 0.15
  /// The share of a new size while an object is coming into view or leaving it, 0…1.
  private static let cutSizeShare = 0.6
  /// The share of a new size while an object is young, 0…1.
  private static let youngShare = 0.5
  /// The minimum confidence in a position among others, what a perfect fit adds, and the maximum: of the boxes of
  /// `vtest.avi` whose fit is 0.1, a share of 0.6 overlaps the truth by half; of those whose fit is 0.4, 0.84.
  private static let (placedConfidence, fitConfidence, maximumPlacedConfidence) = (0.45, 0.8, 0.85)
  /// The factor on the confidence in a box whose usual size is not known yet.
  private static let unknownFactor = 0.8
  /// The confidence in a position between two sightings.
  private static let bridgeConfidence = 0.25
  /// The number of positions that are taken out at a time, and of those that are kept of what is not told: six minutes
  /// and more at 25 frames per second. Chosen by hand.
  private static let (positionBlock, untoldLimit) = (512, 10_000)
  /// The share of the area of an object below which only a sliver of it is in the image.
  private static let sliverShare = 0.5
  /// The factor on the motion in a frame in which nothing is seen.
  private static let fading = 0.98
  /// The share of the usual width from which on it is seen whole, the number of such sightings whose motions are kept,
  /// and the number of others after which these tell nothing.
  private static let (wholeShare, wholeCount, partialLimit) = (0.85, 5, 12)

  init(_ box: BoundingBox, isCut: Bool, appearance: ObjectAppearance, at timestamp: FrameTimestamp) {
    center = box.center
    let (place, motion) = (Self.placeDeviation * box.height, Self.firstMotionDeviation * box.height)
    filterX = ScalarKalmanFilter(center.x, deviation: place, motionDeviation: motion)
    filterY = ScalarKalmanFilter(center.y, deviation: place, motionDeviation: motion)
    size = box.size
    self.isCut = isCut
    self.appearance = appearance
    positions = [Position(timestamp: timestamp, box: box, confidence: Self.unknownFactor)]
    (minimumCenter, maximumCenter) = (center, center)
  }

  /// A Boolean value that tells whether it is looked for, and has not been found.
  var isHidden: Bool { sighting == nil && missedCount > 0 && !isYoung }
  /// A Boolean value that tells whether it has been seen too seldom to be known.
  var isYoung: Bool { sightingCount < Self.youth }
  /// The box in which it is expected next.
  var prediction: BoundingBox { BoundingBox(center: center + velocity, size: size) }
  /// The motion with which it went behind what hides it, in pixels per frame: what is seen of it while it does so slows
  /// down.
  var hiddenMotion: SIMD2<Double> { partialCount <= Self.partialLimit ? wholeMotions.first ?? velocity : velocity }
  /// The centre of the box in which it was last seen.
  var lastCenter: SIMD2<Double> { positions[positions.count - 1].box.center }
  /// The box in which it is now: as it was seen, or as it is thought to be.
  var box: BoundingBox { sighting?.box ?? BoundingBox(center: center, size: size) }

  /// Goes on to the frame in which it was sought.
  mutating func advance(to timestamp: FrameTimestamp, image: ObservedImage, foreground: BitMask) {
    filterX.predict(change: Self.motionChange * size.y)
    filterY.predict(change: Self.motionChange * size.y)
    guard let sighting else {
      missed.append(timestamp)
      center = SIMD2(filterX.value, filterY.value)
      filterX.motion *= Self.fading
      filterY.motion *= Self.fading
      return
    }
    let box = sighting.box
    let deviation = Self.placeDeviation * size.y * (sighting.isAlone ? 1 : Self.placedDoubt)
    filterX.correct(with: box.center.x, deviation: deviation)
    filterY.correct(with: box.center.y, deviation: deviation)
    topSpeed = max(topSpeed, velocity.length)
    center = box.center
    minimumCenter = SIMD2(min(minimumCenter.x, center.x), min(minimumCenter.y, center.y))
    maximumCenter = SIMD2(max(maximumCenter.x, center.x), max(maximumCenter.y, center.y))
    bridge(to: box)
    sightingCount += 1
    let confidence: Double
    switch sighting {
    case .alone(let box):
      confidence = aloneConfidence(box)
      noteMotion(isWhole: !isCut && box.width >= Self.wholeShare * size.x)
      isCut = box.touchesBorder(of: image.luma.size)
      let share = isCut ? Self.cutSizeShare : sightingCount < Self.youth ? Self.youngShare : Self.sizeShare
      size += (box.size - size) * share
      appearance.learn(image, foreground, box)
    case .placed(_, let fit):
      noteMotion(isWhole: false)
      confidence = min(Self.placedConfidence + Self.fitConfidence * fit, Self.maximumPlacedConfidence)
    }
    if !isCut, sighting.isAlone {
      if wholeSize == nil { dropFirstSlivers(of: size, image.luma.size) }
      wholeSize = size
    }
    positions.append(
      Position(
        timestamp: timestamp, box: box, confidence: confidence,
        isSliver: wholeSize.map { isSliver(box, of: $0, image.luma.size) } ?? false))
  }

  private mutating func noteMotion(isWhole: Bool) {
    partialCount = isWhole ? 0 : partialCount + 1
    guard isWhole else { return }
    if wholeMotions.count == Self.wholeCount { wholeMotions.removeFirst() }
    wholeMotions.append(velocity)
  }

  /// Returns whether a box at the border of the image shows less than half of an object.
  private func isSliver(_ box: BoundingBox, of whole: SIMD2<Double>, _ imageSize: PixelSize) -> Bool {
    box.touchesBorder(of: imageSize) && box.area < Self.sliverShare * whole.x * whole.y
  }

  /// Forgets the frames in which it came into view, until half of it was there: the truth of MOT Challenge has no boxes
  /// of slivers either.
  private mutating func dropFirstSlivers(of whole: SIMD2<Double>, _ imageSize: PixelSize) {
    let count = positions.firstIndex { !isSliver($0.box, of: whole, imageSize) } ?? positions.count
    positions.removeFirst(min(count, positions.count - 1))
  }

  /// The positions without the last ones in which it went out of view.
  var positionsInView: ArraySlice<Position> {
    let last = positions.lastIndex { !$0.isSliver } ?? 0
    return positions[...last]
  }

  /// Returns the confidence in a box that stands alone: the less, the less it resembles the usual one; while an object
  /// comes into view, its size is not known.
  private func aloneConfidence(_ box: BoundingBox) -> Double {
    let change = abs(box.width / size.x - 1) + abs(box.height / size.y - 1)
    return max(0.5, 1 - 0.5 * change) * (isYoung || isCut ? Self.unknownFactor : 1)
  }

  /// Fills in the frames in which it was not seen, on a straight way.
  private mutating func bridge(to box: BoundingBox) {
    guard let last = positions.last?.box else { return }
    for (index, timestamp) in missed.enumerated() {
      let share = Double(index + 1) / Double(missed.count + 1)
      let size = last.size + (box.size - last.size) * share
      let between = BoundingBox(center: last.center + (box.center - last.center) * share, size: size)
      positions.append(Position(timestamp: timestamp, box: between, confidence: Self.bridgeConfidence))
    }
    missed = []
  }

  /// Takes in a part of it that was followed by itself.
  mutating func grow(to part: BoundingBox) {
    let whole = box.union(part)
    (center, size) = (whole.center, whole.size)
    sighting = sighting.map { $0.isAlone ? .alone(whole) : .placed(whole, fit: 0.5) }
  }

  /// The time for which a box must be wide to be that of two, in seconds: a stride takes less. The share of its frames
  /// in which it may be narrow, and their minimum number.
  private static let (wideTime, narrowShare, wideCount) = (1.0, 0.1, 5)
  /// The ratio of width to height of a wide box, and that of it to the usual ratio. Of the boxes of single persons of
  /// `vtest.avi` one in a hundred is that wide for a second, of those of two persons who walk as one two in three.
  private static let (wideAspect, wideFactor) = (0.5, 1.3)
  /// The ratio of two side by side to the usual one, at most: a car is wider.
  private static let maximumWideFactor = 2.4
  /// The range of the height of one who walks, as a multiple of the usual height.
  private static let walkerHeightRange = 0.7...1.35

  /// Returns the number of the position from which on it has been two who walk as one, for long enough to be sure; nil:
  /// it is one.
  func startOfTwo(_ sizes: SizeModel) -> Int? {
    guard case .alone(let box)? = sighting, !isCut, !isYoung, let aspect = sizes.aspect,
      let height = sizes.height(foot: box.bottom), Self.walkerHeightRange.contains(box.height / height)
    else { return nil }
    let limit = max(Self.wideAspect, Self.wideFactor * aspect)
    guard box.width <= Self.maximumWideFactor * aspect * box.height else { return nil }
    func isNarrow(_ position: Position) -> Bool { position.box.width < limit * position.box.height }
    let first = lastSighting.time.seconds - Self.wideTime
    guard let start = positions.lastIndex(where: { $0.timestamp.time.seconds <= first }) else { return nil }
    let recent = positions[start...]
    guard recent.count >= Self.wideCount,
      Double(recent.count(where: isNarrow)) <= Self.narrowShare * Double(recent.count)
    else { return nil }
    return positions[..<start].lastIndex(where: isNarrow).map { $0 + 1 } ?? 0
  }

  /// Becomes one of two who have walked as one.
  /// - Parameters:
  ///   - start: The number of the first position of both.
  ///   - aspect: The usual ratio of width to height.
  /// - Returns: The other one.
  mutating func part(
    from start: Int, aspect: Double, _ image: ObservedImage, _ foreground: BitMask
  ) -> TrackedObject {
    var other = self
    other.id = nil
    other.positions = Array(positions[start...])
    for (index, position) in other.positions.enumerated() {
      let (left, right) = position.box.halves(aspect: aspect)
      positions[start + index].box = left
      other.positions[index].box = right
    }
    let (left, right) = box.halves(aspect: aspect)
    // The left one goes on, unless there is more of the right one.
    let counts = BitMask.Counts(foreground, in: box.pixels(of: image.luma.size))
    if counts.count(right.pixels(of: image.luma.size)) > counts.count(left.pixels(of: image.luma.size)) {
      let first = Array(positions[start...])
      positions.replaceSubrange(start..., with: other.positions)
      other.positions = first
    }
    settle(image, foreground)
    other.settle(image, foreground)
    other.sightingCount = other.positions.count
    (other.minimumCenter, other.maximumCenter) = (other.center, other.center)
    for center in other.positions.map(\.box.center) {
      other.minimumCenter = SIMD2(min(other.minimumCenter.x, center.x), min(other.minimumCenter.y, center.y))
      other.maximumCenter = SIMD2(max(other.maximumCenter.x, center.x), max(other.maximumCenter.y, center.y))
    }
    return other
  }

  /// Takes the last position for what it is and looks like.
  private mutating func settle(_ image: ObservedImage, _ foreground: BitMask) {
    let box = positions[positions.count - 1].box
    sighting = .placed(box, fit: 0.5)
    (center, size) = (box.center, box.size)
    (filterX.value, filterY.value) = (center.x, center.y)
    appearance = ObjectAppearance(image, foreground, box)
  }

  /// Removes the earlier positions, and returns them; none while there are fewer than a block beyond those that stay.
  /// - Parameter count: The number of positions that stay, at least 1.
  mutating func takePositions(keeping count: Int) -> [Position] {
    let count = max(count, positions.count - positionsInView.count + 1)
    guard positions.count >= count + Self.positionBlock else { return [] }
    defer { positions.removeFirst(positions.count - count) }
    return Array(positions.dropLast(count))
  }

  /// Forgets the first positions of what has been there for long and may never be told.
  mutating func forgetBeginning() {
    guard positions.count >= 2 * Self.untoldLimit else { return }
    positions.removeFirst(positions.count - Self.untoldLimit)
  }

  /// Forgets the last positions, which tell nothing.
  mutating func dropPositions(_ count: Int) { positions.removeLast(min(count, positions.count - 1)) }

  /// The distance between the ends of its way, as a multiple of its mean side.
  var relativeWay: Double { (maximumCenter - minimumCenter).length / ((size.x + size.y) / 2) }
}

extension BoundingBox {
  /// Returns the boxes of two of a usual ratio of width to height at the left and the right end.
  fileprivate func halves(aspect: Double) -> (left: BoundingBox, right: BoundingBox) {
    let part = max(min(aspect * height, width), width / 2)
    return (
      BoundingBox(x: x, y: y, width: part, height: height),
      BoundingBox(x: right - part, y: y, width: part, height: height)
    )
  }
}

extension SIMD2<Double> {
  var length: Double { (x * x + y * y).squareRoot() }
}
