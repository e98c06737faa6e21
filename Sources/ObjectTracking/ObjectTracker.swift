// Things that move through the view of a fixed camera, each with a number that it keeps.

import FlowAnalysis
import Imaging
import MotionDetection

/// Finds what moves before the background of a fixed camera, and follows each thing.
///
/// What stands out from the background falls into parts. A part that one track expects alone gives that track its box. Where
/// several meet, each is laid where its usual size, its looks and what stands out fit best, the nearest first (the lower its
/// feet, the nearer). What is left over begins a track, which is told when it was seen for some frames, has moved, and a
/// ``MotionDetector`` saw something travel there: not what sways, and not light. It is then given back to its beginning. Who stands still is still there; who was hidden is found again where they
/// were heading.
///
///     let tracker = ObjectTracker(size: size)
///     for (image, moment) in frames { try tracker.append(image, at: moment) }
///     tracker.finish()
///     print(tracker.tracks)
///
/// The first frames, up to four seconds, wait until the background is known. Used by one thread; memory: those in small, and
/// 80 bytes for each position.
public final class ObjectTracker {
  /// The parameters of the search.
  public struct Parameters: Sendable, Hashable, Codable {
    /// The minimum area of what stands out, as a share of the image.
    public var minimumArea = 0.0008
    /// The time for which a thing that is not seen is looked for where it was heading, in seconds.
    public var patience = 2.0
    /// A thing is told when it was seen in more than this many frames …
    public var confirmationCount = 5
    /// … when something travelled there in this many frames, and
    public var travelCount = 3
    /// it once moved at this speed, in pixels per frame, and
    public var minimumSpeed = 0.0
    /// got this far, as a multiple of its mean side.
    public var minimumWay = 0.5

    /// The defaults that the properties name.
    public init() {}
  }

  /// The size of the frames.
  public let size: PixelSize
  /// The parameters of the search.
  public let parameters: Parameters
  private let detector: MotionDetector
  private let average: AreaAverage?
  private let analyzedSize: PixelSize
  private var background: BackgroundModel?
  private var sizes = SizeModel()
  /// The number of frames that may wait for the background: less of large ones.
  private let waitingCount: Int
  /// A frame, reduced, and what the detector saw in it.
  private struct Frame {
    var image: Plane<Float>
    var moment: FrameTimestamp
    /// The boxes of what travels, in pixels of the frame.
    var travelling: [BoundingBox]
    /// A Boolean value that tells whether it shows another scene than the frame before.
    var isCut: Bool
  }

  /// The frames that wait for the background.
  private var waiting: [Frame] = []
  private var live: [TrackedObject] = []
  private var ended: [MotionTrack] = []
  private var frameCount = 0
  private var frameRate = 25.0
  private var lastMoment: FrameTimestamp?
  /// The number of frames in a row in which nearly all stood out.
  private var changedCount = 0
  /// Returns the number of a new track.
  private let makeID: () -> Int

  /// The longest side at which frames are analysed, in pixels.
  private static let analysisSide = 384
  /// The time whose median is the first background, in seconds, and the number of frames that are taken of it.
  private static let (firstTime, medianCount) = (4.0, 20)
  /// The number of frames that wait at the most, by their size.
  private static let firstFrameCount = 8...120
  /// The bytes that the first frames may take where they wait at full size to be drawn.
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
  ///   - parallelism: The number of threads to use; changes no result.
  ///   - makeID: Returns the number of a new track; nil: they are counted from 1.
  /// - Throws: ``MotionDetectionError`` `invalidOption` for an empty size.
  public init(
    size: PixelSize, parameters: Parameters = Parameters(), parallelism: Parallelism = .init(),
    makeID: (() -> Int)? = nil
  ) throws {
    self.size = size
    detector = try MotionDetector(size: size, options: .init(parallelism: parallelism))
    self.parameters = parameters
    let longest = max(size.width, size.height)
    func scaled(_ side: Int) -> Int { max(1, (side * Self.analysisSide + longest / 2) / longest) }
    analyzedSize =
      longest <= Self.analysisSide ? size : PixelSize(width: scaled(size.width), height: scaled(size.height))
    average = analyzedSize == size ? nil : AreaAverage(source: size, target: analyzedSize)
    let fitting = Self.waitingByteLimit / max(1, size.area * 3 / 2)
    waitingCount = min(max(fitting, Self.firstFrameCount.lowerBound), Self.firstFrameCount.upperBound)
    var count = 0
    self.makeID =
      makeID ?? {
        count += 1
        return count
      }
  }

