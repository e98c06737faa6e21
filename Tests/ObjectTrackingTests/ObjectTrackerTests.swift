import FlowAnalysis
import Foundation
import Imaging
import Testing

@testable import ObjectTracking

/// Boxes with a pattern of their own that move before a textured background.
private struct Stage {
  struct Walker {
    var position: @Sendable (_ frame: Int) -> SIMD2<Double>?
    var size = PixelSize(width: 18, height: 44)
    var level: Float = 40
  }

  let size = PixelSize(width: 320, height: 240)
  var walkers: [Walker] = []
  /// The columns of the image that something near hides.
  var hiddenColumns = 0..<0

  private static func noise(_ x: Int, _ y: Int, _ seed: UInt64) -> Float {
    var hash = UInt64(bitPattern: Int64(x &* 73_856_093 ^ y &* 19_349_663)) ^ seed &* 0x9E37_79B9_7F4A_7C15
    hash = (hash ^ hash >> 31) &* 0xBF58_476D_1CE4_E5B9
    return Float((hash ^ hash >> 29) % 16)
  }

  /// The left upper corners of the walkers that are there.
  func boxes(_ frame: Int) -> [BoundingBox] {
    walkers.compactMap { walker in
      walker.position(frame).map {
        BoundingBox(x: $0.x, y: $0.y, width: Double(walker.size.width), height: Double(walker.size.height))
      }
    }
  }

  func image(_ frame: Int) -> Plane<Float> {
    var image = Plane<Float>(size: size, repeating: 0)
    image.withMutableView { view in
      for y in 0..<size.height {
        for x in 0..<size.width { view.row(y)[x] = 140 + Self.noise(x, y, 1) }
      }
      for (index, walker) in walkers.enumerated() {
        guard let corner = walker.position(frame) else { continue }
        let (left, top) = (Int(corner.x.rounded()), Int(corner.y.rounded()))
        for y in max(top, 0)..<max(min(top + walker.size.height, size.height), max(top, 0)) {
          for x in max(left, 0)..<max(min(left + walker.size.width, size.width), max(left, 0)) {
            let band: Float = (y - top) / 11 % 2 == 0 ? 0 : 18
            guard !hiddenColumns.contains(x) else { continue }
            view.row(y)[x] = walker.level + band + Self.noise(x - left, y - top, UInt64(index + 7))
          }
        }
      }
    }
    return image
  }

  /// Returns the same tracks as `tracks`, taken out as they are settled.
  func partedTracks(_ frames: Int) throws -> [MotionTrack] {
    let tracker = try ObjectTracker(size: size)
    var parts: [Int: [MotionTrack]] = [:]
    for frame in 0..<frames {
      let time = MediaTime(value: Int64(frame), timeBase: Rational(1, 25))
      try tracker.append(image(frame), at: FrameTimestamp(frame: frame, time: time))
      for part in tracker.takeSettledTracks(keeping: 20) { parts[part.id, default: []].append(part) }
    }
    tracker.finish()
    for part in tracker.tracks { parts[part.id, default: []].append(part) }
    return parts.sorted { $0.key < $1.key }.map { id, parts in
      MotionTrack(id: id, kind: .box, positions: parts.flatMap(\.positions), loss: parts.last?.loss)
    }
  }

  func tracks(_ frames: Int, parameters: ObjectTracker.Parameters = .init()) throws -> [MotionTrack] {
    let tracker = try ObjectTracker(size: size, parameters: parameters)
    for frame in 0..<frames {
      let time = MediaTime(value: Int64(frame), timeBase: Rational(1, 25))
      try tracker.append(image(frame), at: FrameTimestamp(frame: frame, time: time))
    }
    tracker.finish()
    return tracker.tracks
  }
}

private func overlap(_ track: MotionTrack, _ box: (Int) -> BoundingBox?) -> Double {
  let values = track.positions.compactMap { position in
    box(position.frame).map { position.box.intersectionOverUnion($0) }
  }
  return values.isEmpty ? 0 : values.reduce(0, +) / Double(values.count)
}

