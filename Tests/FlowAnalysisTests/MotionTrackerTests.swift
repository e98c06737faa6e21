import Imaging
import SceneSynthesis
import TestSupport
import Testing

@testable import FlowAnalysis

/// Tracks along flow that is known exactly.
@Suite struct MotionTrackerTests {
  private let size = PixelSize(width: 200, height: 120)

  private func timestamp(_ t: Int) -> FrameTimestamp {
    FrameTimestamp(frame: t, time: MediaTime(value: Int64(t), timeBase: Rational(1, 25)))
  }

  private func uniform(_ u: Float, _ v: Float) -> PairMotion {
    PairMotion(
      forward: FlowField(width: size.width, height: size.height) { _, _ in (u, v) },
      backward: FlowField(width: size.width, height: size.height) { _, _ in (-u, -v) })
  }

  /// Flow of an object that covers the pixels of `box` before a background, and the flow back.
  private func object(_ box: BoundingBox, _ motion: SIMD2<Double>, background: SIMD2<Double> = [0, 0]) -> PairMotion {
    func field(_ box: BoundingBox, _ sign: Double) -> FlowField {
      FlowField(width: size.width, height: size.height) { x, y in
        let isInside =
          Double(x) >= box.x - 0.5 && Double(x) < box.x - 0.5 + box.width && Double(y) >= box.y - 0.5
          && Double(y) < box.y - 0.5 + box.height
        let vector = (isInside ? motion : background) * sign
        return (Float(vector.x), Float(vector.y))
      }
    }
    var moved = box
    moved.x += motion.x
    moved.y += motion.y
    return PairMotion(forward: field(box, 1), backward: field(moved, -1))
  }

  // MARK: Points

  @Test func pointsMoveByTheFlowWhereTheyAre() throws {
    var tracker = MotionTracker(size: size)
    // Linear in x and y: bilinear interpolation is exact.
    let flow = FlowField(width: size.width, height: size.height) { x, y in (0.01 * Float(x), 0.02 * Float(y)) }
    try tracker.add(point: [50.5, 20.25], at: timestamp(0))
    for t in 1...10 { try tracker.advance(by: PairMotion(forward: flow), to: timestamp(t)) }
    let track = try #require(tracker.tracks.first)
    #expect(track.positions.count == 11 && track.loss == nil && track.kind == .point)
    var (x, y) = (50.5, 20.25)
    for position in track.positions {
      #expect(abs(position.center.x - x) < 1e-4 && abs(position.center.y - y) < 1e-4)
      #expect(position.confidence == 1 && position.time == timestamp(position.frame).time)
      (x, y) = (x * 1.01, y * 1.02)
    }
  }

  @Test func pointsThatLeaveTheImageAreLost() throws {
    var tracker = MotionTracker(size: size)
    try tracker.add(point: [180, 60], at: timestamp(0))
    try tracker.add(point: [20, 60], at: timestamp(0))
    for t in 1...8 { try tracker.advance(by: uniform(5, 0), to: timestamp(t)) }
    let tracks = tracker.tracks
    #expect(tracks.map(\.loss) == [.leftImage, nil])
    #expect(tracks[0].positions.map(\.frame) == [0, 1, 2, 3])
    #expect(tracker.activeTracks.map(\.id) == [2])
  }

  @Test func aPointOutsideTheImageIsLostAtOnce() throws {
    var tracker = MotionTracker(size: size)
    try tracker.add(point: [-3, 10], at: timestamp(0))
    #expect(tracker.tracks.map(\.loss) == [.leftImage] && tracker.activeTracks.isEmpty)
  }

  @Test func whereTheFlowsContradictEachOtherPointsAreLost() throws {
    var tracker = MotionTracker(size: size)
    try tracker.add(point: [50, 60], at: timestamp(0))
    try tracker.advance(by: uniform(1, 0), to: timestamp(1))
    let field = FlowField(width: size.width, height: size.height) { _, _ in (2, 0) }
    let contradiction = PairMotion(forward: field, backward: field)
    for t in 2...12 { try tracker.advance(by: contradiction, to: timestamp(t)) }
    let track = try #require(tracker.tracks.first)
    #expect(track.loss == .notFound)
    // What was only guessed is not part of it.
    #expect(track.positions.map(\.frame) == [0, 1])
  }