  /// All tracks so far that are told, by number.
  public var tracks: [MotionTrack] { (ended + live.compactMap { track(of: $0, loss: nil) }).sorted { $0.id < $1.id } }

  /// Returns the last positions, up to `count`, of the tracks that are told and were seen in the last frame, by number.
  package func visibleTracks(_ count: Int) -> [(id: Int, positions: [TrackPosition])] {
    live.filter { $0.sighting != nil }.compactMap { object in
      object.id.map { ($0, object.positions.suffix(count).map(position)) }
    }.sorted { $0.id < $1.id }
  }

  /// Takes the next frame.
  /// - Parameters:
  ///   - luma: `height × width`, 0…255, of the tracker's size.
  ///   - moment: The frame; later than the one before.
  /// - Throws: ``MotionDetectionError`` `invalidOption` when the size differs; errors of the flow.
  public func append(_ luma: Plane<Float>, at moment: FrameTimestamp) throws {
    try append(luma, at: moment) {}
  }

  /// Takes the next frame; `body` is called after each frame that was worked off, in order.
  package func append(_ luma: Plane<Float>, at moment: FrameTimestamp, each body: () throws -> Void) throws {
    let updates = try detector.detect(luma, at: moment.time)
    var frame = Frame(
      image: average.map { luma.withView($0.means) } ?? luma, moment: moment, travelling: [], isCut: false)
    for case .frame(let statistics) in updates {
      frame.isCut = statistics.state == .cut
      frame.travelling = statistics.zones.flatMap(\.boxes).map { box in
        BoundingBox(x: Double(box.x), y: Double(box.y), width: Double(box.width), height: Double(box.height))
      }
    }
    guard background == nil else {
      advance(to: frame)
      return try body()
    }
    if frame.isCut { try finish(each: body) }
    guard background == nil else {
      advance(to: frame)
      return try body()
    }
    waiting.append(frame)
    let seconds = moment.time.seconds - waiting[0].moment.time.seconds
    if waiting.count >= waitingCount || seconds >= Self.firstTime { try workOffWaiting(each: body) }
  }

  /// Works off the frames that still wait: there are no more. `body` is called after each.
  package func finish(each body: () throws -> Void) rethrows {
    if background == nil, !waiting.isEmpty { try workOffWaiting(each: body) }
  }

  /// Works off the frames that still wait: there are no more.
  public func finish() { finish {} }

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

  /// What is known of a frame while tracks look for their things.
  private struct Scene {
    let image: Plane<Float>
    let foreground: BitMask
    let parts: [BitMask.Component]
    let labels: [Int32]
  }

  private func advance(to frame: Frame) {
    let (image, moment) = (frame.image, frame.moment)
    if frame.isCut {
      interrupt()
      background?.restart(with: image)
    }
    guard let foreground = background?.foreground(of: image) else { return }
    if let lastMoment, moment.time.seconds > lastMoment.time.seconds {
      frameRate += 0.2 * (1 / (moment.time.seconds - lastMoment.time.seconds) - frameRate)
    }
    lastMoment = moment
    frameCount += 1
    for index in live.indices { live[index].sighting = nil }
    if foreground.share > Self.changedShare {
      changedCount += 1
      if changedCount >= Self.changedLimit { background?.restart(with: image) }
    } else {
      changedCount = 0
      let (parts, labels) = foreground.components()
      let scene = Scene(image: image, foreground: foreground, parts: parts, labels: labels)
      var rest = foreground
      sight(scene, &rest)
      let found = newObjects(scene, rest, at: moment)
      carryOn(scene, to: moment, frame.travelling)
      live += found
    }
    if frameCount % Self.sizeInterval == 0 { sizes.fit() }
    background?.learn(
      image,
      occupied: live.map { object in
        BackgroundModel.Occupied(
          box: object.box.pixels(marginX: 3, marginY: 3), isStill: object.sightingCount > 50 && object.relativeWay < 0.1
        )
      })
    endWhatIsGone()
  }

