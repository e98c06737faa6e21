// The search for objects that are too small for the flow.
//
// An object of a few pixels is drowned in patches that reach further than it does: they show the ground, which stays.
// What differs in a small region of its own is searched for by itself, within nothing but the pixels that changed.

import Imaging

/// Finds the shift of small components that differ from image to image. Used by one thread. The constants were tuned on
/// clips of drawn objects of two to six pixels before photographs.
struct SmallObjectMatcher {
  private let grid: CellGrid
  /// The shift of each cell that belongs to a small component, in pixels; nil for the others.
  private(set) var shifts: [SIMD2<Float>?]
  /// The share of the squared difference that the shift of each cell leaves.
  private(set) var shares: [Float]
  private var differs: [Bool]
  private var isOpen: [Bool]
  private var found: [Int] = []

  /// The maximum side of a small component, in cells; what differs around it counts.
  private static let maximumSideInCells = 6
  /// The number of cells around a small component in which nothing else differs.
  private static let clearanceInCells = 2
  /// The number of pixels to each side within which a component is searched for.
  private static let searchRadius = 5
  /// The factor by which the squared difference of a changed pixel must exceed its noise.
  private static let noiseFactor: Float = 9
  /// The amount by which the squared difference must exceed the noise times ``noiseFactor``, in squared grey levels.
  private static let noiseOffset: Float = 20
  /// The minimum number of pixels of a component that changed.
  private static let minimumChangedPixels = 4
  /// The minimum ratio of the difference that a shift leaves to that of the best one, unless the two are neighbours.
  private static let distinction: Float = 1.6
  /// The maximum share of the difference that the best shift leaves.
  private static let maximumResidualShare: Float = 0.4
  /// The maximum number of iterations that refine a shift.
  private static let refinementIterations = 4
  /// The maximum distance by which the way back may miss, in pixels.
  private static let tolerance: Float = 0.75
  /// The number of pixels around a component whose cells get its shift.
  private static let marginInPixels = 2

  init(grid: CellGrid) {
    self.grid = grid
    shifts = Array(repeating: nil, count: grid.count)
    shares = Array(repeating: 1, count: grid.count)
    differs = Array(repeating: false, count: grid.count)
    isOpen = differs
  }

  /// Forgets what was found.
  mutating func clear() {
    for cell in found { shifts[cell] = nil }
    found.removeAll(keepingCapacity: true)
  }

  /// Searches for the small components that differ.
  /// - Parameters:
  ///   - cells: The calm cells that differ.
  ///   - noise: The squared difference that noise makes in a cell.
  mutating func search(
    _ cells: [Int], _ previous: PlaneView<Float>, _ current: PlaneView<Float>, noise: (Int) -> Float
  ) {
    clear()
    for cell in cells { (differs[cell], isOpen[cell]) = (true, true) }
    defer { for cell in cells { differs[cell] = false } }
    for cell in cells where isOpen[cell] {
      guard let box = takeGroup(from: cell), let changed = changedPixels(in: box, previous, current, noise: noise)
      else { continue }
      guard let match = match(changed, previous, current), let back = self.match(changed, current, previous) else {
        continue
      }
      let miss = match.shift + back.shift
      guard (miss * miss).sum() <= Self.tolerance * Self.tolerance else { continue }
      mark(changed, match)
    }
  }

  /// Takes a group of open cells that touch; returns nil when it is not small, or not alone: of a tree in the wind many
  /// parts differ.
  private mutating func takeGroup(from first: Int) -> PixelRect? {
    let cells = isOpen.takeComponent(of: first) { [grid] in grid.forEachNeighbor(of: $0, $1) }
    var count = cells.count
    var (left, right, top, bottom) = (Int.max, Int.min, Int.max, Int.min)
    for cell in cells {
      let (column, row) = (cell % grid.columns, cell / grid.columns)
      (left, right, top, bottom) = (min(left, column), max(right, column), min(top, row), max(bottom, row))
    }
    let (width, height) = (right - left + 1, bottom - top + 1)
    guard width <= Self.maximumSideInCells, height <= Self.maximumSideInCells else { return nil }
    let around = Self.clearanceInCells
    for y in max(top - around, 0)...min(bottom + around, grid.rows - 1) {
      for x in max(left - around, 0)...min(right + around, grid.columns - 1) where differs[y * grid.columns + x] {
        count -= 1
      }
    }
    guard count == 0 else { return nil }
    let side = MotionParameters.cellSide
    return PixelRect(x: left * side, y: top * side, width: width * side, height: height * side)
  }

  /// Returns the rectangle of the pixels that changed; nil when they are too few.
  private func changedPixels(
    in box: PixelRect, _ a: PlaneView<Float>, _ b: PlaneView<Float>, noise: (Int) -> Float
  ) -> PixelRect? {
    var (left, right, top, bottom) = (Int.max, Int.min, Int.max, Int.min)
    var count = 0
    for y in box.y..<box.y + box.size.height {
      let (p, q) = (a.row(y), b.row(y))
      for x in box.x..<box.x + box.size.width {
        let difference = p[x] - q[x]
        let cell = y / MotionParameters.cellSide * grid.columns + x / MotionParameters.cellSide
        guard difference * difference > Self.noiseFactor * noise(cell) + Self.noiseOffset else { continue }
        count += 1
        (left, right, top, bottom) = (min(left, x), max(right, x), min(top, y), max(bottom, y))
      }
    }
    guard count >= Self.minimumChangedPixels else { return nil }
    return PixelRect(x: left, y: top, width: right - left + 1, height: bottom - top + 1)
  }