@Suite struct ObjectTrackerTests {
  @Test func oneWalkerIsOneTrackWithItsBox() throws {
    let stage = Stage(walkers: [.init(position: { SIMD2(-20 + 2.5 * Double($0), 100) })])
    let tracks = try stage.tracks(150)
    #expect(tracks.count == 1)
    let track = try #require(tracks.first)
    #expect(overlap(track) { stage.boxes($0).first } > 0.75)
    #expect(track.positions.count > 115)
    #expect(track.loss == .leftImage)
    // A position for each frame, in order.
    #expect(zip(track.positions, track.positions.dropFirst()).allSatisfy { $0.frame + 1 == $1.frame })
  }

  /// A track has no positions of slivers at the border: less than half of the walker.
  @Test func aTrackBeginsAndEndsWithHalfOfTheObject() throws {
    let size = PixelSize(width: 40, height: 60)
    let stage = Stage(walkers: [.init(position: { SIMD2(-38 + 2 * Double($0), 100) }, size: size)])
    let track = try #require(try stage.tracks(190).first)
    let (first, last) = (try #require(track.positions.first), try #require(track.positions.last))
    // Half of it is in the image from frame 9 on and until frame 169.
    #expect((8...12).contains(first.frame) && (166...170).contains(last.frame), "\(first.frame), \(last.frame)")
    #expect(first.box.area >= 0.45 * 40 * 60 && last.box.area >= 0.45 * 40 * 60)
  }

  /// Behind a walker a shorter one looks out at the side in the first frame: the box is the walker's alone.
  @Test func aTrackBeginsWithoutWhoLooksOutBehind() throws {
    let walker = Stage.Walker(position: { SIMD2(60 + 1.5 * Double($0), 90) })
    let shorter = Stage.Walker(
      position: { SIMD2(75 - 1.5 * Double($0), 106) }, size: PixelSize(width: 18, height: 28), level: 220)
    let stage = Stage(walkers: [shorter, walker])
    let tracks = try stage.tracks(120)
    let first = try #require(tracks.first { $0.positions[0].frame == 0 }?.positions.first)
    #expect(first.box.intersectionOverUnion(BoundingBox(x: 60, y: 90, width: 18, height: 44)) > 0.7, "\(first.box)")
  }

  @Test func whoStandsStillIsStillThere() throws {
    let stage = Stage(walkers: [
      .init(position: { frame in SIMD2(20 + 2 * Double(min(frame, 60) + max(frame - 360, 0)), 90) })
    ])
    let tracks = try stage.tracks(400)
    #expect(tracks.count == 1)
    #expect(try #require(tracks.first).positions.count >= 380)
  }

  /// A leg that swings behind its walker is no object of its own; a child beside a grown-up is one.
  @Test func aLegBelongsToItsWalker() throws {
    func walker(_ left: Double, _ top: Double, _ width: Int, _ height: Int) -> Stage.Walker {
      Stage.Walker(
        position: { SIMD2(left + 2 * Double($0), top) }, size: PixelSize(width: width, height: height))
    }
    let body = walker(-40, 80, 36, 90)
    let leg = Stage.Walker(
      position: { SIMD2(-57 + 2 * Double($0) + 2 * sin(0.5 * Double($0)), 128) }, size: PixelSize(width: 11, height: 42)
    )
    let legged = try Stage(walkers: [body, leg]).tracks(150)
    #expect(legged.count == 1)
    #expect(
      overlap(try #require(legged.first)) { BoundingBox(x: -57 + 2 * Double($0), y: 80, width: 53, height: 90) } > 0.6)
    #expect(try Stage(walkers: [body, walker(-75, 115, 18, 55)]).tracks(150).count == 2)
  }

  /// A head that comes apart from its walker, nods and does not leave is no object of its own; a small one who goes
  /// another way above is one.
  @Test func aHeadBelongsToItsWalker() throws {
    let body = Stage.Walker(
      position: { SIMD2(-40 + 2 * Double($0), 100) }, size: PixelSize(width: 36, height: 90))
    func head(_ position: @escaping @Sendable (Double) -> SIMD2<Double>) -> Stage.Walker {
      Stage.Walker(
        position: { $0 < 45 ? nil : position(Double($0)) }, size: PixelSize(width: 12, height: 16))
    }
    let nodding = head { SIMD2(-28 + 2 * $0 + 3 * sin(0.5 * $0), 73) }
    #expect(try Stage(walkers: [body, nodding]).tracks(150).count == 1)
    let another = head { SIMD2(300 - 2 * $0, 73) }
    #expect(try Stage(walkers: [body, another]).tracks(150).count == 2)
  }

  /// What is taken out on the way is what there would have been at the end: one walks by, one stays for long.
  @Test func tracksComeInPartsOnTheWay() throws {
    let stage = Stage(walkers: [
      .init(position: { SIMD2(-20 + 2.5 * Double($0), 30) }),
      .init(position: { frame in SIMD2(20 + 2 * Double(min(frame, 60) + max(frame - 640, 0)), 150) }),
    ])
    let whole = try stage.tracks(700)
    #expect(whole.count == 2 && whole.contains { $0.positions.count > 640 })
    #expect(try stage.partedTracks(700) == whole)
  }

  /// Two cross: each keeps its number, and its box while they overlap.
  @Test(arguments: [0.0, 14]) func whoCrossKeepTheirNumbers(offset: Double) throws {
    let first = Stage.Walker(position: { SIMD2(10 + 2 * Double($0), 90) }, level: 30)
    let second = Stage.Walker(position: { SIMD2(290 - 2 * Double($0), 90 + offset) }, level: 225)
    let stage = Stage(walkers: [first, second])
    let tracks = try stage.tracks(135)
    #expect(tracks.count == 2)
    for walker in [first, second] {
      let best = tracks.map { track in
        overlap(track) { frame in
          walker.position(frame).map { BoundingBox(x: $0.x, y: $0.y, width: 18, height: 44) }
        }
      }
      #expect(try #require(best.max()) > 0.6)
    }
  }

  /// Two who come side by side and never part are two tracks, from their beginning on, once the usual size is known;
  /// who is as wide as they are, as all others are too, is one.
  @Test(arguments: [false, true])
  func whoWalkAsOneAreTwo(areAllWide: Bool) throws {
    let wide = PixelSize(width: 30, height: 44)
    let single = areAllWide ? wide : PixelSize(width: 18, height: 44)
    let walkers = [
      Stage.Walker(position: { SIMD2(-30 + 2.5 * Double($0), 20) }, size: single),
      .init(position: { SIMD2(320 - 2.5 * Double($0), 180) }, size: single, level: 220),
      .init(position: { SIMD2(-150 + 2.5 * Double($0), 100) }, size: single),
    ]
    let pair =
      areAllWide
      ? [] : [Stage.Walker(position: { SIMD2(-138 + 2.5 * Double($0), 100) }, level: 210)]
    let stage = Stage(walkers: walkers + pair)
    let tracks = try stage.tracks(190)
    #expect(tracks.count == walkers.count + pair.count)
    for (index, walker) in stage.walkers.enumerated() {
      let best = tracks.map { track in
        overlap(track) { frame in
          walker.position(frame).map {
            BoundingBox(x: $0.x, y: $0.y, width: Double(walker.size.width), height: Double(walker.size.height))
          }
        }
      }
      #expect(try #require(best.max()) > 0.65, "walker \(index): \(best)")
    }
  }

  /// What is as high as a walker and much wider than two is no group: a car.
  @Test func aCarAmongWalkersIsOne() throws {
    let stage = Stage(walkers: [
      .init(position: { SIMD2(-30 + 2.5 * Double($0), 20) }), .init(position: { SIMD2(320 - 2.5 * Double($0), 180) }),
      .init(position: { SIMD2(-190 + 2 * Double($0), 100) }, size: PixelSize(width: 90, height: 44)),
    ])
    #expect(try stage.tracks(190).count == 3)
  }

  /// Two who come from both sides and pass each other behind a column keep their numbers: they seem to slow down as it
  /// hides them, and each comes out where the other one went in.
  @Test func whoPassEachOtherBehindAColumnKeepTheirNumbers() throws {
    let stage = Stage(
      walkers: [
        .init(position: { SIMD2(20 + 2 * Double($0), 92) }, level: 30),
        .init(position: { SIMD2(282 - 2 * Double($0), 90) }, level: 220),
      ], hiddenColumns: 135..<185)
    let tracks = try stage.tracks(125)
    #expect(tracks.count == 2)
    for walker in stage.walkers {
      let best = tracks.map { track in
        overlap(track) { frame in
          walker.position(frame).map { BoundingBox(x: $0.x, y: $0.y, width: 18, height: 44) }
        }
      }
      #expect(try #require(best.max()) > 0.6, "\(best)")
    }
  }

  /// A camera that moves is told apart from one that stands.
  @Test(arguments: [(0.0, 0.0...0.0), (2.5, 0.5...1.0)])
  func aMovingCameraIsNoticed(speed: Double, shares: ClosedRange<Double>) throws {
    let size = PixelSize(width: 320, height: 240)
    let tracker = try ObjectTracker(size: size)
    for frame in 0..<60 {
      let image = Plane<Float>(width: size.width, height: size.height) { x, y in
        let (u, v) = (Double(x) + speed * Double(frame), Double(y))
        return Float(128 + 40 * sin(u / 5) * cos(v / 7) + 30 * sin(u / 17 + v / 11) + 20 * cos(v / 3 - u / 9))
      }
      let time = MediaTime(value: Int64(frame), timeBase: Rational(1, 25))
      try tracker.append(image, at: FrameTimestamp(frame: frame, time: time))
    }
    tracker.finish()
    #expect(shares.contains(tracker.unsettledShare), "\(tracker.unsettledShare)")
  }

  @Test func whoWasHiddenIsFoundAgain() throws {
    // Behind a wall for 24 frames: less than the patience of two seconds.
    let stage = Stage(walkers: [
      .init(position: { frame in 50..<74 ~= frame ? nil : SIMD2(20 + 2 * Double(frame), 90) })
    ])
    let tracks = try stage.tracks(120)
    #expect(tracks.count == 1)
    let track = try #require(tracks.first)
    #expect(track.positions.contains { $0.frame == 60 && $0.confidence < 0.5 })
    let impatient = try stage.tracks(
      120,
      parameters: {
        var parameters = ObjectTracker.Parameters()
        parameters.patience = 0.2
        return parameters
      }())
    #expect(impatient.count == 2)
  }

  /// Light that changes all over begins no tracks, and afterwards walkers are found again.
  @Test func changedLightIsNoThing() throws {
    let stage = Stage(walkers: [.init(position: { $0 < 80 ? nil : SIMD2(20 + 2 * Double($0 - 80), 90) })])
    let tracker = try ObjectTracker(size: stage.size)
    for frame in 0..<180 {
      var image = stage.image(frame)
      if frame >= 50 {
        image.withMutableView { view in
          for y in 0..<view.height { for x in 0..<view.width { view.row(y)[x] += 60 } }
        }
      }
      let time = MediaTime(value: Int64(frame), timeBase: Rational(1, 25))
      try tracker.append(image, at: FrameTimestamp(frame: frame, time: time))
    }
    #expect(tracker.tracks.count == 1)
    #expect(try #require(tracker.tracks.first?.positions.first).frame >= 80)
  }

  /// A flash hides all for two frames; there are positions for them too.
  @Test func aFlashLeavesNoHole() throws {
    let stage = Stage(walkers: [.init(position: { SIMD2(20 + 2 * Double($0), 90) })])
    let tracker = try ObjectTracker(size: stage.size)
    for frame in 0..<130 {
      var image = stage.image(frame)
      if 60..<62 ~= frame {
        image.withMutableView { view in
          for y in 0..<view.height { for x in 0..<view.width { view.row(y)[x] = 250 } }
        }
      }
      let time = MediaTime(value: Int64(frame), timeBase: Rational(1, 25))
      try tracker.append(image, at: FrameTimestamp(frame: frame, time: time))
    }
    for track in tracker.tracks {
      #expect(zip(track.positions, track.positions.dropFirst()).allSatisfy { $0.frame + 1 == $1.frame })
    }
    #expect(tracker.tracks.contains { $0.positions.count > 50 })
  }

  @Test func anEmptySceneAndNoFramesHaveNoTracks() throws {
    #expect(try Stage().tracks(60).isEmpty)
    #expect(try Stage().tracks(0).isEmpty)
    // Fewer frames than the background waits for.
    let short = Stage(walkers: [.init(position: { SIMD2(20 + 4 * Double($0), 90) })])
    #expect(try short.tracks(30).count == 1)
  }
}

@Suite struct BitMaskTests {
  @Test func closingFillsGapsAndKeepsTheRest() {
    var mask = BitMask(size: PixelSize(width: 20, height: 12))
    for x in [2, 6, 15] { for y in 3..<7 { mask[x, y] = true } }
    let closed = mask.closed(x: 2, y: 1)
    for y in 3..<7 {
      #expect((0..<20).filter { closed[$0, y] } == [2, 3, 4, 5, 6, 15])
    }
    #expect(closed.components().parts.map(\.area).sorted() == [4, 20])
  }

  @Test func countsAreThoseOfTheBox() {
    var mask = BitMask(size: PixelSize(width: 7, height: 5))
    for y in 0..<5 { for x in 0..<7 where (x * 3 + y * 5) % 4 == 0 { mask[x, y] = true } }
    let area = PixelRect(x: 1, y: 0, width: 5, height: 4)
    let counts = BitMask.Counts(mask, in: area)
    for rect in [PixelRect(x: 0, y: 1, width: 4, height: 4), PixelRect(x: 2, y: 2, width: 3, height: 2)] {
      var count = 0
      for y in 0..<5 {
        for x in 0..<7 where mask[x, y] && area.columns.contains(x) && area.rows.contains(y) {
          if rect.columns.contains(x), rect.rows.contains(y) { count += 1 }
        }
      }
      #expect(counts.count(rect) == count)
    }
  }

  @Test func pixelsOfABoxLieInTheImage() {
    let size = PixelSize(width: 20, height: 10)
    let box = BoundingBox(x: -4, y: 7.6, width: 10, height: 8)
    #expect(box.pixels(of: size) == PixelRect(x: 0, y: 8, width: 6, height: 2))
    #expect(box.pixels(of: size, marginX: 2, marginY: 1) == PixelRect(x: 0, y: 7, width: 8, height: 3))
    #expect(BoundingBox(x: 40, y: 0, width: 5, height: 5).pixels(of: size).size.isEmpty)
  }
}

@Suite struct SizeModelTests {
  @Test func heightGrowsTowardsTheViewer() throws {
    var model = SizeModel()
    for index in 0..<300 {
      let foot = 60 + Double(index % 120)
      // Two thirds are people; the rest is anything.
      let height = index % 3 == 0 ? Double(index * 37 % 90) + 5 : 0.3 * foot + 4
      model.add(BoundingBox(x: 0, y: foot - height, width: 0.4 * height, height: height))
    }
    model.fit()
    #expect(abs(try #require(model.aspect) - 0.4) < 1e-9)
    #expect(abs(try #require(model.height(foot: 100)) - 34) < 1)
    #expect(SizeModel().height(foot: 100) == nil)
  }
}