  // MARK: Where are the things that are known?

  /// The share of its sides by which a part may lie outside of where a thing is expected.
  private static let reach = 0.12
  /// The share of a part, and of a thing, that must be common to both for the part to belong to the thing.
  private static let (partShare, objectShare) = (0.35, 0.2)
  /// The ratios of width and height to the usual ones with which a part is the thing alone.
  private static let (widthRange, heightRange) = (0.55...1.6, 0.7...1.35)
  /// The ratios with which a part is a thing that has just begun.
  private static let youngRange = 0.5...2.5

  /// Finds the live things in a frame and clears them from `rest`.
  private func sight(_ scene: Scene, _ rest: inout BitMask) {
    let links = live.map { parts(of: $0, in: scene) }
    var claims = [Int](repeating: 0, count: scene.parts.count)
    for link in links {
      for part in link { claims[part] += 1 }
    }
    var open: [Int] = []
    for index in live.indices.sorted(by: { live[$0].sightingCount > live[$1].sightingCount })
    where !links[index].isEmpty {
      if links[index].allSatisfy({ claims[$0] == 1 }), let box = aloneBox(of: live[index], links[index], scene) {
        live[index].sighting = .alone(box)
        rest.clear(box.pixels(marginX: 2, marginY: 2))
      } else {
        open.append(index)
      }
    }
    // Who stands lower in the image is nearer and hides the others. Who does not look like it there may be behind: once
    // more, with what the others left.
    let order = open.sorted { live[$0].prediction.bottom > live[$1].prediction.bottom }
    for index in order + order where live[index].sighting == nil {
      guard let (box, fit) = placed(live[index], scene, rest) else { continue }
      live[index].sighting = .placed(box, fit: fit)
      // The middle is taken; at the sides something may look out from behind.
      rest.clear(box.pixels(marginX: -0.15 * box.width))
    }
    for index in open {
      if let box = live[index].sighting?.box { rest.clear(box.pixels(marginX: 2, marginY: 2)) }
    }
  }

  /// Returns the parts that lie where a thing is expected.
  private func parts(of object: TrackedObject, in scene: Scene) -> [Int] {
    let expected = object.prediction
    let box = expected.pixels(marginX: Self.reach * expected.width + 1, marginY: Self.reach * expected.height + 1)
      .clipped(to: analyzedSize)
    guard box.area > 0 else { return [] }
    var counts: [Int: Int] = [:]
    for y in box.top..<box.bottom {
      for x in box.left..<box.right {
        let label = Int(scene.labels[y * analyzedSize.width + x])
        if label >= 0 { counts[label, default: 0] += 1 }
      }
    }
    return counts.keys.sorted().filter { part in
      let count = Double(counts[part] ?? 0)
      return count > Self.partShare * Double(scene.parts[part].area) || count > Self.objectShare * expected.area
    }
  }

