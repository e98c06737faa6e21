// Follows a box by the motion of the points in it.
//
// Median flow: Kalal, Mikolajczyk & Matas, "Forward-backward error: automatic detection of tracking failures", ICPR 2010,
// doi:10.1109/ICPR.2010.675: a grid of points; the box moves by the median of their displacements and grows by the median
// growth of pairs of points.
//
// Deviations: (1) The points come from dense flow, with a forward-backward error each, so all are weighted by their
// confidence instead of dropping the worse half. (2) Boxes hold more than their object. Every cell of the grid has a weight
// that falls when it moves otherwise than the box, and rises slowly when it moves along: the object's shape is learned,
// and something that passes before it does not carry the box away. (3) Cells that move with the surroundings of the box
// while others do not belong to the background. (4) While too little of the object is seen, the box goes on with
// the motion it had.

import Imaging

/// A box and what is known of the shape in it.
struct BoxFollower: Sendable {
  /// Cells per side of the grid, at most. Tuned on the synthetic scenes: 8 miss a ring, 16 cost twice as much.
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
  /// The minimum likeness, below which the box does not show the object. Tuned on the scenes and `vtest.avi`, where
  /// limbs that move leave 0.5 and more.
  private static let minimumLikeness = 0.3
  /// The likeness below which something hides a part, and nothing is learned. Tuned as ``minimumLikeness`` is.
  private static let learningLikeness = 0.6
  /// The share of what a box shows now in what it is recognised by.
  private static let appearanceShare = 0.15
  /// Cells whose motion is off by this, in pixels, count a quarter, and much less further off.
  private static let precision = 0.4
  /// The number of reweighted fits of the box's motion.
  private static let fitCount = 6
  /// The most that a box grows or shrinks in a frame.
  private static let scaleRange = 0.95...1.05
  /// The share of a new motion in the motion that is gone on with.
  private static let velocityShare = 0.4

  private(set) var box: BoundingBox
  /// Weight of each cell, row by row: whether it shows the object just now, 0…1.
  private var weights: [Double]
  /// The weight of each cell over a longer time: what the object looks like when nothing hides it.
  private var shape: [Double]
  private let columns: Int
  private let rows: Int
  private var velocity = SIMD2(0.0, 0.0)
  private var appearance: BoxAppearance?
  private var isKnown = false

  init(_ box: BoundingBox) {
    self.box = box
    columns = max(2, min(Self.side, Int(box.width)))
    rows = max(2, min(Self.side, Int(box.height)))
    weights = [Double](repeating: 1, count: columns * rows)
    shape = weights
  }

  /// A cell with a known motion.
  private struct Cell {
    var index: Int
    var position: SIMD2<Double>
    var motion: SIMD2<Double>
    /// Weight times confidence.
    var weight: Double
    var confidence: Double
    /// A Boolean value that tells whether the cell moves otherwise than the surroundings; true for all when none do.
    var standsOut = true
  }

  /// Moves the box along.
  /// - Parameter image: The image that it moves into; nil: it is not looked at.
  /// - Returns: The confidence, 0…1: that of the cells that move along, over the whole known shape; or how far the box still
  ///   shows the same, when that is less.
  mutating func advance(_ motion: PairMotion, into image: Plane<Float>?) -> Double {
    var cells = sampled(motion)
    separate(&cells, from: background(motion))
    if !isKnown, !cells.isEmpty { recognize(&cells) }
    let known = cells.reduce(0) { $0 + shape[$1.index] }
    let trusted = cells.reduce(0) { $0 + $1.weight }
    guard known > 0 else { return coast() }
    let common = trusted >= Self.minimumSupport * known ? median(cells) ?? velocity : velocity
    let limit = max(Self.tolerance, Self.relativeTolerance * (box.width + box.height) / 2)
    let followers = cells.filter { length($0.motion - common) <= limit }
    let support = followers.reduce(0) { $0 + shape[$1.index] }
    guard support >= Self.minimumSupport * known else { return coast() }
    let certainty = followers.reduce(0) { $0 + shape[$1.index] * $1.confidence } / known
    let before = box
    let moved = move(by: common, with: followers)
    let likeness = likeness(in: image)
    guard likeness >= Self.minimumLikeness else {
      box = before
      return coast()
    }
    if likeness >= Self.learningLikeness {
      if support >= Self.learningSupport * known { learn(cells, following: common, limit) }
      velocity += (moved - velocity) * Self.velocityShare
      if let image { appearance?.adapt(to: image, box, share: Self.appearanceShare) }
    }
    return min(1, certainty, likeness)
  }