  private struct Match {
    var shift: SIMD2<Float>
    var share: Float
  }

  /// Returns the shift at which the rectangle of a is found in b; nil when it is not clear.
  private func match(_ box: PixelRect, _ a: PlaneView<Float>, _ b: PlaneView<Float>) -> Match? {
    let reach = Self.searchRadius
    guard box.x >= reach, box.y >= reach, box.x + box.size.width + reach <= a.width,
      box.y + box.size.height + reach <= a.height
    else { return nil }
    let side = 2 * reach + 1
    return withUnsafeTemporaryAllocation(of: Float.self, capacity: side * side) { errors in
      var best = 0
      for dy in -reach...reach {
        for dx in -reach...reach {
          let index = (dy + reach) * side + dx + reach
          errors[index] = squaredDifference(box, a, b, dx, dy)
          if errors[index] < errors[best] { best = index }
        }
      }
      let (x, y) = (best % side, best / side)
      // An object that is best at the end of the search may be anywhere.
      guard x > 0, y > 0, x < side - 1, y < side - 1 else { return nil }
      let refined = refined(SIMD2(Float(x - reach), Float(y - reach)), errors[best], box, a, b)
      let share = refined.error / max(errors[reach * side + reach], 1e-3)
      guard share <= Self.maximumResidualShare else { return nil }
      let limit = Self.distinction * refined.error
      for row in 0..<side {
        for column in 0..<side where abs(row - y) > 1 || abs(column - x) > 1 {
          if errors[row * side + column] < limit { return nil }
        }
      }
      return Match(shift: refined.shift, share: share)
    }
  }

  /// Returns the shift between pixels near one of whole pixels: Gauss and Newton's method for the squared difference.
  /// Each image is taken half of the way, so that both are blurred alike.
  private func refined(
    _ start: SIMD2<Float>, _ error: Float, _ box: PixelRect, _ a: PlaneView<Float>, _ b: PlaneView<Float>
  ) -> (shift: SIMD2<Float>, error: Float) {
    var best = (shift: start, error: error)
    var shift = start
    for _ in 0..<Self.refinementIterations {
      var (xx, xy, yy): (Float, Float, Float) = (0, 0, 0)
      var (ex, ey, ee): (Float, Float, Float) = (0, 0, 0)
      let half = shift / 2
      for y in box.rows {
        for x in box.columns {
          let p = a.sampleWithSlope(x: Float(x) - half.x, y: Float(y) - half.y)
          let q = b.sampleWithSlope(x: Float(x) + half.x, y: Float(y) + half.y)
          let difference = p.value - q.value
          let (dx, dy) = ((p.dx + q.dx) / 2, (p.dy + q.dy) / 2)
          (xx, xy, yy) = (xx + dx * dx, xy + dx * dy, yy + dy * dy)
          (ex, ey, ee) = (ex + difference * dx, ey + difference * dy, ee + difference * difference)
        }
      }
      if ee < best.error { best = (shift, ee) }
      let determinant = xx * yy - xy * xy
      guard determinant > 1e-6 * xx * yy else { break }
      shift += SIMD2(yy * ex - xy * ey, xx * ey - xy * ex) / determinant
      let way = shift - start
      guard abs(way.x) <= 1, abs(way.y) <= 1 else { break }
    }
    return best
  }

  private func squaredDifference(
    _ box: PixelRect, _ a: PlaneView<Float>, _ b: PlaneView<Float>, _ dx: Int, _ dy: Int
  ) -> Float {
    var sum: Float = 0
    for y in box.y..<box.y + box.size.height {
      let (p, q) = (a.row(y) + box.x, b.row(y + dy) + box.x + dx)
      for x in 0..<box.size.width { sum += (p[x] - q[x]) * (p[x] - q[x]) }
    }
    return sum
  }

  private mutating func mark(_ box: PixelRect, _ match: Match) {
    let (side, around) = (MotionParameters.cellSide, Self.marginInPixels)
    for row in max(box.y - around, 0) / side...min((box.y + box.size.height - 1 + around) / side, grid.rows - 1) {
      for column in max(box.x - around, 0) / side...min((box.x + box.size.width - 1 + around) / side, grid.columns - 1)
      {
        let cell = row * grid.columns + column
        shifts[cell] = match.shift
        shares[cell] = match.share
        found.append(cell)
      }
    }
  }
}

extension PlaneView<Float> {
  /// A value between pixels, and how it rises to the right and down.
  @inline(__always)
  fileprivate func sampleWithSlope(x: Float, y: Float) -> (value: Float, dx: Float, dy: Float) {
    (
      sample(x: x, y: y), (sample(x: x + 1, y: y) - sample(x: x - 1, y: y)) / 2,
      (sample(x: x, y: y + 1) - sample(x: x, y: y - 1)) / 2
    )
  }
}

extension PlaneView<Float> {
  /// Between four pixels; outside, those of the border.
  @inline(__always)
  fileprivate func sample(x: Float, y: Float) -> Float {
    bilinear(
      x: Swift.min(Swift.max(x, 0), Float(width - 1)), y: Swift.min(Swift.max(y, 0), Float(height - 1)))
  }
}