  /// Returns the box of the parts of a thing, if they look as large as the thing; else they are more or less than it.
  private func aloneBox(of object: TrackedObject, _ parts: [Int], _ scene: Scene) -> Rectangle? {
    let expected = object.prediction
    // Glass and paint of the background's brightness do not stand out: several parts together have the usual size.
    if let first = parts.first, !object.isYoung {
      let all = Rectangle(parts.reduce(scene.parts[first].box) { $0.union(scene.parts[$1].box) })
      // Where things have a usual height, two of it side by side are two things.
      let isUsual = sizes.height(foot: all.bottom).map { Self.heightRange.contains(all.height / $0) } ?? false
      if !isUsual, Self.unionRange.contains(all.width / object.size.x),
        Self.unionRange.contains(all.height / object.size.y)
      {
        return all
      }
    }
    func likeness(_ part: Int) -> Double {
      let box = Rectangle(scene.parts[part].box)
      let ratio = box.height / object.size.y
      let distance = abs(box.center.x - expected.center.x) / object.size.x
      return Double(scene.parts[part].area) / (1 + distance * distance) * min(ratio, 1 / ratio)
    }
    guard let main = parts.max(by: { likeness($0) < likeness($1) }) else { return nil }
    var box = scene.parts[main].box
    // Head, body and feet lie above each other; what lies beside is another thing.
    for part in parts where part != main {
      let other = scene.parts[part].box
      let common = min(box.right, other.right) - max(box.left, other.left)
      guard 2 * common > min(box.width, other.width), Double(other.top) < expected.bottom + 0.1 * expected.height else {
        continue
      }
      box = box.union(other)
    }
    let whole = Rectangle(box)
    let (widthRatio, heightRatio) = (whole.width / object.size.x, whole.height / object.size.y)
    // What comes into view or leaves it may grow and shrink as it likes.
    if object.isCut, min(widthRatio, heightRatio) >= Self.youngRange.lowerBound || isCut(whole) { return whole }
    if object.isYoung, Self.youngRange.contains(widthRatio), Self.youngRange.contains(heightRatio) { return whole }
    if Self.heightRange.contains(heightRatio), Self.widthRange.contains(widthRatio) { return whole }
    // The track had more than one, which have parted; this is the one that looks like it.
    if Self.partedHeightRange.contains(heightRatio), Self.partedWidthRange.contains(widthRatio) { return whole }
    // The track had only a part of it, and here is one thing of the usual size.
    if let usual = sizes.height(foot: whole.bottom), whole.height < 1.15 * usual, whole.width < 0.7 * usual,
      widthRatio > Self.widthRange.lowerBound, heightRatio > Self.heightRange.lowerBound
    {
      return whole
    }
    return nil
  }

  /// The ratios with which several parts are the thing alone.
  private static let unionRange = 0.75...1.25
  /// The ratios with which a part is one of those that a track began with.
  private static let (partedWidthRange, partedHeightRange) = (0.3...0.55, 0.8...1.25)

  /// The longest way from where a thing is expected, as a share of its width, and the number of steps on it.
  private static let (searchReach, searchSteps) = (0.35, 6)
  /// The minimum share of a box that stands out and is not taken by something nearer.
  private static let minimumFill = 0.22
  /// The difference of the looks, in grey levels, above which it is something else, and that which costs as much as a
  /// box's whole area.
  private static let (maximumDistance, distanceScale) = (45.0, 40.0)
  /// The weight of the way from where it is expected.
  private static let wayWeight = 0.15

  /// Lays the usual box of a thing where it fits best.
  private func placed(_ object: TrackedObject, _ scene: Scene, _ rest: BitMask) -> (Rectangle, fit: Double)? {
    let counts = rest.integral()
    let expected = object.prediction
    let reach = max(4, Self.searchReach * expected.width)
    let step = max(1, reach / Double(Self.searchSteps))
    let (columns, rows) = (Int(reach / step), Int(0.6 * reach / step))
    var best: (box: Rectangle, score: Double, fill: Double, distance: Double)?
    for row in -rows...rows {
      for column in -columns...columns {
        let (dx, dy) = (Double(column) * step, Double(row) * step)
        var box = expected
        (box.x, box.y) = (box.x + dx, box.y + dy)
        let fill = Double(counts.count(box.pixels())) / box.area
        guard fill > Self.minimumFill else { continue }
        let distance = object.appearance.distance(scene.image, rest, box)
        let score =
          fill - distance / Self.distanceScale - Self.wayWeight * (dx * dx + dy * dy) / (reach * reach)
        if score > best?.score ?? -.infinity { best = (box, score, fill, distance) }
      }
    }
    guard let best, best.distance < Self.maximumDistance else { return nil }
    let likeness = 1 - best.distance / Self.maximumDistance
    return (best.box, min(1, 2 * best.fill) * likeness)
  }