  @Test func unknownMotionIsBridgedForSomeFrames() throws {
    var tracker = MotionTracker(size: size)
    try tracker.add(point: [50, 60], at: timestamp(0))
    for t in 1...6 { try tracker.advance(by: uniform(2, 1), to: timestamp(t)) }
    for t in 7...9 { try tracker.advance(by: uniform(.nan, .nan), to: timestamp(t)) }
    for t in 10...12 { try tracker.advance(by: uniform(2, 1), to: timestamp(t)) }
    let track = try #require(tracker.tracks.first)
    #expect(track.loss == nil && track.positions.count == 13)
    let end = try #require(track.positions.last?.center)
    #expect(abs(end.x - 74) < 0.3 && abs(end.y - 72) < 0.2)
    #expect(track.positions[8].confidence == 0)
  }

  /// Points in textured regions: elsewhere the flow itself is no better than its surroundings.
  @Test(arguments: [SceneName.pan, .zoom, .rotation])
  func pointsKeepTheirPositionInTheScene(name: SceneName) throws {
    let scene = try Scene(SceneParameters(name: name, size: PixelSize(width: 480, height: 270), frameCount: 21))
    var tracker = MotionTracker(size: scene.size)
    let starts = TexturedPoints(maximumCount: 60, minimumDistance: 20).points(in: scene.luma(0))
    for start in starts { try tracker.add(point: start, at: timestamp(0)) }
    let handler = SequenceRequestHandler()
    let request = OpticalFlowRequest(computationAccuracy: .high, direction: .both)
    for t in 0...20 {
      guard let seen = try handler.perform(request, on: scene.luma(t)) else { continue }
      try tracker.advance(by: PairMotion(forward: seen.flow, backward: seen.backwardFlow), to: timestamp(t))
    }
    var truth = starts
    for t in 0..<20 {
      truth = truth.map { point in
        let moved = scene.homography(t).apply(x: point.x, y: point.y)
        return SIMD2(moved.x, moved.y)
      }
    }
    let errors = zip(tracker.tracks, truth).compactMap { track, end -> Double? in
      guard track.loss == nil, let position = track.positions.last?.center else { return nil }
      let (dx, dy) = (position.x - end.x, position.y - end.y)
      return (dx * dx + dy * dy).squareRoot()
    }.sorted()
    #expect(errors.count >= 30)
    #expect(errors[errors.count / 2] < 0.3, "\(errors)")
    #expect(errors[errors.count * 9 / 10] < 0.5, "\(errors)")
  }

  // MARK: Boxes

  @Test func aBoxMovesAndGrowsWithWhatIsInIt() throws {
    var tracker = MotionTracker(size: size)
    try tracker.add(box: BoundingBox(x: 60, y: 40, width: 40, height: 30), at: timestamp(0))
    // Grows by 2 % a frame about (80, 55).
    let flow = FlowField(width: size.width, height: size.height) { x, y in
      (0.02 * (Float(x) - 80), 0.02 * (Float(y) - 55))
    }
    for t in 1...10 { try tracker.advance(by: PairMotion(forward: flow), to: timestamp(t)) }
    let box = try #require(tracker.tracks[0].positions.last?.box)
    let scale = (0..<10).reduce(1.0) { product, _ in product * 1.02 }
    #expect(abs(box.width - 40 * scale) < 0.1 && abs(box.height - 30 * scale) < 0.1)
    #expect(abs(box.center.x - (80 + (79.5 - 80) * scale)) < 0.1)
    #expect(abs(box.center.y - (55 + (54.5 - 55) * scale)) < 0.1)
  }

  @Test func aBoxFollowsItsObjectNotTheBackgroundInIt() throws {
    var tracker = MotionTracker(size: size)
    // The object fills a quarter of the box.
    var object = BoundingBox(x: 30, y: 50, width: 20, height: 15)
    try tracker.add(box: BoundingBox(x: 20, y: 42.5, width: 40, height: 30), at: timestamp(0))
    for t in 1...20 {
      try tracker.advance(by: self.object(object, [3, 0.5], background: [-2, 0]), to: timestamp(t))
      object.x += 3
      object.y += 0.5
    }
    let track = tracker.tracks[0]
    #expect(track.loss == nil)
    let center = try #require(track.positions.last?.center)
    #expect(abs(center.x - object.center.x) < 1 && abs(center.y - object.center.y) < 1)
  }

