// Scenes of planes with exact flow.

import Imaging
import TestSupport

/// A textured plane that fills two images, and the homography between them.
struct PlaneScene {
  /// The mean distance to the truth over the pixels that leave the image and over the others, and the share of the
  /// former.
  struct Errors {
    let leaving: Double
    let staying: Double
    let share: Double
  }

  let size: PixelSize
  let homography: Homography
  let previous: Plane<Float>
  let current: Plane<Float>

  init(_ homography: Homography, size: PixelSize = PixelSize(width: 320, height: 240), seed: UInt64 = 1) {
    (self.size, self.homography) = (size, homography)
    let texture = Texture(seed: seed)
    let backwards = homography.inverse ?? .identity
    previous = texture.image(width: size.width, height: size.height)
    current = texture.image(width: size.width, height: size.height) {
      let source = backwards.apply(x: $0, y: $1)
      return (source.x, source.y)
    }
  }

  /// The ground under a camera that moves ahead: what is near the lower border moves fast.
  static let ground = Homography.translation(x: 0, y: 16) * groundMotion(rate: 0.001, turn: 8)
  /// The map of a camera that moves towards a wall.
  static let zoom = Homography([1.17, 0, -0.17 * 160, 0, 1.17, -0.17 * 120, 0, 0, 1])

  /// X = c + (x − c) / d and Y = t + (y − t) / d for the depth d = 1 − rate·(y − t), at row t = 30.
  static func groundMotion(rate: Double, turn: Double) -> Homography {
    let (center, top) = (160.0, 30.0)
    return Homography.translation(x: center + turn, y: top)
      * Homography([1, 0, 0, 0, 1, 0, 0, -rate, 1]) * .translation(x: -center, y: -top)
  }

  func truth(_ x: Int, _ y: Int) -> (u: Double, v: Double) {
    let target = homography.apply(x: Double(x), y: Double(y))
    return (target.x - Double(x), target.y - Double(y))
  }

  func leavesImage(_ x: Int, _ y: Int) -> Bool {
    let target = homography.apply(x: Double(x), y: Double(y))
    return target.x < 0 || target.y < 0 || target.x > Double(size.width - 1) || target.y > Double(size.height - 1)
  }

  func errors(of flow: FlowField) -> Errors {
    var sums = (leaving: 0.0, staying: 0.0)
    var count = 0
    for y in 0..<size.height {
      for x in 0..<size.width {
        let (u, v) = truth(x, y)
        let (du, dv) = (Double(flow[x, y].u) - u, Double(flow[x, y].v) - v)
        let error = (du * du + dv * dv).squareRoot()
        if leavesImage(x, y) {
          sums.leaving += error
          count += 1
        } else {
          sums.staying += error
        }
      }
    }
    let area = size.width * size.height
    return Errors(
      leaving: sums.leaving / Double(max(count, 1)), staying: sums.staying / Double(area - count),
      share: Double(count) / Double(area))
  }
}

/// A small thing that jumps on textured ground that keeps still.
struct JumpScene {
  static let side = 24
  let size: PixelSize
  let start: (x: Int, y: Int)
  let jump: (x: Int, y: Int)
  let previous: Plane<Float>
  let current: Plane<Float>

  init(jump: (x: Int, y: Int), seed: UInt64, size: PixelSize = PixelSize(width: 320, height: 240)) {
    var random = FixedRandom(seed: seed)
    let start = (
      x: Int.random(in: 60...size.width - 84, using: &random), y: Int.random(in: 60...size.height - 84, using: &random)
    )
    let (ground, thing) = (Texture(seed: 2 * seed + 100), Texture(seed: 2 * seed + 101))
    func image(_ left: Int, _ top: Int) -> Plane<Float> {
      Plane(width: size.width, height: size.height) { x, y in
        let isThing = x >= left && x < left + Self.side && y >= top && y < top + Self.side
        return isThing
          ? thing.value(Double(x - left), Double(y - top)) : ground.value(Double(x), Double(y))
      }
    }
    (self.size, self.start, self.jump) = (size, start, jump)
    previous = image(start.x, start.y)
    current = image(start.x + jump.x, start.y + jump.y)
  }

  /// The share of the thing's inner pixels whose vectors are within 2 pixels of the jump.
  func foundShare(_ flow: FlowField) -> Double {
    var count = 0
    let inner = 4..<Self.side - 4
    for y in inner {
      for x in inner {
        let (u, v) = flow[start.x + x, start.y + y]
        if abs(u - Float(jump.x)) < 2 && abs(v - Float(jump.y)) < 2 { count += 1 }
      }
    }
    return Double(count) / Double(inner.count * inner.count)
  }
}