  // MARK: What is new?

  /// The share of a thing's box below which what is left beside it belongs to it.
  private static let absorbedShare = 0.35
  /// The share that may lie beside it instead of above or below.
  private static let absorbedShareBeside = 0.15
  /// The minimum share of a box that stands out, and the maximum ratio of its sides.
  private static let (minimumDensity, maximumRatio) = (0.25, 5.0)
  /// The range of the height of something new, as a multiple of the usual height at its place.
  private static let newHeightRange = 0.5...1.6
  /// The usual ratio of width to height of what a wide part consists of.
  private static let usualAspect = 0.45

  /// Returns the things that begin in what is left of a frame.
  private func newObjects(_ scene: Scene, _ rest: BitMask, at moment: FrameTimestamp) -> [TrackedObject] {
    let minimumArea = parameters.minimumArea * Double(analyzedSize.area)
    let sighted = live.compactMap { $0.sighting?.box }
    var found: [TrackedObject] = []
    for part in stacked(rest.components().parts) {
      let box = Rectangle(part.box)
      let ratio = max(box.width / box.height, box.height / box.width)
      guard Double(part.area) >= minimumArea, Double(part.area) >= Self.minimumDensity * box.area,
        ratio <= Self.maximumRatio, !belongs(part.box, to: sighted)
      else { continue }
      if recognize(box, scene, rest) { continue }
      let isCut = isCut(box)
      var count = 1
      if let usual = sizes.height(foot: box.bottom) {
        guard isCut || Self.newHeightRange.contains(box.height / usual) else { continue }
        // Several that came side by side.
        if box.width > 0.75 * usual, box.height > 0.7 * usual {
          count = max(1, Int((box.width / (Self.usualAspect * usual)).rounded()))
        }
      }
      for index in 0..<count {
        let width = box.width / Double(count)
        let piece = Rectangle(x: box.x + Double(index) * width, y: box.y, width: width, height: box.height)
        found.append(
          TrackedObject(
            piece, isCut: isCut, appearance: ObjectAppearance(scene.image, scene.foreground, piece), at: moment))
      }
    }
    return found
  }

  /// The distance from where a hidden thing is expected within which it is recognised, as a share of its sides, and that by
  /// which it grows with each frame in which it was hidden.
  private static let (recognitionReach, recognitionGrowth) = (0.6, 0.04)

  /// Gives what is left over to a thing that was hidden and looks like it, near where that was heading.
  /// - Returns: Whether there is one: if too little of it is seen yet, nothing else begins there.
  private func recognize(_ box: Rectangle, _ scene: Scene, _ rest: BitMask) -> Bool {
    for index in live.indices where live[index].sighting == nil && live[index].missedCount > 0 && !live[index].isYoung {
      let object = live[index]
      let reach = Self.recognitionReach + Self.recognitionGrowth * Double(object.missedCount)
      let way = box.center - object.prediction.center
      let (widthRatio, heightRatio) = (box.width / object.size.x, box.height / object.size.y)
      guard abs(way.x) <= reach * object.size.x, abs(way.y) <= reach * object.size.y,
        widthRatio <= Self.widthRange.upperBound, heightRatio <= Self.heightRange.upperBound,
        object.appearance.distance(scene.image, rest, box) < Self.maximumDistance
      else { continue }
      if Self.widthRange.contains(widthRatio), Self.heightRange.contains(heightRatio) {
        live[index].sighting = .alone(box)
      }
      return true
    }
    return false
  }

  /// The share of the narrower of two parts that lies above or below the other, and the longest gap between them as a share
  /// of the height of both, with which they are one thing.
  private static let (stackedShare, stackedGap) = (0.5, 0.2)

  /// Joins parts that lie above each other, such as head, body and legs; the largest first.
  private func stacked(_ parts: [BitMask.Component]) -> [BitMask.Component] {
    var open = parts.sorted { $0.area > $1.area }
    var result: [BitMask.Component] = []
    while var part = open.first {
      open.removeFirst()
      while let index = open.firstIndex(where: { isStacked($0.box, part.box) }) {
        let other = open.remove(at: index)
        part.area += other.area
        part.box = part.box.union(other.box)
      }
      result.append(part)
    }
    return result
  }

