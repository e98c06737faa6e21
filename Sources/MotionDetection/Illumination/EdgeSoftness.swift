// The width of the edges of a change: light has no sharp ones, and what is close to the lens is out of focus.

import Imaging

/// Measures how many pixels a change takes from nothing to its full strength. Used by one thread.
///
/// A body in focus begins within a pixel or two. A cone of light does not begin anywhere. The change is taken against
/// the image of about a third of a second ago, by its grey levels and in proportion to them: light on a wall with a
/// texture is soft in proportion alone. The constants were tuned on the tuning half of the drawn scenes
/// (Tests/DetectionScenes) and on clips.
struct EdgeSoftness: Sendable {
  private let grid: CellGrid
  /// The factor by which frames were enlarged, 1 or more: no edge is sharper.
  private let enlargement: Float
  private var past: [(image: Plane<Float>, seconds: Double)] = []
  /// The width of the scene's own edges, as a multiple of those of one in focus; nil: there are none.
  private var sceneWidth: Float?
  private var lastLook = -Double.infinity

  /// The time between the images that are compared, in seconds.
  private static let interval = 0.28
  /// The share of the strongest change from which on a change belongs to an object, 0…1, and its minimum, in grey
  /// levels.
  private static let (changeShare, minimumChange) = (0.4 as Float, 6 as Float)
  /// The minimum number of pixels that change; fewer have no soft edges.
  private static let minimumCount = 60
  /// The number of cells below which a component may be part of something wider, and the cells around it that are
  /// looked at.
  private static let (smallCount, smallReach) = (20, 4)
  /// The percentile that stands for the maximum, 0…1.
  private static let percentile = 0.95
  /// The grey level that is added to brightness, so that noise in the dark is no large proportion.
  private static let darkness: Float = 16
  /// The brightness in whose proportion changes are, in grey levels.
  private static let brightness: Float = 80
  /// The maximum width of the edges of a scene in focus, in pixels.
  private static let focusedWidth: Float = 3
  /// The side of the blocks in which the edges of the scene are looked for, in cells, and the minimum range of grey
  /// levels of one with an edge.
  private static let (blockSide, minimumRange) = (5, 20 as Float)
  /// The minimum number of blocks with an edge, and the share of them that is sharper than what stands for the scene.
  private static let (minimumBlocks, sharpShare) = (8, 0.2)
  /// The maximum change of a block that rests, as a share of its range.
  private static let restingShare: Float = 0.3
  /// The time between two looks at the scene's own edges, in seconds.
  private static let sceneInterval = 2.0

  init(grid: CellGrid, enlargement: Float) { (self.grid, self.enlargement) = (grid, enlargement) }

  /// By how much the edges of what rests are wider than those of a scene in focus, at least 1.
  var blur: Float { max(sceneWidth ?? 1, enlargement) }

  /// Forgets all, for another scene or another view.
  mutating func reset() { (past, sceneWidth, lastLook) = ([], nil, -.infinity) }

  /// Takes the image of the next frame, to compare later ones with.
  mutating func append(_ image: Plane<Float>, seconds: Double) {
    past.append((image, seconds))
    while past.count > 1, past[1].seconds <= seconds - Self.interval { past.removeFirst() }
    guard past.count > 1, past[0].image.size == image.size, seconds - lastLook >= Self.sceneInterval else { return }
    lastLook = seconds
    if let width = edgeWidth(of: image, since: past[0].image) { sceneWidth = min(width, sceneWidth ?? width) }
  }

  /// Returns the width of the sharpest edges of a change, in pixels of a scene in focus; nil: there is too little of
  /// it.
  /// - Parameters:
  ///   - cells: A component.
  ///   - image: The last one that was appended.
  func width(of cells: [Int], in image: Plane<Float>) -> Float? {
    guard let reference = past.first, reference.image.size == image.size, past.count > 1 else { return nil }
    let near = surroundings(of: cells)
    let change = Change(of: image, since: reference.image, in: grid.pixels(of: near)) { now, then in
      2 * Self.brightness * (now - then) / (now + then + 2 * Self.darkness)
    }
    var changes: [Float] = []
    changes.reserveCapacity(near.count * MotionParameters.cellSide * MotionParameters.cellSide)
    for cell in near { grid.forEachInnerPixel(of: cell) { changes.append(abs(change.plain[change.index($0, $1)])) } }
    guard !changes.isEmpty else { return nil }
    let strongest = changes.nthElement(Int(Self.percentile * Double(changes.count - 1)))
    let limit = max(Self.changeShare * strongest, Self.minimumChange)
    var (plain, relative) = (EdgeSamples(capacity: changes.count), EdgeSamples(capacity: changes.count))
    change.plain.withUnsafeBufferPointer { differences in
      change.relative.withUnsafeBufferPointer { proportions in
        for cell in near {
          grid.forEachInnerPixel(of: cell) { x, y in
            let index = change.index(x, y)
            guard abs(differences[index]) > limit else { return }
            plain.note(differences, index, stride: change.area.size.width)
            relative.note(proportions, index, stride: change.area.size.width)
          }
        }
      }
    }
    guard plain.amplitudes.count >= Self.minimumCount else { return nil }
    return max(plain.width(Self.percentile), relative.width(Self.percentile)) / blur
  }

