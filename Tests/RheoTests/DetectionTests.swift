import TestSupport
import Testing

@testable import Rheo

/// A still scene seen through all that must not be taken for motion, with or without someone who walks through it.
struct DisturbedScene {
  static let size = PixelSize(width: 320, height: 180)
  static let frameCount = 100
  /// The walker is in view from here on.
  static let entry = 50
  /// 2 % of the picture's width.
  private static let walkerSize = (width: 6.4, height: 13.0)
  private static let margin = 16.0
  private static let ground = Texture(seed: 4).image(width: 352, height: 212)
  private static let leaves = Texture(seed: 11).image(width: 352, height: 212)
  private static let clothes = Texture(seed: 21).image(width: 16, height: 16) { (4 * $0, 4 * $1) }

  enum Disturbance: String, CaseIterable, Sendable {
    case none, gain, step, flicker, headlight, noise, shake, foliage
  }

  var disturbance: Disturbance
  /// Pixels a frame; nil for no one.
  var speed: Double?

  func picture(_ t: Int) -> Plane<Float> {
    var random = FixedRandom(seed: UInt64(t) + 1)
    // Six pixels at twice the size, in which people record.
    let shake =
      disturbance == .shake
      ? (Double.random(in: -3...3, using: &random), Double.random(in: -3...3, using: &random)) : (0, 0)
    return Plane(width: Self.size.width, height: Self.size.height) { x, y in
      let place = (Double(x) + shake.0, Double(y) + shake.1)
      let value = scene(place.0, place.1, t) * light(Double(x), Double(y), t) + noise(&random)
      return min(max(value, 0), 255).rounded()
    }
  }

  private func scene(_ x: Double, _ y: Double, _ t: Int) -> Float {
    if let speed, t >= Self.entry {
      let left = 30 + speed * Double(t - Self.entry)
      if x >= left, x < left + Self.walkerSize.width, y >= 120, y < 120 + Self.walkerSize.height {
        return 0.8 * Self.sample(Self.clothes, x - left, y - 120) + 60
      }
    }
    if disturbance == .foliage, (x - 220) * (x - 220) / 4900 + (y - 60) * (y - 60) / 2500 < 1 {
      let (a, b) = (Double(t) / 25 * 7.0 + x / 30, Double(t) / 25 * 17.0 + x / 11)
      let swing = 2 * wave(a) + wave(b)
      return Self.sample(Self.leaves, x + swing + Self.margin, y + 1.3 * wave(a * 1.3 + y / 20) + Self.margin)
    }
    return Self.sample(Self.ground, x + Self.margin, y + Self.margin)
  }

  private func light(_ x: Double, _ y: Double, _ t: Int) -> Float {
    switch disturbance {
    // 0.5 … 2, within 0…255 for a texture of middle contrast.
    case .gain: return Float(0.75 * (1.25 + 0.75 * wave(Double(t) / 12)))
    case .step: return (t / 30) % 2 == 0 ? 1 : 0.55
    // Lamps at 50 Hz beat with the shutter: a band that rolls.
    case .flicker: return Float(1 + 0.2 * wave(0.8 * Double(t) + 8 * y / Double(Self.size.height)))
    case .headlight:
      let (dx, dy) = ((x + 60 - 6 * Double(t - 20)) / 45, (y - 110) / 35)
      let near = max(0, 1 - (dx * dx + dy * dy) / 4)
      return Float(1 + 1.3 * near * near)
    default: return 1
    }
  }

  private func noise(_ random: inout FixedRandom) -> Float {
    guard disturbance == .noise else { return 0 }
    // The sum of four uniform numbers of a variance of 1/12 each. Sigma 10 in a picture of twice the size is 5 here, where
    // four pixels are averaged; without anyone to be found it is 10 here.
    let sum = (0..<4).reduce(Float(0)) { sum, _ in sum + Float.random(in: -0.5...0.5, using: &random) }
    return sum * (speed == nil ? 10 : 5) * 1.732
  }

