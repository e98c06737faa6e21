// The formulas of planar motion, one sample after the other, in the order of operations of the kernels.

import FlowKernelTypes
import TestSupport
import Testing

/// A homography's first eight elements and the point from which its coordinates count.
struct PlaneNumbers: CustomTestStringConvertible {
  /// The minimum depth that is still seen, as a share of that at the origin.
  static let minimumDepth: Float = 0.1
  let name: String
  let h: [Float]
  let originX: Float
  let originY: Float
  var numbers: [Float] { h + [originX, originY] }
  var testDescription: String { name }

  init(_ name: String, _ h: [Float], origin: (Float, Float) = (0, 0)) {
    (self.name, self.h, originX, originY) = (name, h, origin.0, origin.1)
  }

  static let all = [
    PlaneNumbers("identity", [1, 0, 0, 0, 1, 0, 0, 0]),
    PlaneNumbers("affine", [1.03, -0.02, 1.5, 0.04, 0.97, -2.25, 0, 0], origin: (31.3, 12.7)),
    PlaneNumbers("ground", [1.1, 0.02, -3.5, 0.01, 1.2, 4.25, 0.0007, 0.004], origin: (33.1, 20.9)),
    // It crosses its horizon within a few dozens of pixels, and turns over beyond.
    PlaneNumbers("horizon", [0.9, 0.1, 2, -0.1, 1.05, 1, -0.031, 0.017], origin: (20.5, 7.25)),
    PlaneNumbers("beyond", [1, 0, 0, 0, 1, 0, -1, -1], origin: (-400, -300)),
    PlaneNumbers("far", [1, 0, 1e6, 0, 1, -1e6, 0, 0], origin: (5, 5)),
    PlaneNumbers("huge", [3e38, -3e38, 1e30, 1e18, -1e38, 3e38, 1e20, -1e20], origin: (1e10, -1e10)),
    PlaneNumbers("tiny", [.leastNonzeroMagnitude, 0, -0.0, 1e-30, .leastNormalMagnitude, 0, 1e-38, -1e-38]),
    PlaneNumbers("unknown", [.nan, 0, 0, 0, .infinity, 0, 0, 0]),
  ]

  private func depth(_ dx: Float, _ dy: Float) -> Float { 1 + h[6] * dx + h[7] * dy }
  private func x(_ dx: Float, _ dy: Float) -> Float { h[0] * dx + h[1] * dy + h[2] }
  private func y(_ dx: Float, _ dy: Float) -> Float { h[3] * dx + h[4] * dy + h[5] }

  func explains(_ px: Float, _ py: Float, _ u: Float, _ v: Float, squaredTolerance: Float) -> Bool {
    let (dx, dy) = (px - originX, py - originY)
    let depth = depth(dx, dy)
    let acrossX = x(dx, dy) - (dx + u) * depth
    let acrossY = y(dx, dy) - (dy + v) * depth
    return acrossX * acrossX + acrossY * acrossY < squaredTolerance * depth * depth && depth > Self.minimumDepth
  }

  /// The motion of pixel `i` of a row that begins at (x, y); nil where the row keeps what it has.
  func motion(_ i: Int, x firstX: Int, y: Int, limit: Float) -> (u: Float, v: Float)? {
    var dx = Float(i % 16) + Float(firstX) - originX
    for _ in 0..<i / 16 { dx += 16 }
    let dy = Float(y) - originY
    let depth = depth(dx, dy)
    guard depth > Self.minimumDepth else { return nil }
    let inverse = 1 / depth
    let (u, v) = (x(dx, dy) * inverse - dx, self.y(dx, dy) * inverse - dy)
    return u * u + v * v < limit * limit ? (u, v) : nil
  }

  /// Cauchy's weight, for coordinates without an origin.
  func weight(_ px: Float, _ py: Float, _ targetX: Float, _ targetY: Float, sharpness: Float) -> Float {
    let depth = depth(px, py)
    guard sharpness > 0, depth > Self.minimumDepth else { return 0 }
    let acrossX = x(px, py) - targetX * depth
    let acrossY = y(px, py) - targetY * depth
    let square = depth * depth
    return square / (square + (acrossX * acrossX + acrossY * acrossY) * sharpness)
  }
}

/// Samples of a flow, `count` of them, filled to whole vectors with such as do not count.
struct FlowSamples {
  let padded: Int
  /// x, y, two numbers that follow from the motion, and a tolerance.
  let rows: [GuardedRow]

  init(count: Int, kind: SampleKind, using random: inout FixedRandom, motion: (Float, Float) -> (Float, Float)) {
    padded = (count + 15) / 16 * 16
    var values = [[Float]](repeating: [], count: 5)
    for _ in 0..<count {
      let position =
        kind == .ordinary
        ? [Float.random(in: -20...90, using: &random), Float.random(in: -20...90, using: &random)]
        : kind.values(2, using: &random)
      let moved = motion(position[0], position[1])
      let isWild = kind == .extreme && Bool.random(using: &random)
      let vector = isWild ? kind.values(2, using: &random) : [moved.0, moved.1]
      let tolerance: Float = [0.0625, 1, 400, -1, 0].randomElement(using: &random) ?? 1
      for (row, value) in (position + vector + [tolerance]).enumerated() { values[row].append(value) }
    }
    let rest = padded - count
    rows = values.enumerated().map { row, values in
      GuardedRow(values + [Float](repeating: row == 4 ? -1 : 0, count: rest))
    }
  }

  /// The positions and what follows from the motion.
  var points: PlaneSamples {
    PlaneSamples(x: rows[0].base, y: rows[1].base, targetX: rows[2].base, targetY: rows[3].base)
  }

  func value(_ row: Int, _ i: Int) -> Float { rows[row].base[i] }
}
