// The tiles of an image that registration holds on to.

import FlowKernels
import Imaging

/// A tile of the template and what its pixels say by themselves. Positions in pixels of its level.
///
/// Brightness and contrast may change from one image to the other, tile by tile: r ≈ ∇t·d + γ·t + β. The unknowns γ and
/// β are eliminated, so that the sums below are those of gradients with their mean, and what follows t, taken out.
struct Tile {
  /// The upper left pixel.
  var x: Int
  var y: Int
  /// The middle, in the normalised coordinates of `NormalizedFrame`.
  var u = 0.0
  var v = 0.0
  /// Sums about the mean (see `measureTiles`).
  var meanX = 0.0
  var meanY = 0.0
  var meanT = 0.0
  var xt = 0.0
  var yt = 0.0
  var tt = 0.0
  /// Σ∇t·∇tᵀ about the mean.
  var xx = 0.0
  var xy = 0.0
  var yy = 0.0
  /// The texture, which tells how well the tile fixes a shift in every direction: the smaller eigenvalue of what γ and
  /// β leave of Σ∇t·∇tᵀ, per pixel, in squared grey levels per squared pixel.
  private(set) var texture = 0.0

  static let side = RegistrationKernels.tileSide
  static let pixelCount = Double(side * side)
  /// The distance from the upper left pixel to the middle, along one axis, in pixels.
  static let half = Double(side - 1) / 2

  init(x: Int, y: Int) {
    self.x = x
    self.y = y
  }

  mutating func take(_ sums: UnsafePointer<Float>) {
    let n = Self.pixelCount
    meanX = Double(sums[3]) / n
    meanY = Double(sums[4]) / n
    meanT = Double(sums[7]) / n
    xt = Double(sums[5]) - meanX * Double(sums[7])
    yt = Double(sums[6]) - meanY * Double(sums[7])
    tt = Double(sums[8]) - meanT * Double(sums[7])
    xx = Double(sums[0]) - meanX * Double(sums[3])
    xy = Double(sums[1]) - meanX * Double(sums[4])
    yy = Double(sums[2]) - meanY * Double(sums[4])
    texture = SymmetricMatrix(self, contrast: tt).smallerEigenvalue / n
  }
}

/// A symmetric matrix of two rows.
struct SymmetricMatrix {
  var xx: Double
  var xy: Double
  var yy: Double

  init(_ xx: Double, _ xy: Double, _ yy: Double) { (self.xx, self.xy, self.yy) = (xx, xy, yy) }

  /// Makes the matrix of a tile, without what its contrast explains.
  init(_ tile: Tile, contrast: Double) {
    // A tile without contrast has no use; this only keeps the division finite.
    let share = 1 / max(contrast, 1e-3)
    self.init(
      tile.xx - tile.xt * tile.xt * share, tile.xy - tile.xt * tile.yt * share, tile.yy - tile.yt * tile.yt * share)
  }

  var determinant: Double { xx * yy - xy * xy }

  var smallerEigenvalue: Double {
    let mean = (xx + yy) / 2
    let difference = (xx - yy) / 2
    return mean - (difference * difference + xy * xy).squareRoot()
  }
}

/// Coordinates in which an image of any size spans about −1 … 1, so that the unknowns of all models are of one size.
struct NormalizedFrame {
  let centerX: Double
  let centerY: Double
  let scale: Double

  init(_ size: PixelSize) {
    centerX = Double(size.width - 1) / 2
    centerY = Double(size.height - 1) / 2
    scale = Double(max(size.width, size.height, 2)) / 2
  }

  func u(_ x: Double) -> Double { (x - centerX) / scale }
  func v(_ y: Double) -> Double { (y - centerY) / scale }
}

/// Chosen tiles of one level of an image.
struct TileSet {
  private(set) var tiles: [Tile]
  let level: Int
  /// The number of tiles that lie on a pixel, along one axis.
  let overlap: Double

  /// The minimum texture of a tile (see `Tile.texture`): the rounding of pixels to whole grey levels has
  /// gradients of 0.04.
  static let minimumTexture = 0.1
  /// The side of the cells, in tiles, each of which keeps its best ones, so that the tiles lie all over the image;
  /// chosen by hand.
  private static let cellSide = 4

  /// The number of tiles side by side below which tiles overlap: overlapping ones reach nearer to the borders, and what
  /// is lost at a tile's edges counts in its neighbour. With 400, homographies of images with little texture
  /// are a quarter more exact.
  private static let minimumCount = 400
  /// The number of tiles below which tiles overlap on levels before the finest, which need not be as exact; chosen by
  /// hand.
  private static let minimumCoarseCount = 150

  /// - Parameter budget: The number of tiles to keep, roughly.
  init(_ image: RegistrationImage, level: Int, budget: Int, parallelism: Parallelism) {
    self.level = level
    let plane = image.levels[level]
    let grid = TileGrid(
      plane.size, budget: budget, minimumCount: level == 0 ? Self.minimumCount : Self.minimumCoarseCount)
    overlap = grid.overlap
    tiles = []
    tiles.reserveCapacity(grid.count)
    var measured = grid.positions
    Self.measure(&measured, of: plane, parallelism: parallelism)
    var chosen = [Bool](repeating: false, count: measured.count)
    for cell in grid.cells(side: Self.cellSide) {
      let textured = cell.filter { measured[$0].texture >= Self.minimumTexture }
      let share = max(1, (textured.count * min(budget, grid.count) + grid.count - 1) / grid.count)
      let textures = textured.map { measured[$0].texture }
      for (index, texture) in zip(textured, textures) {
        chosen[index] = textures.count { $0 > texture } < share
      }
    }
    // Row by row, as they lie in memory.
    for index in measured.indices where chosen[index] { tiles.append(measured[index]) }
    position(in: NormalizedFrame(image.size))
  }

