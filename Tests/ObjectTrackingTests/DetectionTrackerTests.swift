import FlowAnalysis
import Imaging
import Testing

@testable import ObjectTracking

/// Tracks of drawn detections.
@Suite struct DetectionTrackerTests {
  private let size = PixelSize(width: 320, height: 240)

  private func timestamp(_ frame: Int) -> FrameTimestamp {
    FrameTimestamp(frame: frame, time: MediaTime(value: Int64(frame), timeBase: Rational(1, 25)))
  }

  private func walker(_ x: Double, _ y: Double = 100) -> BoundingBox {
    BoundingBox(x: x, y: y, width: 20, height: 50)
  }

  /// Returns a gaussian number, the sum of twelve even ones.
  private func noise(_ random: inout SplitMix64) -> Double {
    (0..<12).reduce(-6) { sum, _ in sum + Double(random.index(below: 1 << 20)) / Double(1 << 20) }
  }

  private func track(
    _ frames: Int, parameters: DetectionTracker.Parameters = .init(),
    _ detections: (Int) -> [DetectedBox]
  ) -> [MotionTrack] {
    let tracker = DetectionTracker(size: size, parameters: parameters)
    for frame in 0..<frames { tracker.append(detections(frame), at: timestamp(frame)) }
    return tracker.tracks
  }

  @Test func twoWhoCrossKeepTheirNumbers() throws {
    var random = SplitMix64(seed: 5)
    // The boxes of successive frames overlap by half.
    let ways: [@Sendable (Int) -> Double] = [{ 10 + 7 * Double($0) }, { 260 - 7 * Double($0) }]
    let tracks = track(35) { frame in
      ways.enumerated().map { index, way in
        let box = walker(way(frame) + noise(&random), 100 + 12 * Double(index) + noise(&random))
        return DetectedBox(box: box)
      }.reversed()
    }
    #expect(tracks.count == 2)
    for track in tracks {
      let first = try #require(track.positions.first?.box.x)
      let way = first < 150 ? ways[0] : ways[1]
      #expect(track.positions.count == 35)
      #expect(track.positions.allSatisfy { abs($0.box.x - way($0.frame)) < 5 })
    }
  }

  @Test func boxesAreSurerThanTheDetections() throws {
    var random = SplitMix64(seed: 6)
    var errors: (seen: Double, told: Double) = (0, 0)
    var seen: [Double] = []
    let tracks = track(100) { frame in
      let x = 20 + 2 * Double(frame)
      seen.append(x + 2.5 * noise(&random))
      return [DetectedBox(box: walker(seen[frame]))]
    }
    let told = try #require(tracks.first)
    for position in told.positions {
      let x = 20 + 2 * Double(position.frame)
      errors.seen += abs(seen[position.frame] - x)
      errors.told += abs(position.box.x - x)
    }
    #expect(tracks.count == 1 && told.positions.count == 100)
    #expect(errors.told < 0.75 * errors.seen, "\(errors)")
  }

  @Test func whoIsHiddenComesBackWithTheSameNumber() throws {
    let tracks = track(80) { frame in
      (30..<55).contains(frame) ? [] : [DetectedBox(box: walker(20 + 3 * Double(frame)))]
    }
    let told = try #require(tracks.first)
    #expect(tracks.count == 1 && told.positions.count == 80)
    // The way between is filled in, and said to be a guess.
    #expect(told.positions[40].confidence < 0.5 && abs(told.positions[40].box.x - 140) < 4)
    var parameters = DetectionTracker.Parameters()
    parameters.patience = 0.5
    let two = track(80, parameters: parameters) { frame in
      (30..<55).contains(frame) ? [] : [DetectedBox(box: walker(20 + 3 * Double(frame)))]
    }
    #expect(two.count == 2)
  }

  @Test func unsureDetectionsGoOnAndDoNotBegin() throws {
    var parameters = DetectionTracker.Parameters()
    parameters.sureConfidence = 0.5
    let tracks = track(60, parameters: parameters) { frame in
      [
        DetectedBox(box: walker(20 + 2 * Double(frame)), confidence: (20..<40).contains(frame) ? 0.2 : 0.8),
        DetectedBox(box: walker(200, 20), confidence: 0.4),
      ]
    }
    let told = try #require(tracks.first)
    #expect(tracks.count == 1 && told.positions.count == 60)
    #expect(told.positions.allSatisfy { $0.confidence > 0.5 })
  }

