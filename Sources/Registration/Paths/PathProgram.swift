// The sum that the corrections of a camera path make smallest, about corrections that are known roughly.

import Imaging

/// A frame of a camera path.
struct PathNode: Sendable {
  /// The time at which the frame shows, in seconds.
  var seconds: Double
  /// Maps this frame to the one before, in normalised coordinates and of the path's family.
  var motion: Homography
  var startsPath: Bool
  /// A Boolean value that tells whether no such frame exists: it stands for what lies beyond the path's ends.
  var isImagined: Bool
  /// The parameters of the correction.
  var theta: [Double]
}

/// Writes the sum of a path down (see `PathSmoother`). Unknown are the parameters of all frames that are not fixed.
struct PathProgram {
  /// The sum, as the solver takes it.
  private(set) var program: AbsoluteValueProgram
  private let nodes: [PathNode]
  private let fixedCount: Int
  private let model: TransformModel
  /// The part of Vₜ beside θₜ − θₜ₋₁ for each frame but the first, to first order about the corrections that are known.
  private var offsets: [[Double]] = []

  // The weights were chosen on `bikes`, `bigbuckbunny` and drawn paths, see docs/Benchmarks.md.

  /// The weight α of accelerations, in parts of the window.
  private static let accelerationShare = 0.01
  /// The root β of the weight of jerks, in parts of the window.
  private static let jerkShare = 0.1
  /// The correction ρ that is as dear as motion after a window, in halves of the longer side.
  private static let restingCorrection = 0.02
  /// The window of a fixed view, in seconds: the pull only chooses among views that rest equally well.
  private static let fixedWindow = 1e5

  /// - Parameters:
  ///   - nodes: Frames of one path, `fixedCount` first ones with final corrections.
  ///   - smoothing: The limits and weights.
  init(
    _ nodes: [PathNode], fixedCount: Int, _ smoothing: PathSmoothing, frame: NormalizedFrame, image: ImageFrame
  ) {
    self.nodes = nodes
    self.fixedCount = fixedCount
    model = smoothing.model
    let sides = model.degreesOfFreedom
    program = AbsoluteValueProgram(count: (nodes.count - fixedCount) * sides, stride: sides)
    let corrections = nodes.map { model.increment($0.theta) }
    offsets = nodes.indices.dropFirst().map { k in
      let back = corrections[k - 1].inverse ?? .identity
      let velocity = model.parameters(of: back * nodes[k].motion * corrections[k])
      return (0..<sides).map { velocity[$0] - nodes[k].theta[$0] + nodes[k - 1].theta[$0] }
    }
    let window = smoothing.isFixedView ? Self.fixedWindow : smoothing.window
    addPull(1 / (Self.restingCorrection * window))
    addVelocities()
    // A fixed view that the borders push moves as late as it can: to set off gently it would have to drift before.
    if !smoothing.isFixedView {
      addAccelerations(Self.accelerationShare * window)
      addJerks(Self.jerkShare * window * Self.jerkShare * window)
    }
    if let zoom = smoothing.zoomLimit { addBorders(image, frame, zoom: zoom) }
  }

  /// Returns the seconds from frame k − 1 to frame k.
  private func interval(_ k: Int) -> Double { max(nodes[k].seconds - nodes[k - 1].seconds, 1e-6) }

  private mutating func addPull(_ weight: Double) {
    let sides = model.degreesOfFreedom
    for k in fixedCount..<nodes.count {
      let seconds = nodes.count > 1 ? interval(max(1, k)) : 1
      for side in 0..<sides { program.squares[(k - fixedCount) * sides + side] = weight * seconds }
    }
  }

  /// Adds |Vₜ|, which is ∫ |velocity| dt.
  private mutating func addVelocities() {
    guard nodes.count > 1 else { return }
    for k in 1..<nodes.count { add(weight: 1, last: k, [1]) }
  }

  /// Adds α·|change of the velocity|.
  private mutating func addAccelerations(_ weight: Double) {
    guard nodes.count > 2 else { return }
    for k in 2..<nodes.count { add(weight: weight, last: k, acceleration(k)) }
  }

  /// Adds β²·|change of the acceleration|.
  private mutating func addJerks(_ weight: Double) {
    guard nodes.count > 3 else { return }
    for k in 3..<nodes.count {
      let (before, after) = (acceleration(k - 1), acceleration(k))
      let (early, late) = ((interval(k - 2) + interval(k - 1)) / 2, (interval(k - 1) + interval(k)) / 2)
      add(
        weight: weight, last: k,
        [-before[0] / early, after[0] / late - before[1] / early, after[1] / late])
    }
  }

  /// Returns the factors of Vₖ₋₁ and Vₖ in the change of the velocity at frame k − 1.
  private func acceleration(_ k: Int) -> [Double] { [-1 / interval(k - 1), 1 / interval(k)] }

  /// Adds weight·|Σ factorᵢ·V| over the motions up to that of frame `last`, for each parameter.
  private mutating func add(weight: Double, last: Int, _ factors: [Double]) {
    guard last >= fixedCount else { return }
    let sides = model.degreesOfFreedom
    let first = last - factors.count
    // V = θₖ − θₖ₋₁ + offset: differences of the factors are those of the parameters.
    for side in 0..<sides {
      var (offset, coefficients) = (0.0, SIMD4<Double>.zero)
      let start = max(first, fixedCount)
      for k in first...last {
        let before = k > first ? factors[k - first - 1] : 0
        let after = k < last ? factors[k - first] : 0
        if k > first { offset += before * offsets[k - 1][side] }
        if k < fixedCount {
          offset += (before - after) * nodes[k].theta[side]
        } else {
          coefficients[k - start] = before - after
        }
      }
      program.terms.append(
        AbsoluteValueProgram.Term(
          weight: weight, offset: offset, start: (start - fixedCount) * sides + side, count: last - start + 1,
          coefficients: coefficients))
    }
  }

  /// Adds the limits that keep each corner of the zoomed image in the frame.
  private mutating func addBorders(_ image: ImageFrame, _ frame: NormalizedFrame, zoom: Double) {
    let (x, y) = (frame.centerX / frame.scale, frame.centerY / frame.scale)
    let corners = [(-1.0, -1.0), (1, -1), (1, 1), (-1, 1)].map { sx, sy in
      let (u, v) = (sx * x / zoom, sy * y / zoom)
      return (sx: sx, sy: sy, u: u, v: v, rows: model.rows(u: u, v: v))
    }
    let sides = model.degreesOfFreedom
    for k in fixedCount..<nodes.count where !nodes[k].isImagined {
      let map = model.increment(nodes[k].theta)
      for corner in corners {
        // Where the corner lies for small changes of θ: where it is, and the derivative at no correction.
        let position = map.apply(x: corner.u, y: corner.v)
        for (sign, row, coordinate, border) in [
          (corner.sx, corner.rows.x, position.x, x), (corner.sy, corner.rows.y, position.y, y),
        ] {
          var (bound, coefficients) = (border - sign * coordinate, SIMD8<Double>.zero)
          for side in 0..<sides {
            coefficients[side] = sign * row[side]
            bound += sign * row[side] * nodes[k].theta[side]
          }
          program.limits.append(
            AbsoluteValueProgram.Limit(
              bound: bound, start: (k - fixedCount) * sides, count: sides, coefficients: coefficients))
        }
      }
    }
  }
}
