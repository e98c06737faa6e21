import Imaging
import TestSupport
import Testing

@testable import FlowAnalysis

/// A textured disc before a textured ground, followed by what it shows.
@Suite struct BoxAppearanceTests {
  private struct Stage {
    var size = PixelSize(width: 320, height: 200)
    var radius: (Int) -> Double = { _ in 16 }
    /// Columns that hide the disc.
    var post: Range<Int> = 0..<0
    var center: (Int) -> SIMD2<Double>

    private let ground: Texture
    private let disc: Texture
    private let front: Texture

    init(seed: UInt64 = 31, center: @escaping (Int) -> SIMD2<Double>) {
      self.center = center
      ground = Texture(seed: seed)
      disc = Texture(seed: seed + 1)
      front = Texture(seed: seed + 2)
    }

    /// The share of a pixel that the disc covers.
    func cover(_ x: Double, _ y: Double, _ t: Int) -> Float {
      let (dx, dy) = (x - center(t).x, y - center(t).y)
      return Float(max(0, min(1, radius(t) + 0.5 - (dx * dx + dy * dy).squareRoot())))
    }

    func image(_ t: Int) -> Plane<Float> {
      let (center, scale) = (center(t), radius(0) / radius(t))
      return Plane(width: size.width, height: size.height) { x, y in
        if post.contains(x) { return front.value(Double(x), Double(y)) }
        let below = ground.value(Double(x), Double(y))
        let above = disc.value((Double(x) - center.x) * scale + 500, (Double(y) - center.y) * scale + 500)
        return below + cover(Double(x), Double(y), t) * (above - below)
      }
    }

    func box(_ t: Int) -> BoundingBox {
      BoundingBox(center: center(t), width: 2 * radius(t) + 1, height: 2 * radius(t) + 1)
    }
  }

  private func timestamp(_ t: Int) -> FrameTimestamp {
    FrameTimestamp(frame: t, time: MediaTime(value: Int64(t), timeBase: Rational(1, 25)))
  }

  /// The track of the disc, without flow at the level `fast`.
  private func track(
    _ stage: Stage, frames: Int, level: TrackingLevel, patience: Double = 2, parallelism: Parallelism = .serial
  ) throws -> MotionTrack {
    var parameters = MotionTracker.Parameters()
    parameters.level = level
    parameters.boxPatience = patience
    var tracker = MotionTracker(size: stage.size, parameters: parameters)
    let handler = SequenceRequestHandler(parallelism: parallelism)
    let request = OpticalFlowRequest(computationAccuracy: .medium, direction: .both)
    for t in 0..<frames {
      let image = stage.image(t)
      let seen = level == .fast ? nil : try handler.perform(request, on: image)
      let motion = seen.map { PairMotion(forward: $0.flow, backward: $0.backwardFlow) }
      if t > 0 { try tracker.advance(by: motion, to: timestamp(t), image: image) }
      tracker.image = image
      if t == 0 { try tracker.add(box: stage.box(0), at: timestamp(0)) }
    }
    return try #require(tracker.tracks.first)
  }

  @Test(arguments: TrackingLevel.allCases)
  func aBoxKeepsItsObject(level: TrackingLevel) throws {
    let stage = Stage { t in SIMD2(50 + 4 * Double(t), 100 + 12 * Double(t % 8) / 8) }
    let track = try track(stage, frames: 50, level: level)
    #expect(track.loss == nil && track.positions.count == 50)
    for position in track.positions {
      #expect(stage.box(position.frame).intersectionOverUnion(position.box) > 0.7, "\(position)")
    }
  }

  @Test(arguments: TrackingLevel.allCases)
  func aBoxGrowsWithItsObject(level: TrackingLevel) throws {
    var stage = Stage { t in SIMD2(100 + Double(t), 100) }
    stage.radius = { t in 20 * (1 + 0.5 * Double(t) / 75) }
    let track = try track(stage, frames: 76, level: level)
    let end = try #require(track.positions.last)
    #expect(end.frame == 75)
    #expect(abs(end.box.width / stage.box(75).width - 1) < 0.12, "\(end) for \(stage.box(75))")
    #expect(stage.box(75).intersectionOverUnion(end.box) > 0.7)
  }

  /// A post as wide as the disc; it is wholly hidden for a moment.
  @Test(arguments: TrackingLevel.allCases)
  func anObjectIsFoundBehindAPost(level: TrackingLevel) throws {
    var stage = Stage { t in SIMD2(50 + 4 * Double(t), 100) }
    stage.post = 130..<166
    let track = try track(stage, frames: 56, level: level)
    #expect(track.loss == nil)
    let end = try #require(track.positions.last)
    #expect(end.frame == 55 && end.confidence > 0)
    #expect(stage.box(55).intersectionOverUnion(end.box) > 0.7, "\(end) for \(stage.box(55))")
    #expect(track.positions.contains { $0.confidence == 0 }, "nobody sees it behind the post")
  }