  private static func sample(_ plane: Plane<Float>, _ x: Double, _ y: Double) -> Float {
    let (px, py) = (min(max(x, 0), Double(plane.width - 2)), min(max(y, 0), Double(plane.height - 2)))
    let (x0, y0) = (Int(px), Int(py))
    let (fx, fy) = (Float(px - Double(x0)), Float(py - Double(y0)))
    return plane.withView { view in
      let (top, low) = (view.row(y0), view.row(y0 + 1))
      let upper = top[x0] + fx * (top[x0 + 1] - top[x0])
      return upper + fy * (low[x0] + fx * (low[x0 + 1] - low[x0]) - upper)
    }
  }

  /// A sine's likeness: a triangle wave with rounded tips, of period 2π.
  private func wave(_ phase: Double) -> Double {
    let turn = phase / 6.283185307179586
    let part = 2 * (turn - turn.rounded())
    return 4 * part * (1 - abs(part))
  }

  /// The events that the detection finds with its defaults.
  func detect() throws -> Detection.Report {
    let survey = MotionSurvey(Detection(input: "scene"), size: Self.size, analyzedSize: Self.size)
    var log = EventLog(
      source: .init(file: "scene", width: Self.size.width, height: Self.size.height, frameRate: 25), zones: .everywhere,
      events: EventParameters(), keepsStatistics: true)
    for t in 0..<Self.frameCount {
      let time = MediaTime(value: Int64(t), timeBase: Rational(1, 25))
      try log.append(try survey.survey(SurveyedFrame(number: t, time: time, image: picture(t))), nil)
    }
    return try log.finish(gaps: [], nil)
  }
}

@Suite struct DetectionTests {
  @Test(arguments: DisturbedScene.Disturbance.allCases)
  func whatIsNoMotionMakesNoEvent(disturbance: DisturbedScene.Disturbance) throws {
    let report = try DisturbedScene(disturbance: disturbance).detect()
    #expect(report.events.isEmpty, "\(report.events.map { [$0.start.frame, $0.end.frame] })")
    let reasons = Set(report.suppressed.map(\.reason))
    switch disturbance {
    case .gain, .step, .flicker: #expect(reasons == [.lighting])
    case .shake: #expect(reasons.contains(.camera))
    case .none, .noise, .foliage: #expect(reasons.isEmpty, "\(reasons)")
    case .headlight: #expect(!reasons.contains(.camera))
    }
  }

  @Test(arguments: DisturbedScene.Disturbance.allCases, [0.75, 1.5])
  func someoneWhoWalksIsFoundWithinFiveFrames(disturbance: DisturbedScene.Disturbance, speed: Double) throws {
    let report = try DisturbedScene(disturbance: disturbance, speed: speed).detect()
    #expect(report.events.count == 1, "\(report.events.map { [$0.start.frame, $0.end.frame] })")
    let event = try #require(report.events.first)
    #expect(abs(event.start.frame - DisturbedScene.entry) <= 5, "\(event.start.frame)")
    #expect(event.end.frame >= 90)
    // Under a rolling band of light the flow keeps its direction but is too short.
    #expect(event.u > 0.3 * speed && abs(event.v) < 0.3, "\(event.u) \(event.v)")
  }

  @Test func statisticsGiveTheSameEvents() throws {
    let report = try DisturbedScene(disturbance: .noise, speed: 1.5).detect()
    let kept = DetectionStatistics(report, zones: .everywhere)
    let read = try DetectionStatistics(text: try kept.text())
    #expect(read.frames == report.statistics && read.source == report.source)
    let again = try read.detect(EventParameters())
    #expect(again.events == report.events && again.suppressed == report.suppressed && again.frames == report.frames)
    var other = EventParameters()
    other.threshold = 50
    #expect(try read.detect(other).events.isEmpty)
  }

  @Test func damagedStatisticsAreRefused() throws {
    let text = try DetectionStatistics(
      try DisturbedScene(disturbance: .none, speed: 1.5).detect(), zones: .everywhere
    ).text()
    for damaged in [
      "", "frame,seconds\n1,2\n", text + "5,0.2\n", text.replacing("normal", with: "odd"),
      text.replacing("\"statistics\":1", with: "\"statistics\":7"),
    ] {
      #expect(throws: MotionDetectionError.self) { _ = try DetectionStatistics(text: damaged) }
    }
  }
}
