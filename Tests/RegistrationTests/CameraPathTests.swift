import Imaging
import TestSupport
import Testing

@testable import Registration

/// Corrections of known camera paths.
@Suite struct CameraPathTests {
  private static let size = PixelSize(width: 640, height: 480)
  private static let rate = 25.0

  /// The motions that a camera that stands at `positions` (shift, turn about the middle) measures from frame to frame.
  private func motions(_ poses: [Homography], times: [Double]? = nil, starts: Set<Int> = [0]) -> [CameraMotion] {
    poses.indices.map { t in
      let seconds = times?[t] ?? Double(t) / Self.rate
      guard !starts.contains(t), let back = poses[t - 1].inverse else { return .start(seconds: seconds) }
      return CameraMotion(seconds: seconds, warpTransform: (back * poses[t]).normalized)
    }
  }

  private func pose(x: Double, y: Double, angle: Double = 0) -> Homography {
    let frame = NormalizedFrame(Self.size)
    return frame.inPixels(TransformModel.euclidean.increment([x / frame.scale, y / frame.scale, angle]))
  }

  /// The motion of the corners from each corrected frame to the next.
  private func residual(_ poses: [Homography], _ corrections: [Homography], in range: Range<Int>) -> Double {
    var square = 0.0
    for t in range.dropFirst() {
      let before = (poses[t - 1] * corrections[t - 1]).inverse ?? .identity
      let map = before * poses[t] * corrections[t]
      for (x, y) in [(0.0, 0.0), (639, 0), (639, 479), (0, 479)] {
        let position = map.apply(x: x, y: y)
        square += (position.x - x) * (position.x - x) + (position.y - y) * (position.y - y)
      }
    }
    return (square / Double(4 * (range.count - 1))).squareRoot()
  }

  private func jitter(_ count: Int, extent: Double, seed: UInt64 = 3) -> [(Double, Double, Double)] {
    var random = FixedRandom(seed: seed)
    return (0..<count).map { _ in
      (
        Double.random(in: -extent...extent, using: &random), Double.random(in: -extent...extent, using: &random),
        Double.random(in: -0.002 * extent...0.002 * extent, using: &random)
      )
    }
  }

  @Test(arguments: [TransformModel.euclidean, .affine, .homography])
  func aJitterGoesAway(model: TransformModel) {
    let poses = jitter(150, extent: 6).map { pose(x: $0.0, y: $0.1, angle: $0.2) }
    let still = [Homography](repeating: .identity, count: poses.count)
    let corrections = PathSmoother.corrections(
      of: motions(poses), PathSmoothing(model: model, window: 2), size: Self.size)
    #expect(corrections.count == poses.count)
    let (before, after) = (residual(poses, still, in: 0..<150), residual(poses, corrections, in: 0..<150))
    #expect(after < before / 20, "\(before) → \(after)")
  }

  /// Half a window of such frames are tens of millions, or more than there are numbers.
  @Test(arguments: [4e-8, 1e-12, 1e-300]) func framesThatFollowEachOtherAtOnceTakeNoMemory(interval: Double) {
    let poses = jitter(6, extent: 2).map { pose(x: $0.0, y: $0.1) }
    let times = poses.indices.map { interval * Double($0) }
    let corrections = PathSmoother.corrections(
      of: motions(poses, times: times), PathSmoothing(model: .translation, window: 3), size: Self.size)
    #expect(corrections.count == poses.count)
  }

  @Test func aSwayOfOneHertzIsLessThanAFifth() {
    let poses = (0..<200).map { pose(x: 8 * sinTurn(Double($0) / Self.rate), y: 0) }
    let still = [Homography](repeating: .identity, count: poses.count)
    let corrections = PathSmoother.corrections(
      of: motions(poses), PathSmoothing(model: .translation, window: 3), size: Self.size)
    #expect(residual(poses, corrections, in: 30..<170) < residual(poses, still, in: 30..<170) / 5)
  }

  private func sinTurn(_ turns: Double) -> Double {
    // A parabola per half turn: near enough to a sine, and the same everywhere.
    let phase = turns - turns.rounded(.down)
    let half = phase < 0.5 ? phase : phase - 0.5
    return (phase < 0.5 ? 1 : -1) * 16 * half * (0.5 - half)
  }

  /// The position in the scene of the upper left corner of each corrected image.
  private func corners(_ poses: [Homography], _ corrections: [Homography]) -> [(x: Double, y: Double)] {
    zip(poses, corrections).map { ($0 * $1).apply(x: 0, y: 0) }
  }

