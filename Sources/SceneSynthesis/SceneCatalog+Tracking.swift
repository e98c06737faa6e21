// The scenes that try trackers: people with swinging limbs who cross, hide, meet and stand. Another seed draws other
// people, times, ways and speeds.

import Imaging

/// A path through points at given frames: straight from one to the next, at rest before the first and behind the last.
struct WalkerPath: Sendable {
  /// A point in units from the middle of the image, and the frame in which it is reached.
  struct Waypoint: Sendable {
    var frame: Double
    var x: Double
    var y: Double
  }

  /// The waypoints, in the order of their frames.
  var waypoints: [Waypoint]

  /// Returns the position at a time, the length of the way up to it, and the speed, in units and units per frame.
  func position(at time: Double) -> (x: Double, y: Double, length: Double, speed: Double) {
    var (position, length) = (waypoints[0], 0.0)
    for (from, to) in zip(waypoints, waypoints.dropFirst()) {
      guard time > from.frame else { return (position.x, position.y, length, 0) }
      let (dx, dy) = (to.x - from.x, to.y - from.y)
      let distance = (dx * dx + dy * dy).squareRoot()
      if time < to.frame {
        let share = (time - from.frame) / (to.frame - from.frame)
        return (from.x + dx * share, from.y + dy * share, length + distance * share, distance / (to.frame - from.frame))
      }
      length += distance
      position = to
    }
    return (position.x, position.y, length, 0)
  }
}

/// The random choices of a scene, which depend on its seed alone.
private struct SceneChoices {
  private var random: SplitMix64

  init(_ canvas: Canvas, scene: UInt64) { random = SplitMix64(seed: SplitMix64.hash(canvas.seed) &+ scene) }

  mutating func number(_ range: ClosedRange<Double>) -> Double {
    range.lowerBound + (range.upperBound - range.lowerBound) * Double(random.next() >> 11) * 0x1p-53
  }

  mutating func side() -> Double { random.next() >> 63 == 0 ? -1 : 1 }
}

/// A person of a scene: how tall, where they walk, and how far down their feet are, which tells who is nearer.
private struct SceneWalker {
  /// The rows of the feet below the middle of the image, in units.
  static let footRange = 20.0...150.0
  /// A step forward goes this far, in heights.
  private static let stepLength = 0.4
  /// The speed, in heights per frame, from which on limbs swing fully.
  private static let fullSwingSpeed = 0.015

  var name: String
  var palette: Palette
  /// The feet's row, in units below the middle.
  var foot: Double
  var path: WalkerPath

  /// Returns the height of somebody whose feet are at a row: who is nearer is taller.
  static func height(foot: Double) -> Double { 92 + 0.34 * foot }

  /// Returns where the middle of somebody is who is just outside of the image on one side, in units.
  static func edge(_ canvas: Canvas, foot: Double) -> Double {
    canvas.halfWidth / canvas.unit + 0.25 * height(foot: foot)
  }

  func object(_ canvas: Canvas) -> SceneObject {
    let height = Self.height(foot: foot)
    let (unit, motion, path) = (canvas.unit, canvas.motion, path)
    return SceneObject(
      name: name, shape: .walker(height: canvas.length(height), swing: 0),
      surface: .object(palette, .stripes(period: canvas.detail(20))),
      path: { t in
        let position = path.position(at: t * motion)
        return Pose(x: position.x * unit, y: (position.y - height / 2) * unit)
      },
      swing: { t in
        let position = path.position(at: t * motion)
        let strength = min(1, position.speed / (Self.fullSwingSpeed * height))
        return strength * stableSine(Double.pi * position.length / (Self.stepLength * height))
      })
  }
}

extension Composition {
  private static let palettes: [Palette] = [.coral, .cloth, .gold, .sky, .plum, .mint]

  /// People before a yard, the nearer ones before the farther ones, and what hides them.
  private static func people(_ canvas: Canvas, _ walkers: [SceneWalker], before objects: [SceneObject] = [])
    -> Composition
  {
    let fromBehind = walkers.sorted { ($0.foot, $0.name) < ($1.foot, $1.name) }
    return Composition(
      background: .bricks(.stone, width: canvas.detail(72), height: canvas.detail(30)), camera: canvas.fixedCamera,
      objects: fromBehind.map { $0.object(canvas) } + objects)
  }

  /// Returns somebody who walks straight through the image and is in the middle at a frame.
  private static func passer(
    _ canvas: Canvas, _ number: Int, from side: Double, foot: Double, speed: Double, middle: Double
  ) -> SceneWalker {
    let edge = SceneWalker.edge(canvas, foot: foot)
    let path = WalkerPath(waypoints: [
      .init(frame: middle - edge / speed, x: side * edge, y: foot),
      .init(frame: middle + edge / speed, x: -side * edge, y: foot),
    ])
    return SceneWalker(
      name: "person \(number)", palette: palettes[(number - 1) % palettes.count], foot: foot, path: path)
  }