  /// Tiles all over the image, whatever their texture.
  ///
  /// - Parameters:
  ///   - budget: The maximum number of tiles.
  ///   - minimumCount: The number of tiles below which they overlap.
  init(covering image: RegistrationImage, level: Int, budget: Int, minimumCount: Int, parallelism: Parallelism) {
    self.level = level
    let plane = image.levels[level]
    let grid = TileGrid(plane.size, budget: budget / 3, minimumCount: minimumCount)
    tiles = grid.positions
    overlap = grid.overlap
    Self.measure(&tiles, of: plane, parallelism: parallelism)
    position(in: NormalizedFrame(image.size))
  }

  private mutating func position(in frame: NormalizedFrame) {
    for index in tiles.indices {
      tiles[index].u = frame.u(RegistrationImage.fullSize(Double(tiles[index].x) + Tile.half, level: level))
      tiles[index].v = frame.v(RegistrationImage.fullSize(Double(tiles[index].y) + Tile.half, level: level))
    }
  }

  /// Returns the tiles that a closure wants.
  func filtered(_ isKept: (Tile) -> Bool) -> TileSet {
    var copy = self
    copy.tiles = tiles.filter(isKept)
    return copy
  }

  /// Returns every n-th of the tiles.
  func thinned(to n: Int) -> TileSet {
    var copy = self
    copy.tiles = stride(from: 0, to: tiles.count, by: n).map { tiles[$0] }
    return copy
  }

  /// The number of tiles of one task, whatever the number of threads; chosen by hand.
  static let part = 64

  private static func measure(_ tiles: inout [Tile], of plane: Plane<Float>, parallelism: Parallelism) {
    let count = tiles.count
    plane.withView { view in
      let grid = GridView(view)
      let kernels = KernelTable.current.registration
      tiles.withUnsafeMutableBufferPointer { tiles in
        let shared = TilePointer(tiles)
        parallelism.adapted(to: plane.size).forEach(count: (count + part - 1) / part) { index in
          let range = index * part..<min(count, (index + 1) * part)
          var origins = range.map { Int32(truncatingIfNeeded: shared[$0].y * grid.stride + shared[$0].x) }
          var sums = [Float](repeating: 0, count: range.count * RegistrationKernels.measureCount)
          var scratch = [Float](repeating: 0, count: RegistrationKernels.scratchCount)
          kernels.measureTiles(grid.base, grid.stride, &origins, range.count, &sums, &scratch)
          for (offset, tile) in range.enumerated() {
            sums.withUnsafeBufferPointer { sums in
              guard let base = sums.baseAddress else { return }
              shared[tile].take(base + offset * RegistrationKernels.measureCount)
            }
          }
        }
      }
    }
  }
}

/// Elements that several threads write, each its own.
struct SharedBuffer<Element>: @unchecked Sendable {
  // SAFETY: a pointer; whoever shares one between threads makes each write its own elements.
  private let base: UnsafeMutableBufferPointer<Element>
  init(_ base: UnsafeMutableBufferPointer<Element>) { self.base = base }

  subscript(index: Int) -> Element {
    get { base[index] }
    nonmutating _modify { yield &base[index] }
  }
}

typealias TilePointer = SharedBuffer<Tile>

/// The positions at which tiles may lie: as many steps of 16, or less on small images, as fit.
private struct TileGrid {
  let columns: Int
  let rows: Int
  let step: Int
  private let left: Int
  private let top: Int
  var count: Int { columns * rows }
  var overlap: Double { max(Double(Tile.side) / Double(step), 1) }

  /// The margin on each side, in pixels: one for the derivatives, one more so that a tile which does not move is seen
  /// whole.
  private static let margin = 2

  init(_ size: PixelSize, budget: Int, minimumCount: Int) {
    let width = size.width - Tile.side - 2 * Self.margin
    let height = size.height - Tile.side - 2 * Self.margin
    guard width >= 0, height >= 0 else {
      (columns, rows, step, left, top) = (0, 0, 1, 0, 0)
      return
    }
    // Tiles overlap where there would be too few of them.
    var step = Tile.side
    while step > 4, (width / step + 1) * (height / step + 1) < min(budget, minimumCount) { step /= 2 }
    // In large images there is room between them.
    while (width / step + 1) * (height / step + 1) > 3 * budget { step += 8 }
    self.step = step
    columns = width / step + 1
    rows = height / step + 1
    left = Self.margin + width % step / 2
    top = Self.margin + height % step / 2
  }

  var positions: [Tile] {
    (0..<rows).flatMap { row in (0..<columns).map { Tile(x: left + $0 * step, y: top + row * step) } }
  }

  /// The indices of the tiles in squares of `side` × `side`.
  func cells(side: Int) -> [[Int]] {
    stride(from: 0, to: rows, by: side).flatMap { top in
      stride(from: 0, to: columns, by: side).map { left in
        (top..<min(top + side, rows)).flatMap { row in
          (left..<min(left + side, columns)).map { row * columns + $0 }
        }
      }
    }
  }
}