  @Test func aSteadyPanStaysSteady() {
    let poses = (0..<80).map { pose(x: 3 * Double($0), y: -1.25 * Double($0)) }
    for model in [TransformModel.translation, .euclidean, .affine] {
      let corrections = PathSmoother.corrections(
        of: motions(poses), PathSmoothing(model: model, window: 2), size: Self.size)
      let corners = corners(poses, corrections)
      for t in 2..<80 {
        #expect(abs(corners[t].x - corners[t - 1].x - 3) < 0.6)
        #expect(abs(corners[t].x - 2 * corners[t - 1].x + corners[t - 2].x) < 0.15)
      }
    }
  }

  /// A pan is steady over time, not from frame to frame.
  @Test func aSteadyPanWithAVariableRateStaysSteady() {
    var random = FixedRandom(seed: 9)
    var times = [0.0]
    for _ in 0..<60 { times.append((times.last ?? 0) + Double.random(in: 0.01...0.09, using: &random)) }
    let poses = times.map { pose(x: 150 * $0, y: 10 * $0) }
    let corrections = PathSmoother.corrections(
      of: motions(poses, times: times), PathSmoothing(model: .translation, window: 3), size: Self.size)
    let corners = corners(poses, corrections)
    for t in 1..<times.count {
      #expect(abs((corners[t].x - corners[t - 1].x) / (times[t] - times[t - 1]) - 150) < 15)
    }
  }

  /// A camera that stops shortly before the end: its image stops, too.
  @Test func theImageComesToRestWithTheCamera() {
    let shake = jitter(200, extent: 2)
    let poses = (0..<200).map { t in pose(x: 6 * Double(min(t, 175)) + shake[t].0, y: shake[t].1) }
    let corrections = PathSmoother.corrections(
      of: motions(poses), PathSmoothing(model: .translation, window: 3), size: Self.size)
    let corners = zip(poses, corrections).map { ($0 * $1).apply(x: 0, y: 0) }
    let last = (corners[199].x - corners[194].x) / 5
    #expect(abs(last) < 0.05, "\(last)")
  }

  /// A camera that rests, speeds up, pans, slows down and rests again, all with a trembling hand.
  private func tour() -> [Homography] {
    let shake = jitter(400, extent: 2)
    return (0..<400).map { t in
      let s = Double(t) / Self.rate
      var way = 0.0
      if s >= 4 { way = 37.5 * (s - 4) * (s - 4) }
      if s >= 6 { way = 150 * (s - 5) }
      if s >= 10 { way -= 37.5 * (s - 10) * (s - 10) }
      if s >= 12 { way = 900 }
      return pose(x: way + shake[t].0, y: shake[t].1, angle: 0.3 * shake[t].2)
    }
  }