  /// Five people from both sides who cross in the middle, and hide each other there.
  static func crossingWalkers(_ canvas: Canvas) -> Composition {
    var choices = SceneChoices(canvas, scene: 1)
    let first = choices.side()
    return people(
      canvas,
      (1...5).map { number in
        passer(
          canvas, number, from: number % 2 == 0 ? first : -first, foot: choices.number(SceneWalker.footRange),
          speed: choices.number(2.8...4.2), middle: choices.number(125...175))
      })
  }

  /// Four people pass behind a pillar that hides them whole, and a thin pole.
  static func hiddenWalkers(_ canvas: Canvas) -> Composition {
    var choices = SceneChoices(canvas, scene: 2)
    let walkers = (1...4).map { number in
      passer(
        canvas, number, from: choices.side(), foot: choices.number(20...130), speed: choices.number(2.8...4.2),
        middle: choices.number(110...140) + 30 * Double(number - 1))
    }
    let pillar = choices.number(-60...60)
    let pole = pillar + choices.side() * choices.number(150...200)
    return people(
      canvas, walkers,
      before: [("pillar", pillar, choices.number(64...90)), ("pole", pole, 14)].map { name, x, width in
        SceneObject(
          name: name,
          shape: .roundedRectangle(
            width: canvas.length(width), height: canvas.length(330), corner: canvas.length(4)),
          surface: .object(.stone, .stripes(period: canvas.detail(26))),
          path: { _ in Pose(x: x * canvas.unit, y: 0) })
      })
  }

  /// Two people come from two sides, meet, go on side by side, and part again; a third one passes behind them.
  static func meetingWalkers(_ canvas: Canvas) -> Composition {
    var choices = SceneChoices(canvas, scene: 3)
    let side = choices.side()
    let foot = choices.number(70...130)
    let (edge, apart) = (SceneWalker.edge(canvas, foot: foot), choices.number(22...34))
    let (meeting, parting) = (side * choices.number(80...120), -side * choices.number(80...120))
    let (speed, together) = (choices.number(3...3.8), choices.number(2.1...2.7))
    let met = 20 + (edge + abs(meeting)) / speed
    let parted = met + abs(parting - meeting) / together
    /// One of the two: from one side to the meeting, along, and off to a side. The two walk `offset` beside the path.
    func one(_ number: Int, from: Double, to: Double, offset: Double) -> SceneWalker {
      let (start, end) = (from * edge, to * edge)
      let row = foot + 4 * offset / apart
      return SceneWalker(
        name: "person \(number)", palette: palettes[number - 1], foot: row,
        path: WalkerPath(waypoints: [
          .init(frame: met - abs(meeting + offset - start) / speed, x: start, y: row),
          .init(frame: met, x: meeting + offset, y: row), .init(frame: parted, x: parting + offset, y: row),
          .init(frame: parted + abs(end - parting - offset) / speed, x: end, y: row),
        ]))
    }
    let couple = [
      one(1, from: side, to: -side, offset: side * apart / 2), one(2, from: -side, to: side, offset: -side * apart / 2),
    ]
    let third = passer(
      canvas, 3, from: -side, foot: foot - choices.number(30...50), speed: choices.number(3...4),
      middle: (met + parted) / 2 + choices.number(-15...15))
    return people(canvas, couple + [third])
  }

  /// Three people come, stand for some seconds and go; a fourth one passes before or behind them meanwhile.
  static func standingWalkers(_ canvas: Canvas) -> Composition {
    var choices = SceneChoices(canvas, scene: 4)
    let walkers = (1...3).map { number -> SceneWalker in
      let (foot, side, speed) = (choices.number(SceneWalker.footRange), choices.side(), choices.number(2.8...4))
      let edge = SceneWalker.edge(canvas, foot: foot)
      let x = Double(number - 2) * 150 + choices.number(-30...30)
      let arrival = choices.number(0...15) + (edge + abs(x)) / speed
      let departure = max(arrival + choices.number(60...110), 190)
      let end = choices.side() * edge
      return SceneWalker(
        name: "person \(number)", palette: palettes[number - 1], foot: foot,
        path: WalkerPath(waypoints: [
          .init(frame: arrival - abs(x - side * edge) / speed, x: side * edge, y: foot),
          .init(frame: arrival, x: x, y: foot), .init(frame: departure, x: x, y: foot),
          .init(frame: departure + abs(end - x) / speed, x: end, y: foot),
        ]))
    }
    let passing = passer(
      canvas, 4, from: choices.side(), foot: choices.number(SceneWalker.footRange), speed: choices.number(3...4.2),
      middle: choices.number(160...190))
    return people(canvas, walkers + [passing])
  }
}
