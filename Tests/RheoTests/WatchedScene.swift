import TestSupport

@testable import Rheo

/// A textured scene with a textured thing in it, seen by a camera that may turn.
struct WatchedScene: Sendable {
  static let size = PixelSize(width: 320, height: 180)
  private static let ground = Texture(seed: 4).image(width: 640, height: 220)
  private static let clothes = Texture(seed: 21).image(width: 40, height: 40) { (4 * $0, 4 * $1) }
  private static let margin = 20

  var thing = PixelSize(width: 12, height: 24)
  /// The upper left corner of the thing in frame t, in pixels of the scene; nil: it is not there.
  var position: @Sendable (Int) -> (x: Double, y: Double)?
  /// The left edge of the image in frame t, in whole pixels of the scene.
  var camera: @Sendable (Int) -> Int = { _ in 0 }

  func image(_ t: Int) -> Plane<Float> {
    let (position, left) = (position(t), camera(t))
    return Self.ground.withView { ground in
      Self.clothes.withView { clothes in
        Plane(width: Self.size.width, height: Self.size.height) { x, y in
          let (sceneX, sceneY) = (x + left, y)
          if let position {
            let (dx, dy) = (Double(sceneX) - position.x, Double(sceneY) - position.y)
            if dx >= 0, dy >= 0, dx < Double(thing.width), dy < Double(thing.height) {
              return 0.8 * between(clothes, dx, dy) + 60
            }
          }
          return ground.row(sceneY + Self.margin)[sceneX + Self.margin]
        }
      }
    }
  }

  private func between(_ view: PlaneView<Float>, _ x: Double, _ y: Double) -> Float {
    let (x0, y0) = (Int(x), Int(y))
    let (fx, fy) = (Float(x - Double(x0)), Float(y - Double(y0)))
    let (top, low) = (view.row(y0), view.row(y0 + 1))
    let upper = top[x0] + fx * (top[x0 + 1] - top[x0])
    return upper + fy * (low[x0] + fx * (low[x0 + 1] - low[x0]) - upper)
  }

  /// Returns what the detection finds at 25 frames a second.
  func detect(_ zones: ZoneSet, frames: Int) throws -> Detection.Report {
    let task = Detection(input: "scene", zones: zones)
    let detection = SerialDetection(task, size: Self.size, analyzedSize: Self.size)
    var log = EventLog(
      source: .init(file: "scene", width: Self.size.width, height: Self.size.height, frameRate: 25), zones: zones,
      events: EventParameters(), keepsStatistics: true)
    for t in 0..<frames {
      let time = MediaTime(value: Int64(t), timeBase: Rational(1, 25))
      try log.append(detection.statistics(AnalyzedFrame(number: t, time: time, image: image(t))), nil)
    }
    return try log.finish(gaps: [], nil)
  }
}