  /// Keeps what the box shows, to recognise it.
  mutating func look(at image: Plane<Float>) { appearance = BoxAppearance(image, box) }

  /// A Boolean value that tells whether there is anything to recognise the object by.
  var isSeen: Bool { appearance != nil }

  /// Returns how far the box shows what it showed before, up to 1; 1 when there is no telling.
  private func likeness(in image: Plane<Float>?) -> Double {
    guard let image, let appearance else { return 1 }
    let (columns, rows, shape) = (columns, rows, shape)
    return appearance.correlation(image, box) { x, y in
      shape[min(Int(y * Double(rows)), rows - 1) * columns + min(Int(x * Double(columns)), columns - 1)]
    } ?? 1
  }

  /// Moves the box a part of the way to what was found in its place.
  mutating func correct(towards target: BoundingBox, share: Double) {
    let center = box.center + (target.center - box.center) * share
    let width = box.width + (target.width - box.width) * share
    let height = box.height + (target.height - box.height) * share
    box = BoundingBox(center: center, width: width, height: height)
  }

  /// Goes on with the last motion.
  private mutating func coast() -> Double {
    box.x += velocity.x
    box.y += velocity.y
    return 0
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

  private func sampled(_ motion: PairMotion) -> [Cell] {
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
  private func background(_ motion: PairMotion) -> SIMD2<Double>? {
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

  private mutating func learn(_ cells: [Cell], following common: SIMD2<Double>, _ limit: Double) {
    for cell in cells {
      if length(cell.motion - common) <= limit && cell.standsOut {
        weights[cell.index] += (1 - weights[cell.index]) * Self.recovery * cell.confidence
      } else {
        weights[cell.index] *= Self.decay
      }
      shape[cell.index] += (weights[cell.index] - shape[cell.index]) * Self.shapeShare
    }
  }

  /// Moves the box with the similarity (shift, turn and growth) that fits the motion of the cells best: least squares,
  /// reweighted (Geman & McClure 1987), so that soft motion borders, where cells are slower or faster, count little.
  /// - Returns: The motion of the box's middle, in pixels.
  private mutating func move(by common: SIMD2<Double>, with followers: [Cell]) -> SIMD2<Double> {
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
    box = BoundingBox(center: box.center + motion, width: box.width * scale, height: box.height * scale)
    return motion
  }
}

/// A shift, turn and growth about a place.
private struct Similarity {
  var position = SIMD2(0.0, 0.0)
  var shift: SIMD2<Double>
  /// The growth along and across a line from the place, less one.
  var along = 0.0
  var across = 0.0

  init(shift: SIMD2<Double>) { self.shift = shift }

  /// The least squares fit to motions at places; nil without any weight.
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
    // Fewer than a handful of places, or all in a heap, do not tell growth.
    guard square > 4 * total, total > 3 else { return }
    (along, across) = (alongSum / square, acrossSum / square)
  }

  func motion(of point: SIMD2<Double>) -> SIMD2<Double> {
    let p = point - position
    return shift + SIMD2(along * p.x - across * p.y, along * p.y + across * p.x)
  }

  var scale: Double { length(SIMD2(1 + along, across)) }
}

private func length(_ v: SIMD2<Double>) -> Double { (v.x * v.x + v.y * v.y).squareRoot() }