  /// A narrow post is learned piece by piece, as it covers the disc.
  @Test(arguments: [31, 77, 123] as [UInt64])
  func anObjectIsNotTakenForWhatPassesBeforeIt(seed: UInt64) throws {
    var stage = Stage(seed: seed) { t in SIMD2(40 + 2 * Double(t), 100) }
    stage.post = 130..<146
    let end = try #require(try track(stage, frames: 100, level: .fast).positions.last)
    #expect(end.frame == 99)
    #expect(stage.box(99).intersectionOverUnion(end.box) > 0.7, "\(end) for \(stage.box(99))")
  }

  @Test func pixelsThatAreNoNumbersDoNotTrap() throws {
    let stage = Stage { t in SIMD2(60 + 3 * Double(t), 100) }
    var parameters = MotionTracker.Parameters()
    parameters.level = .fast
    var tracker = MotionTracker(size: stage.size, parameters: parameters)
    let values: [Float] = [.nan, .infinity, -.infinity, 1e30]
    let image = Plane<Float>(width: stage.size.width, height: stage.size.height) { x, y in values[(x + y) % 4] }
    let colors = ChrominancePlanes(blueDifference: image, redDifference: image)
    (tracker.image, tracker.chrominance) = (image, colors)
    try tracker.add(box: stage.box(0), at: timestamp(0))
    for t in 1...3 { try tracker.advance(by: nil, to: timestamp(t), image: image, chrominance: colors) }
    #expect(tracker.tracks.allSatisfy { $0.positions.allSatisfy { $0.box.x.isFinite && $0.box.width.isFinite } })
  }

  @Test func whatStaysHiddenIsGivenUp() throws {
    var stage = Stage { t in SIMD2(50 + 3 * Double(t), 100) }
    stage.post = 110..<320
    let track = try track(stage, frames: 60, level: .fast, patience: 0.4)
    #expect(track.loss == .notFound)
    // All of it is hidden in frame 26.
    #expect((18...30).contains(try #require(track.positions.last).frame))
  }

  @Test func confidenceFallsAsATrackAges() throws {
    let stage = Stage { t in SIMD2(50 + 2 * Double(t), 100) }
    let confidences = try track(stage, frames: 90, level: .fast).positions.map(\.confidence)
    #expect(confidences[1] >= 0.9 && confidences[89] < confidences[1] - 0.1)
    #expect(confidences.allSatisfy { $0 > 0 && $0 <= 1 })
  }

  @Test func threadsDoNotChangeATrack() throws {
    var stage = Stage { t in SIMD2(50 + 4 * Double(t), 100) }
    stage.post = 130..<150
    let serial = try track(stage, frames: 40, level: .accurate)
    #expect(try track(stage, frames: 40, level: .accurate, parallelism: Parallelism(threadCount: 3)) == serial)
  }

  /// Luma is the same everywhere.
  @Test func colorAloneIsFollowed() throws {
    let stage = Stage { t in SIMD2(60 + 3 * Double(t), 100) }
    let luma = Plane<Float>(size: stage.size, repeating: 120)
    func chrominance(_ t: Int) -> ChrominancePlanes {
      let plane = Plane<Float>(width: stage.size.width / 2, height: stage.size.height / 2) { x, y in
        128 + 20 * stage.cover(2 * Double(x) + 0.5, 2 * Double(y) + 0.5, t)
      }
      return ChrominancePlanes(
        blueDifference: Plane(size: plane.size, repeating: 128), redDifference: plane)
    }
    var parameters = MotionTracker.Parameters()
    parameters.level = .fast
    var tracker = MotionTracker(size: stage.size, parameters: parameters)
    (tracker.image, tracker.chrominance) = (luma, chrominance(0))
    try tracker.add(box: stage.box(0), at: timestamp(0))
    for t in 1...30 { try tracker.advance(by: nil, to: timestamp(t), image: luma, chrominance: chrominance(t)) }
    let end = try #require(tracker.tracks.first?.positions.last)
    #expect(end.frame == 30)
    #expect(stage.box(30).intersectionOverUnion(end.box) > 0.6, "\(end) for \(stage.box(30))")
  }

  @Test func aResponseIsFoundBetweenCells() throws {
    let size = PixelSize(width: 12, height: 10)
    // A parabola about (−1.3, 2.4), which goes on at the other end.
    let surface = ResponseSurface(
      values: (0..<size.area).map { index in
        let (x, y) = (Double((index % 12 + 6) % 12 - 6), Double((index / 12 + 5) % 10 - 5))
        return Float(10 - (x + 1.3) * (x + 1.3) - (y - 2.4) * (y - 2.4))
      }, size: size)
    let peak = try #require(surface.peak(halfWeightDistance: SIMD2(100, 100)))
    #expect(abs(peak.shift.x + 1.3) < 1e-4 && abs(peak.shift.y - 2.4) < 1e-4)
    #expect(surface.peakToSidelobeRatio(peak) > 1)
    // Close to no shift, lower responses win.
    let near = try #require(surface.peak(halfWeightDistance: SIMD2(0.1, 0.1)))
    #expect(near.x == 0 && near.y == 0)
  }
}
