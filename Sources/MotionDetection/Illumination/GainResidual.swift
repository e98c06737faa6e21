// What a smooth change of the light does not explain of a change: shadows and clouds leave little, bodies much.

import Imaging

/// Measures how much of a change is more than a gain that varies smoothly from place to place. Used by one thread.
///
/// Where the shadow of a cloud moves on, the ground is what it was, darker: the image of a moment ago, times a gain
/// without edges. A body has edges, and covers those of the ground. The gain around a pixel is the ratio of the sums of
/// both images over a square (Jacques, Jung and Musse, "Background subtraction and shadow detection in grayscale video
/// sequences", 2005, compare windows so). The constants were chosen on the tuning half of the drawn scenes
/// (Tests/DetectionScenes), on clips, and on scenes of another hand.
struct GainResidual: Sendable {
  private let grid: CellGrid
  /// Images of late, oldest first, each with its time.
  private var past: [(image: Plane<Float>, seconds: Double)] = []
  /// The standard deviation of the residual of what rests, in grey levels; nil: it is not known yet.
  private var noise: Float?
  /// The sums of the columns of both images around a row, each with a margin on both sides.
  private var (nowColumns, thenColumns): ([Float], [Float]) = ([], [])

  /// The time between the images that are compared, and the minimum time, while a scene is young, in seconds.
  private static let (interval, minimumInterval) = (1.6, 0.4)
  /// The time between two images that are kept, in seconds.
  private static let spacing = 0.4
  /// The reach to each side of the square in which the gain is taken, in pixels of a scene in focus.
  private static let reach: Float = 4
  /// The grey level that is added to brightness, so that noise in the dark is no large gain.
  private static let darkness: Float = 16
  /// The change below which a pixel rests, in grey levels.
  private static let restingChange: Float = 6
  /// The ratio of the standard deviation of normal noise to its lower quartile, and the maximum of that deviation in
  /// grey levels: beside large bodies, what rests has a residual, too.
  private static let (noiseFactor, maximumNoise) = (3.14 as Float, 6 as Float)
  /// The distances of the pixels by which noise is judged, in pixels.
  private static let (noiseColumns, noiseRows) = (16, 8)
  /// The distance of the rows that are looked at.
  private static let rowStride = 2
  /// The minimum number of pixels looked at that change; of fewer too little is known.
  private static let minimumCount: Float = 15
  /// The area up to which a change is small, in pixels.
  private static let smallArea: Float = 625
  /// The number of cells around a component that are looked at.
  private static let reachInCells = 2

  init(grid: CellGrid) { self.grid = grid }

  /// Forgets all, for another scene or another view.
  mutating func reset() { (past, noise) = ([], nil) }

  /// Takes the image of the next frame, to compare later ones with.
  /// - Parameter blur: By how much edges are wider than those of a scene in focus, at least 1.
  mutating func append(_ image: Plane<Float>, blur: Float, seconds: Double) {
    guard seconds - (past.last?.seconds ?? -.infinity) >= Self.spacing - 1e-6 else { return }
    while past.count > 1, past[1].seconds <= seconds - Self.interval { past.removeFirst() }
    if let reference = past.first, reference.image.size == image.size {
      noise = noise(of: image, since: reference.image, blur: blur) ?? noise
    }
    past.append((image, seconds))
  }

  /// The residual of a change: the part of it that no smooth gain explains.
  struct Residual: Sendable {
    /// The share of the change, 0…1.
    var share: Float
    /// The same, as if the change were no larger than a body of 25 × 25 pixels: edges are a smaller part of a larger
    /// one.
    var shareOfSmall: Float
  }

  /// Returns the residual of the change of some cells; nil: there is too little of it, or too little is
  /// known.
  /// - Parameters:
  ///   - cells: A component.
  ///   - image: The last frame.
  ///   - blur: By how much edges are wider than those of a scene in focus, at least 1.
  mutating func residual(
    of cells: [Int], in image: Plane<Float>, blur: Float, seconds: Double
  ) -> Residual? {
    guard let reference = past.first, let noise, reference.image.size == image.size,
      seconds - reference.seconds >= Self.minimumInterval - 1e-6
    else { return nil }
    var isNear = [Bool](repeating: false, count: grid.count)
    var (top, bottom, left, right) = (grid.rows, 0, grid.columns, 0)
    for cell in cells {
      grid.forEachNeighbor(of: cell, distance: Self.reachInCells) { isNear[$0] = true }
      let (row, column) = (cell / grid.columns, cell % grid.columns)
      (top, bottom) = (min(top, row - Self.reachInCells), max(bottom, row + Self.reachInCells))
      (left, right) = (min(left, column - Self.reachInCells), max(right, column + Self.reachInCells))
    }
    let rows = max(top, 0)..<min(bottom + 1, grid.rows)
    let columns = max(left, 0)..<min(right + 1, grid.columns)
    var sums = Sums()
    image.withView { image in
      reference.image.withView { earlier in
        sums = self.sums(of: image, since: earlier, rows: rows, columns: columns, where: isNear, blur: blur)
      }
    }
    guard sums.changedCount >= Self.minimumCount else { return nil }
    let share = (max(sums.residual - sums.count * noise * noise, 0) / sums.change).squareRoot()
    // Its squared edges grow with the length of its outline, the squared change with its area.
    let area = sums.changedCount * Float(Self.rowStride)
    let size = max((area / Self.smallArea).squareRoot().squareRoot(), 1)
    return Residual(share: share, shareOfSmall: size * share)
  }