  private func isStacked(_ one: PixelBox, _ other: PixelBox) -> Bool {
    let common = min(one.right, other.right) - max(one.left, other.left)
    let whole = one.union(other)
    let gap = Double(whole.height - one.height - other.height)
    guard Double(common) > Self.stackedShare * Double(min(one.width, other.width)),
      gap <= Self.stackedGap * Double(whole.height)
    else { return false }
    return sizes.height(foot: Double(whole.bottom)).map { Double(whole.height) <= 1.3 * $0 } ?? true
  }

  /// Returns whether a part that is left over belongs to a thing that was found.
  private func belongs(_ part: PixelBox, to boxes: [Rectangle]) -> Bool {
    let owners = boxes.filter { $0.gap(to: part) <= 0.08 * $0.height + 2 }
    guard let owner = owners.max(by: { $0.area < $1.area }) else { return false }
    let common = min(owner.right, Double(part.right)) - max(owner.x, Double(part.left))
    let share = Double(part.area) / owner.area
    return share < Self.absorbedShare && common > 0.3 * Double(part.width) || share < Self.absorbedShareBeside
  }

  private func isCut(_ box: Rectangle) -> Bool {
    box.x <= 2 || box.y <= 2 || box.right >= Double(analyzedSize.width) - 2
      || box.bottom >= Double(analyzedSize.height) - 2
  }

  // MARK: What becomes of the tracks?

  /// The overlap above which two tracks have the same thing, and the number of frames in a row for which they may.
  private static let (sharedOverlap, sharedLimit) = (0.6, 5)
  /// The share of what travels, or of a thing, that must be common to both for the thing to travel.
  private static let travelShare = 0.2
  /// The ratio of height to width of what tells the usual heights.
  private static let uprightRange = 1.5...5.0
  /// The minimum speed of what tells them, in pixels of the analysed image per frame.
  private static let minimumSpeed = 0.3

  private func carryOn(_ scene: Scene, to moment: FrameTimestamp, _ travelling: [BoundingBox]) {
    for index in live.indices {
      if let box = live[index].sighting.map({ fullSize($0.box) }),
        travelling.contains(where: { $0.intersection(box).area > Self.travelShare * min($0.area, box.area) })
      {
        live[index].travelCount += 1
      }
      live[index].advance(to: moment, image: scene.image, foreground: scene.foreground, isCut: isCut)
      let object = live[index]
      if case .alone(let box)? = object.sighting, !object.isCut, !object.isYoung,
        Self.uprightRange.contains(box.height / box.width),
        (object.velocity * object.velocity).sum().squareRoot() > Self.minimumSpeed
      {
        sizes.add(foot: box.bottom, height: box.height)
      }
      if object.id == nil, isTold(object) { live[index].id = makeID() }
    }
    joinFragments()
    endDuplicates()
  }

  /// The share of the area of a thing below which another one may be a part of it, the share that lies in it, and the
  /// maximum difference of their motions as a share of the motion; at least half a pixel per frame.
  private static let (fragmentShare, insideShare, fragmentMotion) = (0.5, 0.7, 0.3)
  /// The number of frames in a row after which a part is one.
  private static let fragmentLimit = 8

  /// Joins tracks of parts with those of their things: legs of the background's brightness come apart from their body.
  private func joinFragments() {
    var joined: Set<Int> = []
    for index in live.indices where live[index].sighting != nil {
      let whole = live.indices.first { other in
        other != index && !joined.contains(other) && isFragment(live[index], of: live[other])
      }
      live[index].fragmentCount = whole == nil ? 0 : live[index].fragmentCount + 1
      guard let whole, live[index].fragmentCount >= Self.fragmentLimit else { continue }
      live[whole].grow(to: live[index].box)
      joined.insert(index)
    }
    for index in joined.sorted() {
      var object = live[index]
      object.dropPositions(Self.fragmentLimit)
      end(object, .merged)
    }
    live = live.indices.filter { !joined.contains($0) }.map { live[$0] }
  }

