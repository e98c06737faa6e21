import TestSupport

@testable import Rheo

/// A still scene seen through all that must not be taken for motion, with or without someone who walks through it.
struct DisturbedScene {
  static let frameCount = 100
  /// The walker is in view from here on.
  static let entry = 50
  private static let margin = 16.0
  private static let ground = Texture(seed: 4).image(width: 672, height: 392)
  private static let leaves = Texture(seed: 11).image(width: 672, height: 392)
  private static let clothes = Texture(seed: 21).image(width: 32, height: 32) { (4 * $0, 4 * $1) }

  enum Disturbance: String, CaseIterable, Sendable {
    case none, gain, step, flicker, headlight, noise, shake, foliage
  }

  var disturbance: Disturbance
  /// The speed of who walks, in thousandths of the image's width a frame; nil for no one.
  var speed: Double?
  /// The width of the image, 320 or 640 pixels.
  var width = 320

  var size: PixelSize { PixelSize(width: width, height: width * 9 / 16) }
  private var scale: Double { Double(width) / 320 }
  /// 2 % of the image's width.
  private var walkerSize: (width: Double, height: Double) { (6.4 * scale, 13 * scale) }

  func image(_ t: Int) -> Plane<Float> {
    var random = FixedRandom(seed: UInt64(t) + 1)
    let shake =
      disturbance == .shake
      ? (Double.random(in: -6...6, using: &random), Double.random(in: -6...6, using: &random)) : (0, 0)
    return Plane(width: size.width, height: size.height) { x, y in
      let position = (Double(x) + shake.0, Double(y) + shake.1)
      let value = scene(position.0, position.1, t) * light(Double(x) / scale, Double(y) / scale, t) + noise(&random)
      return min(max(value, 0), 255).rounded()
    }
  }

  private func scene(_ x: Double, _ y: Double, _ t: Int) -> Float {
    if let speed, t >= Self.entry {
      let (left, top) = (30 * scale + speed * Double(width) / 1000 * Double(t - Self.entry), 120 * scale)
      if x >= left, x < left + walkerSize.width, y >= top, y < top + walkerSize.height {
        return 0.8 * Self.sample(Self.clothes, x - left, y - top) + 60
      }
    }
    let (u, v) = (x / scale, y / scale)
    if disturbance == .foliage, (u - 220) * (u - 220) / 4900 + (v - 60) * (v - 60) / 2500 < 1 {
      let (a, b) = (Double(t) / 25 * 7.0 + u / 30, Double(t) / 25 * 17.0 + u / 11)
      let (oscillation, nod) = (scale * (2 * wave(a) + wave(b)), scale * 1.3 * wave(a * 1.3 + v / 20))
      return Self.sample(Self.leaves, x + oscillation + Self.margin, y + nod + Self.margin)
    }
    return Self.sample(Self.ground, x + Self.margin, y + Self.margin)
  }

  private func light(_ x: Double, _ y: Double, _ t: Int) -> Float {
    switch disturbance {
    // 0.5 … 2, within 0…255 for a texture of middle contrast.
    case .gain: return Float(0.75 * (1.25 + 0.75 * wave(Double(t) / 12)))
    case .step: return (t / 30) % 2 == 0 ? 1 : 0.55
    // Lamps at 50 Hz beat with the shutter: a band that rolls.
    case .flicker: return Float(1 + 0.2 * wave(0.8 * Double(t) + 8 * y / 180))
    case .headlight:
      let (dx, dy) = ((x + 60 - 6 * Double(t - 20)) / 45, (y - 110) / 35)
      let near = max(0, 1 - (dx * dx + dy * dy) / 4)
      return Float(1 + 1.3 * near * near)
    default: return 1
    }
  }

  private func noise(_ random: inout FixedRandom) -> Float {
    guard disturbance == .noise else { return 0 }
    // The sum of four uniform numbers of a variance of 1/12 each; sigma is 10.
    let sum = (0..<4).reduce(Float(0)) { sum, _ in sum + Float.random(in: -0.5...0.5, using: &random) }
    return sum * 17.32
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

  /// The image as it is analysed, 320 pixels wide.
  private func analyzed(_ t: Int) -> Plane<Float> {
    let whole = image(t)
    guard width == 640 else { return whole }
    return whole.withView { view in
      Plane(width: 320, height: 180) { x, y in
        let (upper, lower) = (view.row(2 * y), view.row(2 * y + 1))
        return (upper[2 * x] + upper[2 * x + 1] + lower[2 * x] + lower[2 * x + 1]) / 4
      }
    }
  }

  /// The events that the detection finds with its defaults.
  func detect() throws -> Detection.Report {
    let detection = SerialDetection(
      Detection(input: "scene"), size: size, analyzedSize: PixelSize(width: 320, height: 180))
    var log = EventLog(
      source: .init(file: "scene", width: size.width, height: size.height, frameRate: 25), zones: .everywhere,
      events: EventParameters(), keepsStatistics: true)
    for t in 0..<Self.frameCount {
      let time = MediaTime(value: Int64(t), timeBase: Rational(1, 25))
      try log.append(detection.statistics(AnalyzedFrame(number: t, time: time, image: analyzed(t))), nil)
    }
    return try log.finish(gaps: [], nil)
  }
}