  @Test func aFewFalseBoxesAreNoTrack() {
    var random = SplitMix64(seed: 8)
    let tracks = track(200) { _ in
      [DetectedBox(box: walker(Double(random.index(below: 300)), Double(random.index(below: 190))))]
    }
    #expect(tracks.count <= 2, "\(tracks.map(\.positions.count))")
  }

  /// Who parts after having been one blob is told apart by colour.
  @Test func coloursTellWhoIsWho() throws {
    let tracker = DetectionTracker(size: size)
    // They come together, are one for 15 frames, and go back to where they came from.
    func places(_ frame: Int) -> [Double] {
      let way = frame < 30 ? Double(frame) : frame < 45 ? 30 : Double(75 - frame)
      return [60 + 2 * way, 200 - 2 * way]
    }
    for frame in 0..<75 {
      let boxes = places(frame).map { walker($0) }
      var luma = Plane<Float>(size: size, repeating: 120)
      luma.withMutableView { view in
        for (box, level) in zip(boxes, [Float(40), 220]) {
          let area = box.pixels(of: size)
          for y in area.rows { for x in area.columns { view.row(y)[x] = level } }
        }
      }
      let hidden = (27..<48).contains(frame)
      tracker.append(
        hidden ? [] : boxes.map { DetectedBox(box: $0) }, at: timestamp(frame), image: .init(luma: luma))
    }
    #expect(tracker.tracks.count == 2)
    for track in tracker.tracks {
      let (first, last) = (try #require(track.positions.first), try #require(track.positions.last))
      #expect(last.frame == 74)
      #expect(abs(first.box.x - last.box.x) < 10, "\(first.box) \(last.box)")
    }
  }

  @Test func tracksGoAlongWithTheCamera() {
    // The image jumps by a box's width in every fifth frame.
    let jump = Homography.translation(x: -25, y: 0)
    func tracks(_ knowsCamera: Bool) -> [MotionTrack] {
      let tracker = DetectionTracker(size: size)
      for frame in 0..<40 {
        let isJump = frame % 5 == 4
        let x = 280 + Double(frame) - 25 * Double((frame + 1) / 5)
        tracker.append(
          [DetectedBox(box: walker(x))], at: timestamp(frame), camera: isJump && knowsCamera ? jump : nil)
      }
      return tracker.tracks
    }
    #expect(tracks(true).map(\.positions.count) == [40])
    #expect(tracks(false).map(\.positions.count) != [40])
  }

  @Test func settledTracksAreTheSame() {
    func detections(_ frame: Int) -> [DetectedBox] {
      frame % 700 > 690 ? [] : [DetectedBox(box: walker(50 + 20 * Double(frame % 20) / 20))]
    }
    let whole = track(2000, detections)
    let tracker = DetectionTracker(size: size)
    var positions: [Int: [TrackPosition]] = [:]
    for frame in 0..<2000 {
      tracker.append(detections(frame), at: timestamp(frame))
      for part in tracker.takeSettledTracks(keeping: 8) { positions[part.id, default: []] += part.positions }
    }
    for part in tracker.tracks { positions[part.id, default: []] += part.positions }
    #expect(positions == Dictionary(uniqueKeysWithValues: whole.map { ($0.id, $0.positions) }))
    #expect(whole.reduce(0) { $0 + $1.positions.count } > 1900)
  }

  @Test func kalmanFilterLearnsMotion() {
    var filter = BoxKalmanFilter(walker(0))
    for frame in 1...40 {
      filter.predict()
      filter.correct(with: walker(3 * Double(frame)))
    }
    let sure = filter.deviation.x
    filter.predict()
    #expect(abs(filter.box.x - 123) < 0.2 && abs(filter.box.height - 50) < 1e-9)
    for _ in 0..<20 { filter.predict() }
    #expect(abs(filter.box.x - 183) < 2 && filter.deviation.x > 3 * sure)
  }
}