  private func isFragment(_ part: TrackedObject, of whole: TrackedObject) -> Bool {
    guard whole.sighting != nil, part.box.area < Self.fragmentShare * whole.box.area else { return false }
    let difference = part.velocity - whole.velocity
    let speed = (whole.velocity * whole.velocity).sum().squareRoot()
    guard (difference * difference).sum().squareRoot() <= max(0.5, Self.fragmentMotion * speed) else { return false }
    let union = part.box.union(whole.box)
    let common = part.box.area + whole.box.area - part.box.unionArea(whole.box)
    if common > Self.insideShare * part.box.area { return true }
    let beside = min(part.box.right, whole.box.right) - max(part.box.x, whole.box.x)
    let gap = union.height - part.box.height - whole.box.height
    guard beside > Self.stackedShare * part.box.width, gap <= Self.stackedGap * union.height else { return false }
    return union.height <= 1.3 * (sizes.height(foot: union.bottom) ?? 1.3 * whole.box.height)
  }

  private func isTold(_ object: TrackedObject) -> Bool {
    object.sightingCount > parameters.confirmationCount && object.travelCount >= parameters.travelCount
      // What may be a part or a double of another track waits until it is clear.
      && object.fragmentCount == 0 && object.sharedCount == 0
      && object.topSpeed * Double(size.width) / Double(analyzedSize.width) >= parameters.minimumSpeed
      && object.relativeWay >= parameters.minimumWay
  }

  /// Ends the younger of two tracks that have had the same box for some frames.
  private func endDuplicates() {
    var doubles: Set<Int> = []
    for index in live.indices where live[index].sighting != nil {
      let isShared = live.indices.contains { other in
        other != index && live[other].sighting != nil
          && (live[other].sightingCount, other) > (live[index].sightingCount, index)
          && live[other].box.intersectionOverUnion(live[index].box) > Self.sharedOverlap
      }
      live[index].sharedCount = isShared ? live[index].sharedCount + 1 : 0
      if live[index].sharedCount >= Self.sharedLimit { doubles.insert(index) }
    }
    for index in doubles.sorted() {
      var object = live[index]
      object.dropPositions(Self.sharedLimit)
      end(object, .merged)
    }
    live = live.indices.filter { !doubles.contains($0) }.map { live[$0] }
  }

  private func endWhatIsGone() {
    let patience = max(1, Int((parameters.patience * frameRate).rounded()))
    var kept: [TrackedObject] = []
    for object in live {
      let isOutside =
        object.center.x < 0 || object.center.y < 0 || object.center.x > Double(analyzedSize.width)
        || object.center.y > Double(analyzedSize.height)
      if object.missedCount > 0, isOutside || object.isCut && object.missedCount > 2 {
        end(object, .leftImage)
      } else if object.missedCount > (object.sightingCount > parameters.confirmationCount ? patience : 1) {
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

  /// Returns the track of a thing, with a position for each frame from its first to its last; nil until it is told.
  private func track(of object: TrackedObject, loss: MotionTrack.Loss?) -> MotionTrack? {
    guard let id = object.id else { return nil }
    return MotionTrack(id: id, kind: .box, positions: object.positions.map(position), loss: loss)
  }

  private func position(_ position: TrackedObject.Position) -> TrackPosition {
    TrackPosition(
      frame: position.moment.frame, time: position.moment.time, box: fullSize(position.box),
      confidence: position.confidence)
  }

  /// Returns a box of the analysed image in pixels of the frame.
  private func fullSize(_ box: Rectangle) -> BoundingBox {
    let (sx, sy) = (
      Double(size.width) / Double(analyzedSize.width), Double(size.height) / Double(analyzedSize.height)
    )
    return BoundingBox(x: box.x * sx, y: box.y * sy, width: box.width * sx, height: box.height * sy)
  }
}