  @Test func aBoxThatLeavesTheImageIsLost() throws {
    var tracker = MotionTracker(size: size)
    var object = BoundingBox(x: 150, y: 50, width: 20, height: 20)
    try tracker.add(box: object, at: timestamp(0))
    for t in 1...20 {
      try tracker.advance(by: self.object(object, [4, 0]), to: timestamp(t))
      object.x += 4
    }
    let track = tracker.tracks[0]
    #expect(track.loss == .leftImage)
    // It is outside from x = 200 on.
    #expect((9...12).contains(try #require(track.positions.last?.frame)))
  }

  @Test func regionsBecomeTracksWhenTheyLast() throws {
    var tracker = MotionTracker(size: size)
    var object = BoundingBox(x: 20, y: 50, width: 30, height: 20)
    let flash = BoundingBox(x: 120, y: 20, width: 30, height: 20)
    for t in 1...12 {
      try tracker.advance(by: self.object(object, [4, 0]), to: timestamp(t))
      object.x += 4
      try tracker.associate(regions: t % 4 == 0 ? [flash, object] : [object], at: timestamp(t))
    }
    #expect(tracker.tracks.count == 1)
    #expect(tracker.tracks[0].positions.map(\.frame) == Array(1...12))
    #expect(tracker.tracks[0].positions.last!.box.intersectionOverUnion(object) > 0.9)
  }

  /// The first region is a hand that comes into the image; the whole is so much larger that the two hardly overlap.
  @Test func whoComesInIsFollowedWhole() throws {
    var tracker = MotionTracker(size: size)
    var object = BoundingBox(x: 196, y: 30, width: 30, height: 60)
    for t in 1...20 {
      try tracker.advance(by: self.object(object, [-5, 0]), to: timestamp(t))
      object.x -= 5
      let region = t == 1 ? BoundingBox(x: 191, y: 50, width: 8, height: 12) : object.intersection(BoundingBox(size))
      try tracker.associate(regions: [region], at: timestamp(t))
    }
    #expect(tracker.tracks.count == 1)
    let box = try #require(tracker.tracks.first?.positions.last?.box)
    #expect(box.intersectionOverUnion(object) > 0.8, "\(box) for \(object)")
  }

  @Test func whatStandsStillIsNoLongerFollowed() throws {
    var parameters = MotionTracker.Parameters()
    parameters.stillPatience = 8
    var tracker = MotionTracker(size: size, parameters: parameters)
    var object = BoundingBox(x: 20, y: 50, width: 30, height: 20)
    for t in 1...30 {
      let speed = t <= 10 ? 4.0 : 0
      try tracker.advance(by: self.object(object, [speed, 0]), to: timestamp(t))
      object.x += speed
      try tracker.associate(regions: speed > 0 ? [object] : [], at: timestamp(t))
    }
    #expect(tracker.tracks.map(\.loss) == [.stoodStill])
    #expect(tracker.tracks[0].positions.last?.frame == 10)
  }

  @Test func interruptionsEndAllTracks() throws {
    var tracker = MotionTracker(size: size)
    try tracker.add(point: [50, 50], at: timestamp(0))
    try tracker.advance(by: uniform(1, 1), to: timestamp(1))
    tracker.interrupt()
    #expect(tracker.tracks.map(\.loss) == [.interrupted] && tracker.tracks[0].positions.count == 2)
  }
}

/// Following estimated motion of objects whose boxes are known.
@Suite struct BoxTrackingSceneTests {
  private struct PendingCrossing {
    var object: String
    var boxes: [Int: BoundingBox]
    var frames: ClosedRange<Int>
  }

