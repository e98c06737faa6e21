// The motion of a box by the points in it.
//
// Median flow: Kalal, Mikolajczyk & Matas, "Forward-backward error: automatic detection of tracking failures", ICPR
// 2010, doi:10.1109/ICPR.2010.675: a grid of points; the box moves by the median of their displacements and grows by
// the median growth of pairs of points.
//
// Deviations: (1) The points come from dense flow, with a forward-backward error each, so all are weighted by their
// confidence instead of dropping the worse half. (2) Boxes hold more than their object. Every cell of the grid has a
// weight that falls when it moves otherwise than the box, and rises slowly when it moves along: the object's shape is
// learned, and something that passes before it does not carry the box away. (3) Cells that move with the surroundings
// of the box while others do not belong to the background.

import Imaging

/// The cells of a box, and which of them move as its object does. The constants were chosen by hand, where nothing else
/// is said.
struct BoxFlowModel: Sendable {
  /// The maximum number of cells per side of the grid. Tuned on the synthetic scenes: 8 miss a ring, 16 cost twice as
  /// much.
  private static let side = 12
  /// The factor on the weight of a cell that moved otherwise than the box. Tuned on the scenes `objects` and `walkers`.
  private static let decay = 0.5
  /// The share by which the weight of a cell that moved along approaches 1. Tuned on the scenes `objects` and
  /// `walkers`.
  private static let recovery = 0.15
  /// The share of the weights in the shape that is remembered.
  private static let shapeShare = 0.04
  /// The maximum difference of motion, in pixels, with which a cell follows the box; ``relativeTolerance`` may allow
  /// more.
  private static let tolerance = 1.0
  /// The maximum difference of motion with which a cell follows the box, in shares of the box's mean side (turns and
  /// limbs); ``tolerance`` may allow more.
  private static let relativeTolerance = 0.04
  /// The difference of motion, in pixels, above which a cell stands out from the background.
  private static let standout = 0.5
  /// The minimum share of the weights of cells that stand out, for the background to count at all.
  private static let minimumStandoutShare = 0.12
  /// The share of the known shape below which the box goes on as it did.
  private static let minimumSupport = 0.25
  /// The share of the known shape below which the weights stay as they are.
  private static let learningSupport = 0.5
  /// The deviation of motion at which a cell counts a quarter, in pixels; much less further off.
  private static let precision = 0.4
  /// The number of reweighted fits of the box's motion.
  private static let fitCount = 6
  /// The range of the factor by which a box grows or shrinks in a frame.
  private static let scaleRange = 0.95...1.05

  /// Weight of each cell, row by row: whether it shows the object just now, 0…1.
  private var weights: [Double]
  /// The weight of each cell over a longer time: what the object looks like when nothing hides it.
  private var shape: [Double]
  private let columns: Int
  private let rows: Int
  private var isKnown = false

  init(_ box: BoundingBox) {
    columns = max(2, min(Self.side, Int(box.width)))
    rows = max(2, min(Self.side, Int(box.height)))
    weights = [Double](repeating: 1, count: columns * rows)
    shape = weights
  }

  /// A cell with a known motion.
  fileprivate struct Cell {
    var index: Int
    var position: SIMD2<Double>
    var motion: SIMD2<Double>
    /// Weight times confidence.
    var weight: Double
    var confidence: Double
    /// A Boolean value that tells whether the cell moves otherwise than the surroundings; true for all when none do.
    var standsOut = true
  }

  /// The position to which the flow carries a box.
  struct Proposal {
    var box: BoundingBox
    /// The motion of the box's middle, in pixels.
    var motion: SIMD2<Double>
    /// The confidence of the cells that move along, over the whole known shape, 0…1.
    var certainty: Double
    fileprivate var cells: [Cell]
    fileprivate var common: SIMD2<Double>
    /// The difference from the common motion up to which a cell moves along.
    fileprivate var limit: Double
    /// A Boolean value that tells whether so much of the shape moves along that there is something to learn.
    fileprivate var teaches: Bool
  }