  /// Returns the cells of a component and those around it, rising.
  private func surroundings(of cells: [Int]) -> [Int] {
    var isNear = [Bool](repeating: false, count: grid.count)
    let reach = cells.count < Self.smallCount ? Self.smallReach : 1
    for cell in cells { grid.forEachNeighbor(of: cell, distance: reach) { isNear[$0] = true } }
    return isNear.indices.filter { isNear[$0] }
  }

  /// Returns by how much the edges of what rests are wider than those of a scene in focus, at least 1; nil: there are
  /// too few.
  private func edgeWidth(of image: Plane<Float>, since earlier: Plane<Float>) -> Float? {
    let side = Self.blockSide * MotionParameters.cellSide
    var widths: [Float] = []
    image.withView { image in
      earlier.withView { earlier in
        for top in stride(from: 2, to: image.height - side - 2, by: side) {
          for left in stride(from: 2, to: image.width - side - 2, by: side) {
            var (low, high, steepest, change) = (Float.infinity, -Float.infinity, 0 as Float, 0 as Float)
            for y in top..<top + side {
              for x in left..<left + side {
                let value = image.row(y)[x]
                (low, high) = (min(low, value), max(high, value))
                change = max(change, abs(value - earlier.row(y)[x]))
                steepest = max(steepest, squaredSlope(x, y) { image.row($1)[$0] })
              }
            }
            if high - low >= Self.minimumRange, change < Self.restingShare * (high - low) {
              widths.append((high - low) / steepest.squareRoot())
            }
          }
        }
      }
    }
    guard widths.count >= Self.minimumBlocks else { return nil }
    return max(1, widths.nthElement(Int(Self.sharpShare * Double(widths.count))) / Self.focusedWidth)
  }
}

/// The change of an image in a rectangle, row by row: differences of grey levels, and the same in proportion to these.
private struct Change {
  let area: PixelRect
  private(set) var plain: [Float] = []
  private(set) var relative: [Float] = []

  init(
    of image: Plane<Float>, since earlier: Plane<Float>, in area: PixelRect,
    proportion: (_ now: Float, _ then: Float) -> Float
  ) {
    self.area = area
    let (width, count) = (area.size.width, area.size.area)
    image.withView { image in
      earlier.withView { earlier in
        func values(_ value: (_ now: Float, _ then: Float) -> Float) -> [Float] {
          Array(unsafeUninitializedCapacity: count) { buffer, initializedCount in
            defer { initializedCount = count }
            guard var output = buffer.baseAddress else { return }
            for y in area.rows {
              let (now, then) = (image.row(y) + area.x, earlier.row(y) + area.x)
              for x in 0..<width { (output + x).initialize(to: value(now[x], then[x])) }
              output += width
            }
          }
        }
        plain = values { $0 - $1 }
        relative = values(proportion)
      }
    }
  }

  /// The index of a pixel of the image.
  @inline(__always)
  func index(_ x: Int, _ y: Int) -> Int { (y - area.y) * area.size.width + x - area.x }
}

/// The amplitudes of a change, and the squared slopes of its edges.
private struct EdgeSamples {
  var amplitudes: [Float] = []
  private var squaredSlopes: [Float] = []

  init(capacity: Int) {
    amplitudes.reserveCapacity(capacity)
    squaredSlopes.reserveCapacity(capacity)
  }

  @inline(__always)
  mutating func note(_ values: UnsafeBufferPointer<Float>, _ index: Int, stride: Int) {
    amplitudes.append(abs(values[index]))
    squaredSlopes.append(squaredSlope(0, 0) { values[index + $1 * stride + $0] })
  }

  /// Returns how many pixels the steepest edges take to the highest amplitude.
  mutating func width(_ percentile: Double) -> Float {
    let rank = Int(percentile * Double(amplitudes.count - 1))
    return amplitudes.nthElement(rank) / max(squaredSlopes.nthElement(rank).squareRoot(), 1e-3)
  }
}

/// Returns the squared length of the gradient at a pixel: Sobel's operator, over an image that is smoothed by it.
@inline(__always)
private func squaredSlope(_ x: Int, _ y: Int, _ value: (Int, Int) -> Float) -> Float {
  let (nw, n, ne) = (value(x - 1, y - 1), value(x, y - 1), value(x + 1, y - 1))
  let (w, e) = (value(x - 1, y), value(x + 1, y))
  let (sw, s, se) = (value(x - 1, y + 1), value(x, y + 1), value(x + 1, y + 1))
  let (u, v) = ((ne + 2 * e + se - nw - 2 * w - sw) / 8, (sw + 2 * s + se - nw - 2 * n - ne) / 8)
  return u * u + v * v
}