  /// The frames in which an object is whole: `inset` pixels from the image's border.
  private func pendingCrossing(_ event: SceneEvent, in size: PixelSize) -> PendingCrossing? {
    var boxes: [Int: BoundingBox] = [:]
    for box in event.boxes {
      boxes[box.frame] = BoundingBox(
        x: Double(box.x), y: Double(box.y), width: Double(box.width), height: Double(box.height))
    }
    let whole = event.boxes.filter {
      $0.x > 1 && $0.y > 1 && $0.x + $0.width < size.width - 1 && $0.y + $0.height < size.height - 1
    }.map(\.frame)
    guard let first = whole.first, let last = whole.last, last - first >= 10 else { return nil }
    return PendingCrossing(object: event.object, boxes: boxes, frames: first...last)
  }

  private func overlaps(
    _ scene: Scene, _ pendingCrossings: [PendingCrossing]
  ) throws -> [String: [Double]] {
    var tracker = MotionTracker(size: scene.size)
    let handler = SequenceRequestHandler()
    let request = OpticalFlowRequest(computationAccuracy: .high, direction: .both)
    var ids: [Int: Int] = [:]
    let frames = pendingCrossings.map(\.frames.lowerBound).min()!...pendingCrossings.map(\.frames.upperBound).max()!
    for t in frames {
      let timestamp = FrameTimestamp(frame: t, time: scene.presentationTime(t))
      let image = scene.luma(t)
      if let seen = try handler.perform(request, on: image) {
        try tracker.advance(
          by: PairMotion(forward: seen.flow, backward: seen.backwardFlow), to: timestamp, image: image)
      }
      tracker.image = image
      for (index, pendingCrossing) in pendingCrossings.enumerated() where pendingCrossing.frames.lowerBound == t {
        ids[index] = try tracker.add(box: pendingCrossing.boxes[t]!, at: timestamp)
      }
    }
    var result: [String: [Double]] = [:]
    for (index, pendingCrossing) in pendingCrossings.enumerated() {
      let track = tracker.tracks.first { $0.id == ids[index] }!
      result[pendingCrossing.object] = pendingCrossing.frames.map { t in
        guard let truth = pendingCrossing.boxes[t], let found = track.positions.first(where: { $0.frame == t }) else {
          return 0
        }
        return truth.intersectionOverUnion(found.box)
      }
    }
    return result
  }

  @Test func peopleWhoWalkByAreFollowedAllTheWay() throws {
    let scene = try Scene(SceneParameters(name: .walkers, size: PixelSize(width: 480, height: 270), frameCount: 212))
    let pendingCrossings = scene.events().filter { $0.object != "third" }.compactMap {
      pendingCrossing($0, in: scene.size)
    }
    #expect(pendingCrossings.count == 2)
    for (object, overlaps) in try overlaps(scene, pendingCrossings) {
      let worst = overlaps.min() ?? 0
      #expect(worst >= 0.7, "\(object): \(worst) in frame \(overlaps.firstIndex(of: worst) ?? -1) of \(overlaps.count)")
    }
  }

  /// Discs and a ring, whose boxes do not change as they turn.
  @Test(arguments: [SceneName.objects, .objectsPan])
  func roundObjectsAreFollowed(name: SceneName) throws {
    let scene = try Scene(SceneParameters(name: name, size: PixelSize(width: 480, height: 270), frameCount: 40))
    let round = ["large disc", "ring", "small disc"]
    let pendingCrossings = scene.events().filter { round.contains($0.object) }.compactMap {
      pendingCrossing($0, in: scene.size)
    }
    #expect(pendingCrossings.count >= 2)
    for (object, overlaps) in try overlaps(scene, pendingCrossings) {
      let worst = overlaps.min() ?? 0
      #expect(worst >= 0.7, "\(object): \(worst) in frame \(overlaps.firstIndex(of: worst) ?? -1) of \(overlaps.count)")
    }
  }
}

extension Scene {
  /// Luma of frame `t`: 0.299 R + 0.587 G + 0.114 B.
  fileprivate func luma(_ t: Int) -> Plane<Float> {
    let image = frame(t)
    return image.withView { view in
      Plane(width: view.width, height: view.height) { x, y in
        let pixel = view.row(y)[x]
        return 0.299 * Float(pixel.r) + 0.587 * Float(pixel.g) + 0.114 * Float(pixel.b)
      }
    }
  }
}