  /// Returns where the flow carries a box; nil where too little of its object is seen to move along.
  /// - Parameter velocity: The motion so far, which counts where the flow tells nothing.
  mutating func proposal(
    for box: BoundingBox, along motion: PairMotion, velocity: SIMD2<Double>
  ) -> Proposal? {
    var cells = sampled(motion, box)
    separate(&cells, from: background(motion, box))
    if !isKnown, !cells.isEmpty { recognize(&cells) }
    let known = cells.reduce(0) { $0 + shape[$1.index] }
    let trusted = cells.reduce(0) { $0 + $1.weight }
    guard known > 0 else { return nil }
    let common = trusted >= Self.minimumSupport * known ? median(cells) ?? velocity : velocity
    let limit = max(Self.tolerance, Self.relativeTolerance * (box.width + box.height) / 2)
    let followers = cells.filter { length($0.motion - common) <= limit }
    let support = followers.reduce(0) { $0 + shape[$1.index] }
    guard support >= Self.minimumSupport * known else { return nil }
    let certainty = followers.reduce(0) { $0 + shape[$1.index] * $1.confidence } / known
    let (moved, shift) = moved(box, by: common, with: followers)
    return Proposal(
      box: moved, motion: shift, certainty: certainty, cells: cells, common: common, limit: limit,
      teaches: support >= Self.learningSupport * known)
  }

  /// Takes on which cells moved along.
  mutating func learn(_ proposal: Proposal) {
    guard proposal.teaches else { return }
    for cell in proposal.cells {
      if length(cell.motion - proposal.common) <= proposal.limit && cell.standsOut {
        weights[cell.index] += (1 - weights[cell.index]) * Self.recovery * cell.confidence
      } else {
        weights[cell.index] *= Self.decay
      }
      shape[cell.index] += (weights[cell.index] - shape[cell.index]) * Self.shapeShare
    }
  }

  // MARK: Steps

  /// Takes what stands out from the background for the object.
  private mutating func recognize(_ cells: inout [Cell]) {
    for index in weights.indices { weights[index] = 0 }
    for index in cells.indices {
      if cells[index].standsOut {
        weights[cells[index].index] = 1
      } else {
        cells[index].weight = 0
      }
    }
    shape = weights
    isKnown = true
  }

  private func sampled(_ motion: PairMotion, _ box: BoundingBox) -> [Cell] {
    var cells: [Cell] = []
    let (cellWidth, cellHeight) = (box.width / Double(columns), box.height / Double(rows))
    for row in 0..<rows {
      let y = box.y - 0.5 + cellHeight * (Double(row) + 0.5)
      for column in 0..<columns {
        let x = box.x - 0.5 + cellWidth * (Double(column) + 0.5)
        let position = SIMD2(x, y)
        guard let sample = motion.sample(position) else { continue }
        let index = row * columns + column
        cells.append(
          Cell(
            index: index, position: position, motion: sample.displacement, weight: weights[index] * sample.confidence,
            confidence: sample.confidence))
      }
    }
    return cells
  }

  /// The median motion around the box, on a frame a sixth of its sides away; nil when little of it is in the image.
  private func background(_ motion: PairMotion, _ box: BoundingBox) -> SIMD2<Double>? {
    let (dx, dy) = (max(3, box.width / 6), max(3, box.height / 6))
    let frame = BoundingBox(x: box.x - dx, y: box.y - dy, width: box.width + 2 * dx, height: box.height + 2 * dy)
    var (xs, ys): ([Double], [Double]) = ([], [])
    for index in 0..<2 * Self.side {
      let share = Double(index) / Double(2 * Self.side - 1)
      let (right, bottom) = (frame.x + frame.width - 1, frame.y + frame.height - 1)
      let x = frame.x + share * (frame.width - 1)
      let y = frame.y + share * (frame.height - 1)
      let positions: [SIMD2<Double>] = [SIMD2(x, frame.y), SIMD2(x, bottom), SIMD2(frame.x, y), SIMD2(right, y)]
      for position in positions {
        guard let sample = motion.sample(position), sample.confidence >= 0.5 else { continue }
        xs.append(sample.displacement.x)
        ys.append(sample.displacement.y)
      }
    }
    guard xs.count >= 2 * Self.side, let x = xs.median, let y = ys.median else { return nil }
    return SIMD2(x, y)
  }