  /// The squared change of some pixels, the squared part of it that no smooth gain explains, their number, and that of
  /// those that change.
  private struct Sums {
    var (change, residual, count, changedCount): (Float, Float, Float, Float) = (0, 0, 0, 0)
  }

  private mutating func sums(
    of image: PlaneView<Float>, since earlier: PlaneView<Float>, rows: Range<Int>, columns: Range<Int>,
    where isIncluded: [Bool], blur: Float
  ) -> Sums {
    let side = MotionParameters.cellSide
    let reach = Self.reach(blur: blur)
    let pixels = columns.lowerBound * side..<columns.upperBound * side
    // What lies beyond the image stays zero.
    let seen = max(pixels.lowerBound - reach, 0)..<min(pixels.upperBound + reach, image.width)
    let margin = seen.lowerBound - (pixels.lowerBound - reach)
    nowColumns = Array(repeating: 0, count: pixels.count + 2 * reach)
    thenColumns = nowColumns
    let widths = pixels.map { Float(min($0 + reach, image.width - 1) - max($0 - reach, 0) + 1) }
    var (change, residual, changed) = (SIMD4<Float>.zero, SIMD4<Float>.zero, SIMD4<Float>.zero)
    var count = 0
    var held = 0..<0
    nowColumns.withUnsafeMutableBufferPointer { now in
      thenColumns.withUnsafeMutableBufferPointer { then in
        widths.withUnsafeBufferPointer { widths in
          guard let now = now.baseAddress, let then = then.baseAddress, let widths = widths.baseAddress else { return }
          for y in stride(from: rows.lowerBound * side, to: rows.upperBound * side, by: Self.rowStride) {
            let needed = max(y - reach, 0)..<min(y + reach + 1, image.height)
            if held.isEmpty { held = needed.lowerBound..<needed.lowerBound }
            for row in held.upperBound..<needed.upperBound {
              add(image.row(row) + seen.lowerBound, to: now + margin, count: seen.count)
              add(earlier.row(row) + seen.lowerBound, to: then + margin, count: seen.count)
            }
            for row in held.lowerBound..<needed.lowerBound {
              subtract(image.row(row) + seen.lowerBound, from: now + margin, count: seen.count)
              subtract(earlier.row(row) + seen.lowerBound, from: then + margin, count: seen.count)
            }
            held = needed
            let (current, past) = (image.row(y) + pixels.lowerBound, earlier.row(y) + pixels.lowerBound)
            let darkness = Self.darkness * Float(needed.count)
            let firstCell = y / side * grid.columns + columns.lowerBound
            for index in 0..<columns.count where isIncluded[firstCell + index] {
              let x = index * side
              var (nowSum, thenSum) = (SIMD4<Float>.zero, SIMD4<Float>.zero)
              for offset in x...x + 2 * reach {
                nowSum += vector(now + offset)
                thenSum += vector(then + offset)
              }
              let offset = darkness * vector(widths + x)
              let gain = (nowSum + offset) / (thenSum + offset)
              let (value, before) = (vector(current + x), vector(past + x))
              let difference = value - before
              let rest = value + Self.darkness - gain * (before + Self.darkness)
              change += difference * difference
              residual += rest * rest
              let isChanged = difference * difference .> Self.restingChange * Self.restingChange
              changed.replace(with: changed + 1, where: isChanged)
              count += side
            }
          }
        }
      }
    }
    return Sums(change: change.sum(), residual: residual.sum(), count: Float(count), changedCount: changed.sum())
  }

  /// Returns the standard deviation of the residual of what rests, in grey levels; nil: nothing rests.
  private func noise(of image: Plane<Float>, since earlier: Plane<Float>, blur: Float) -> Float? {
    let reach = Self.reach(blur: blur)
    var residuals: [Float] = []
    image.withView { image in
      earlier.withView { earlier in
        for y in stride(from: Self.noiseRows / 2, to: image.height, by: Self.noiseRows) {
          for x in stride(from: Self.noiseColumns / 2, to: image.width, by: Self.noiseColumns) {
            let (value, before) = (image.row(y)[x], earlier.row(y)[x])
            guard abs(value - before) < Self.restingChange else { continue }
            var (nowSum, thenSum): (Float, Float) = (0, 0)
            for row in max(y - reach, 0)..<min(y + reach + 1, image.height) {
              for column in max(x - reach, 0)..<min(x + reach + 1, image.width) {
                nowSum += image.row(row)[column] + Self.darkness
                thenSum += earlier.row(row)[column] + Self.darkness
              }
            }
            residuals.append(abs(value + Self.darkness - nowSum / thenSum * (before + Self.darkness)))
          }
        }
      }
    }
    guard !residuals.isEmpty else { return nil }
    return min(Self.noiseFactor * residuals.nthElement(residuals.count / 4), Self.maximumNoise)
  }

  private static func reach(blur: Float) -> Int { Int((reach * blur).rounded()) }
}

@inline(__always)
private func vector(_ values: UnsafePointer<Float>) -> SIMD4<Float> {
  UnsafeRawPointer(values).loadUnaligned(as: SIMD4<Float>.self)
}

@inline(__always)
private func add(_ values: UnsafePointer<Float>, to sums: UnsafeMutablePointer<Float>, count: Int) {
  for x in 0..<count { sums[x] += values[x] }
}

@inline(__always)
private func subtract(_ values: UnsafePointer<Float>, from sums: UnsafeMutablePointer<Float>, count: Int) {
  for x in 0..<count { sums[x] -= values[x] }
}