  /// The image rests where the camera does and pans steadily in between, within the borders.
  @Test func thePathRestsAndPansSteadily() {
    let poses = tour()
    let corrections = PathSmoother.corrections(
      of: motions(poses), PathSmoothing(model: .euclidean, window: 3, zoomLimit: 1.2), size: Self.size)
    let corners = corners(poses, corrections)
    let velocities = zip(corners, corners.dropFirst()).map { (x: $1.x - $0.x, y: $1.y - $0.y) }
    for t in Array(15..<75) + Array(325..<385) {
      #expect(abs(velocities[t].x) < 0.01 && abs(velocities[t].y) < 0.01, "\(t): \(velocities[t])")
    }
    // Upwards and downwards nothing ever moves.
    for t in 15..<385 { #expect(abs(velocities[t].y) < 0.01, "\(t)") }
    for t in 170..<230 { #expect(abs(velocities[t].x - 6) < 0.2, "\(t): \(velocities[t])") }
    let changes = zip(velocities, velocities.dropFirst()).map { abs($1.x - $0.x) }
    // Steady parts: no acceleration at all in seven of ten frames, where the camera's own has 1.6 pixels.
    #expect(changes.count { $0 < 0.005 } > 280, "\(changes.count { $0 < 0.005 })")
    #expect(changes.allSatisfy { $0 < 0.5 })
    let frame = ImageFrame(Self.size)
    #expect(corrections.allSatisfy { frame.covers($0, zoom: 1.2) })
  }

  /// A stream knows half a window ahead, and comes to rest all the same.
  @Test func aStreamRestsToo() {
    let poses = tour()
    var smoother = PathSmoother(PathSmoothing(model: .euclidean, window: 3, zoomLimit: 1.2), size: Self.size)
    var corrections: [Homography] = []
    for motion in motions(poses) {
      smoother.append(motion)
      while let correction = smoother.next() { corrections.append(correction) }
    }
    smoother.finish()
    while let correction = smoother.next() { corrections.append(correction) }
    #expect(corrections.count == poses.count)
    let corners = corners(poses, corrections)
    for t in Array(15..<60) + Array(350..<385) { #expect(abs(corners[t].x - corners[t - 1].x) < 0.25, "\(t)") }
    #expect(residual(poses, corrections, in: 170..<230) < 6.5)
  }

  /// A hand that wanders as far as the borders allow, and once farther.
  @Test func aTripodStandsStillWhereTheBordersAllowIt() {
    let shake = jitter(300, extent: 3)
    let poses = (0..<300).map { t in
      pose(x: 12 * sinTurn(Double(t) / 140) + shake[t].0, y: shake[t].1 + (t > 200 ? 0.6 * Double(t - 200) : 0))
    }
    let corrections = PathSmoother.corrections(
      of: motions(poses), PathSmoothing(model: .translation, zoomLimit: 1.15, isFixedView: true), size: Self.size)
    let corners = corners(poses, corrections)
    for t in 1..<200 {
      #expect(abs(corners[t].x - corners[t - 1].x) < 1e-3 && abs(corners[t].y - corners[t - 1].y) < 1e-3, "\(t)")
    }
    #expect(corners[299].y > corners[0].y + 0.5)
    let frame = ImageFrame(Self.size)
    #expect(corrections.allSatisfy { frame.covers($0, zoom: 1.15) })
  }

  /// Blocks of a path that is too long for one join without a seam.
  @Test func longPathsGoOnFromBlockToBlock() {
    let shake = jitter(5000, extent: 3)
    let poses = (0..<5000).map { t in pose(x: 2 * Double(t) + shake[t].0, y: shake[t].1) }
    let corrections = PathSmoother.corrections(
      of: motions(poses), PathSmoothing(model: .translation, window: 3), size: Self.size)
    let corners = corners(poses, corrections)
    let velocities = zip(corners, corners.dropFirst()).map { $1.x - $0.x }
    for t in 1..<velocities.count { #expect(abs(velocities[t] - velocities[t - 1]) < 0.1, "\(t)") }
  }

  @Test func aPanGoesOnToItsEnd() {
    let shake = jitter(200, extent: 2)
    let poses = (0..<200).map { t in pose(x: 6 * Double(t) + shake[t].0, y: shake[t].1) }
    let corrections = PathSmoother.corrections(
      of: motions(poses), PathSmoothing(model: .translation, window: 3), size: Self.size)
    let corners = zip(poses, corrections).map { ($0 * $1).apply(x: 0, y: 0) }
    for t in [120, 180, 199] { #expect(abs(corners[t].x - corners[t - 1].x - 6) < 0.4, "\(t)") }
  }

  @Test func noMotionNeedsNoCorrection() {
    let poses = [Homography](repeating: .identity, count: 20)
    let corrections = PathSmoother.corrections(of: motions(poses), PathSmoothing(), size: Self.size)
    #expect(corrections == poses)
  }

  /// Frames behind a cut are corrected as if nothing had been before it.
  @Test func aCutBeginsANewPath() {
    let poses = jitter(60, extent: 5).map { pose(x: $0.0, y: $0.1) }
    let smoothing = PathSmoothing(model: .translation, window: 2)
    let whole = PathSmoother.corrections(of: motions(poses, starts: [0, 25]), smoothing, size: Self.size)
    let first = PathSmoother.corrections(of: motions(Array(poses[..<25])), smoothing, size: Self.size)
    let times = (25..<60).map { Double($0) / Self.rate }
    let second = PathSmoother.corrections(of: motions(Array(poses[25...]), times: times), smoothing, size: Self.size)
    #expect(whole == first + second)
    let joined = PathSmoother.corrections(of: motions(poses), smoothing, size: Self.size)
    #expect(joined != whole)
  }

  @Test func correctionsComeAsSoonAsTheirLookAheadIsKnown() {
    let poses = jitter(60, extent: 5).map { pose(x: $0.0, y: $0.1) }
    var smoother = PathSmoother(PathSmoothing(model: .euclidean, window: 0.8), size: Self.size)
    var delivered = 0
    for (number, motion) in motions(poses).enumerated() {
      smoother.append(motion)
      while smoother.next() != nil { delivered += 1 }
      // 0.4 s are 10 frames; the one behind them shows that they are all. A quarter of them comes at once.
      #expect(delivered >= max(0, number - 10) && delivered <= max(0, number - 8))
    }
    smoother.finish()
    while smoother.next() != nil { delivered += 1 }
    #expect(delivered == 60)
  }

  @Test(arguments: [1.0, 1.02, 1.05, 1.2])
  func correctionsKeepWithinTheZoom(limit: Double) {
    let poses = jitter(100, extent: 15).map { pose(x: $0.0, y: $0.1, angle: $0.2) }
    let corrections = PathSmoother.corrections(
      of: motions(poses), PathSmoothing(model: .euclidean, window: 2, zoomLimit: limit), size: Self.size)
    let frame = ImageFrame(Self.size)
    #expect(corrections.allSatisfy { frame.covers($0, zoom: limit + 1e-9) })
    let still = [Homography](repeating: .identity, count: poses.count)
    let share = residual(poses, corrections, in: 0..<100) / residual(poses, still, in: 0..<100)
    // At 1.2 there is room for all of it.
    #expect(limit > 1.1 ? share < 0.1 : share < 1.01, "\(share)")
    if limit == 1 { #expect(share > 0.95) }
  }

  @Test func theRequiredZoomIsJustLargeEnough() {
    let frame = ImageFrame(Self.size)
    #expect(frame.requiredZoom(.identity) == 1)
    for map in [pose(x: 10, y: 0), pose(x: 3, y: -7, angle: 0.02), pose(x: 0, y: 0, angle: 0.05)] {
      let zoom = frame.requiredZoom(map)
      #expect(frame.covers(map, zoom: zoom) && !frame.covers(map, zoom: zoom - 1e-4))
    }
    // A shift by 10 of 320 pixels to one side.
    #expect(abs(frame.requiredZoom(pose(x: 10, y: 0)) - 319.5 / (319.5 - 9.95)) < 1e-4)
  }

  @Test(arguments: [TransformModel.translation, .euclidean, .affine, .homography])
  func parametersUndoIncrements(model: TransformModel) {
    let theta = [0.02, -0.03, 0.04, 0.01, -0.02, 0.03, 0.005, -0.004].prefix(model.degreesOfFreedom)
    let back = model.parameters(of: model.increment(Array(theta)))
    #expect(zip(back, theta).allSatisfy { abs($0 - $1) < 1e-12 })
  }

  @Test(arguments: [TransformModel.translation, .euclidean, .affine])
  func fieldsGiveTheirMotionBack(model: TransformModel) {
    let map = model == .translation ? pose(x: 2.4, y: -0.7) : pose(x: 2.4, y: -0.7, angle: 0.01)
    var fields = map.localMotions(columns: 16, rows: 12, size: Self.size)
    #expect(fields.allSatisfy { $0.dx == $0.dx.rounded() && $0.dy == $0.dy.rounded() })
    // A tenth moves differently.
    for index in stride(from: 0, to: fields.count, by: 10) { fields[index].dx += 25 }
    let fitted = model.fitted(to: fields, size: Self.size) ?? .identity
    for (x, y) in [(0.0, 0.0), (639, 0), (639, 479), (0, 479)] {
      let (a, b) = (fitted.apply(x: x, y: y), map.apply(x: x, y: y))
      #expect(abs(a.x - b.x) < 0.15 && abs(a.y - b.y) < 0.15, "\(a) instead of \(b)")
    }
  }

  @Test func scenesAreToldFromMotion() {
    let (a, b) = (Texture(seed: 4), Texture(seed: 5))
    let image = a.image(width: 160, height: 120)
    let moved = a.image(width: 160, height: 120) { ($0 + 5, $1 - 3) }
    let other = b.image(width: 160, height: 120)
    let engine = RegistrationEngine(model: .euclidean)
    func separates(_ floating: Plane<Float>) -> Bool {
      SceneChange.separates(
        previous: image, current: floating, registration: engine.estimate(reference: image, floating: floating))
    }
    #expect(!separates(image))
    #expect(!separates(moved))
    #expect(separates(other))
    let black = Plane<Float>(size: image.size, repeating: 20)
    #expect(separates(black))
    // Nothing to hold on to, and no cut either.
    let unknown = RegistrationResult.unknown
    #expect(!SceneChange.separates(previous: black, current: black, registration: unknown))
  }
}