  private func separate(_ cells: inout [Cell], from background: SIMD2<Double>?) {
    guard let background else { return }
    let standing = cells.map { length($0.motion - background) > Self.standout }
    let total = cells.reduce(0) { $0 + weights[$1.index] }
    var weight = 0.0
    for (cell, stands) in zip(cells, standing) where stands { weight += weights[cell.index] }
    guard total > 0, weight >= Self.minimumStandoutShare * total else { return }
    for index in cells.indices { cells[index].standsOut = standing[index] }
  }

  /// The weighted median of each component; nil without any weight.
  private func median(_ cells: [Cell]) -> SIMD2<Double>? {
    let total = cells.reduce(0) { $0 + $1.weight }
    guard total > 0 else { return nil }
    func middle(_ value: (Cell) -> Double) -> Double {
      let sorted = cells.map { (value($0), $0.weight) }.sorted { $0.0 < $1.0 }
      var sum = 0.0
      for (value, weight) in sorted {
        sum += weight
        if 2 * sum >= total { return value }
      }
      return sorted.last?.0 ?? 0
    }
    return SIMD2(middle(\.motion.x), middle(\.motion.y))
  }

  /// Moves the box with the similarity (shift, turn and growth) that fits the motion of the cells best: least squares,
  /// reweighted (Geman & McClure 1987), so that soft motion borders, where cells are slower or faster, count little.
  /// - Returns: The box and the motion of its middle, in pixels.
  private func moved(
    _ box: BoundingBox, by common: SIMD2<Double>, with followers: [Cell]
  ) -> (box: BoundingBox, motion: SIMD2<Double>) {
    var fit = Similarity(shift: common)
    for _ in 0..<Self.fitCount {
      let weights = followers.map { cell in
        let error = length(fit.motion(of: cell.position) - cell.motion) / Self.precision
        return cell.weight / ((1 + error * error) * (1 + error * error))
      }
      guard let next = Similarity(followers.map(\.position), followers.map(\.motion), weights) else { break }
      fit = next
    }
    let motion = fit.motion(of: box.center)
    let scale = min(max(fit.scale, Self.scaleRange.lowerBound), Self.scaleRange.upperBound)
    return (
      BoundingBox(center: box.center + motion, width: box.width * scale, height: box.height * scale), motion
    )
  }
}

/// A shift, turn and growth about a point.
private struct Similarity {
  var position = SIMD2(0.0, 0.0)
  var shift: SIMD2<Double>
  /// The growth along and across a line from the point, less one.
  var along = 0.0
  var across = 0.0

  init(shift: SIMD2<Double>) { self.shift = shift }

  /// The least squares fit to motions at points; nil without any weight.
  init?(_ positions: [SIMD2<Double>], _ motions: [SIMD2<Double>], _ weights: [Double]) {
    let total = weights.reduce(0, +)
    guard total > 1e-6 else { return nil }
    var shift = SIMD2(0.0, 0.0)
    for index in positions.indices {
      position += positions[index] * weights[index]
      shift += motions[index] * weights[index]
    }
    position /= total
    shift /= total
    self.shift = shift
    var (square, alongSum, acrossSum) = (0.0, 0.0, 0.0)
    for index in positions.indices {
      let (p, m, w) = (positions[index] - position, motions[index] - shift, weights[index])
      square += w * (p.x * p.x + p.y * p.y)
      alongSum += w * (p.x * m.x + p.y * m.y)
      acrossSum += w * (p.x * m.y - p.y * m.x)
    }
    // Fewer than a handful of points, or all in a heap, do not tell growth.
    guard square > 4 * total, total > 3 else { return }
    (along, across) = (alongSum / square, acrossSum / square)
  }

  func motion(of point: SIMD2<Double>) -> SIMD2<Double> {
    let p = point - position
    return shift + SIMD2(along * p.x - across * p.y, along * p.y + across * p.x)
  }

  var scale: Double { length(SIMD2(1 + along, across)) }
}

func length(_ v: SIMD2<Double>) -> Double { (v.x * v.x + v.y * v.y).squareRoot() }
